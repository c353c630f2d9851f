package simulation

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/rankcurve/rankcurve/store"
)

// ranked is a board's keys, shard by shard, best first: partitions priced as other stores
// price theirs, and the truth. It never changes.
type ranked struct {
	shards [][]int64
	base   int // bytes of a row without its number
}

const ownerBytes = len("player-0000000")

func playerName(number int) string { return fmt.Sprintf("player-%07d", number) }

// rank sorts the keys of a board by shard.
func rank(o Options, shards [][]int64) *ranked {
	for _, keys := range shards {
		slices.Sort(keys)
		slices.Reverse(keys)
	}
	return &ranked{shards, store.IndexEntryBase(o.definition().Partition(columnName, 0)) + ownerBytes}
}

// Rows implements [store.Partitions].
func (r *ranked) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	p, err := r.page(ctx, q)
	if err != nil {
		return store.Page{}, err
	}
	rows := make([]store.Position, len(p.keys))
	for i, key := range p.keys {
		at := i
		if q.Reverse {
			at = len(rows) - 1 - i
		}
		rows[at] = p.position(key, i)
	}
	return store.Page{Rows: rows, Last: p.last(q), Usage: p.usage()}, nil
}

// Count implements [store.Partitions].
func (r *ranked) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	p, err := r.page(ctx, q)
	if err != nil {
		return store.CountPage{}, err
	}
	return store.CountPage{Count: int64(len(p.keys)), Last: p.last(q), Usage: p.usage()}, nil
}

// A page is the rows of one answer, best first.
type page struct {
	keys  []int64
	first int // place in the shard
	more  bool
	bytes int
}

func (p page) usage() store.Usage {
	return store.Usage{IndexReads: store.IndexReadUnits(p.bytes), Requests: 1}
}

// position is a row's. In place of an owner it has the row's place in the shard, which is
// what tells entries of one key apart here.
func (p page) position(key int64, i int) store.Position {
	return store.Position{Key: key, Owner: string(binary.BigEndian.AppendUint64(nil, uint64(p.first+i)))}
}

func (p page) last(q store.Query) *store.Position {
	if !p.more {
		return nil
	}
	i := len(p.keys) - 1
	if q.Reverse {
		i = 0
	}
	last := p.position(p.keys[i], i)
	return &last
}

func (r *ranked) page(ctx context.Context, q store.Query) (page, error) {
	if err := ctx.Err(); err != nil {
		return page{}, err
	}
	if q.From < q.To || q.Limit < 0 {
		return page{}, fmt.Errorf("read partition %s from key %d to %d, limit %d: %w", q.Partition, q.From, q.To, q.Limit, store.ErrInvalid)
	}
	if q.Partition.Board != boardName || q.Partition.Column != columnName || q.Partition.Shard < 0 || q.Partition.Shard >= len(r.shards) {
		return page{}, nil
	}
	keys := r.shards[q.Partition.Shard]
	from, to := better(keys, q.From), sort.Search(len(keys), func(i int) bool { return keys[i] < q.To })
	if q.After != nil {
		if len(q.After.Owner) != 8 {
			return page{}, fmt.Errorf("read partition %s behind a row that is not of it: %w", q.Partition, store.ErrInvalid)
		}
		place := int(binary.BigEndian.Uint64([]byte(q.After.Owner)))
		if q.Reverse {
			to = min(to, place)
		} else {
			from = max(from, place+1)
		}
	}
	return r.cut(keys, from, max(from, to), q), nil
}

// cut ends a page where its limit or its bytes do.
func (r *ranked) cut(keys []int64, from, to int, q store.Query) page {
	n, bytes := 0, 0
	for n < to-from && (q.Limit == 0 || n < q.Limit) {
		at := from + n
		if q.Reverse {
			at = to - 1 - n
		}
		size := r.base + store.NumberSize(keys[at])
		if bytes+size > store.PageBytes {
			break
		}
		bytes += size
		n++
	}
	more := n < to-from
	if q.Reverse {
		from = to - n
	}
	return page{keys: keys[from : from+n], first: from, more: more, bytes: bytes}
}

// better is how many keys, best first, are strictly better than one.
func better(keys []int64, key int64) int {
	return sort.Search(len(keys), func(i int) bool { return keys[i] <= key })
}

func (r *ranked) entries() (n int64) {
	for _, keys := range r.shards {
		n += int64(len(keys))
	}
	return n
}

func (r *ranked) counts(_ context.Context, shard int, keys []int64) ([]int64, error) {
	counts := make([]int64, len(keys))
	for i, key := range keys {
		counts[i] = int64(better(r.shards[shard], key))
	}
	return counts, nil
}

// held finds the keys of the entries at just these depths.
func (r *ranked) held(_ context.Context, depths []int64, _ func(int64) int64) ([]int64, error) {
	best, worst := -store.MaxScore, store.MaxScore
	for _, keys := range r.shards {
		if len(keys) > 0 {
			best, worst = max(best, keys[0]), min(worst, keys[len(keys)-1])
		}
	}
	keys := make([]int64, len(depths))
	for i, depth := range depths {
		// The key at a depth is the best one that so many have or surpass.
		steps := sort.Search(int(best-worst), func(steps int) bool { return r.better(best-int64(steps)-1) >= depth })
		keys[i] = best - int64(steps)
	}
	return keys, nil
}

func (r *ranked) better(key int64) (n int64) {
	for _, keys := range r.shards {
		n += int64(better(keys, key))
	}
	return n
}
