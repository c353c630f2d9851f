package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// loadTries is how often a row is merged anew that others write meanwhile.
const loadTries = 10

// Load implements [store.Entries]. The rows are read, strongly consistent, and
// those that change are put, each on the version that was read; a row that was
// written in between is read and merged again. So it costs a read unit per row
// and 4 KB begun, and the price of a Put for each that changes.
func (s *Store) Load(ctx context.Context, b store.Board, entries []store.Entry) (store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Usage{}, err
	}
	defer s.work.Done()
	if err := checkLoad(b, entries); err != nil {
		return store.Usage{}, err
	}
	l := &load{store: s, board: b}
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(max(1, s.options.writers/8))
	for chunk := range slices.Chunk(entries, batchRows) {
		reads.Go(func() error { return l.chunk(ctx, chunk) })
	}
	err := reads.Wait()
	return l.usage, err
}

func checkLoad(b store.Board, entries []store.Entry) error {
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if err := b.ValidateEntry(e); err != nil {
			return fmt.Errorf("load: %w", err)
		}
		if seen[e.Owner] {
			return fmt.Errorf("load board %q: owner %q is there twice: %w", b.Name, e.Owner, store.ErrInvalid)
		}
		seen[e.Owner] = true
	}
	return nil
}

type load struct {
	store *Store
	board store.Board

	mu    sync.Mutex
	usage store.Usage
}

func (l *load) used(u store.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usage.Add(u)
}

// chunk loads up to batchRows rows, eight at a time: with the chunks that are
// under way beside it that makes as many writers as the options say.
func (l *load) chunk(ctx context.Context, entries []store.Entry) error {
	owners := make([]string, len(entries))
	for i, e := range entries {
		owners[i] = e.Owner
	}
	there, u, err := l.store.batch(ctx, l.board, owners, true)
	l.used(u)
	if err == nil { // what cannot be read cannot be kept
		err = store.Unreadable(there.unreadable)
	}
	if err != nil {
		return err
	}
	writes, ctx := errgroup.WithContext(ctx)
	writes.SetLimit(min(8, l.store.options.writers))
	for _, e := range entries {
		writes.Go(func() error { return l.row(ctx, there.entries[e.Owner], e) })
	}
	return writes.Wait()
}

func (l *load) row(ctx context.Context, there, e store.Entry) error {
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, changed := there.With(e)
		if !changed {
			return nil
		}
		u, err := l.store.put(ctx, l.board, row)
		l.used(u)
		if !errors.Is(err, store.ErrConflict) || try == loadTries {
			return err
		}
		if err := l.store.options.pause(ctx, try); err != nil {
			return err
		}
		there, u, err = l.store.entry(ctx, l.board, e.Owner)
		l.used(u)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
}
