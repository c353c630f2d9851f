package bolt

import (
	"bytes"
	"context"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// Rows implements [store.Partitions]. Rows of one key are in the order of their
// owners' bytes.
func (s *Store) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	rows := make([]store.Position, 0, max(0, min(q.Limit, 1024)))
	w, err := s.walk(ctx, q, func(place []byte) { rows = append(rows, position(place)) })
	if err != nil {
		return store.Page{}, err
	}
	return store.Page{Rows: rows, Last: w.last, Usage: w.usage()}, nil
}

// Count implements [store.Partitions].
func (s *Store) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	w, err := s.walk(ctx, q, nil)
	if err != nil {
		return store.CountPage{}, err
	}
	return store.CountPage{Count: int64(w.count), Last: w.last, Usage: w.usage()}, nil
}

// Walk is a page that is being read.
type walk struct {
	query store.Query
	count int
	bytes int
	last  *store.Position
}

func (w *walk) usage() store.Usage {
	return store.Usage{IndexReads: store.IndexReadUnits(w.bytes), Requests: 1}
}

func (s *Store) walk(ctx context.Context, q store.Query, visit func(place []byte)) (*walk, error) {
	if q.From < q.To || q.Limit < 0 {
		return nil, fmt.Errorf("read partition %s from key %d to %d, limit %d: %w", q.Partition, q.From, q.To, q.Limit, store.ErrInvalid)
	}
	w := &walk{query: q}
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		rows := tx.Bucket(bucketIndex).Bucket(partitionKey(q.Partition))
		if rows == nil {
			return nil
		}
		return w.run(ctx, rows.Cursor(), visit)
	})
	if err != nil {
		return nil, fmt.Errorf("read partition %s: %w", q.Partition, err)
	}
	return w, nil
}

// ChunkRows is how many rows are read between two looks at the context.
const chunkRows = 4096

func (w *walk) run(ctx context.Context, c *bbolt.Cursor, visit func(place []byte)) error {
	place, next := w.begin(c)
	base := store.IndexEntryBase(w.query.Partition)
	best, worst := depth(w.query.From), depth(w.query.To)
	limit := w.query.Limit
	var before []byte
	for ; place != nil; place = next() {
		if len(place) <= depthBytes {
			return fmt.Errorf("decode place %x: %w", place, store.ErrCorrupt)
		}
		d := depthOf(place)
		if d < best || d > worst {
			return nil
		}
		size := base + store.NumberSize(keyAt(d)) + len(place) - depthBytes
		if w.count > 0 && (w.count == limit || w.bytes+size > store.PageBytes) {
			last := position(before)
			w.last = &last
			return nil
		}
		w.count++
		w.bytes += size
		before = place
		if visit != nil {
			visit(place)
		}
		if w.count%chunkRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Begin finds the first row of the page, and how to go on from there.
func (w *walk) begin(c *bbolt.Cursor) (place []byte, next func() []byte) {
	if w.query.Reverse {
		return w.beginWorst(c), func() []byte { k, _ := c.Prev(); return k }
	}
	return w.beginBest(c), func() []byte { k, _ := c.Next(); return k }
}

func (w *walk) beginBest(c *bbolt.Cursor) []byte {
	start := depthKey(depth(w.query.From))
	if a := w.query.After; a != nil {
		if after := placeKey(a.Key, a.Owner); bytes.Compare(after, start) >= 0 {
			k, _ := c.Seek(after)
			if bytes.Equal(k, after) {
				k, _ = c.Next()
			}
			return k
		}
	}
	k, _ := c.Seek(start)
	return k
}

func (w *walk) beginWorst(c *bbolt.Cursor) []byte {
	d := depth(w.query.To)
	if a := w.query.After; a != nil && depth(a.Key) <= d {
		return endBefore(c, placeKey(a.Key, a.Owner))
	}
	if d == deepest {
		k, _ := c.Last()
		return k
	}
	return endBefore(c, depthKey(d+1))
}

// EndBefore finds the last row before a place.
func endBefore(c *bbolt.Cursor, place []byte) []byte {
	k, _ := c.Seek(place)
	if k == nil {
		k, _ = c.Last()
		return k
	}
	k, _ = c.Prev()
	return k
}
