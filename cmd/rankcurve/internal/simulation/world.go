package simulation

import (
	"context"
	"fmt"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

// A world is a board that churns.
type world interface {
	// advance lets one tick pass.
	advance(ctx context.Context) error
	// store reads the board as it is now, and keeps what refreshes leave.
	store() store.Store
	// view is the board as it is now, and stays what it is.
	view() view
	// close removes the board.
	close() error
}

// A view is a board at one tick, with all that a store would not tell.
type view interface {
	entries() int64
	// counts is how many entries of a shard are strictly better than each of some keys,
	// which are given best first.
	counts(ctx context.Context, shard int, keys []int64) ([]int64, error)
	// held finds keys of entries at or near some depths. Guess is a curve's opinion.
	held(ctx context.Context, depths []int64, guess func(depth int64) int64) ([]int64, error)
}

func newWorld(ctx context.Context, o Options) (world, error) {
	switch o.Store {
	case Bolt:
		return newBoltWorld(ctx, o)
	case Synthetic:
		return newSyntheticWorld(o)
	}
	return newMemoryWorld(o)
}

// A ledger reads a board and keeps what refreshes leave elsewhere, in memory, so that two
// ways to refresh the same board do not know of each other.
type ledger struct {
	store.Store
	board func() store.Partitions
}

func newLedger(o Options, board func() store.Partitions) (ledger, error) {
	kept, err := synthetic.New(o.definition(), synthetic.Options{}) // of no entries
	if err != nil {
		return ledger{}, fmt.Errorf("make a ledger: %w", err)
	}
	return ledger{kept, board}, nil
}

// Rows implements [store.Partitions].
func (l ledger) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	return l.board().Rows(ctx, q)
}

// Count implements [store.Partitions].
func (l ledger) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	return l.board().Count(ctx, q)
}
