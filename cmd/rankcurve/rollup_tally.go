package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// maxKinds is how many types a log may have: each is a board for every period. More
// are the values of another column.
const maxKinds = 200

// maxAhead is how far a line's time may be in the future: clocks differ.
const maxAhead = 5 * time.Minute

var kindName = regexp.MustCompile(`^[A-Za-z0-9_.-]*[A-Za-z0-9_-]$`)

// A placeOfLines is a board that lines go to.
type placeOfLines struct {
	family string
	span   store.Span
}

func (p placeOfLines) board() string { return p.span.Board(p.family) }

// A tally adds up lines by board and owner.
type tally struct {
	rollup  *rollup
	now     time.Time
	rows    int64
	gone    int64                                        // of them, those that some board of is gone
	boards  map[placeOfLines]map[string]map[string]int64 // to owner, to column, to sum
	kinds   map[string]bool
	refused []refusedLine // that are not counted
	passed  int64         // the same of a chunk that was begun before
	end     int64         // of the lines that were read
	ends    []int64       // places of milestones
}

func (r *rollup) newTally(now time.Time) *tally {
	return &tally{rollup: r, now: now, boards: map[placeOfLines]map[string]map[string]int64{}, kinds: r.kinds}
}

// read is how many lines were read.
func (t *tally) read() int64 { return t.rows + t.passed + int64(len(t.refused)) }

// add counts one line, in all boards or none. It may be late where its chunk was begun in
// time.
func (t *tally) add(l logLine, mayBeLate bool) error {
	places, err := t.places(l)
	if err != nil {
		return err
	}
	amounts, err := t.amounts(l)
	if err != nil {
		return err
	}
	if l.owner == "" {
		return faultf(l.line, t.rollup.columns.owner, "is empty; give every line an owner")
	}
	if err := store.ValidateOwner(l.owner); err != nil {
		return faultf(l.line, t.rollup.columns.owner, "%s; rename it", bare(err))
	}
	if !mayBeLate {
		if err := t.late(l); err != nil {
			return err
		}
	}
	for _, at := range places {
		for column, amount := range amounts {
			if _, err := store.AddScores(t.boards[at][l.owner][column], amount); err != nil {
				return faultf(l.line, column, "the sum of owner %q is out of range with this line: %v", l.owner, err)
			}
		}
	}
	t.rows++
	if len(places) < len(t.rollup.def.Periods) {
		t.gone++
	}
	for _, at := range places {
		if len(amounts) > 0 { // else none of the columns that are summed up has a number
			t.addTo(at, l.owner, amounts)
		}
	}
	return nil
}

// addTo adds amounts that are in range.
func (t *tally) addTo(at placeOfLines, owner string, amounts map[string]int64) {
	owners := t.boards[at]
	if owners == nil {
		owners = map[string]map[string]int64{}
		t.boards[at] = owners
	}
	sums := owners[owner]
	if sums == nil {
		sums = make(map[string]int64, len(amounts))
		owners[owner] = sums
	}
	for column, amount := range amounts {
		sums[column] += amount
	}
}

// places are the boards that a line goes to, by its type and time.
func (t *tally) places(l logLine) ([]placeOfLines, error) {
	family, err := t.family(l)
	if err != nil {
		return nil, err
	}
	spans, err := t.spans(l, family)
	places := make([]placeOfLines, len(spans))
	for i, s := range spans {
		places[i] = placeOfLines{family, s}
	}
	return places, err
}

// family is that of the line's type.
func (t *tally) family(l logLine) (string, error) {
	r := t.rollup
	if r.columns.kind == "" {
		return r.def.Name, nil
	}
	name := r.def.Name + "." + l.kind
	switch {
	case !kindName.MatchString(l.kind):
		return "", faultf(l.line, r.columns.kind, "%q names no board; a type has letters, digits and _ . - alone, and no point at its end", shortened([]byte(l.kind)))
	case len(name)+len(":2026-11-21") > store.MaxBoard:
		return "", faultf(l.line, r.columns.kind, "%q is too long: with it, the board's name would be over %d bytes", shortened([]byte(l.kind)), store.MaxBoard)
	}
	t.kinds[l.kind] = true
	if len(t.kinds) > maxKinds {
		return "", fmt.Errorf("line %d: %s has more than %d different types, each of which would be a board of its own; is --type-column the right one?", l.line, r.columns.kind, maxKinds)
	}
	return name, nil
}

