package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rankcurve/rankcurve"
)

// Lines that cannot be counted are no reason to stop where --skip-refused names a file:
// they are listed in it, and the others are counted. So that each line is in a board or in
// the list, and never in both, a chunk's refused lines are flushed to the list before the
// journal has them, and the journal has them before anything of the chunk is posted. A run
// that goes on reads the list first: what it has of the log stays refused, and is not
// written again. Shares that rows refuse are found while a chunk is posted: before they are
// listed the journal has the list's name, and that chunk is gone on with by this list alone.

// maxRefusedAlone is how many lines may be refused where no other is counted. More are the
// work of a wrong flag, and a log is counted once.
const maxRefusedAlone = 10

// maxRefusedText is how much of a refused line is listed.
const maxRefusedText = 1 << 16

// A refusedLine is a line that is not counted, or that the row of one board does not take.
type refusedLine struct {
	ID     string `json:"id"` // of the log in the journal
	Log    string `json:"log"`
	Line   int    `json:"line"`
	Board  string `json:"board,omitempty"` // the one that refuses it; none: no board has it
	Owner  string `json:"owner,omitempty"` // whose row that is
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// refusedLine is a line of the log at hand, without a reason.
func (r *rollup) refusedLine(l logLine) (refusedLine, error) {
	text, err := r.log.text(l)
	text = string([]rune(shortenedTo([]byte(text), maxRefusedText))) // as JSON gives it back
	return refusedLine{ID: r.journal.log().ID, Log: r.log.name, Line: l.line, Text: text}, err
}

// refusedBefore says that a line of the chunk under way was refused when that was begun.
func (r *rollup) refusedBefore(l logLine) bool {
	return r.journal != nil && r.journal.log().skips(l.line)
}

// A refusedKey is what is in a list once.
type refusedKey struct {
	id    string
	line  int
	board string
}

func (l refusedLine) key() refusedKey { return refusedKey{l.ID, l.Line, l.Board} }

// A refusedList is a file of refused lines, one JSON object each.
type refusedList struct {
	file  *os.File
	lines map[refusedKey]refusedLine   // of the log at hand, behind what is counted
	rows  map[string]map[string]string // by board and owner, why a row does not get its share of the chunk that was begun before
}

// openList makes the list, or reads one that is there. A file that is no list is not
// touched.
func openList(path string, in *input, log *countedLog) (*refusedList, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the list of refused lines: %w", err)
	}
	l := &refusedList{file: f, lines: map[refusedKey]refusedLine{}, rows: map[string]map[string]string{}}
	if err := l.readAll(path, in, log); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *refusedList) readAll(path string, in *input, log *countedLog) error {
	own, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("open the list of refused lines: %w", err)
	}
	if other, err := in.file.Stat(); err == nil && os.SameFile(own, other) || !own.Mode().IsRegular() {
		return usagef("--skip-refused %s is the log itself, or no file; name a file for the list of refused lines", path)
	}
	return l.readLines(path, log)
}

func (l *refusedList) readLines(path string, log *countedLog) error {
	lines, whole := bufio.NewReader(l.file), int64(0)
	for number := 1; ; number++ {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the list of refused lines: %w", err)
		}
		if err != nil && len(text) == 0 {
			return nil
		}
		one, ok := parseRefusedLine(text)
		switch {
		case !ok && err != nil && (whole > 0 || beginsList(text, log.ID)):
			return l.cut(whole)
		case !ok:
			return usagef("--skip-refused %s is there, and its line %d is none of a list of refused lines; name another file", path, number)
		case one.ID == log.ID && one.Line > log.Done.Lines:
			l.note(one, log)
		}
		if whole += int64(len(text)); err != nil { // an editor took the line end away
			return l.write([]byte("\n"))
		}
	}
}

// refusedBeginning is how the lines of a list begin.
var refusedBeginning = regexp.MustCompile(`^\{"id":"[a-z0-9]{10}","log":"`)

// beginsList says that a first line without an end was to be one of a list: it begins like
// one, or is the beginning of one of the log at hand.
func beginsList(text []byte, id string) bool {
	const field = `{"id":"`
	return refusedBeginning.Match(text) || len(text) > len(field) && strings.HasPrefix(field+id+`","log":"`, string(text))
}

func parseRefusedLine(text []byte) (one refusedLine, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&one)
	return one, err == nil && one.ID != "" && one.Line > 0 && one.Reason != ""
}

// cut takes a last line away that was half written when a run was killed: what it says is
// counted nowhere, and listed again or counted by the run that goes on.
func (l *refusedList) cut(whole int64) error {
	if err := l.file.Truncate(whole); err != nil {
		return fmt.Errorf("mend the list of refused lines: %w", err)
	}
	return nil
}

// note keeps what is listed of the log at hand.
func (l *refusedList) note(one refusedLine, log *countedLog) {
	l.lines[one.key()] = one
	if one.Board == "" || log.Next == nil || one.Line > log.Next.Lines {
		return
	}
	if l.rows[one.Board] == nil {
		l.rows[one.Board] = map[string]string{}
	}
	l.rows[one.Board][one.Owner] = one.Reason
}

// withhold leaves out the posts of rows of which a line is listed already: they are refused
// again, for others of their lines may not be listed yet.
func (l *refusedList) withhold(board string, posts []rankcurve.Post, refused *refusals) []rankcurve.Post {
	if l == nil || l.rows[board] == nil {
		return posts
	}
	return slices.DeleteFunc(posts, func(p rankcurve.Post) bool {
		why, listed := l.rows[board][p.Owner]
		if listed {
			refused.add(board, p.Owner, errors.New(why))
		}
		return listed
	})
}

// mayHave says that a line is listed, or was with another text.
func (l *refusedList) mayHave(log *countedLog, line logLine) bool {
	if l == nil {
		return false
	}
	_, listed := l.lines[refusedKey{id: log.ID, line: line.line}]
	return listed
}

// has finds a line that is listed, as it was then, or gives the line back.
func (l *refusedList) has(line refusedLine) (refusedLine, bool) {
	was, listed := l.lines[line.key()]
	if listed && was.Text == line.Text {
		return was, true
	}
	return line, false
}

// add lists lines that are not listed yet, and flushes them.
func (l *refusedList) add(lines []refusedLine) error {
	var text bytes.Buffer
	for _, line := range lines {
		if _, listed := l.has(line); listed {
			continue
		}
		if err := printJSON(&text, line); err != nil {
			return err
		}
		l.lines[line.key()] = line
	}
	if text.Len() == 0 {
		return nil
	}
	return l.write(text.Bytes())
}

func (l *refusedList) write(text []byte) error {
	if _, err := l.file.Write(text); err != nil {
		return fmt.Errorf("list the refused lines: %w", err)
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("list the refused lines: %w", err)
	}
	return nil
}

func (l *refusedList) close() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
