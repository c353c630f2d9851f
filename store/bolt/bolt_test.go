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
		damage(t, path, damaged+"\x00"+b.Name)
		return open(t, path, bolt.NoSync())
	})
}

// damage puts in place of a row, by its key, what is none.
func damage(tb testing.TB, path, key string) {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		tb.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("entries")).Put([]byte(key), []byte("\xff\xff\xff"))
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
