package synthetic

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// CreateBoard implements [store.Boards] for the board that is there; another one is
// refused.
func (s *Store) CreateBoard(ctx context.Context, b store.Board) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if err := b.Validate(); err != nil {
		return fmt.Errorf("create board %q: %w: %w", b.Name, store.ErrInvalid, err)
	}
	if b.Name != s.definition.Name {
		return s.refuse(ctx, "create board %q", b.Name)
	}
	return s.definition.Same(b)
}

// Board implements [store.Boards].
func (s *Store) Board(ctx context.Context, name string) (store.Board, error) {
	if err := s.usable(ctx); err != nil {
		return store.Board{}, err
	}
	if name != s.definition.Name {
		return store.Board{}, fmt.Errorf("board %q: %w", name, store.ErrNotFound)
	}
	return s.copied(), nil
}

// Boards implements [store.Boards].
func (s *Store) Boards(ctx context.Context) ([]store.Board, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return []store.Board{s.copied()}, nil
}

// DropBoard implements [store.Boards]: the board that is there has no end.
func (s *Store) DropBoard(ctx context.Context, name string, now time.Time) error {
	b, err := s.Board(ctx, name)
	if err != nil {
		return err
	}
	return b.Droppable(now)
}

func (b *board) copied() store.Board {
	made := b.definition
	made.Columns = slices.Clone(made.Columns)
	return made
}
