package rankcurve

import (
	"context"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// historyPage is how many kept curves are held in memory at once.
const historyPage = 64

// History is how the rank of a score moved: one answer for each curve that is kept as of
// the times from and to or between them, oldest first, and for the published one. The
// empty column is the first one, the zero from is as far back as curves are kept, the zero
// to is now. Each is of its curve's AsOf. An Err is [ErrBadCurve] of a kept curve that is
// damaged; its AsOf is told all the same.
//
// A score beyond ±[store.MaxScore], and a to before from, are [store.ErrInvalid]. It costs
// half a read unit per 4 KB of all those curves.
func (b *Board) History(ctx context.Context, column string, score int64, from, to time.Time) ([]Answer, store.Usage, error) {
	c, err := b.column(column)
	if err != nil {
		return nil, store.Usage{}, err
	}
	if err := b.checkScore(score); err != nil {
		return nil, store.Usage{}, err
	}
	if to.IsZero() {
		to = b.options.clock()
	}
	if to.Before(from) {
		return nil, store.Usage{}, fmt.Errorf("history of board %q: %s is before %s: %w", b.def.Name, store.Moment(to), store.Moment(from), store.ErrInvalid)
	}
	var usage store.Usage
	var answers []Answer
	next := time.UnixMilli(store.ArchiveMillis(from))
	for more := true; more; {
		kept, used, err := b.store.CurvesBetween(ctx, b.curveKey(c), next, to, historyPage)
		usage.Add(used)
		if err != nil {
			return nil, usage, fmt.Errorf("history of board %q: %w", b.def.Name, err)
		}
		for _, a := range kept {
			answers = append(answers, b.rankThen(c, a, score))
			next = a.AsOf.Add(time.Millisecond)
		}
		more = len(kept) == historyPage
	}
	published, used, err := b.publishedBy(ctx, c, to)
	usage.Add(used)
	if err != nil {
		return nil, usage, fmt.Errorf("history of board %q: %w", b.def.Name, err)
	}
	if published != nil && !published.Meta().AsOf.Before(next) {
		answers = append(answers, Answer{Rank: rankBy(b, c, published, score, 0)})
	}
	return answers, usage, nil
}

// rankThen is the rank that a score had by a kept curve.
func (b *Board) rankThen(c *column, a store.Archived, score int64) Answer {
	curve, err := b.decodeKept(c, a)
	if err != nil {
		r := Rank{Board: b.def.Name, Column: c.Name, Score: score, Decimals: c.Decimals, AsOf: a.AsOf, Generation: a.Generation}
		return Answer{Rank: r, Err: err}
	}
	return Answer{Rank: rankBy(b, c, curve, score, 0)}
}
