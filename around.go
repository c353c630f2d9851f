package rankcurve

import (
	"context"
	"fmt"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// MaxAround is the most rows on each side that [Board.Around] answers.
const MaxAround = 10_000

// Around is a piece of the board with one place in its middle. Better, Pivot, Worse is
// rank order, equals by owner; the pivot's equals stand on both sides of it.
type Around struct {
	Column   store.Column
	Better   []Rank // the best first, the pivot's neighbour last
	Pivot    Rank   // the owner's own row; of a bare score, what it has or would have
	Worse    []Rank // the pivot's neighbour first
	RowsRead int    // index rows, over all shards
	Usage    store.Usage

	Attributes Attributes // of all rows, with [WithAttributes]
}

// Around reads the k entries before an owner and the k after it, fewer at the ends of
// the board, and ranks them. The empty column is the first one, the empty mode [Auto];
// k is 1 to [MaxAround], or it is [store.ErrInvalid]. An owner that is not on the
// board, is hidden or has no score in the column is [store.ErrNotFound].
//
// The owner's rank is found as [Board.Rank] finds it, with its errors and its price.
// Those of the rows follow from it, by counting the rows between: they never
// contradict each other, equals share one, and where the owner's is estimated they
// have its band. Where the rows reach the best of the board all ranks are exact.
//
// It reads about 2*k rows, and half a read unit at least of each shard for each
// direction; and of an owner's equals, and of those of the farthest better row, up to 500
// rows or 2*k. Where an owner has more equals, any of them stand for all; where that row has,
// their rank is found as the owner's is, and kept within what the rows allow.
func (b *Board) Around(ctx context.Context, column string, mode Mode, owner string, k int, opts ...ViewOption) (Around, error) {
	c, mode, err := b.inquireAround(column, mode, k)
	if err != nil {
		return Around{}, err
	}
	rows, usage, err := b.look(ctx, []string{owner})
	if err != nil {
		return Around{Usage: usage}, fmt.Errorf("read around owner %q of board %q: %w", owner, b.def.Name, err)
	}
	score, err := rows[0].scoreIn(b.def, c.Name)
	if err != nil {
		return Around{Usage: usage}, err
	}
	n := neighbourhood{board: b, column: c, mode: mode, pivot: store.Position{Key: c.Key(score), Owner: owner}, k: k, usage: usage}
	around, err := n.around(ctx, viewOf(opts))
	if err != nil {
		return Around{Usage: n.usage}, fmt.Errorf("read around owner %q of board %q: %w", owner, b.def.Name, err)
	}
	return around, nil
}

// AroundScore is [Board.Around] of a score: the k entries that are better, and the
// k that are not, those with this very score first. The pivot has no owner, and is no
// entry: an entry that has the score shares its rank. Of a score that is worse than all,
// all ranks are of one more than there are entries. A score beyond ±[store.MaxScore]
// is [store.ErrInvalid].
func (b *Board) AroundScore(ctx context.Context, column string, mode Mode, score int64, k int, opts ...ViewOption) (Around, error) {
	c, mode, err := b.inquireAround(column, mode, k)
	if err != nil {
		return Around{}, err
	}
	if err := b.checkScore(score); err != nil {
		return Around{}, err
	}
	n := neighbourhood{board: b, column: c, mode: mode, pivot: store.Position{Key: c.Key(score)}, k: k}
	around, err := n.around(ctx, viewOf(opts))
	if err != nil {
		return Around{Usage: n.usage}, fmt.Errorf("read around score %s of board %q: %w", store.FormatScore(score, c.Decimals), b.def.Name, err)
	}
	return around, nil
}

func (b *Board) inquireAround(column string, mode Mode, k int) (*column, Mode, error) {
	if k < 1 || k > MaxAround {
		return nil, mode, fmt.Errorf("read around a place of board %q: %d rows on each side are not in 1..%d: %w", b.def.Name, k, MaxAround, store.ErrInvalid)
	}
	return b.inquire(column, mode)
}

// around reads the rows, then finds the ranks.
func (n *neighbourhood) around(ctx context.Context, v view) (Around, error) {
	if err := n.read(ctx); err != nil {
		return Around{}, err
	}
	if err := n.place(ctx); err != nil {
		return Around{}, err
	}
	a := Around{Column: n.column.Column, Pivot: n.rank(n.pivot, n.at), RowsRead: n.rowsRead, Usage: n.usage}
	for _, row := range slices.Backward(n.better) {
		a.Better = append(a.Better, n.rank(row, n.placeOf(row.Key)))
	}
	for _, row := range n.tiesBefore {
		a.Better = append(a.Better, n.rank(row, n.at))
	}
	for _, row := range n.tiesAfter {
		a.Worse = append(a.Worse, n.rank(row, n.at))
	}
	for _, row := range n.worse {
		a.Worse = append(a.Worse, n.rank(row, n.placeOf(row.Key)))
	}
	if v.attributes {
		if err := a.detail(ctx, n.board); err != nil {
			return Around{}, err
		}
	}
	return a, nil
}

func (n *neighbourhood) rank(row store.Position, p place) Rank {
	c := n.column
	r := Rank{Owner: row.Owner, Board: n.board.def.Name, Column: c.Name, Score: c.Score(row.Key), Decimals: c.Decimals}
	r.put(p)
	return r
}
