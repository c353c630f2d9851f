package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// Archive implements [store.History].
func (s *Store) Archive(ctx context.Context, k store.CurveKey, a store.Archived) (store.Usage, error) {
	if err := a.Validate(); err != nil {
		return store.Usage{}, fmt.Errorf("archive curve %s: %w", k, err)
	}
	data := binary.BigEndian.AppendUint64(nil, uint64(a.Generation))
	data = append(data, a.Data...)
	return writeOf(len(data)), s.write(ctx, &write{
		check: func(*bbolt.Tx) error { return nil },
		apply: func(tx *bbolt.Tx) error {
			history, err := tx.CreateBucketIfNotExists(bucketHistory)
			if err != nil {
				return fmt.Errorf("archive curve %s: %w", k, err)
			}
			return history.Put(historyKey(k, a.AsOf.UnixMilli()), data)
		},
	})
}

// CurveAt implements [store.History].
func (s *Store) CurveAt(ctx context.Context, k store.CurveKey, at time.Time) (a store.Archived, u store.Usage, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		u = readOf(0)
		if history := tx.Bucket(bucketHistory); history != nil && at.UnixMilli() >= 0 {
			c := history.Cursor()
			back := c.Prev
			if key, _ := c.Seek(historyKey(k, store.ArchiveMillis(at)+1)); key == nil {
				back = c.Last
			}
			if key, data := back(); bytes.HasPrefix(key, historyPrefix(k)) {
				u = readOf(len(data))
				a, err = decodeArchived(k, key, data)
				return err
			}
		}
		return fmt.Errorf("curve %s as of %s or before: %w", k, store.Moment(at), store.ErrNotFound)
	})
	return a, u, err
}

// CurvesBetween implements [store.History].
func (s *Store) CurvesBetween(ctx context.Context, k store.CurveKey, from, to time.Time, limit int) (found []store.Archived, u store.Usage, err error) {
	size := 0
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		if to.UnixMilli() < 0 {
			return nil
		}
		return eachArchived(tx, k, from, store.ArchiveMillis(to)+1, func(key, data []byte) (more bool, err error) {
			a, err := decodeArchived(k, key, data)
			if err != nil {
				return false, err
			}
			found, size = append(found, a), size+len(data)
			return limit <= 0 || len(found) < limit, nil
		})
	})
	if err != nil {
		return nil, store.Usage{Requests: 1}, err
	}
	return found, store.Usage{TableReads: store.ItemReadUnits(size, false), Requests: 1}, nil
}

// PruneArchive implements [store.History].
func (s *Store) PruneArchive(ctx context.Context, k store.CurveKey, before time.Time) (deleted int, u store.Usage, err error) {
	var keys [][]byte
	var writes float64
	look := func(tx *bbolt.Tx) error {
		keys, writes = nil, 0
		return eachArchived(tx, k, time.UnixMilli(0), before.UnixMilli(), func(key, data []byte) (more bool, err error) {
			keys = append(keys, bytes.Clone(key))
			writes += store.ItemWriteUnits(len(data))
			return len(keys) < store.PruneMost, nil
		})
	}
	found := store.Usage{TableReads: store.ItemReadUnits(0, true), Requests: 1}
	if err := s.view(ctx, look); err != nil || len(keys) == 0 { // nearly always none, and then nothing is written
		return 0, found, err
	}
	err = s.write(ctx, &write{
		check: look,
		apply: func(tx *bbolt.Tx) error {
			for _, key := range keys {
				if err := tx.Bucket(bucketHistory).Delete(key); err != nil {
					return fmt.Errorf("prune the history of curve %s: %w", k, err)
				}
			}
			return nil
		},
	})
	if err != nil {
		return 0, found, err
	}
	found.Add(store.Usage{TableWrites: writes, Requests: len(keys)})
	return len(keys), found, nil
}

// eachArchived shows what is kept of a curve from one time to before another, oldest
// first, for as long as more is wanted.
func eachArchived(tx *bbolt.Tx, k store.CurveKey, from time.Time, before int64, see func(key, data []byte) (more bool, err error)) error {
	history := tx.Bucket(bucketHistory)
	if history == nil || before <= 0 {
		return nil
	}
	c, end := history.Cursor(), historyKey(k, before)
	for key, data := c.Seek(historyKey(k, store.ArchiveMillis(from))); key != nil && bytes.Compare(key, end) < 0; key, data = c.Next() {
		if more, err := see(key, data); err != nil || !more {
			return err
		}
	}
	return nil
}

func decodeArchived(k store.CurveKey, key, data []byte) (store.Archived, error) {
	if len(data) < generationBytes {
		return store.Archived{}, fmt.Errorf("decode a kept curve of %s: %d bytes: %w", k, len(data), store.ErrCorrupt)
	}
	ms := binary.BigEndian.Uint64(key[len(key)-8:])
	return store.Archived{
		AsOf:       time.UnixMilli(int64(ms)).UTC(),
		Generation: int64(binary.BigEndian.Uint64(data)),
		Data:       bytes.Clone(data[generationBytes:]), // the page is gone after the read
	}, nil
}

// dropHistory deletes all that is kept of a curve.
func dropHistory(tx *bbolt.Tx, k store.CurveKey) error {
	var keys [][]byte
	_ = eachArchived(tx, k, time.UnixMilli(0), store.MaxArchived+1, func(key, _ []byte) (more bool, err error) {
		keys = append(keys, bytes.Clone(key))
		return true, nil
	})
	for _, key := range keys {
		if err := tx.Bucket(bucketHistory).Delete(key); err != nil {
			return err
		}
	}
	return nil
}
