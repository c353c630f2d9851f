package bolt_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// After a drop the file holds nothing of the board, hidden rows neither, and all of
// the others.
func TestDropLeavesNothingOfTheBoard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boards.db")
	s := open(t, path, bolt.NoSync())
	ctx := context.Background()
	stays := store.Board{Name: "missions", Shards: 2, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Sum}}}
	goes := stays
	goes.Name, goes.Family, goes.Period = "missions:2026-11-21", "missions", store.Daily
	goes.Expires = time.Date(2026, 12, 22, 0, 0, 0, 0, time.UTC)
	const owners = 300
	for _, b := range []store.Board{stays, goes} {
		if err := s.CreateBoard(ctx, b); err != nil {
			t.Fatal(err)
		}
		rows := make([]store.Entry, owners)
		for i := range rows {
			rows[i] = store.Entry{Owner: fmt.Sprintf("p%d", i), Scores: map[string]int64{"xp": int64(i)}, Hidden: i%3 == 0}
		}
		if errs, _, err := s.PutAll(ctx, b, rows); err != nil || errs[0] != nil {
			t.Fatal(err, errs[0])
		}
	}
	if err := s.DropBoard(ctx, goes.Name, goes.Expires); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kept := 0
	err = file.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(bucket []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, _ []byte) error {
				if bytes.Contains(k, []byte(goes.Name)) {
					t.Errorf("bucket %s still has %q", bucket, k)
				}
				if bytes.HasSuffix(k, []byte("\x00"+stays.Name)) {
					kept++
				}
				return nil
			})
		})
	})
	if err != nil || kept != owners {
		t.Errorf("%d rows of the other board are left, %v, want %d", kept, err, owners)
	}
}
