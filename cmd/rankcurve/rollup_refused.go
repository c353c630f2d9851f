package main

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve"
)

// maxLeft is how many refused posts a journal lists. If there are more, all of the chunk
// is sent again, and its id keeps it from being in a row twice.
const maxLeft = 10_000

// Refusals are the posts of a chunk that their rows refuse: a score would be beyond a
// limit or out of range, or the row cannot be read.
type refusals struct {
	count  int
	first  error
	owners map[string][]string // by board
}

func (r *refusals) add(board, owner string, err error) {
	if r.count++; r.first == nil {
		r.first, r.owners = err, map[string][]string{}
	}
	if r.count <= maxLeft {
		r.owners[board] = append(r.owners[board], owner)
	}
}

// left is what the journal notes of them: with it, a later run need not rely on rows to
// know the chunk's id still.
func (r *refusals) left() map[string][]string {
	if r.count > maxLeft {
		return nil
	}
	return r.owners
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
	return &refusedChunk{r.first, fmt.Sprintf("%s%s: of %s the lines %s to %s are counted for all others, and none after them; raise min_score or max_score in the configuration, or change the row, and run the same command again",
		bare(r.first), more, file, humanize.Comma(int64(log.Done.Lines+1)), humanize.Comma(int64(log.Next.Lines)))}
}
