package rankcurve

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// fanOut is how many requests one call has under way at once.
const fanOut = 64

// A merge reads the best rows of all shards and puts them in rank order. It reads
// from each shard what it is likely to give to the best n, and more only from one
// that runs dry before n are out.
type merge struct {
	store store.Store
	runs  []*run
	heads runHeap
	usage store.Usage
	read  int // rows
}

// A run is what was read of one shard and not merged yet.
type run struct {
	partition store.Partition
	rows      []store.Position
	next      int             // the first row not merged
	last      *store.Position // where the last page ended
	more      bool            // than was read
	usage     store.Usage
	read      int
	seen      map[string]bool // owners of earlier pages; nil before a second one
}

// mergeBest reads the first rows of every shard at once.
func (b *Board) mergeBest(ctx context.Context, column string, n int) (*merge, error) {
	m := &merge{store: b.store, runs: make([]*run, b.def.Shards)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	for shard := range m.runs {
		r := &run{partition: b.def.Partition(column, shard), more: true}
		m.runs[shard] = r
		group.Go(func() error { return r.fill(ctx, b.store, store.ShardShare(n, b.def.Shards)) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, r := range m.runs {
		if r.next < len(r.rows) {
			m.heads = append(m.heads, r)
		}
	}
	heap.Init(&m.heads)
	return m, nil
}

// fill reads pages until there is a row to merge or the shard is exhausted.
func (r *run) fill(ctx context.Context, partitions store.Partitions, limit int) error {
	r.remember()
	r.rows, r.next = r.rows[:0], 0
	for len(r.rows) == 0 && r.more {
		page, err := partitions.Rows(ctx, store.Query{
			Partition: r.partition, From: store.MaxScore, To: -store.MaxScore, After: r.last, Limit: limit,
		})
		if err != nil {
			return fmt.Errorf("partition %s: %w", r.partition, err)
		}
		r.usage.Add(page.Usage)
		r.read += len(page.Rows)
		for _, row := range page.Rows {
			if !r.seen[row.Owner] {
				r.rows = append(r.rows, row)
			}
		}
		r.last, r.more = page.Last, page.Last != nil
	}
	return nil
}

// remember keeps the owners that are out: one whose score falls between two pages
// would come a second time.
func (r *run) remember() {
	if len(r.rows) > 0 && r.seen == nil {
		r.seen = make(map[string]bool, len(r.rows))
	}
	for _, row := range r.rows {
		r.seen[row.Owner] = true
	}
}

// take moves the best n rows out, in the order of their keys.
func (m *merge) take(ctx context.Context, n int) ([]store.Position, error) {
	taken := make([]store.Position, 0, min(n, len(m.runs)*store.ShardShare(n, len(m.runs))))
	for len(taken) < n && len(m.heads) > 0 {
		r := m.heads[0]
		taken = append(taken, r.rows[r.next])
		r.next++
		if r.next == len(r.rows) && r.more && len(taken) < n {
			if err := r.fill(ctx, m.store, store.ShardShare(n-len(taken), len(m.runs))); err != nil {
				return nil, err
			}
		}
		if r.next < len(r.rows) {
			heap.Fix(&m.heads, 0)
		} else {
			heap.Pop(&m.heads)
		}
	}
	for _, r := range m.runs {
		m.usage.Add(r.usage)
		m.read += r.read
	}
	return taken, nil
}

// rankOrder sorts rows best first, equals by their owners.
func rankOrder(a, b store.Position) int {
	return cmp.Or(cmp.Compare(b.Key, a.Key), cmp.Compare(a.Owner, b.Owner))
}

// A runHeap has the run with the best next row at its root.
type runHeap []*run

// Len implements heap.Interface.
func (h runHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h runHeap) Less(i, j int) bool {
	return rankOrder(h[i].rows[h[i].next], h[j].rows[h[j].next]) < 0
}

// Swap implements heap.Interface.
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*run)) }

// Pop implements heap.Interface.
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}
