package sampler

import (
	"context"
	"fmt"

	"github.com/rankcurve/rankcurve/store"
)

const (
	heavy       = 2 // times what the rule allows: split
	light       = 1 // times, two together: merge
	splitRounds = 4
)

// splitHeavy cuts intervals in two that have grown too heavy for their depth,
// until none is, or a few rounds have passed: the next walk goes on.
func (w *Walker) splitHeavy(ctx context.Context, head end, cuts []cut, tailRows int) ([]cut, error) {
	for range splitRounds {
		var split bool
		var err error
		if cuts, split, err = w.splitOnce(ctx, head, cuts, tailRows); err != nil || !split {
			return cuts, err
		}
	}
	return cuts, nil
}

func (w *Walker) splitOnce(ctx context.Context, head end, cuts []cut, tailRows int) (out []cut, split bool, err error) {
	entries := int64(len(head.keys) + tailRows)
	for _, c := range cuts {
		entries += c.entries
	}
	better, upper := int64(len(head.keys)), head.edge
	for _, c := range cuts {
		parts := []cut{c}
		if w.isHeavy(c, upper, better, entries) {
			if parts, err = w.split(ctx, c, upper); err != nil {
				return nil, false, err
			}
			split = split || len(parts) > 1
		}
		out = append(out, parts...)
		better, upper = better+c.entries, c.key
	}
	return out, split, nil
}

// isHeavy reports whether the interval between upper and the cut holds more than
// it should. An interval of one key is an atom: it cannot be split and need not
// be.
func (w *Walker) isHeavy(c cut, upper, better, entries int64) bool {
	distance := float64(min(better+c.entries, entries-better))
	return upper-c.key > 1 && float64(c.entries) > heavy*w.interval(max(distance, float64(w.endRows)))
}

// split cuts an interval at its median in one shard, which tells the board's as
// well as any sample of that size, and counts the parts in every shard.
func (w *Walker) split(ctx context.Context, c cut, upper int64) ([]cut, error) {
	median, found, err := w.median(ctx, w.anyShard(c.key), span{upper, c.key + 1})
	if err != nil {
		return nil, err
	}
	if !found {
		return []cut{c}, nil
	}
	parts := make([]cut, 0, 3)
	for _, key := range []int64{median, median - 1} { // both sides of it: it may be an atom
		if key < upper && key > c.key {
			parts = append(parts, cut{key: key})
		}
	}
	if len(parts) == 0 {
		return []cut{c}, nil
	}
	parts = append(parts, cut{key: c.key})
	return parts, w.countCuts(ctx, upper, parts)
}

// median finds the key in the middle of the rows of a shard between two keys; there is none
// where there are no rows, and where the shard is lost.
func (w *Walker) median(ctx context.Context, shard int, s span) (median int64, found bool, err error) {
	err = w.from(ctx, shard, func() error {
		here, err := w.count(ctx, shard, s.from, s.to)
		if err != nil {
			return err
		}
		q := store.Query{Partition: w.partition(shard), From: s.from, To: s.to, Limit: int(max(1, here/2))}
		page, err := w.store.Count(ctx, q)
		if err != nil {
			return fmt.Errorf("find the median of an interval of %s: %w", q.Partition, err)
		}
		if page.Last != nil {
			median, found = page.Last.Key, true
		}
		return w.spent(page.Usage)
	})
	return median, found, err
}

// anyShard is one that is not lost, and not the same for every key.
func (w *Walker) anyShard(key int64) int {
	shard := int(uint64(key) % uint64(w.board.Shards))
	for w.isLost(shard) {
		shard = (shard + 1) % w.board.Shards
	}
	return shard
}

// mergeLight is the cutpoints for the next walk: those between two intervals that
// are light even together are left out, and the last, which is where the tail
// begins, for the next walk's tail begins elsewhere.
func (w *Walker) mergeLight(headRows int64, cuts []cut, entries int64) []int64 {
	var keys []int64
	better, held := headRows, int64(0) // held: entries since the last cut kept
	for i, c := range cuts[:len(cuts)-1] {
		better, held = better+c.entries, held+c.entries
		next := cuts[i+1].entries
		distance := float64(min(better, entries-better))
		if float64(held+next) >= light*w.interval(distance) {
			keys = append(keys, c.key)
			held = 0
		}
	}
	return keys
}
