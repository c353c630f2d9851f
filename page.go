package rankcurve

import (
	"context"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Sizes of a page.
const (
	DefaultPage = 100
	MaxPage     = 10_000
)

// PageQuery asks for a page: the first one, or with a cursor the one that follows.
type PageQuery struct {
	Column string // empty: the first one, or the cursor's
	Size   int    // 1 to [MaxPage]; 0: [DefaultPage], or the cursor's
	Cursor string // of the page before; empty: the first page
}

// Page is a page of the whole board in rank order.
type Page struct {
	Column   store.Column
	Rows     []Row  // equals by owner
	Read     int64  // entries of this page and all before it; of the last page, all there are
	Cursor   string // of the next page; empty when nothing follows
	Size     int
	RowsRead int // index rows that it took, over all shards
	Usage    store.Usage
	AsOf     time.Time // when the reading began

	Attributes Attributes // of the rows, with [WithAttributes]
}

// Page reads the board page by page, best first, from all shards at once. While
// nothing changes, each entry comes exactly once, with its exact rank; an entry whose
// score changes meanwhile may come twice or not at all, and ranks never go backwards.
//
// A cursor is a text of URL-safe letters, about 100 bytes long unless the page ended
// inside a tie, which takes a few bytes more for each shard that holds a part of it. It
// is signed, with [WithCursorKey] or else with the store's own secret, and goes with one
// board as it was made, one column and one size; one that does not fit, was changed,
// comes from another version or is older than [WithCursorMaxAge] is [ErrBadCursor] with
// the reason. A size out of range is [store.ErrInvalid].
//
// It reads about size + 3*sqrt(size*K) + 3*K rows of K shards, whatever page it is, and
// at least half a unit of each.
func (b *Board) Page(ctx context.Context, q PageQuery, opts ...ViewOption) (Page, error) {
	key, usage, err := b.cursorKey(ctx)
	if err != nil {
		return Page{}, fmt.Errorf("read a page of board %q: %w", b.def.Name, err)
	}
	place, err := b.placeIn(q, key)
	if err != nil {
		return Page{}, fmt.Errorf("read a page of board %q: %w", b.def.Name, err)
	}
	page, err := b.pageFrom(ctx, place, key)
	page.Usage.Add(usage)
	if err == nil {
		page.Rows, page.Attributes, err = b.detail(ctx, opts, page.Rows, &page.Usage)
	}
	if err != nil {
		return Page{}, fmt.Errorf("read a page of board %q: %w", b.def.Name, err)
	}
	return page, nil
}

// placeIn is where a page begins.
func (b *Board) placeIn(q PageQuery, key []byte) (cursor, error) {
	if q.Size < 0 || q.Size > MaxPage {
		return cursor{}, fmt.Errorf("a size of %d rows is not in 1..%d: %w", q.Size, MaxPage, store.ErrInvalid)
	}
	if q.Cursor != "" {
		place, err := unseal(key, q.Cursor)
		if err != nil {
			return cursor{}, err
		}
		return place, b.suits(q, place)
	}
	c, err := b.column(q.Column)
	if err != nil {
		return cursor{}, err
	}
	if q.Size == 0 {
		q.Size = DefaultPage
	}
	return cursor{scope: b.scope(c), column: b.columnNumber(c), size: q.Size, standing: standing{key: store.MaxScore}}, nil
}

// pageFrom reads the page that begins at a place.
func (b *Board) pageFrom(ctx context.Context, place cursor, key []byte) (Page, error) {
	c := b.columns[b.def.Columns[place.column].Name]
	asOf := b.options.clock()
	m, err := b.merge(ctx, span{column: c.Name, from: place.standing.key, to: -store.MaxScore, after: place.after()}, place.size)
	if err != nil {
		return Page{}, err
	}
	taken, err := m.take(ctx, place.size)
	if err != nil {
		return Page{}, err
	}
	_, more, err := m.peek(ctx, 1)
	if err != nil {
		return Page{}, err
	}
	next := place.behind(taken)
	page := Page{Column: c.Column, Rows: ranked(c.Column, taken, place.standing), Read: next.standing.read, Size: place.size, AsOf: asOf}
	page.RowsRead, page.Usage = m.spent()
	if more {
		next.issued = asOf
		page.Cursor = next.seal(key)
	}
	return page, nil
}
