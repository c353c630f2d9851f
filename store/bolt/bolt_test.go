package bolt_test

import (
	"errors"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
	"github.com/rankcurve/rankcurve/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "rankcurve.db"), bolt.NoSync())
	})
}

func TestContractBesideADamagedRow(t *testing.T) {
	storetest.RunDamaged(t, func(t *testing.T, b store.Board, rows []store.Entry, damaged string) store.Store {
		t.Helper()
		path := filepath.Join(t.TempDir(), "rankcurve.db")
		s := open(t, path, bolt.NoSync())
		mustLoad(t, s, b, rows)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		damage(t, path, "entries", damaged+"\x00"+b.Name)
		return open(t, path, bolt.NoSync())
	})
}

func TestContractBesideADamagedBoard(t *testing.T) {
	storetest.RunDamagedBoard(t, func(t *testing.T, rows []store.Owned, damaged string) store.Store {
		t.Helper()
		path := filepath.Join(t.TempDir(), "rankcurve.db")
		s := open(t, path, bolt.NoSync())
		for _, r := range rows {
			if err := s.CreateBoard(t.Context(), r.Board); err != nil {
				t.Fatal(err)
			}
			mustLoad(t, s, r.Board, []store.Entry{r.Entry})
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		damage(t, path, "boards", damaged)
		return open(t, path, bolt.NoSync())
	})
}

// damage puts in place of what a bucket has under a key what is none.
func damage(tb testing.TB, path, bucket, key string) {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		tb.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(bucket)).Put([]byte(key), []byte("\xff\xff\xff"))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		tb.Fatal(err)
	}
}

func open(tb testing.TB, path string, opts ...bolt.Option) *bolt.Store {
	tb.Helper()
	s, err := bolt.Open(path, opts...)
	if err != nil {
		tb.Fatalf("open %s: %v", path, err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}
