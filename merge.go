package rankcurve

import (
	"cmp"
	"container/heap"
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// fanOut is how many requests one call has under way at once.
const fanOut = 64

// A span is what a merge reads of every shard: the keys from one down to another,
// or up from that one where it goes in reverse.
type span struct {
	column   string
	from, to int64 // keys, the best and the worst
	reverse  bool
	after    map[int]store.Position // by shard, the place to go on behind
}

// A merge reads rows of all shards and puts them in rank order. It reads from each
// shard what it is likely to give to the first n, and more only from one that runs
// dry before n are out.
type merge struct {
	store store.Store
	runs  []*run
	heads runHeap
	dry   *run // whose last row is out, and which has more to read
}

// A run is what was read of one shard and not merged yet.
type run struct {
	query store.Query // of the next page
	rows  []store.Position
	next  int  // the first row not merged
	more  bool // than was read
	usage store.Usage
	read  int
	seen  map[string]bool // owners of earlier pages; nil before a second one
}

// A merged row is one that came out, and the shard that it came from.
type merged struct {
	store.Position
	shard int
}

// merge reads the first rows of every shard at once, for n rows in all.
func (b *Board) merge(ctx context.Context, s span, n int) (*merge, error) {
	m := &merge{store: b.store}
	if s.from < s.to {
		return m, nil // nothing lies between
	}
	m.heads.reverse = s.reverse
	m.runs = make([]*run, b.def.Shards)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	for shard := range m.runs {
		r := &run{more: true, query: store.Query{Partition: b.def.Partition(s.column, shard), From: s.from, To: s.to, Reverse: s.reverse}}
		if place, there := s.after[shard]; there {
			r.query.After = &place
		}
		m.runs[shard] = r
		group.Go(func() error { return r.fill(ctx, b.store, store.ShardShare(n, b.def.Shards)) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, r := range m.runs {
		if r.next < len(r.rows) {
			m.heads.runs = append(m.heads.runs, r)
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
		r.query.Limit = limit
		page, err := partitions.Rows(ctx, r.query)
		if err != nil {
			return err // which names the partition
		}
		r.usage.Add(page.Usage)
		r.read += len(page.Rows)
		for _, row := range page.Rows {
			if !r.seen[row.Owner] {
				r.rows = append(r.rows, row)
			}
		}
		r.query.After, r.more = page.Last, page.Last != nil
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

// peek is the next row, which stays; ok is false when all are out. A shard that ran
// dry is asked for its share of so many more rows.
func (m *merge) peek(ctx context.Context, wanted int) (row merged, ok bool, err error) {
	if r := m.dry; r != nil {
		m.dry = nil
		if err := r.fill(ctx, m.store, store.ShardShare(max(1, wanted), len(m.runs))); err != nil {
			return merged{}, false, err
		}
		if r.next < len(r.rows) {
			heap.Push(&m.heads, r)
		}
	}
	if m.heads.Len() == 0 {
		return merged{}, false, nil
	}
	r := m.heads.runs[0]
	return merged{r.rows[r.next], r.query.Partition.Shard}, true, nil
}

// pop moves the next row out, the first of so many that are wanted.
func (m *merge) pop(ctx context.Context, wanted int) (row merged, ok bool, err error) {
	row, ok, err = m.peek(ctx, wanted)
	if !ok || err != nil {
		return row, ok, err
	}
	r := m.heads.runs[0]
	r.next++
	if r.next < len(r.rows) {
		heap.Fix(&m.heads, 0)
		return row, true, nil
	}
	heap.Pop(&m.heads)
	if r.more {
		m.dry = r
	}
	return row, true, nil
}

// take moves the next n rows out, or all there are.
func (m *merge) take(ctx context.Context, n int) ([]merged, error) {
	var taken []merged
	for len(taken) < n {
		row, ok, err := m.pop(ctx, n-len(taken))
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		taken = append(taken, row)
	}
	return taken, nil
}

// spent is what was read so far.
func (m *merge) spent() (rows int, u store.Usage) {
	for _, r := range m.runs {
		rows += r.read
		u.Add(r.usage)
	}
	return rows, u
}

// rankOrder sorts rows best first, equals by their owners.
func rankOrder(a, b store.Position) int {
	return cmp.Or(cmp.Compare(b.Key, a.Key), cmp.Compare(a.Owner, b.Owner))
}

// A runHeap has the run with the next row at its root.
type runHeap struct {
	runs    []*run
	reverse bool
}

// Len implements heap.Interface.
func (h *runHeap) Len() int { return len(h.runs) }

// Less implements heap.Interface.
func (h *runHeap) Less(i, j int) bool {
	a, b := h.runs[i], h.runs[j]
	if h.reverse {
		a, b = b, a
	}
	return rankOrder(a.rows[a.next], b.rows[b.next]) < 0
}

// Swap implements heap.Interface.
func (h *runHeap) Swap(i, j int) { h.runs[i], h.runs[j] = h.runs[j], h.runs[i] }

// Push implements heap.Interface.
func (h *runHeap) Push(x any) { h.runs = append(h.runs, x.(*run)) }

// Pop implements heap.Interface.
func (h *runHeap) Pop() any {
	last := len(h.runs) - 1
	r := h.runs[last]
	h.runs = h.runs[:last]
	return r
}
