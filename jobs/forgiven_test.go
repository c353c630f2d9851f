package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
)

// What has failed on a column is over once a curve of later is there, whoever has made it.
func TestARebuildEndsTheWaitAfterFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		broken.Store(true)
		st := faulty{newBoards(t, 50, "bad"), "bad", func(context.Context) error {
			if broken.Load() {
				return errors.New("disk on fire")
			}
			return nil
		}}
		time.Sleep(time.Minute)
		h := newHand(t, st, settled(everyFive(t))).work()
		for h.count(jobs.Failed) < 10 {
			time.Sleep(time.Second)
		}
		broken.Store(false)
		time.Sleep(time.Second)
		if _, err := (jobs.Refresher{Store: st, Holder: "rebuild"}).Refresh(t.Context(), named("bad"), "xp", jobs.Options{}); err != nil {
			t.Fatal(err)
		}
		for range 30 {
			time.Sleep(time.Minute)
			if age := time.Since(publishedOf(t, st, "bad").Meta().AsOf); age > 7*time.Minute {
				t.Fatalf("the curve is %s old", age)
			}
		}
		if health := h.worker.Health(); len(health.Reasons) > 0 {
			t.Errorf("health: %+v", health)
		}
		h.stop()
	})
}

// A round of --once says of a column that others have failed on what was wrong, and fails.
func TestOnceTellsWhatIsNotTriedAgainYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := faulty{newBoards(t, 50, "bad"), "bad", func(context.Context) error { return errors.New("disk on fire") }}
		for i, want := range []string{"refresh bad.xp: ", "bad.xp has failed once and is not tried again before "} {
			s, err := newHand(t, st, settled(everyFive(t))).worker.Once(t.Context())
			if err != nil || len(s.Failed) != 1 || !strings.Contains(s.Failed[0].Error(), want) || !strings.Contains(s.Failed[0].Error(), "disk on fire") {
				t.Errorf("round %d: %+v, %v", i, s, err)
			}
		}
	})
}
