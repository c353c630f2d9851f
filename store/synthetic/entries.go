package synthetic

import (
	"context"
	"fmt"

	"github.com/rankcurve/rankcurve/store"
)

// Entry implements [store.Entries]: the owner's score in each column.
func (s *Store) Entry(ctx context.Context, b store.Board, owner string) (store.Entry, store.Usage, error) {
	m, err := s.moment(ctx)
	if err != nil {
		return store.Entry{}, store.Usage{}, err
	}
	e := m.entry(b, owner)
	u := store.Usage{TableReads: store.ItemReadUnits(storedSize(b, e), true), Requests: 1}
	if e.Version == 0 {
		return store.Entry{}, u, fmt.Errorf("owner %q on board %q: %w", owner, b.Name, store.ErrNotFound)
	}
	return e, u, nil
}

// EntriesOf implements [store.Entries].
func (s *Store) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	m, err := s.moment(ctx)
	if err != nil {
		return nil, store.Usage{}, err
	}
	const batch = 100 // rows of one request to DynamoDB
	u := store.Usage{Requests: (len(owners) + batch - 1) / batch}
	entries := make([]store.Entry, len(owners))
	for i, owner := range owners {
		entries[i] = m.entry(b, owner)
		u.TableReads += store.ItemReadUnits(storedSize(b, entries[i]), false)
	}
	return entries, u, nil
}

func storedSize(b store.Board, e store.Entry) int {
	if e.Version == 0 {
		return 0
	}
	return store.EntrySize(b, e)
}

// entry is an owner's row; a missing one has Version 0.
func (m *moment) entry(b store.Board, name string) store.Entry {
	missing := store.Entry{Owner: name}
	o, err := parseOwner(name)
	if err != nil || b.Name != m.definition.Name || o.shard >= m.definition.Shards {
		return missing
	}
	scores := make(map[string]int64, len(m.columns))
	for i, c := range m.columns {
		p := m.partition(i, o.shard)
		place, there := p.place(o)
		if !there {
			return missing
		}
		scores[c.Name] = c.Score(p.key(place))
	}
	return store.Entry{Owner: name, Scores: scores, Version: 1, Updated: m.definition.Created}
}

// Put implements [store.Entries]: it is refused.
func (s *Store) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	return store.Usage{}, s.refuse(ctx, "put %q", e.Owner)
}

// PutAll implements [store.Entries]: it is refused.
func (s *Store) PutAll(ctx context.Context, b store.Board, entries []store.Entry) ([]error, store.Usage, error) {
	return nil, store.Usage{}, s.refuse(ctx, "put %d entries", len(entries))
}

// Load implements [store.Entries]: it is refused.
func (s *Store) Load(ctx context.Context, b store.Board, entries []store.Entry) (store.Usage, error) {
	return store.Usage{}, s.refuse(ctx, "load %d entries", len(entries))
}

// Delete implements [store.Entries]: it is refused.
func (s *Store) Delete(ctx context.Context, b store.Board, owner string, version int64) (store.Usage, error) {
	return store.Usage{}, s.refuse(ctx, "delete %q", owner)
}

// refuse is the error of a write.
func (s *Store) refuse(ctx context.Context, format string, args ...any) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return fmt.Errorf("%s: the synthetic board %q is computed and can only be read: %w", fmt.Sprintf(format, args...), s.definition.Name, store.ErrInvalid)
}
