package bolt_test

import (
	"path/filepath"
	"testing"

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

func open(tb testing.TB, path string, opts ...bolt.Option) *bolt.Store {
	tb.Helper()
	s, err := bolt.Open(path, opts...)
	if err != nil {
		tb.Fatalf("open %s: %v", path, err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}
