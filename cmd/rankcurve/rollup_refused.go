package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve"
)

// maxLeft is how many refused posts a journal lists. If there are more, all of the chunk
// is sent again, and its id keeps it from being in a row twice.
const maxLeft = 10_000

// Refusals are the posts of a chunk that their rows refuse: a score would be beyond a
// limit or out of range, or the row cannot be read.
type refusals struct {
	count int
	first error
	why   map[string]map[string]error // by board and owner
}

func (r *refusals) add(board, owner string, err error) {
	if r.count++; r.first == nil {
		r.first, r.why = err, map[string]map[string]error{}
	}
	if r.why[board] == nil {
		r.why[board] = map[string]error{}
	}
	r.why[board][owner] = err
}

// left is what the journal notes of them: with it, a later run need not rely on rows to
// know the chunk's id still.
func (r *refusals) left() map[string][]string {
	if r.count > maxLeft {
		return nil
	}
	left := map[string][]string{}
	for board, owners := range r.why {
		left[board] = slices.Sorted(maps.Keys(owners))
	}
	return left
}

// listShares lists the lines of the chunk under way that rows refuse their shares of. Which
// list that is the journal has before: a run that goes on must look into it.
func (r *rollup) listShares(ctx context.Context, log *countedLog, refused *refusals) error {
	path, err := filepath.Abs(r.skip)
	if err != nil {
		return fmt.Errorf("name the list of refused lines: %w", err)
	}
	if log.List != path {
		log.List = path
		if err := r.journal.save(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	r.program.log().Debug("shares refused", "family", r.def.Name, "rows", refused.count)
	var listed []refusedLine
	lines, t := r.log.between(log.Done.Bytes, log.Next.Bytes, log.Done.Lines+1), r.newTally(r.now)
	for {
		l, err := lines.read()
		if errors.Is(err, io.EOF) {
			return r.list.add(listed)
		}
		if r.refusedBefore(l) {
			continue
		}
		if err == nil {
			listed, err = t.shares(l, refused, listed)
		}
		if err != nil {
			return fmt.Errorf("%s changed since it was counted: %w", r.log.name, err)
		}
	}
}

// keepList refuses to go on without the list that has refused shares of the chunk under way.
func (r *rollup) keepList() error {
	log := r.journal.log()
	if log.List == "" || r.skip != "" && sameFile(log.List, r.skip) {
		return nil
	}
	return usagef("the lines %d to %d were being counted when that was stopped at %s, and shares that rows refuse of them are listed in %s: with that list alone they are not counted besides; run again with --skip-refused %s",
		log.Done.Lines+1, log.Next.Lines, log.At.Format(time.RFC3339), log.List, quoted(log.List))
}

// sameFile says whether a path leads to a file, which need not be there any more.
func sameFile(file, path string) bool {
	if full, err := filepath.Abs(path); err == nil && full == file {
		return true
	}
	one, err := os.Stat(file)
	if err != nil {
		return false
	}
	other, err := os.Stat(path)
	return err == nil && os.SameFile(one, other)
}

// shares adds a line to a list for each board whose row refused it.
func (t *tally) shares(l logLine, refused *refusals, listed []refusedLine) ([]refusedLine, error) {
	places, err := t.places(l)
	if err != nil {
		return nil, err
	}
	amounts, err := t.amounts(l)
	if err != nil || len(amounts) == 0 {
		return listed, err
	}
	for _, at := range places {
		why, is := refused.why[at.board()][l.owner]
		if !is {
			continue
		}
		one, err := t.rollup.refusedLine(l)
		if err != nil {
			return nil, err
		}
		one.Board, one.Owner, one.Reason = at.board(), l.owner, bare(why)
		if n := len(listed); n == 0 || listed[n-1].Line != l.line {
			t.rollup.refused++
		}
		listed = append(listed, one)
	}
	return listed, nil
}

// outstanding are the posts of the chunk under way that may not be stored yet.
func (l *countedLog) outstanding(board string, posts []rankcurve.Post) []rankcurve.Post {
	lost, left := l.Lost[board], l.Left[board]
	if l.Left == nil && lost == nil {
		return posts
	}
	return slices.DeleteFunc(posts, func(p rankcurve.Post) bool {
		return slices.Contains(lost, p.Owner) || l.Left != nil && !slices.Contains(left, p.Owner)
	})
}

// A refusedChunk is a chunk of which some rows did not take their share.
type refusedChunk struct {
	cause error
	text  string
}

func (e *refusedChunk) Error() string { return e.text }
func (e *refusedChunk) Unwrap() error { return e.cause }

func (r *refusals) err(file string, log countedLog) error {
	more := ""
	if r.count > 1 {
		more = fmt.Sprintf(", and %s more", counting(int64(r.count-1), "row"))
	}
	return &refusedChunk{r.first, fmt.Sprintf("%s%s: of %s the lines %s to %s are counted for all others, and none after them; raise min_score or max_score in the configuration, or change the row, and run the same command again, with --skip-refused FILE to count on without them",
		bare(r.first), more, file, humanize.Comma(int64(log.Done.Lines+1)), humanize.Comma(int64(log.Next.Lines)))}
}
