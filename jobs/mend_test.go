package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A deaf store carries a publication out, and its answer is lost.
type deaf struct{ store.Store }

func (d deaf) Publish(ctx context.Context, k store.CurveKey, p store.Published) (store.Usage, error) {
	u, err := d.Store.Publish(ctx, k, p)
	return u, errors.Join(err, store.ErrUnavailable)
}

// A worker publishes and dies before memcached has the curve: another that comes to the same
// tick puts it there, so that readers need not wait for the next one.
func TestACacheThatWasLeftBehindIsMended(t *testing.T) {
	addr := servers.NewMemcached(t).Addr
	dial := func() *memcache.Cache {
		c, err := memcache.Dial([]string{addr}, memcache.Timeout(20*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	st, b := newBoards(t, 100, "games"), named("games")
	now := time.Date(2026, 11, 21, 12, 0, 1, 0, time.UTC)
	worker := func(name string, inner store.Store) jobs.Refresher {
		return jobs.Refresher{Store: memcache.Wrap(inner, dial(), "table"), Holder: name, Now: func() time.Time { return now }}
	}
	tick := func(r jobs.Refresher) jobs.Outcome {
		t.Helper()
		report, _ := r.Tick(t.Context(), b, "xp", jobs.Tick{Due: now.Truncate(5 * time.Minute), Interval: 5 * time.Minute}, jobs.Options{})
		return report.Outcome
	}
	readers := memcache.Wrap(st, dial(), "table")
	generation := func() int64 {
		t.Helper()
		p, _, err := readers.Curve(t.Context(), b.CurveKey("xp"))
		if err != nil {
			t.Fatal(err)
		}
		return p.Generation
	}
	if o := tick(worker("first", st)); o != jobs.Refreshed || generation() != 1 {
		t.Fatalf("%s; readers have generation %d", o, generation())
	}
	now = now.Add(5 * time.Minute)
	if o := tick(worker("dying", deaf{st})); o != jobs.Failed || generation() != 1 {
		t.Fatalf("%s; readers have generation %d", o, generation())
	}
	now = now.Add(30 * time.Second)
	second := jobs.NewWorker(worker("second", st), settled(everyFive(t)), jobs.NewMetrics(prometheus.NewRegistry()))
	if s, err := second.Once(t.Context()); err != nil || s.Outcomes[jobs.Done] != 1 || generation() != 2 {
		t.Errorf("%+v, %v; readers have generation %d, the store has 2", s, err, generation())
	}
}
