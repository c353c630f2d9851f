package jobs_test

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// A store that is away for seven tries leaves no curve older than twice its interval, though
// a try that fails waits for up to twice as long as it says; one that stays away is tried
// again less and less often.
func TestAStoreThatIsAwayForAMomentIsTriedAgainWithinTheInterval(t *testing.T) {
	for _, spec := range []string{"@every 5m", "@every 3m", "@hourly"} {
		synctest.Test(t, func(t *testing.T) {
			var h *hand
			var away atomic.Int32 // for so many tries
			st := faulty{newBoards(t, 50, "games"), "games", func(context.Context) error {
				if h.count(jobs.Failed) >= int(away.Load()) {
					return nil
				}
				return fmt.Errorf("on purpose: %w", store.ErrUnavailable)
			}}
			time.Sleep(time.Minute)
			plan := jobs.Plan{Schedule: schedule(t, spec)}
			s := settled(plan)
			s.Jitter = 0 // would come on top of each try's wait
			h = newHand(t, st, s)
			h.work()
			time.Sleep(2 * time.Minute)
			interval := plan.Schedule.Interval(time.Now())
			time.Sleep(time.Until(plan.Schedule.Next(time.Now())) - time.Second)
			away.Store(7)
			oldest := time.Duration(0)
			for range 2 * interval / time.Second {
				time.Sleep(time.Second)
				oldest = max(oldest, time.Since(publishedOf(t, st, "games").Meta().AsOf))
			}
			if failed := h.count(jobs.Failed); failed != 7 {
				t.Errorf("%s: %d tries have failed", spec, failed)
			}
			if oldest > 2*interval {
				t.Errorf("%s: the curve was %s old:\n%s", spec, oldest, h.log)
			}
			away.Store(math.MaxInt32)
			time.Sleep(30 * time.Hour)
			before := h.count(jobs.Failed)
			time.Sleep(10 * time.Hour)
			if tries := h.count(jobs.Failed) - before; tries < 5 || tries > 22 {
				t.Errorf("%s: %d tries in ten hours of a store that is away for days", spec, tries)
			}
			h.stop()
		})
	}
}
