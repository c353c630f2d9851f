package synthetic

import (
	"context"

	"github.com/rankcurve/rankcurve/store"
)

// Rows implements [store.Partitions]. Rows of one key are in the order of their
// quantiles. A row behind which a page is to go on is looked for where it is now: when
// it has moved to another key since, the answer goes on at its old key, and
// a row that has gone lets the rows of its key come again. An After of no owner of
// the shard is [store.ErrInvalid].
func (s *Store) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	m, err := s.moment(ctx)
	if err != nil {
		return store.Page{}, err
	}
	p, err := m.page(q)
	if err != nil {
		return store.Page{}, err
	}
	return store.Page{Rows: p.positions(), Last: p.last(), Usage: p.usage()}, nil
}

// Count implements [store.Partitions]. It takes some microseconds, however many
// rows it passes, but is billed for each of them.
func (s *Store) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	m, err := s.moment(ctx)
	if err != nil {
		return store.CountPage{}, err
	}
	p, err := m.page(q)
	if err != nil {
		return store.CountPage{}, err
	}
	return store.CountPage{Count: p.rows(), Last: p.last(), Usage: p.usage()}, nil
}

// positions lists the rows of a page. Their names are parts of one string.
func (p page) positions() []store.Position {
	rows := make([]store.Position, p.rows())
	names := make([]byte, 0, len(rows)*ownerBytes)
	place, next, step := p.from, 0, 1
	if p.reverse {
		next, step = len(rows)-1, -1
	}
	p.keys(p.from, p.to, func(key int64) {
		rows[next].Key = key
		names = p.owner(place).append(names)
		place, next = place+1, next+step
	})
	text := string(names)
	for i := range rows {
		at := i
		if p.reverse {
			at = len(rows) - 1 - i
		}
		rows[i].Owner = text[at*ownerBytes : (at+1)*ownerBytes]
	}
	return rows
}
