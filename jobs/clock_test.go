package jobs_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// A clocked store has a clock that is right: the bubble's.
type clocked struct {
	store.Store
	wrong func() time.Duration // by which the machine's is ahead of it
}

func (c clocked) Skew() (ahead time.Duration, known bool) { return c.wrong(), true }

// A set clock is right until it is set.
type setClock struct{ ahead atomic.Int64 }

func (c *setClock) set(ahead time.Duration) { c.ahead.Store(int64(ahead)) }
func (c *setClock) wrong() time.Duration    { return time.Duration(c.ahead.Load()) }
func (c *setClock) now() time.Time          { return time.Now().Add(c.wrong()) }

// newWrongHand is a worker on a machine whose clock is wrong, on a store that has one.
func newWrongHand(t *testing.T, st store.Store, s jobs.Settings, c *setClock) *hand {
	t.Helper()
	return newClockedHand(t, clocked{st, c.wrong}, s, c.now)
}

// gauge is the value of a metric without labels.
func (h *hand) gauge(name string) float64 {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.Metric[0].GetGauge().GetValue()
		}
	}
	h.t.Fatalf("there is no %s", name)
	return 0
}

// A worker whose clock is far off works by the store's time, and does nothing again.
func TestAWorkerWhoseClockIsWrongDoesEachTickOnce(t *testing.T) {
	for _, wrong := range []time.Duration{10 * time.Minute, -10 * time.Minute, 3*time.Hour + 700*time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			names := []string{"a", "b", "c", "d"}
			st := newBoards(t, 100, names...)
			time.Sleep(time.Minute)
			s, c := settled(everyFive(t)), &setClock{}
			c.set(wrong)
			hands := []*hand{newHand(t, st, s).work(), newHand(t, st, s).work(), newWrongHand(t, st, s, c).work()}
			time.Sleep(4*time.Hour - 2*time.Minute) // and so the start counts for one
			off, refreshed := hands[2], 0
			for _, h := range hands {
				h.stop()
				refreshed += h.count(jobs.Refreshed)
				if n := h.count(jobs.Lost) + h.count(jobs.Failed) + h.count(jobs.Running); n > 0 {
					t.Errorf("%d ticks lost, failed or skipped:\n%s", n, h.log)
				}
			}
			t.Logf("%s off: %d refreshed of %d due, %d by the one that is off", wrong, refreshed, len(names)*48, off.count(jobs.Refreshed))
			if want := len(names) * 48; refreshed != want || off.count(jobs.Refreshed) < want/10 {
				t.Errorf("%s off: %d refreshed, %d by the one that is off, of %d due", wrong, refreshed, off.count(jobs.Refreshed), want)
			}
			if n := strings.Count(off.log.String(), "this machine's clock is "); n != 1 {
				t.Errorf("told %d times:\n%s", n, off.log)
			}
			if got := off.gauge("rankcurve_clock_skew_seconds"); got != wrong.Seconds() {
				t.Errorf("by the metrics it is %g s ahead, want %s", got, wrong)
			}
		})
	}
}

// Health tells of a clock that is wrong, and stays good: the work is done by another. A
// clock that is set ends that, and makes nothing look as if it had hung.
func TestHealthTellsOfAWrongClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 100, "a")
		time.Sleep(time.Minute)
		c, known := &setClock{}, &setClock{}
		c.set(-90 * time.Minute)
		known.set(c.wrong())
		h := newClockedHand(t, clocked{st, known.wrong}, settled(everyFive(t)), c.now).work()
		time.Sleep(10 * time.Second)
		health := h.worker.Health()
		if !health.Ready || !health.Alive || len(health.Reasons) != 1 || !strings.Contains(health.Reasons[0], "clock is 1h30m0s behind the store's") {
			t.Errorf("%+v", health)
		}
		if asOf := publishedOf(t, st, "a").Meta().AsOf; time.Since(asOf).Abs() > time.Minute {
			t.Errorf("the curve is as of %s, and it is %s", asOf, time.Now())
		}
		c.set(9 * time.Second) // seconds are no fault
		time.Sleep(5 * time.Second)
		if health := h.worker.Health(); !health.Ready || !health.Alive {
			t.Errorf("before an answer tells that the clock is right: %+v", health)
		}
		known.set(c.wrong())
		time.Sleep(2 * time.Minute)
		if health := h.worker.Health(); !health.Ready || !health.Alive || len(health.Reasons) > 0 {
			t.Errorf("%+v", health)
		}
		h.stop()
		if n := strings.Count(h.log.String(), "clock is right again"); n != 1 {
			t.Errorf("told %d times:\n%s", n, h.log)
		}
	})
}