// spans are those that the line's time falls into, without those whose boards are gone.
func (t *tally) spans(l logLine, family string) ([]store.Span, error) {
	r := t.rollup
	if r.columns.time == "" {
		return []store.Span{store.Always.At(t.now)}, nil
	}
	at, ok := parseTime(l.time)
	switch {
	case !ok:
		return nil, faultf(l.line, r.columns.time, "%q is no time; write it like 2026-11-21T09:30:00Z, or in seconds since 1970", shortened([]byte(l.time)))
	case at.After(t.now.Add(maxAhead)):
		return nil, faultf(l.line, r.columns.time, "%q is in the future", l.time)
	}
	def := r.def
	def.Name = family
	spans := make([]store.Span, 0, len(def.Periods))
	for _, p := range def.Periods {
		if s := p.At(at); !def.Board(s).Expired(t.now) {
			spans = append(spans, s)
		}
	}
	return spans, nil
}

// late refuses a line of a period that takes no more.
func (t *tally) late(l logLine) error {
	at, ok := parseTime(l.time)
	if t.rollup.columns.time == "" || !ok {
		return nil
	}
	for _, p := range t.rollup.def.Periods {
		if err := t.rollup.def.Takes(p.At(at), t.now); err != nil {
			return faultf(l.line, t.rollup.columns.time, "%v; raise late_grace, or set late_posts: accept", err)
		}
	}
	return nil
}

// amounts are what one line adds to the columns.
func (t *tally) amounts(l logLine) (map[string]int64, error) {
	r := t.rollup
	amounts := make(map[string]int64, len(l.sums)+1)
	if r.one != 0 {
		amounts[r.counter] = r.one
	}
	for i, text := range l.sums {
		if text == "" {
			continue
		}
		column := r.summed[i]
		if f := column.check(l.line, text); f != nil {
			return nil, f
		}
		amount, err := store.ParseScore(text, column.Decimals)
		if err != nil && !column.open {
			return nil, err // cannot be: it was checked
		}
		for _, limit := range r.plausible[column.Name] {
			if why := implausible(limit, column.Column, amount); why != "" {
				return nil, faultf(l.line, column.Name, "%s; correct it, or change min_score and max_score in the configuration", why)
			}
		}
		amounts[column.Name] = amount
	}
	return amounts, nil
}

// implausible says of an amount that it is more than a score may have or lose within a
// limit, whatever the score is. Sums begin at 0.
func implausible(l store.Limit, c store.Column, amount int64) string {
	lowest := int64(0)
	if l.Min != nil {
		lowest = min(lowest, *l.Min)
	}
	switch said := store.FormatScore(amount, c.Decimals); {
	case l.Max != nil && amount > *l.Max-lowest:
		return fmt.Sprintf("%s is more than a score may have, with the limit of %s", said, store.FormatScore(*l.Max, c.Decimals))
	case l.Max != nil && l.Min != nil && amount < *l.Min-*l.Max:
		return fmt.Sprintf("%s is more than a score may lose, with the limits of %s and %s", said, store.FormatScore(*l.Min, c.Decimals), store.FormatScore(*l.Max, c.Decimals))
	}
	return ""
}

