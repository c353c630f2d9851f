package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// ViewOption asks [Board.Top], [Board.Page] or [Board.Around] for more than ranks.
type ViewOption func(*view)

// A view is what is asked for beside ranks.
type view struct{ attributes bool }

func viewOf(opts []ViewOption) (v view) {
	for _, option := range opts {
		option(&v)
	}
	return v
}

// WithAttributes asks for the attributes of all rows too. They are in the table and not
// in the index, so the rows' owners are looked up after the ranks were read, for half a
// read unit each per 4 KB begun. An index is a moment behind its table: who is hidden or
// gone by then is left out of the answer, and the ranks of the others stay as they were
// read. The row that [Board.Around] is about stays.
func WithAttributes() ViewOption { return func(v *view) { v.attributes = true } }

// Attributes are those of the rows of an answer, by owner; nil if they were not asked
// for. An owner who has none has an empty map, and one whose row cannot be read back is
// not in it.
type Attributes map[string]map[string]string

// attributesOf reads the attributes of owners, and finds who is not on the board any more.
func (b *Board) attributesOf(ctx context.Context, owners []string) (of Attributes, gone map[string]bool, u store.Usage, err error) {
	rows, u, err := b.look(ctx, owners)
	if err != nil {
		return nil, nil, u, fmt.Errorf("read attributes: %w", err)
	}
	of, gone = make(Attributes, len(rows)), map[string]bool{}
	for _, row := range rows {
		switch {
		case row.err == nil:
			of[row.Owner] = map[string]string{}
			maps.Copy(of[row.Owner], row.Attributes)
		case errors.Is(row.err, store.ErrNotFound):
			gone[row.Owner] = true
		}
	}
	return of, gone, u, nil
}

// detail adds attributes to rows that were read from the best on, if they are asked for.
func (b *Board) detail(ctx context.Context, opts []ViewOption, rows []Row, u *store.Usage) ([]Row, Attributes, error) {
	if !viewOf(opts).attributes {
		return rows, nil, nil
	}
	owners := make([]string, len(rows))
	for i, row := range rows {
		owners[i] = row.Owner
	}
	of, gone, used, err := b.attributesOf(ctx, owners)
	u.Add(used)
	if err != nil {
		return nil, nil, err
	}
	return slices.DeleteFunc(rows, func(row Row) bool { return gone[row.Owner] }), of, nil
}

// detail adds attributes to a piece of the board.
func (a *Around) detail(ctx context.Context, b *Board) error {
	var owners []string
	for _, r := range slices.Concat(a.Better, []Rank{a.Pivot}, a.Worse) {
		if r.Owner != "" { // a bare score has none
			owners = append(owners, r.Owner)
		}
	}
	of, gone, used, err := b.attributesOf(ctx, owners)
	a.Usage.Add(used)
	if err != nil {
		return err
	}
	left := func(r Rank) bool { return gone[r.Owner] }
	a.Better, a.Worse, a.Attributes = slices.DeleteFunc(a.Better, left), slices.DeleteFunc(a.Worse, left), of
	return nil
}
