package rankcurve

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// MaxTop is the most rows that [Board.Top] answers at once.
const MaxTop = 100_000

// Row is one place of the board.
type Row struct {
	Rank  int64 // 1 + the number of entries strictly better
	Owner string
	Score int64 // in units of 10^-decimals of the column
}

// Top is the exact best of a board.
type Top struct {
	Column   store.Column
	Rows     []Row // in rank order, equals by owner
	Read     int64 // entries that were read; if they are fewer than asked for, all there are
	RowsRead int   // index rows that it took, over all shards
	Usage    store.Usage
	AsOf     time.Time // when the reading began

	Attributes Attributes // of the rows, with [WithAttributes]
}

// Top reads the best n entries of a column, exactly, from all shards at once. The
// empty column is the first one; an unknown one is [store.ErrNoColumn]. n is 1 to
// [MaxTop], or it is [store.ErrInvalid]; a board with fewer entries answers all of
// them. Where equal scores lie across the place n, which of them are in depends on
// the store's order of equals. A shard that cannot be read is an error that names
// its partition, never a shorter answer. It reads about n + 3*sqrt(n*K) + 3*K rows
// of K shards, at the price of an index read of each, and at least half a unit per
// shard.
func (b *Board) Top(ctx context.Context, column string, n int, opts ...ViewOption) (Top, error) {
	c, err := b.column(column)
	if err != nil {
		return Top{}, err
	}
	if n < 1 || n > MaxTop {
		return Top{}, fmt.Errorf("read top %d of board %q: n is not in 1..%d: %w", n, b.def.Name, MaxTop, store.ErrInvalid)
	}
	asOf := b.options.clock()
	best, err := b.merge(ctx, span{column: c.Name, from: store.MaxScore, to: -store.MaxScore}, n)
	if err != nil {
		return Top{}, fmt.Errorf("read top %d of board %q: %w", n, b.def.Name, err)
	}
	rows, err := best.take(ctx, n)
	if err != nil {
		return Top{}, fmt.Errorf("read top %d of board %q: %w", n, b.def.Name, err)
	}
	top := Top{Column: c.Column, Rows: ranked(c.Column, rows, standing{}), Read: int64(len(rows)), AsOf: asOf}
	top.RowsRead, top.Usage = best.spent()
	if top.Rows, top.Attributes, err = b.detail(ctx, opts, top.Rows, &top.Usage); err != nil {
		return Top{}, fmt.Errorf("read top %d of board %q: %w", n, b.def.Name, err)
	}
	return top, nil
}

// A standing is how far down a board was read.
type standing struct {
	read int64 // entries
	rank int64 // of the last of them
	key  int64 // of the last of them
}

// ranked numbers rows that follow on a standing. A store's order of equals within a
// shard is its own, so they are sorted here.
func ranked(c store.Column, taken []merged, before standing) []Row {
	slices.SortFunc(taken, func(a, b merged) int { return rankOrder(a.Position, b.Position) })
	rows := make([]Row, len(taken))
	for i, p := range taken {
		before = before.then(p.Key)
		rows[i] = Row{Rank: before.rank, Owner: p.Owner, Score: c.Score(p.Key)}
	}
	return rows
}

// then is the standing after one more entry: equals share the rank of their first.
func (s standing) then(key int64) standing {
	if s.read == 0 || key != s.key {
		s.rank = s.read + 1
	}
	s.read, s.key = s.read+1, key
	return s
}
