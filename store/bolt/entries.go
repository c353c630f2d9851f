package bolt

import (
	"context"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// Entry implements [store.Entries].
func (s *Store) Entry(ctx context.Context, b store.Board, owner string) (e store.Entry, u store.Usage, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		e, err = readEntry(tx, b, owner)
		if err == nil && e.Version == 0 {
			err = fmt.Errorf("owner %q on board %q: %w", owner, b.Name, store.ErrNotFound)
		}
		return err
	})
	u = store.Usage{TableReads: store.ItemReadUnits(storedSize(b, e), true), Requests: 1}
	if err != nil {
		e = store.Entry{}
	}
	return e, u, err
}

// BatchRows is the most rows that one of DynamoDB's batch reads asks for.
const batchRows = 100

// EntriesOf implements [store.Entries]. All rows are of one snapshot.
func (s *Store) EntriesOf(ctx context.Context, b store.Board, owners []string) (entries []store.Entry, u store.Usage, err error) {
	entries = make([]store.Entry, len(owners))
	unreadable := map[string]error{}
	u.Requests = batches(len(owners))
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		for i, owner := range owners {
			var fault error
			if entries[i], fault = readEntry(tx, b, owner); fault != nil {
				entries[i], unreadable[owner] = store.Entry{Owner: owner}, fault
			}
			u.TableReads += store.ItemReadUnits(storedSize(b, entries[i]), false)
			if i%chunkRows == chunkRows-1 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		return nil
	})
	if err != nil {
		return nil, u, err
	}
	return entries, u, store.Unreadable(unreadable)
}

func batches(rows int) int { return (rows + batchRows - 1) / batchRows }

// Put implements [store.Entries].
func (s *Store) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	errs, u, err := s.PutAll(ctx, b, []store.Entry{e})
	if err != nil {
		return u, err
	}
	return u, errs[0]
}

// PutAll implements [store.Entries]. The entries are tried in their order, in one
// transaction.
func (s *Store) PutAll(ctx context.Context, b store.Board, entries []store.Entry) ([]error, store.Usage, error) {
	errs := make([]error, len(entries))
	puts := make([]*put, len(entries))
	var writes []*write
	for i, e := range entries {
		if errs[i] = b.ValidateEntry(e); errs[i] == nil {
			puts[i] = newPut(b, e.Clone())
			writes = append(writes, &puts[i].write)
		}
	}
	var u store.Usage
	if err := s.writes.submit(ctx, writes); err != nil {
		return nil, u, err
	}
	for i, p := range puts {
		if p != nil {
			errs[i] = p.err
			u.Add(p.usage)
		}
	}
	return errs, u, nil
}

// Put is one conditional write of a row.
type put struct {
	write
	board    store.Board
	row      store.Entry // as it shall be
	old      store.Entry
	data     []byte
	expected int64
	usage    store.Usage
}

func newPut(b store.Board, e store.Entry) *put {
	p := &put{board: b, row: e, expected: e.Version}
	p.row.Version++
	p.check, p.apply = p.prepare, p.store
	return p
}

func (p *put) prepare(tx *bbolt.Tx) (err error) {
	p.usage = store.Usage{Requests: 1}
	if p.old, err = readEntry(tx, p.board, p.row.Owner); err != nil {
		return err
	}
	size := storedSize(p.board, p.old)
	if p.old.Version != p.expected {
		p.usage.TableWrites = store.ItemWriteUnits(size) // a refused write is charged too
		return conflict("put", p.board, p.old, p.expected)
	}
	p.usage.TableWrites = store.ItemWriteUnits(max(size, store.EntrySize(p.board, p.row)))
	p.data, err = (&encoder{board: p.board}).encode(p.row)
	return err
}

func (p *put) store(tx *bbolt.Tx) error {
	if err := tx.Bucket(bucketEntries).Put(entryKey(p.row.Owner, p.board.Name), p.data); err != nil {
		return fmt.Errorf("put owner %q on board %q: %w", p.row.Owner, p.board.Name, err)
	}
	return applyMoves(tx, p.board, p.moves())
}

func (p *put) moves() []move {
	m := movesOf(nil, p.board, p.old, p.row)
	p.usage.IndexWrites = float64(len(m))
	return m
}

func conflict(verb string, b store.Board, there store.Entry, expected int64) error {
	return fmt.Errorf("%s owner %q on board %q: version %d is stored, not %d: %w", verb, there.Owner, b.Name, there.Version, expected, store.ErrConflict)
}

// Delete implements [store.Entries].
func (s *Store) Delete(ctx context.Context, b store.Board, owner string, version int64) (u store.Usage, err error) {
	var old store.Entry
	err = s.write(ctx, &write{
		check: func(tx *bbolt.Tx) (err error) {
			if old, err = readEntry(tx, b, owner); err != nil {
				return err
			}
			u = store.Usage{TableWrites: store.ItemWriteUnits(storedSize(b, old)), Requests: 1}
			if old.Version == 0 {
				return fmt.Errorf("delete owner %q from board %q: %w", owner, b.Name, store.ErrNotFound)
			}
			if old.Version == version {
				return nil
			}
			return conflict("delete", b, old, version)
		},
		apply: func(tx *bbolt.Tx) error {
			m := movesOf(nil, b, old, store.Entry{Owner: owner})
			u.IndexWrites = float64(len(m))
			if err := tx.Bucket(bucketEntries).Delete(entryKey(owner, b.Name)); err != nil {
				return fmt.Errorf("delete owner %q from board %q: %w", owner, b.Name, err)
			}
			return applyMoves(tx, b, m)
		},
	})
	return u, err
}

// ReadEntry reads a row; a missing one has Version 0 and its Owner set.
func readEntry(tx *bbolt.Tx, b store.Board, owner string) (store.Entry, error) {
	data := tx.Bucket(bucketEntries).Get(entryKey(owner, b.Name))
	if data == nil {
		return store.Entry{Owner: owner}, nil
	}
	return decodeEntry(b.Name, owner, data)
}

// StoredSize is the size of a row's item, 0 of a missing one.
func storedSize(b store.Board, e store.Entry) int {
	if e.Version == 0 {
		return 0
	}
	return store.EntrySize(b, e)
}
