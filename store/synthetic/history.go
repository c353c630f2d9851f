package synthetic

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Archive implements [store.History].
func (s *Store) Archive(ctx context.Context, k store.CurveKey, a store.Archived) (store.Usage, error) {
	if err := a.Validate(); err != nil {
		return store.Usage{}, fmt.Errorf("archive curve %s: %w", k, err)
	}
	a.AsOf, a.Expires, a.Data = a.AsOf.UTC().Truncate(time.Millisecond), time.Time{}, bytes.Clone(a.Data)
	return writeOf(len(a.Data)), s.change(ctx, func() error {
		kept := s.history[durable(k)]
		at := archivedBefore(kept, a.AsOf)
		if at < len(kept) && kept[at].AsOf.Equal(a.AsOf) {
			kept[at] = a
			return nil
		}
		s.history[durable(k)] = slices.Insert(kept, at, a)
		return nil
	})
}

// CurveAt implements [store.History].
func (s *Store) CurveAt(ctx context.Context, k store.CurveKey, at time.Time) (store.Archived, store.Usage, error) {
	if err := s.usable(ctx); err != nil {
		return store.Archived{}, store.Usage{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.history[durable(k)]
	after := archivedBefore(kept, at.Add(time.Nanosecond))
	if after == 0 {
		return store.Archived{}, readOf(0), fmt.Errorf("curve %s as of %s or before: %w", k, store.Moment(at), store.ErrNotFound)
	}
	return copied(kept[after-1]), readOf(len(kept[after-1].Data)), nil
}

// CurvesBetween implements [store.History].
func (s *Store) CurvesBetween(ctx context.Context, k store.CurveKey, from, to time.Time, limit int) ([]store.Archived, store.Usage, error) {
	if err := s.usable(ctx); err != nil {
		return nil, store.Usage{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []store.Archived
	size := 0
	for _, a := range s.history[durable(k)] {
		if a.AsOf.Before(from.Truncate(time.Millisecond)) || a.AsOf.After(to) {
			continue
		}
		if limit > 0 && len(found) == limit {
			break
		}
		found, size = append(found, copied(a)), size+len(a.Data)
	}
	return found, store.Usage{TableReads: store.ItemReadUnits(size, false), Requests: 1}, nil
}

// PruneArchive implements [store.History].
func (s *Store) PruneArchive(ctx context.Context, k store.CurveKey, before time.Time) (deleted int, u store.Usage, err error) {
	u = store.Usage{TableReads: store.ItemReadUnits(0, true), Requests: 1}
	err = s.change(ctx, func() error {
		kept := s.history[durable(k)]
		deleted = min(archivedBefore(kept, before.Truncate(time.Millisecond)), store.PruneMost)
		for _, a := range kept[:deleted] {
			u.Add(writeOf(len(a.Data)))
		}
		s.history[durable(k)] = slices.Clone(kept[deleted:])
		return nil
	})
	return deleted, u, err
}

// archivedBefore is how many of the kept curves are as of before a time.
func archivedBefore(kept []store.Archived, t time.Time) int {
	return sort.Search(len(kept), func(i int) bool { return !kept[i].AsOf.Before(t) })
}

func copied(a store.Archived) store.Archived {
	a.Data = bytes.Clone(a.Data)
	return a
}
