package sampler_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// metered is a store that gives each partition so many read units a second, a second's
// worth at once, and throttles beyond. As on DynamoDB a page is let in while anything
// is left and charged with what it took. Its clock is the test's.
type metered struct {
	inMemory
	units float64

	mu               sync.Mutex
	left             map[store.Partition]float64
	seen             map[store.Partition]time.Time
	calls, throttles int
}

func (m *metered) admit(p store.Partition) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	now := time.Now()
	if last, ok := m.seen[p]; ok {
		m.left[p] = min(m.units, m.left[p]+m.units*now.Sub(last).Seconds())
	} else {
		m.left[p] = m.units
	}
	m.seen[p] = now
	if m.left[p] < 1 {
		m.throttles++
		return fmt.Errorf("%s: %w", p, store.ErrThrottled)
	}
	return nil
}

func (m *metered) charge(p store.Partition, u store.Usage) {
	m.mu.Lock()
	m.left[p] -= u.ReadUnits()
	m.mu.Unlock()
	time.Sleep(5 * time.Millisecond)
}

func (m *metered) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if err := m.admit(q.Partition); err != nil {
		return store.Page{}, err
	}
	page, err := m.inMemory.Rows(ctx, q)
	m.charge(q.Partition, page.Usage)
	return page, err
}

func (m *metered) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	if err := m.admit(q.Partition); err != nil {
		return store.CountPage{}, err
	}
	page, err := m.inMemory.Count(ctx, q)
	m.charge(q.Partition, page.Usage)
	return page, err
}

// A refresh that takes minutes at what its partitions give, in pages of many read
// units, has to find out what each of them gives; hardly any call may be for nothing.
func TestFewCallsOfAWalkAreThrottled(t *testing.T) {
	if testing.Short() {
		t.Skip("holds ten million keys; run without -short")
	}
	for _, b := range []struct{ entries, shards int }{{10_000_000, 16}, {3_000_000, 4}, {1_000_000, 2}} {
		board := store.Board{Name: "games", Shards: b.shards, Columns: []store.Column{column}}
		keys := newInMemory(board, draw(b.entries, lognormal))
		synctest.Test(t, func(t *testing.T) {
			st := &metered{inMemory: keys, units: 100, left: map[store.Partition]float64{}, seen: map[store.Partition]time.Time{}}
			began := time.Now()
			walk, err := sampler.New(st, board, column, sampler.Options{Method: sampler.Counted, Pace: sampler.DefaultPace}).Walk(context.Background(), sampler.State{})
			if err != nil {
				t.Fatal(err)
			}
			took, least := time.Since(began), walk.Usage.ReadUnits()/st.units/float64(b.shards)
			t.Logf("%d entries in %d shards: %s; %d of %d calls were throttled; took %v, at the limit %.0f s", b.entries, b.shards, walk.Usage, st.throttles, st.calls, took, least)
			if st.throttles == 0 {
				t.Error("nothing was throttled, so the pace was not put to the test")
			}
			// The pilot's shard is read before the others, and whole; then all at once.
			if took.Seconds() > 3*least {
				t.Errorf("took %v of the partitions' time, at the limit it is %.0f s", took, least)
			}
			if st.throttles*100 > st.calls {
				t.Errorf("%d of %d calls were throttled, more than 1 %%", st.throttles, st.calls)
			}
		})
	}
}