// A lease that is taken on a machine whose clock is an hour ahead is held no longer than
// others: whoever comes after its death takes over in time.
func TestAWrongClockLocksNobodyOut(t *testing.T) {
	ctx := context.Background()
	st := newBoards(t, 100, "a")
	c := &setClock{}
	c.set(time.Hour)
	dies := dying{clocked{st, c.wrong}}
	r := jobs.Refresher{Store: dies, Holder: "ahead", Now: c.now}
	if _, err := r.Refresh(ctx, named("a"), "xp", jobs.Options{}); err == nil {
		t.Fatal("it has not died")
	}
	key := "refresh/a.xp"
	if _, err := st.Acquire(ctx, key, "next", time.Now(), time.Minute); err == nil {
		t.Error("the lease is not held")
	}
	if _, err := st.Acquire(ctx, key, "next", time.Now().Add(jobs.DefaultLeaseTTL+time.Second), time.Minute); err != nil {
		t.Errorf("the lease is held beyond its time: %v", err)
	}
}

// dying is the store as a process sees it that is killed when it has its lease.
type dying struct{ clocked }

func (dying) State(context.Context, store.CurveKey) ([]byte, store.Usage, error) {
	return nil, store.Usage{}, context.DeadlineExceeded
}
func (dying) Release(context.Context, store.Lease) error { return nil }

// A clock that is set back by hours does not stop the worker for as long.
func TestAClockThatIsSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which begins at midnight
		st := newBoards(t, 100, "a")
		c := &setClock{}
		c.set(time.Minute)
		h := newClockedHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@daily")}), c.now).work()
		time.Sleep(5 * time.Minute)
		c.set(-2 * time.Hour) // it is five past ten in the evening, so the board is due in two hours
		time.Sleep(2*time.Hour + 10*time.Minute)
		midnight := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		if asOf := publishedOf(t, st, "a").Meta().AsOf; asOf.Before(midnight) || asOf.After(midnight.Add(10*time.Second)) {
			t.Errorf("by its clock it is %s, and the curve is as of %s", c.now(), asOf)
		}
		h.stop()
		if n := strings.Count(h.log.String(), "the clock was set"); n != 1 {
			t.Errorf("told %d times:\n%s", n, h.log)
		}
	})
}

// After a clock is set forward what is due by it is done at once, each column's times that
// it has skipped as one.
func TestAClockThatIsSetForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
		st := newBoards(t, 20, names...)
		c := &setClock{}
		c.set(time.Minute)
		s := settled(jobs.Plan{Schedule: schedule(t, "@daily")})
		s.Plan = func(b store.Board) (jobs.Plan, error) {
			if b.Name < "e" {
				return everyFive(t), nil
			}
			return jobs.Plan{Schedule: schedule(t, "@daily")}, nil
		}
		h := newClockedHand(t, st, s, c.now).work()
		time.Sleep(10 * time.Second)
		if n := h.count(jobs.Refreshed); n != len(names) {
			t.Fatalf("%d refreshed at the start", n)
		}
		c.set(10*24*time.Hour + 90*time.Second)
		time.Sleep(2 * time.Minute)
		h.stop()
		if n := h.count(jobs.Refreshed); n != 2*len(names) {
			t.Errorf("%d refreshed, want each of %d once more:\n%s", n-len(names), len(names), h.log)
		}
	})
}
