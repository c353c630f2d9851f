package bolt_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// change changes a record of a closed database, as a faulty disk would.
func change(t *testing.T, path, bucket string, damage func(value []byte) []byte) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		key, value := b.Cursor().First()
		return b.Put(append([]byte(nil), key...), damage(append([]byte(nil), value...)))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func reopen(t *testing.T, path string) *bolt.Store {
	t.Helper()
	st, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func TestADamagedCurveIsToldAndReplaced(t *testing.T) {
	key := store.CurveKey{Board: "games", Column: "xp"}
	for name, damage := range map[string]func([]byte) []byte{
		"generation": func(v []byte) []byte { v[0] ^= 0x80; return v },
		"data":       func(v []byte) []byte { v[len(v)-1] ^= 1; return v },
		"cut short":  func(v []byte) []byte { return v[:4] },
		"empty":      func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "games.db")
			st := reopen(t, path)
			if _, err := st.Publish(context.Background(), key, store.Published{Generation: 7, Data: []byte("curve")}); err != nil {
				t.Fatal(err)
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			change(t, path, "curves", damage)
			st = reopen(t, path)
			if _, _, err := st.Curve(context.Background(), key); !errors.Is(err, store.ErrCorrupt) {
				t.Fatalf("%v", err)
			}
			if _, err := st.Publish(context.Background(), key, store.Published{Generation: 8, Data: []byte("new")}); err != nil {
				t.Fatal(err)
			}
			if p, _, err := st.Curve(context.Background(), key); err != nil || p.Generation != 8 || string(p.Data) != "new" {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}

func TestLeasesEndWithTheirProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.db")
	st := reopen(t, path)
	first, err := st.Acquire(context.Background(), "refresh", "killed", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = reopen(t, path)
	second, err := st.Acquire(context.Background(), "refresh", "successor", time.Now(), time.Hour)
	if err != nil || second.Fence <= first.Fence {
		t.Fatalf("%+v after %+v: %v", second, first, err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, path, "leases", func([]byte) []byte { return []byte("damaged") })
	if _, err := reopen(t, path).Acquire(context.Background(), "refresh", "third", time.Now(), time.Hour); err != nil {
		t.Errorf("a damaged lease: %v", err)
	}
}
