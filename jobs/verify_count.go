package jobs

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/rankcurve/rankcurve/store"
)

// An interval of keys, both inclusive, is what lies between two neighbours of the
// sample: from the better one's key down to just above the worse one's.
type interval struct {
	index    int // of the worse one, among the distinct keys
	from, to int64
}

// A stretch is a run of intervals that one query of each shard counts. Of a single
// interval the number is asked for. Several short ones are read row by row: each by
// itself would be billed a block that it does not fill.
type stretch struct {
	intervals []interval
	bytes     float64 // that a shard holds of it, as the curve lets expect
}

// shortBytes is what an interval holds of a shard, at most, to be read with others: a
// longer one loses a thirtieth by its last block.
const shortBytes = 16 * blockBytes

// blockBytes of an index are what the least of reads costs.
const blockBytes = 4096

// units is the price of a stretch in one shard.
func (s stretch) units() float64 {
	pages := max(1, math.Ceil(s.bytes/store.PageBytes))
	return leastUnits * max(1, s.bytes/blockBytes+0.5*pages) // a page's last block is half full
}

// distinct sorts keys best first, each once.
func distinct(keys []int64) []int64 {
	sorted := slices.Clone(keys)
	slices.SortFunc(sorted, bestFirst)
	return slices.Compact(sorted)
}

func bestFirst(a, b int64) int { return cmp.Compare(b, a) }

// stretches cuts the board into what lies between the keys, from the best entry down
// to the worst key or, if the whole board is wanted, to its end.
func (s *survey) stretches(keys []int64, whole bool) []stretch {
	var all []stretch
	from := store.MaxScore
	for i, key := range keys {
		if key < from { // nothing is better than the best key there can be
			all = s.append(all, interval{i, from, key + 1})
		}
		from = key
	}
	if whole {
		all = s.append(all, interval{len(keys), from, -store.MaxScore})
	}
	return all
}

// append adds an interval to the last stretch, if both are short, or as a new one.
func (s *survey) append(all []stretch, next interval) []stretch {
	entries := s.curve.Better(next.to-1) - s.curve.Better(next.from)
	bytes := entries * s.rowBytes / float64(s.board.Shards)
	if n := len(all); n > 0 && bytes < shortBytes {
		last := &all[n-1]
		isShort := len(last.intervals) > 1 || last.bytes < shortBytes
		if isShort && last.bytes+bytes < store.PageBytes {
			last.intervals, last.bytes = append(last.intervals, next), last.bytes+bytes
			return all
		}
	}
	return append(all, stretch{[]interval{next}, bytes})
}

// count counts the ranks of the checks, whose keys stand beside them, and of the whole
// board its entries.
func (s *survey) count(ctx context.Context, keys []int64, whole bool) error {
	cuts := distinct(keys)
	between, err := s.countAll(ctx, s.stretches(cuts, whole), len(cuts)+1)
	if err != nil {
		return err
	}
	better := make(map[int64]int64, len(cuts))
	above := int64(0)
	for i, key := range cuts {
		above += between[i]
		better[key] = above
	}
	if whole {
		s.found.Entries = above + between[len(cuts)]
	}
	for i, key := range keys {
		s.found.Checks[i].Rank = better[key] + 1
	}
	slices.SortStableFunc(s.found.Checks, func(a, b Check) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Owner, b.Owner))
	})
	return nil
}

// countAll counts every stretch in every shard. The answer has a number for each
// interval's index.
func (s *survey) countAll(ctx context.Context, all []stretch, n int) ([]int64, error) {
	totals := make([]atomic.Int64, n)
	shards := s.board.Shards
	var done atomic.Int64
	err := s.each(ctx, len(all)*shards, func(ctx context.Context, i int) error {
		// Neighbouring requests go to different partitions, so that none is hot.
		if err := s.countIn(ctx, i%shards, all[i/shards], totals); err != nil {
			return err
		}
		s.options.Progress(int(done.Add(1)), len(all)*shards)
		return nil
	})
	counts := make([]int64, n)
	for i := range totals {
		counts[i] = totals[i].Load()
	}
	return counts, err
}

// countIn counts a stretch in one shard, page by page.
func (s *survey) countIn(ctx context.Context, shard int, t stretch, totals []atomic.Int64) error {
	q := store.Query{Partition: s.board.Partition(s.column.Name, shard), From: t.intervals[0].from, To: t.intervals[len(t.intervals)-1].to}
	at := 0
	for {
		if err := s.ledger.affords(); err != nil {
			return err
		}
		if len(t.intervals) == 1 {
			page, err := s.partitions.Count(ctx, q)
			s.ledger.add(page.Usage)
			if err != nil {
				return err // which names the partition
			}
			totals[t.intervals[0].index].Add(page.Count)
			q.After = page.Last
		} else {
			page, err := s.partitions.Rows(ctx, q)
			s.ledger.add(page.Usage)
			if err != nil {
				return err
			}
			for _, row := range page.Rows { // in rank order
				for row.Key < t.intervals[at].to {
					at++
				}
				totals[t.intervals[at].index].Add(1)
			}
			q.After = page.Last
		}
		if q.After == nil {
			return nil
		}
	}
}
