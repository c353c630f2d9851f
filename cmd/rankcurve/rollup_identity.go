package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Which log a file is, is told by its first line behind a header, by the name that --log
// gives it, and by what it has at the places where marks were made:
//
//   - The file has another first line than any log that is known: it is a new one. So
//     are rotated logs, which have the header in common.
//   - It has what a log had at all of its marks: it is that log, and what is behind the
//     last mark is new.
//   - It has that, and ends before: it is an older copy of the log, with nothing new in it.
//   - It has something else: it is refused. It may be the log with a line changed, of which
//     all other lines would be counted twice, or another that begins with the same line,
//     which --log NAME tells apart.
//
// A line's end, and a mark of the byte order before the first one, are no part of the
// first line, so that a log with other line ends is found, and refused.

// An agreement is how far a file has what a log had.
type agreement struct {
	same    mark  // the last one at which it has
	differs *mark // the next one, at which it has something else; nil: none
	older   bool  // the file ends before the log does
}

// agree compares a file with the marks of a log, which are in order.
func (l countedLog) agree(f marks) (a agreement) {
	for _, m := range append(l.countedEnds(), l.Done) {
		switch {
		case f.endsBefore(m):
			a.older = true
			return a
		case !f.has(m):
			a.differs = &m
			return a
		}
		a.same = m
	}
	return a
}

// countedEnds are the marks up to which everything is counted.
func (l countedLog) countedEnds() []mark {
	return slices.DeleteFunc(slices.Clone(l.Ends), func(m mark) bool { return m.Bytes > l.Done.Bytes })
}

// find looks a log up among those that begin with the same line, and adds it if it is
// new. It reports whether the file is an older copy.
func (j *journal) find(name, how string, began mark, f marks) (older bool, err error) {
	j.at = slices.IndexFunc(j.logs, func(known countedLog) bool { return known.Name == name })
	if j.at < 0 {
		if err := j.mistaken(name, f); err != nil {
			return false, err
		}
		j.logs = append(j.logs, countedLog{ID: strings.ToLower(rand.Text()[:10]), Name: name, How: how, Done: began, Ends: []mark{began}})
		j.at, j.fresh = len(j.logs)-1, true
		return false, nil
	}
	known := j.log()
	a := known.agree(f)
	switch {
	case a.differs != nil:
		return false, j.changed(a)
	case known.How != how:
		return false, usagef("this log was counted into %s before, by %s; counted by %s too, its lines would be in there twice: name another board, or the same flags", j.family, known.How, how)
	case a.older:
		return true, nil
	case known.Next != nil && !f.has(*known.Next):
		return false, fmt.Errorf("the lines %d to %d were being counted when that was stopped at %s, and are not in the file any more; give it back what it had there, and run again: %w",
			known.Done.Lines+1, known.Next.Lines, known.At.Format(time.RFC3339), store.ErrInvalid)
	}
	return false, nil
}

// changed refuses a file that is not what the log was.
func (j *journal) changed(a agreement) error {
	what := fmt.Sprintf("something in lines %d to %d was changed", a.same.Lines+1, a.differs.Lines)
	if a.same.Lines+1 >= a.differs.Lines {
		what = fmt.Sprintf("line %d was changed", a.differs.Lines)
	}
	if a.same.Lines == 0 {
		what += " (line ends count too)"
	}
	known, log := j.log(), "a log that begins with this file's first line"
	if known.Name != "" {
		log = fmt.Sprintf("the log %q", known.Name)
	}
	return fmt.Errorf("%s was counted into %s up to line %d at %s, and %s since: a counted log may grow at its end alone, or its lines would be in there twice. Give it back what it had, and put corrections at its end; if this is another log that begins with the same line, tell them apart by --log NAME: %w",
		log, j.family, known.Done.Lines, known.At.Format(time.RFC3339), what, store.ErrInvalid)
}

// mistaken refuses a new name for what was counted under another, or none.
func (j *journal) mistaken(name string, f marks) error {
	var names []string
	for _, known := range j.logs {
		names = append(names, fmt.Sprintf("%q", known.Name))
		a := known.agree(f)
		switch {
		case a.differs != nil || known.Name != "" && name != "": // two that are named are two
		case known.Name == "":
			return fmt.Errorf("the lines of this file up to %d were counted into %s before, without --log; leave it out, or they would be in there twice: %w", a.same.Lines, j.family, store.ErrInvalid)
		default:
			return fmt.Errorf("the lines of this file up to %d were counted into %s before, as the log %q; add --log %s, or they would be in there twice: %w", a.same.Lines, j.family, known.Name, known.Name, store.ErrInvalid)
		}
	}
	if name == "" && len(names) > 0 {
		return fmt.Errorf("logs that begin with this file's first line were counted into %s as %s; say which one this is, or name it as another, with --log NAME: %w", j.family, strings.Join(names, ", "), store.ErrInvalid)
	}
	return nil
}

// firstLine is the log's first line behind a header that is not empty, without its end;
// nothing if there is none.
func (l *accessLog) firstLine() ([]byte, error) {
	const most = 1 << 16
	lines := make([]byte, min(most, l.usable-l.body))
	if _, err := l.file.ReadAt(lines, l.body); err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(lines, "\r\n"), []byte("\n"))
	return bytes.TrimRight(first, "\r"), nil
}