// checkLines reads all lines that are not counted yet, and finds what is wrong with
// any. Those before begun are of a chunk that was begun before: in time, and without those
// that were refused then.
func (r *rollup) checkLines(ctx context.Context, from mark, begun int64) error {
	found := lineFaults{faults{file: r.log.name}, faults{file: r.log.name}}
	bar := r.program.progress("checking", r.log.usable-from.Bytes, true)
	defer bar.end()
	lines, t := r.log.between(from.Bytes, r.log.usable, from.Lines+1), r.newTally(r.now)
	for n := 0; ; n++ {
		if n%(1<<12) == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			clear(t.boards) // the sums of a whole log are not needed here
			bar.set(max(0, t.end-from.Bytes))
		}
		l, err := lines.read()
		if errors.Is(err, io.EOF) {
			break
		}
		t.end = l.end
		if err == nil {
			err = t.add(l, l.end <= begun)
		}
		if err != nil && !r.sort(l, err, l.end <= begun, &found) {
			return fmt.Errorf("%s: %w", r.log.name, err)
		}
	}
	r.rows, r.gone, r.refused = t.rows, t.gone, int64(found.listable.count)
	return r.judge(found)
}

// lineFaults are what is wrong with the lines of a log: what stops it, and what is
// listed.
type lineFaults struct{ stopping, listable faults }

// sort notes what is wrong with a line; false: it is more than a line's fault.
func (r *rollup) sort(l logLine, err error, begun bool, found *lineFaults) bool {
	var f *fault
	if !errors.As(err, &f) {
		return false
	}
	switch {
	case begun && r.refusedBefore(l):
	case !begun && r.skip != "":
		found.listable.add(f)
	default:
		found.stopping.add(f)
	}
	return true
}

// judge says whether a log with such lines can be counted.
func (r *rollup) judge(found lineFaults) error {
	if n := found.listable.count; r.rows == 0 && n > maxRefusedAlone {
		return hintf(found.listable.err(), "none of the %s lines can be counted, so that a flag or the configuration is more likely wrong than the log", humanize.Comma(int64(n)))
	}
	err := found.stopping.err()
	if err != nil && r.skip == "" {
		return hintf(err, "or count the other lines: --skip-refused FILE lists those that cannot be")
	}
	return err
}

// read tallies the lines from a place on, so many at most and up to another place. At
// the end of the log it has none. Of a chunk that was begun before it leaves out what was
// refused then, and nothing else.
func (r *rollup) read(from mark, to int64, most int, begun bool) (*tally, error) {
	lines, t := r.log.between(from.Bytes, to, from.Lines+1), r.newTally(r.now)
	for t.read() < int64(most) {
		l, err := lines.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err := t.take(l, err, begun); err != nil {
			return nil, fmt.Errorf("%s changed since it was checked: %w", r.log.name, err)
		}
		if milestone(l.line) {
			t.ends = append(t.ends, l.end)
		}
		t.end = l.end
	}
	return t, nil
}

// take counts a line, or notes that it is refused. Err is what is wrong with it already.
func (t *tally) take(l logLine, err error, begun bool) error {
	r := t.rollup
	if begun && r.refusedBefore(l) {
		t.passed++
		return nil
	}
	if !begun && r.list.mayHave(r.journal.log(), l) {
		line, unread := r.refusedLine(l)
		if was, listed := r.list.has(line); unread == nil && listed {
			t.refused = append(t.refused, was)
			return nil
		}
	}
	if err == nil {
		err = t.add(l, begun)
	}
	var f *fault
	if begun || r.list == nil || !errors.As(err, &f) {
		return err
	}
	line, err := r.refusedLine(l)
	line.Reason = f.reason()
	t.refused = append(t.refused, line)
	return err
}

// counted are the boards of a tally in the order of their names.
func (t *tally) counted() []placeOfLines {
	return slices.SortedFunc(maps.Keys(t.boards), func(a, b placeOfLines) int { return cmp.Compare(a.board(), b.board()) })
}

// posts are those that bring a board up to a chunk, in the order of their owners.
func (t *tally) posts(at placeOfLines, id string) []rankcurve.Post {
	owners := t.boards[at]
	posts := make([]rankcurve.Post, 0, len(owners))
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		posts = append(posts, rankcurve.Post{Owner: owner, Scores: owners[owner], Operator: store.Sum, ID: id})
	}
	return posts
}
