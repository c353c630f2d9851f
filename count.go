package rankcurve

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// A count finds out, over all shards, how many entries have a key of at least each
// cut. It goes in rounds of one page per shard: before a round what is left of the
// budget is shared out, and each shard asks for no more rows than its part pays.
// So it ends within its budget, or beyond it by what one round's rows were longer
// than the longest seen before.
type count struct {
	board    *Board
	column   *column
	curve    *predictor.Curve // says what it would take; may be nil
	budget   float64          // read units
	usage    store.Usage
	rowBytes int // of one index entry, the longest seen
}

// A shardCount is one shard's part of a pass.
type shardCount struct {
	query  store.Query
	cut    int     // where the last row fell
	counts []int64 // entries from a cut up to the one before it
	usage  store.Usage
	done   bool
}

// guessedOwner is the length of an owner, in bytes, while none was seen: a UUID's.
const guessedOwner = 36

// A page of so many bytes costs a block; maxPage blocks fill it.
const (
	blockBytes = 4096
	blockUnits = 0.5
	maxBlocks  = store.PageBytes / blockBytes
)

func (b *Board) newCount(c *column, curve *predictor.Curve) *count {
	base := store.IndexEntryBase(b.def.Partition(c.Name, 0))
	return &count{
		board: b, column: c, curve: curve, budget: b.options.readBudget,
		rowBytes: base + store.NumberSize(store.MaxScore) + guessedOwner,
	}
}

// between answers how many entries there are from a key down to each cut. The cuts
// are best first and all different. Rows and COUNT cost the same, so one cut is
// counted and for several the rows are read once. Over the budget it is
// [store.ErrTooExpensive].
func (n *count) between(ctx context.Context, from int64, cuts []int64) ([]int64, error) {
	totals := make([]int64, len(cuts))
	to := cuts[len(cuts)-1]
	if to > from { // nothing is better than the best key there can be
		return totals, nil
	}
	shards := make([]*shardCount, n.board.def.Shards)
	for i := range shards {
		query := store.Query{Partition: n.board.def.Partition(n.column.Name, i), From: from, To: to}
		shards[i] = &shardCount{query: query, counts: make([]int64, len(cuts))}
	}
	for pending := slices.Clone(shards); len(pending) > 0; {
		if err := n.round(ctx, pending, cuts); err != nil {
			return nil, err
		}
		pending = slices.DeleteFunc(pending, func(s *shardCount) bool { return s.done })
	}
	above := int64(0)
	for i := range totals {
		for _, s := range shards {
			above += s.counts[i]
		}
		totals[i] = above
	}
	return totals, nil
}

// round reads one page of every shard that is not done.
func (n *count) round(ctx context.Context, pending []*shardCount, cuts []int64) error {
	blocks := int((n.budget - n.usage.IndexReads) / blockUnits / float64(len(pending)))
	if blocks < 1 {
		return n.tooExpensive(len(pending), pending[0].query)
	}
	limit := 0
	if blocks < maxBlocks {
		limit = max(1, blocks*blockBytes/n.rowBytes)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	for _, s := range pending {
		s.query.Limit = limit
		group.Go(func() error { return s.page(ctx, n.board.store, cuts) })
	}
	err := group.Wait()
	for _, s := range pending {
		n.usage.Add(s.usage)
		s.usage = store.Usage{}
		if last := s.query.After; last != nil {
			n.rowBytes = max(n.rowBytes, store.IndexEntrySize(s.query.Partition, last.Key, last.Owner))
		}
	}
	return err
}

// page reads the shard's next page.
func (s *shardCount) page(ctx context.Context, partitions store.Partitions, cuts []int64) error {
	var err error
	if len(cuts) == 1 {
		var page store.CountPage
		page, err = partitions.Count(ctx, s.query)
		s.counts[0] += page.Count
		s.usage, s.query.After, s.done = page.Usage, page.Last, page.Last == nil
	} else {
		var page store.Page
		page, err = partitions.Rows(ctx, s.query)
		s.sort(page.Rows, cuts)
		s.usage, s.query.After, s.done = page.Usage, page.Last, page.Last == nil
	}
	return err // which names the partition
}

// sort counts rows, which are in rank order, into the cuts.
func (s *shardCount) sort(rows []store.Position, cuts []int64) {
	for _, row := range rows {
		for row.Key < cuts[s.cut] {
			s.cut++
		}
		s.counts[s.cut]++
	}
}

func (n *count) tooExpensive(pending int, q store.Query) error {
	command, estimate := "rankcurve rebuild "+n.board.def.Name, ""
	if n.curve != nil {
		entries := n.curve.Better(q.To-1) - n.curve.Better(q.From)
		units := entries*float64(n.rowBytes)/blockBytes*blockUnits + blockUnits*float64(n.board.def.Shards)
		estimate = fmt.Sprintf(" (the curve says that it takes about %.0f)", units)
	}
	return fmt.Errorf("%w of %.1f units%s: %.1f are spent and %d of %d shards are not counted to their end; ask with --mode estimate (`%s` makes its curve), or allow more with WithReadBudget",
		store.ErrTooExpensive, n.budget, estimate, n.usage.IndexReads, pending, n.board.def.Shards, command)
}
