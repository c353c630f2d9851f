package sampler

import (
	"context"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// An end is the part of the board next to its best or its worst row that was read
// row by row. Every row beyond edge, towards that end, is in keys, from the
// outermost inwards; rows at the edge itself and inside are not.
type end struct {
	keys  []int64
	edge  int64
	whole bool // the whole board was read; there is no edge
}

// readEnd reads about endRows rows from one end of the board. Each shard
// gives its share and three standard deviations more, so that the shard that
// happens to end first still reaches about that deep.
func (w *Walker) readEnd(ctx context.Context, reverse bool) (end, error) {
	limit := store.ShardShare(w.endRows, w.board.Shards)
	runs := make([][]int64, w.board.Shards)
	exhausted := make([]bool, w.board.Shards)
	err := w.each(ctx, w.board.Shards, func(ctx context.Context, shard int) error {
		if w.isPilot(shard) {
			runs[shard], exhausted[shard] = endOf(w.pilot, limit, reverse)
			return nil
		}
		q := store.Query{Partition: w.partition(shard), From: bestKey, To: worstKey, Reverse: reverse}
		return w.from(ctx, shard, func() (err error) {
			runs[shard], exhausted[shard], err = w.rows(ctx, q, limit)
			return err
		})
	})
	if err != nil {
		return end{}, err
	}
	before := descending
	if reverse {
		before = ascending
	}
	e := end{whole: true}
	for shard, run := range runs {
		if exhausted[shard] || w.isLost(shard) {
			continue
		}
		if last := run[len(run)-1]; e.whole || before(last, e.edge) {
			e.whole, e.edge = false, last
		}
	}
	e.keys = mergeRuns(runs, before)
	for !e.whole && len(e.keys) > 0 && before(e.edge, e.keys[len(e.keys)-1]) {
		e.keys = e.keys[:len(e.keys)-1]
	}
	return e, nil
}

// endOf is what reading so many rows from one end of keys, best first, gives.
func endOf(keys []int64, limit int, reverse bool) (run []int64, exhausted bool) {
	exhausted = len(keys) <= limit
	limit = min(limit, len(keys))
	if !reverse {
		return keys[:limit], exhausted
	}
	run = slices.Clone(keys[len(keys)-limit:])
	slices.Reverse(run)
	return run, exhausted
}
