package bolt

import (
	"bytes"
	"context"
	"fmt"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// dropRows is how many rows of the file one transaction of a drop looks at, so that
// other writers wait for no more than these.
const dropRows = 200_000

// DropBoard implements [store.Boards]. It looks at every row of the file, in several
// transactions; the definition goes last, so that a drop which was stopped can go on.
func (s *Store) DropBoard(ctx context.Context, name string, now time.Time) error {
	b, err := s.Board(ctx, name)
	if err != nil {
		return err
	}
	if err := b.Droppable(now); err != nil {
		return err
	}
	var from []byte
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("drop board %q: %w", name, err)
		}
		d := drop{board: b, from: from}
		if err := s.write(ctx, &write{check: d.look, apply: d.deleteRows}); err != nil {
			return err
		}
		from, more = d.next, d.next != nil
	}
	return s.write(ctx, &write{
		check: func(*bbolt.Tx) error { return nil },
		apply: func(tx *bbolt.Tx) error { return dropBoard(tx, b) },
	})
}

// A drop is one transaction's part of deleting a board's rows.
type drop struct {
	board store.Board
	from  []byte // the first key to look at; nil: from the start
	next  []byte // where to go on; nil: nowhere
	keys  [][]byte
}

func (d *drop) look(tx *bbolt.Tx) error {
	d.keys, d.next = nil, nil
	suffix := append([]byte{separator}, d.board.Name...)
	c := tx.Bucket(bucketEntries).Cursor()
	looked := 0
	for k, _ := c.Seek(d.from); k != nil; k, _ = c.Next() {
		if looked++; looked > dropRows {
			d.next = bytes.Clone(k)
			return nil
		}
		if bytes.HasSuffix(k, suffix) { // an owner has no separator in it
			d.keys = append(d.keys, bytes.Clone(k))
		}
	}
	return nil
}

func (d *drop) deleteRows(tx *bbolt.Tx) error {
	rows := tx.Bucket(bucketEntries)
	for _, k := range d.keys {
		if err := rows.Delete(k); err != nil {
			return fmt.Errorf("drop board %q: %w", d.board.Name, err)
		}
	}
	return nil
}

// dropBoard deletes what else the file has of a board.
func dropBoard(tx *bbolt.Tx, b store.Board) error {
	index := tx.Bucket(bucketIndex)
	for _, c := range b.Columns {
		for shard := range b.Shards {
			k := partitionKey(b.Partition(c.Name, shard))
			if index.Bucket(k) == nil {
				continue
			}
			if err := index.DeleteBucket(k); err != nil {
				return fmt.Errorf("drop board %q: %w", b.Name, err)
			}
		}
		for _, bucket := range [][]byte{bucketCurves, bucketStates} {
			if err := tx.Bucket(bucket).Delete(curveKey(b.CurveKey(c.Name))); err != nil {
				return fmt.Errorf("drop board %q: %w", b.Name, err)
			}
		}
		if err := tx.Bucket(bucketLeases).Delete([]byte(b.CurveKey(c.Name).Lease())); err != nil {
			return fmt.Errorf("drop board %q: %w", b.Name, err)
		}
		if err := dropBeside(tx, b.CurveKey(c.Name)); err != nil {
			return fmt.Errorf("drop board %q: %w", b.Name, err)
		}
	}
	for _, c := range b.Columns {
		if err := dropHistory(tx, b.CurveKey(c.Name)); err != nil {
			return fmt.Errorf("drop board %q: %w", b.Name, err)
		}
	}
	return tx.Bucket(bucketBoards).Delete([]byte(b.Name))
}

// dropBeside deletes the states that are kept beside a column's own.
func dropBeside(tx *bbolt.Tx, k store.CurveKey) error {
	states, prefix := tx.Bucket(bucketStates), append(curveKey(k), '/')
	for {
		key, _ := states.Cursor().Seek(prefix)
		if !bytes.HasPrefix(key, prefix) {
			return nil
		}
		if err := states.Delete(key); err != nil {
			return err
		}
	}
}
