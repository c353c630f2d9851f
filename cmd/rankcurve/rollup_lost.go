package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// lose notes in the journal whose rows may have their share of the chunk under way or not,
// before anything else is done: no run may post it again.
func (r *rollup) lose(ctx context.Context, at placeOfLines, owners []string) error {
	if len(owners) == 0 {
		return nil
	}
	log := r.journal.log()
	if log.Lost == nil {
		log.Lost = map[string][]string{}
	}
	log.Lost[at.board()] = append(log.Lost[at.board()], owners...)
	return r.journal.save(context.WithoutCancel(ctx))
}

// reportLost ends a chunk that all rows have, but for those of which it cannot be told: a
// person has to look at them.
func (r *rollup) reportLost(ctx context.Context, log *countedLog, t *tally) error {
	if len(log.Lost) == 0 {
		return nil
	}
	err := &lostPosts{r.lostText(log, t)}
	log.end()
	return errors.Join(err, r.journal.save(context.WithoutCancel(ctx)))
}

// lostPosts are shares of a chunk that some rows may have or not.
type lostPosts struct{ text string }

func (e *lostPosts) Error() string { return e.text }
func (e *lostPosts) Unwrap() error { return rankcurve.ErrForgotten }

// lostText says what to look at, and what to run for a row that has not its share.
func (r *rollup) lostText(log *countedLog, t *tally) string {
	lines := []string{fmt.Sprintf("%s: the lines %d to %d are counted, but for these rows it cannot be told: an answer was lost, and %d or more other posts with ids came since. Look at each of them (`rankcurve owner NAME`), and post what is missing:",
		r.log.name, log.Done.Lines+1, log.Next.Lines, store.MaxPosts)}
	for _, at := range t.counted() {
		for _, owner := range log.Lost[at.board()] {
			lines = append(lines, r.lostCommand(at, owner, t.boards[at][owner]))
		}
	}
	return strings.Join(lines, "\n")
}

func (r *rollup) lostCommand(at placeOfLines, owner string, sums map[string]int64) string {
	words := []string{"rankcurve", "post", at.board(), owner}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		column, err := r.def.Board(at.span).Column(name)
		if err == nil { // it is a column of the board, or could not be counted in
			words = append(words, name+"="+store.FormatScore(sums[name], column.Decimals))
		}
	}
	words = append(words, "--operator", string(store.Sum))
	if at.span.Period == store.Always {
		words = append(words, "--period", string(store.Always))
	}
	for i, word := range words {
		words[i] = quoted(word)
	}
	return "`" + strings.Join(words, " ") + "`"
}
