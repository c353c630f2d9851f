package bolt

import (
	"context"
	"encoding/json"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// CreateBoard implements [store.Boards].
func (s *Store) CreateBoard(ctx context.Context, b store.Board) error {
	if err := b.Validate(); err != nil {
		return fmt.Errorf("create board %q: %w: %w", b.Name, store.ErrInvalid, err)
	}
	data, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("create board %q: %w: %w", b.Name, store.ErrInvalid, err)
	}
	known := false
	return s.write(ctx, &write{
		check: func(tx *bbolt.Tx) error {
			old := tx.Bucket(bucketBoards).Get([]byte(b.Name))
			if known = old != nil; !known {
				return nil
			}
			there, err := decodeBoard(b.Name, old)
			if err != nil {
				return err
			}
			return there.Same(b)
		},
		apply: func(tx *bbolt.Tx) error {
			if known {
				return nil
			}
			return tx.Bucket(bucketBoards).Put([]byte(b.Name), data)
		},
	})
}

// Board implements [store.Boards].
func (s *Store) Board(ctx context.Context, name string) (b store.Board, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		data := tx.Bucket(bucketBoards).Get([]byte(name))
		if data == nil {
			return fmt.Errorf("board %q: %w", name, store.ErrNotFound)
		}
		b, err = decodeBoard(name, data)
		return err
	})
	return b, err
}

// Boards implements [store.Boards].
func (s *Store) Boards(ctx context.Context) (boards []store.Board, err error) {
	unreadable := map[string]error{}
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketBoards).ForEach(func(name, data []byte) error {
			if b, why := decodeBoard(string(name), data); why == nil {
				boards = append(boards, b)
			} else {
				unreadable[string(name)] = why
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return boards, store.Unreadable(unreadable)
}

func decodeBoard(name string, data []byte) (store.Board, error) {
	b, err := store.DecodeBoard(name, data)
	if err != nil {
		return b, fmt.Errorf("%w; put back a copy of the database", err)
	}
	return b, nil
}
