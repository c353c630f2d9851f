package bolt

import (
	"bytes"
	"context"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// BoardsOf implements [store.Owners]. An owner's rows are neighbours, sorted by
// board. All are of one snapshot.
func (s *Store) BoardsOf(ctx context.Context, owner string) (rows []store.Owned, u store.Usage, err error) {
	size, possible := 0, store.ValidateOwner(owner) == nil
	unreadable := map[string]error{}
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		if !possible {
			return nil
		}
		boards, prefix := tx.Bucket(bucketBoards), entryKey(owner, "")
		c := tx.Bucket(bucketEntries).Cursor()
		for k, data := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, data = c.Next() {
			name := string(k[len(prefix):])
			definition := boards.Get([]byte(name))
			if definition == nil {
				continue
			}
			b, err := decodeBoard(name, definition)
			var e store.Entry
			if err == nil {
				e, err = decodeEntry(name, owner, data)
			}
			if err != nil {
				unreadable[name] = err
				size += len(k) + len(data)
				continue
			}
			size += store.EntrySize(b, e)
			rows = append(rows, store.Owned{Board: b, Entry: e})
		}
		return nil
	})
	if err != nil {
		return nil, u, err
	}
	return rows, store.Usage{TableReads: store.ItemReadUnits(size, false), Requests: 1}, store.Unreadable(unreadable)
}
