package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
)

// A schedule that is due at the same times as before for some hours, and then at others, is
// taken over all the same.
func TestReloadTakesASchedulesLaterTimesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "a")
		time.Sleep(9 * time.Hour)
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "*/5 8-20 * * *")})).work()
		time.Sleep(time.Hour + time.Minute)
		h.worker.Reload(settled(jobs.Plan{Schedule: schedule(t, "*/5 * * * *")}))
		time.Sleep(11 * time.Hour) // past 21:00
		before := h.count(jobs.Refreshed)
		time.Sleep(10 * time.Hour)
		h.stop()
		if n := h.count(jobs.Refreshed) - before; n != 120 {
			t.Errorf("%d refreshes in the ten hours that only the new schedule has; 120 are due", n)
		}
	})
}

// In winter London's six o'clock is UTC's.
func TestReloadTakesAZoneThatDiffersInSummerAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "a")
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "0 6 * * *")})).work()
		time.Sleep(time.Hour)
		london, err := jobs.ParseSchedule("0 6 * * *", "Europe/London")
		if err != nil {
			t.Fatal(err)
		}
		h.worker.Reload(settled(jobs.Plan{Schedule: london}))
		time.Sleep(time.Until(time.Date(2000, 6, 15, 5, 30, 0, 0, time.UTC)))
		h.stop()
		if asOf := publishedOf(t, st, "a").Meta().AsOf; !asOf.After(time.Date(2000, 6, 15, 5, 0, 0, 0, time.UTC)) {
			t.Errorf("at half past six in London, in June, the curve is as of %s", asOf)
		}
	})
}

// Times that only the new schedule has had were not missed, and what is due by it is done
// at once.
func TestReloadMissesNothingThatWasNotDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "a")
		time.Sleep(time.Hour)
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@daily")})).work()
		time.Sleep(time.Hour)
		h.worker.Reload(settled(jobs.Plan{Schedule: schedule(t, "@every 30m")}))
		time.Sleep(10 * time.Minute)
		if n := h.count(jobs.Refreshed); n != 2 {
			t.Errorf("%d refreshes ten minutes after the reload; one was due before it, one by it", n)
		}
		time.Sleep(2 * time.Hour)
		h.stop()
		if n := h.count("missed"); n != 0 {
			t.Errorf("%d times were missed", n)
		}
	})
}

// The limits of a worker at work are those of the last reload.
func TestReloadChangesTheLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		names := []string{"a", "b", "c", "d"}
		st := newBoards(t, 50, names...)
		for _, name := range names {
			st = faulty{st, name, func(ctx context.Context) error {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				return sleeping(ctx, 10*time.Second) // one page, of one shard at a time
			}}
		}
		time.Sleep(time.Minute)
		s := settled(everyFive(t))
		s.Concurrent = 1
		h := newHand(t, st, s).work()
		time.Sleep(10 * time.Minute)
		if n := most.Load(); n != 1 {
			t.Errorf("%d boards were read at once, of one at a time", n)
		}
		s.Concurrent = 3
		h.worker.Reload(s)
		time.Sleep(10 * time.Minute)
		if n := most.Load(); n != 3 {
			t.Errorf("%d boards were read at once, of three at a time", n)
		}
		h.stop()
	})
}

func TestReloadChangesTheReadUnitsPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock atomic.Int64
		s := settled(jobs.Plan{Schedule: schedule(t, "@every 3h"), Options: jobs.Options{Method: sampler.Counted}})
		s.ReadUnitsPerSecond = 2
		time.Sleep(time.Minute)
		h := newHand(t, large(t, &clock), s).work()
		time.Sleep(5 * time.Minute)
		if n := h.count(jobs.Refreshed); n != 0 {
			t.Error("2,000 read units in five minutes, at 2 a second")
		}
		s.ReadUnitsPerSecond = 1000
		h.worker.Reload(s)
		time.Sleep(time.Minute)
		h.stop()
		if n := h.count(jobs.Refreshed); n != 1 {
			t.Errorf("not refreshed in a minute at 1,000 a second: %s", h.log)
		}
	})
}
