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

// Of a board whose refresh takes longer than its interval each time is counted once.
func TestATimeIsSkippedOrMissedAndNotBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := faulty{newBoards(t, 50, "slow"), "slow", func(ctx context.Context) error { return sleeping(ctx, 6*time.Minute) }}
		time.Sleep(time.Minute)
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(3 * time.Hour)
		refreshed, skipped, missed := h.count(jobs.Refreshed), h.count(jobs.Running), h.count("missed")
		if refreshed+skipped != 36 || missed != 0 || skipped != 24 {
			t.Errorf("%d refreshed, %d skipped, %d missed of 36 times due", refreshed, skipped, missed)
		}
		if log := h.log.String(); strings.Count(log, "tick is skipped: the one before is still under way; refresh less often, or raise the pace") != skipped {
			t.Errorf("the log does not say why: %s", log)
		}
		h.stop()
	})
}

// A time is skipped for one that waits for its turn, too: more pace would not help there.
func TestATimeThatIsSkippedForOneThatWaitsSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context) error { return sleeping(ctx, 22*time.Minute) }
		var st store.Store = faulty{faulty{newBoards(t, 50, "a", "b"), "a", slow}, "b", slow}
		time.Sleep(time.Minute)
		s := settled(everyFive(t))
		s.Concurrent = 1
		h := newHand(t, st, s).work()
		time.Sleep(20 * time.Minute)
		h.stop()
		for _, want := range []string{"tick is skipped: the one before still waits for its turn; raise worker.concurrent", "tick is skipped: the one before is still under way"} {
			if n := strings.Count(h.log.String(), want); n != 4 {
				t.Errorf("%q was said %d times: %s", want, n, h.log)
			}
		}
	})
}

// What passes while the process is stopped is missed, and said to be.
func TestTimesThatPassWhileTheWorkerIsStoppedAreMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		st := newBoards(t, 50, "a")
		var slept atomic.Int64 // a clock is asked by many
		h := newClockedHand(t, st, settled(everyFive(t)), func() time.Time {
			if time.Since(begun) > 32*time.Minute { // it was stopped then for half an hour
				slept.Store(int64(30 * time.Minute))
			}
			return time.Now().Add(time.Duration(slept.Load()))
		})
		h.work()
		time.Sleep(40 * time.Minute)
		h.stop()
		if n := h.count("missed"); n < 5 || n > 6 {
			t.Errorf("%d times were missed in half an hour of one each 5 minutes", n)
		}
		if !strings.Contains(h.log.String(), "ticks were missed: the worker was stopped meanwhile, or its clock set forward") {
			t.Errorf("the log does not say why: %s", h.log)
		}
	})
}
