package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Board answers and posts on one leaderboard. Make one with [New] or [Open]; it is
// safe for concurrent use and meant to be kept, for it holds the board's curves.
type Board struct {
	store   store.Store
	def     store.Board
	options options
	columns map[string]*column

	identity *identity
	signing  signingKey
}

// A column is one of the board's, with what the process remembers of it.
type column struct {
	store.Column
	curves *curves
	seam   *seam
}

// New opens a board, and registers its definition first if there is none of its name.
// Another definition under the same name is [store.ErrBoardMismatch], one that cannot be is
// [store.ErrInvalid]. Created is set to now if it is zero, and ID to a random one if it
// is empty. It costs a read of the registry, and where the board is made a write and
// another read.
func New(ctx context.Context, st store.Store, def store.Board, opts ...Option) (*Board, error) {
	o, err := optionsOf(opts)
	if err != nil {
		return nil, fmt.Errorf("make board %q: %w", def.Name, err)
	}
	if err := expiredBoard(def, o.clock()); err != nil {
		return nil, fmt.Errorf("make board: %w", err)
	}
	registered, err := registered(ctx, st, def, o.clock())
	if err != nil {
		return nil, err
	}
	if err := expiredBoard(registered, o.clock()); err != nil {
		return nil, fmt.Errorf("make board: %w", err)
	}
	if err := checkLimits(registered, o.limits); err != nil {
		return nil, fmt.Errorf("open board %q: %w", def.Name, err)
	}
	return newBoard(st, registered, o), nil
}

// registered is the definition as it is registered by now. It is looked for before it is
// written: a write that is refused costs as much as one that is not. Of several that make
// the board at once, one does.
func registered(ctx context.Context, st store.Store, def store.Board, now time.Time) (store.Board, error) {
	if err := def.Validate(); err != nil {
		return store.Board{}, fmt.Errorf("make board %q: %w: %w", def.Name, store.ErrInvalid, err)
	}
	there, err := st.Board(ctx, def.Name)
	if errors.Is(err, store.ErrNotFound) {
		if err := st.CreateBoard(ctx, def.Stamped(now)); err != nil {
			return store.Board{}, fmt.Errorf("make board %q: %w", def.Name, err)
		}
		there, err = st.Board(ctx, def.Name)
	}
	if err != nil {
		return store.Board{}, fmt.Errorf("open board %q: %w", def.Name, err)
	}
	if err := there.Same(def); err != nil {
		return store.Board{}, fmt.Errorf("make board %q: %w", def.Name, err)
	}
	return there, nil
}

// Open opens a registered board. An unknown one is [store.ErrNotFound], with what
// boards there are, the nearest names first, and what to run, and so is one that has
// expired, with when; so are the questions and posts of a Board that expires while it is
// kept. It costs one read of the registry.
func Open(ctx context.Context, st store.Store, name string, opts ...Option) (*Board, error) {
	o, err := optionsOf(opts)
	if err != nil {
		return nil, fmt.Errorf("open board %q: %w", name, err)
	}
	def, err := st.Board(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, unknownBoard(ctx, st, name, o.clock())
	}
	if err != nil {
		return nil, fmt.Errorf("open board %q: %w", name, err)
	}
	if err := expiredBoard(def, o.clock()); err != nil {
		return nil, fmt.Errorf("open board: %w", err)
	}
	if err := checkLimits(def, o.limits); err != nil {
		return nil, fmt.Errorf("open board %q: %w", name, err)
	}
	return newBoard(st, def, o), nil
}

func newBoard(st store.Store, def store.Board, o options) *Board {
	b := &Board{store: st, def: def, options: o, columns: make(map[string]*column, len(def.Columns))}
	b.identity = newIdentity(def.ID, o.clock())
	for _, c := range def.Columns {
		b.columns[c.Name] = &column{Column: c, curves: newCurves(), seam: newSeam()}
	}
	return b
}

// Definition is the board as it is registered.
func (b *Board) Definition() store.Board {
	def := b.def
	def.Columns = append([]store.Column(nil), b.def.Columns...)
	return def
}

// column finds a column; the empty name is the first one.
func (b *Board) column(name string) (*column, error) {
	if err := b.gone(); err != nil {
		return nil, err
	}
	c, err := b.def.Column(name)
	if err != nil {
		return nil, err
	}
	return b.columns[c.Name], nil
}
