package synthetic

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rankcurve/rankcurve/store"
)

// Curve implements [store.Curves].
func (s *Store) Curve(ctx context.Context, k store.CurveKey) (store.Published, store.Usage, error) {
	if err := s.usable(ctx); err != nil {
		return store.Published{}, store.Usage{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, there := s.curves[durable(k)]
	if !there {
		return store.Published{}, readOf(0), fmt.Errorf("curve %s: %w", k, store.ErrNotFound)
	}
	return store.Published{Generation: p.Generation, Data: bytes.Clone(p.Data)}, readOf(len(p.Data)), nil
}

// Publish implements [store.Curves].
func (s *Store) Publish(ctx context.Context, k store.CurveKey, p store.Published) (store.Usage, error) {
	u := writeOf(len(p.Data))
	return u, s.change(ctx, func() error {
		if there, published := s.curves[durable(k)]; published && there.Generation >= p.Generation {
			return fmt.Errorf("publish curve %s of generation %d over %d: %w", k, p.Generation, there.Generation, store.ErrStale)
		}
		s.curves[durable(k)] = store.Published{Generation: p.Generation, Data: bytes.Clone(p.Data)}
		return nil
	})
}

// State implements [store.Curves].
func (s *Store) State(ctx context.Context, k store.CurveKey) ([]byte, store.Usage, error) {
	if err := s.usable(ctx); err != nil {
		return nil, store.Usage{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state, there := s.states[durable(k)]
	if !there {
		return nil, readOf(0), fmt.Errorf("state of curve %s: %w", k, store.ErrNotFound)
	}
	return bytes.Clone(state), readOf(len(state)), nil
}

// SaveState implements [store.Curves].
func (s *Store) SaveState(ctx context.Context, k store.CurveKey, state []byte) (store.Usage, error) {
	return writeOf(len(state)), s.change(ctx, func() error {
		s.states[durable(k)] = bytes.Clone(state)
		return nil
	})
}

// durable is what a curve is found by: a store has one board of a name.
func durable(k store.CurveKey) store.CurveKey {
	k.ID = ""
	return k
}

// change runs one write. Close waits for it.
func (s *Store) change(ctx context.Context, write func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	return write()
}

func readOf(size int) store.Usage {
	return store.Usage{TableReads: store.ItemReadUnits(size, true), Requests: 1}
}

func writeOf(size int) store.Usage {
	return store.Usage{TableWrites: store.ItemWriteUnits(size), Requests: 1}
}
