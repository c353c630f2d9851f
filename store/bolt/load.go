package bolt

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// Load implements [store.Entries]. One call is one transaction: after an error
// nothing of it is stored. Rows and index entries are written in the order of
// their keys, which fills a B+tree several times faster than any other order;
// calls of 100,000 entries and more gain the most from it.
func (s *Store) Load(ctx context.Context, b store.Board, entries []store.Entry) (store.Usage, error) {
	l, err := newLoad(b, entries)
	if err != nil {
		return store.Usage{}, err
	}
	err = s.write(ctx, &l.write)
	return l.usage, err
}

type load struct {
	write
	board    store.Board
	incoming []store.Entry // sorted by owner, which is the order of the row keys
	rows     []loadedRow
	moves    []move
	encoder  encoder
	usage    store.Usage
}

type loadedRow struct{ key, data []byte }

func newLoad(b store.Board, entries []store.Entry) (*load, error) {
	l := &load{board: b, incoming: sortedByOwner(entries), encoder: encoder{board: b, buffer: make([]byte, 0, 1)}}
	l.check, l.apply = l.merge, l.store
	for i, e := range l.incoming {
		if err := b.ValidateEntry(e); err != nil {
			return nil, fmt.Errorf("load: %w", err)
		}
		if i > 0 && l.incoming[i-1].Owner == e.Owner {
			return nil, fmt.Errorf("load board %q: owner %q is there twice: %w", b.Name, e.Owner, store.ErrInvalid)
		}
	}
	return l, nil
}

// SortedByOwner copies the entries in order. It sorts small pairs and not the
// entries, which are large to move.
func sortedByOwner(entries []store.Entry) []store.Entry {
	type pair struct {
		owner string
		at    int
	}
	order := make([]pair, len(entries))
	for i, e := range entries {
		order[i] = pair{e.Owner, i}
	}
	slices.SortFunc(order, func(x, y pair) int { return strings.Compare(x.owner, y.owner) })
	sorted := make([]store.Entry, len(entries))
	for i, p := range order {
		sorted[i] = entries[p.at]
	}
	return sorted
}

// Merge works out what there is to write.
func (l *load) merge(tx *bbolt.Tx) error {
	l.rows, l.moves = make([]loadedRow, 0, len(l.incoming)), make([]move, 0, len(l.incoming)*len(l.board.Columns))
	l.usage = store.Usage{Requests: batches(len(l.incoming))}
	there := tx.Bucket(bucketEntries).Cursor()
	for _, e := range l.incoming {
		key := entryKey(e.Owner, l.board.Name)
		old := store.Entry{Owner: e.Owner}
		if k, data := there.Seek(key); bytes.Equal(k, key) {
			var err error
			if old, err = decodeEntry(l.board.Name, e.Owner, data); err != nil {
				return err
			}
		}
		if err := l.mergeRow(key, old, e); err != nil {
			return err
		}
	}
	sortMoves(l.moves)
	return nil
}

func (l *load) mergeRow(key []byte, old, e store.Entry) error {
	size := storedSize(l.board, old)
	l.usage.TableReads += store.ItemReadUnits(size, false)
	row, changed := old.With(e)
	if !changed {
		return nil
	}
	if old.Version > 0 { // together with what it has it may be too large
		if err := l.board.ValidateEntry(row); err != nil {
			return fmt.Errorf("load: %w", err)
		}
	}
	row.Version++
	data, err := l.encoder.encode(row)
	if err != nil {
		return err
	}
	moved := len(l.moves)
	l.moves = movesOf(l.moves, l.board, old, row)
	l.rows = append(l.rows, loadedRow{key, data})
	l.usage.Requests++
	l.usage.TableWrites += store.ItemWriteUnits(max(size, store.EntrySize(l.board, row)))
	l.usage.IndexWrites += float64(len(l.moves) - moved)
	return nil
}

func (l *load) store(tx *bbolt.Tx) error {
	entries := tx.Bucket(bucketEntries)
	setFill(entries, len(l.rows))
	for _, r := range l.rows {
		if err := entries.Put(r.key, r.data); err != nil {
			return fmt.Errorf("load board %q: %w", l.board.Name, err)
		}
	}
	return applyMoves(tx, l.board, l.moves)
}
