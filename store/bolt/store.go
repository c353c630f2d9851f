package bolt

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	bbolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/rankcurve/rankcurve/store"
)

// Store is one open database file. It implements [store.Store]; all methods are
// safe for concurrent use. Make one with [Open].
type Store struct {
	db      *bbolt.DB
	writes  *committer
	closing sync.Once
	failure error // of the first Close
}

var _ store.Store = (*Store)(nil)

func newStore(db *bbolt.DB) *Store {
	return &Store{db: db, writes: newCommitter(db)}
}

// Path names the file.
func (s *Store) Path() string { return s.db.Path() }

// Close commits the writes under way, waits for reads under way and releases the
// file. A second Close returns nil.
func (s *Store) Close() error {
	first := false
	s.closing.Do(func() {
		first = true
		s.writes.close()
		if err := s.db.Close(); err != nil {
			s.failure = fmt.Errorf("close database %s: %w", s.db.Path(), err)
		}
	})
	if first {
		return s.failure
	}
	return nil
}

// View runs one read on one snapshot.
func (s *Store) view(ctx context.Context, read func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return guard(func() error {
		err := s.db.View(read)
		if errors.Is(err, berrors.ErrDatabaseNotOpen) {
			return store.ErrClosed
		}
		return err
	})
}

// Write runs one write and waits until it is on disk.
func (s *Store) write(ctx context.Context, w *write) error {
	if err := s.writes.submit(ctx, []*write{w}); err != nil {
		return err
	}
	return w.err
}

// Guard turns a panic into ErrCorrupt: bbolt panics, or reads beyond the mapped
// file, where a damaged page leads it.
func guard(work func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read database pages: %w: %v", store.ErrCorrupt, p)
		}
	}()
	return work()
}
