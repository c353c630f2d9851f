package simulation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// A boltWorld has the rows in an embedded database, and its truth from memory.
type boltWorld struct {
	*memoryWorld
	folder string
	rows   *bolt.Store
	board  store.Board
}

// batch is how many rows are written at once: enough for a load to be fast.
const batch = 100_000

func newBoltWorld(ctx context.Context, o Options) (_ *boltWorld, err error) {
	folder, err := os.MkdirTemp("", "rankcurve-simulate-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	w := &boltWorld{folder: folder, board: o.definition()}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.memoryWorld, err = newMemoryWorld(o); err != nil {
		return nil, err
	}
	// After a power cut nobody asks for it.
	if w.rows, err = bolt.Open(filepath.Join(folder, "board.db"), bolt.NoSync()); err != nil {
		return nil, err
	}
	if err := w.rows.CreateBoard(ctx, w.board); err != nil {
		return nil, err
	}
	all := make([]int, w.owners.Len())
	for owner := range all {
		all[owner] = owner
	}
	return w, w.write(ctx, all)
}

func (w *boltWorld) advance(ctx context.Context) error {
	changed := w.owners.Step()
	if len(changed) == 0 {
		return ctx.Err()
	}
	w.rank()
	return w.write(ctx, changed)
}

// write stores the scores of some owners.
func (w *boltWorld) write(ctx context.Context, owners []int) error {
	for from := 0; from < len(owners); from += batch {
		some := owners[from:min(from+batch, len(owners))]
		entries := make([]store.Entry, len(some))
		for i, owner := range some {
			entries[i] = store.Entry{Owner: playerName(owner), Scores: map[string]int64{columnName: w.owners.Score(owner)}}
		}
		if _, err := w.rows.Load(ctx, w.board, entries); err != nil {
			return err
		}
	}
	return nil
}

func (w *boltWorld) store() store.Store { return w.rows }

func (w *boltWorld) close() error {
	var err error
	if w.rows != nil {
		err = w.rows.Close()
	}
	return errors.Join(err, os.RemoveAll(w.folder))
}
