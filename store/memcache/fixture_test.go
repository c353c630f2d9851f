package memcache_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
	"github.com/rankcurve/rankcurve/store/memcache"
)

var (
	bg  = context.Background()
	xp  = def.CurveKey("xp")
	def = store.Board{ID: "QK3TDXV5PZ7RCWNAEHJ2MB6YFU", Name: "missions", Shards: 1, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}}
)

const table = "rankcurve"

// inner is the durable store, whose curve reads are counted and can be changed.
type inner struct {
	store.Store
	reads atomic.Int64
	curve atomic.Pointer[func(ctx context.Context) error] // called before Curve
}

func newInner(t *testing.T) *inner {
	t.Helper()
	st, err := bolt.Open(filepath.Join(t.TempDir(), "rankcurve.db"), bolt.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return &inner{Store: st}
}

func (i *inner) Curve(ctx context.Context, k store.CurveKey) (store.Published, store.Usage, error) {
	i.reads.Add(1)
	if before := i.curve.Load(); before != nil {
		if err := (*before)(ctx); err != nil {
			return store.Published{}, store.Usage{}, err
		}
	}
	return i.Store.Curve(ctx, k)
}

// faults keeps what OnFault is told.
type faults struct {
	mu  sync.Mutex
	all []error
}

func (f *faults) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, err)
}

// take returns the faults so far and forgets them.
func (f *faults) take() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := errors.Join(f.all...)
	f.all = nil
	return err
}

// none fails the test if there was a fault.
func (f *faults) none(t *testing.T) {
	t.Helper()
	if err := f.take(); err != nil {
		t.Errorf("faults of memcached: %v", err)
	}
}

func dial(t *testing.T, addr string, opts ...memcache.Option) *memcache.Cache {
	t.Helper()
	// Long enough that a busy machine makes no faults; tests of slowness set their own.
	c, err := memcache.Dial([]string{addr}, append([]memcache.Option{memcache.Timeout(patience)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func wrap(t *testing.T, st store.Store, addr string, opts ...memcache.Option) (*memcache.Store, *faults) {
	t.Helper()
	f := &faults{}
	return memcache.Wrap(st, dial(t, addr, append(opts, memcache.OnFault(f.add))...), table), f
}

// curveOf is a curve of entries with the scores 1..n.
func curveOf(t *testing.T, k store.CurveKey, generation int64, n int) store.Published {
	t.Helper()
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = int64(n - i)
	}
	meta := predictor.Meta{Board: k.Board, Column: k.Column, Generation: generation, AsOf: time.Now().Truncate(time.Millisecond)}
	_, data, err := predictor.Build(meta, predictor.PointsOf(keys), predictor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store.Published{Generation: generation, Data: data}
}

func publish(t *testing.T, st store.Store, k store.CurveKey, generation int64) store.Published {
	t.Helper()
	p := curveOf(t, k, generation, 1000)
	if _, err := st.Publish(bg, k, p); err != nil {
		t.Fatal(err)
	}
	return p
}

// wantCurve reads a curve and compares it and how often the durable one was read.
func wantCurve(t *testing.T, st store.Store, in *inner, want store.Published, reads int64) {
	t.Helper()
	before := in.reads.Load()
	p, usage, err := st.Curve(bg, xp)
	if err != nil || p.Generation != want.Generation || string(p.Data) != string(want.Data) {
		t.Fatalf("curve of generation %d, %d bytes, %v; want generation %d", p.Generation, len(p.Data), err, want.Generation)
	}
	if got := in.reads.Load() - before; got != reads || (usage.ReadUnits() > 0) != (reads > 0) {
		t.Errorf("the store was read %d times for %s, want %d times", got, usage, reads)
	}
}
