package jobs_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
)

// A refresh that is tried again is waited for at the end as any other is: when Run returns
// its lease is given up.
func TestTheEndWaitsForARetryToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := newBoards(t, 50, "slow")
		st := faulty{inner, "slow", func(ctx context.Context) error {
			err := sleeping(ctx, 10*time.Minute)
			time.Sleep(3 * time.Second) // a request that is under way
			return err
		}}
		if _, err := st.Acquire(t.Context(), "refresh/slow.xp", "dead", time.Now(), time.Minute); err != nil {
			t.Fatal(err)
		}
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@daily")})).work()
		time.Sleep(3 * time.Minute) // the retry is under way
		h.end()
		if err := <-h.ended; err != nil {
			t.Error(err)
		}
		if n := h.count(jobs.Stopped); n != 1 {
			t.Errorf("%d refreshes were given up when Run returned", n)
		}
		if _, err := inner.Acquire(t.Context(), "refresh/slow.xp", "other", time.Now(), time.Minute); err != nil {
			t.Errorf("the lease is still held: %v", err)
		}
	})
}

// Nothing begins once the end has: not what waits to be tried again, nor a new board.
func TestNothingBeginsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "a")
		if _, err := st.Acquire(t.Context(), "refresh/a.xp", "dead", time.Now(), time.Minute); err != nil {
			t.Fatal(err)
		}
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(30 * time.Second)
		h.stop()
		time.Sleep(time.Hour)
		if publishedOf(t, st, "a") != nil {
			t.Error("it was refreshed after the end")
		}
	})
}

// A board that has ended, and had its last refresh, has no age to be alarmed by. That comes
// a minute after its end, also where the schedule has no time for hours.
func TestABoardThatHasEndedHasNoAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "week")
		time.Sleep(time.Minute)
		plan := jobs.Plan{Schedule: schedule(t, "@daily"), Ends: time.Now().Add(10 * time.Hour)}
		h := newHand(t, st, settled(plan)).work()
		time.Sleep(time.Minute)
		if !hasSeries(h, "rankcurve_curve_as_of_timestamp_seconds") || !hasSeries(h, "rankcurve_curve_interval_seconds") {
			t.Error("it has no age before its end")
		}
		time.Sleep(time.Until(plan.Ends.Add(2 * time.Minute)))
		if asOf := publishedOf(t, st, "week").Meta().AsOf; asOf.Before(plan.Ends) {
			t.Errorf("the last curve is as of %s, the board ended at %s", asOf, plan.Ends)
		}
		for name, h := range map[string]*hand{"the worker": h, "one that begins later": newHand(t, st, settled(plan)).work()} {
			time.Sleep(26 * time.Hour)
			if hasSeries(h, "rankcurve_curve_as_of_timestamp_seconds") || hasSeries(h, "rankcurve_curve_interval_seconds") || !hasSeries(h, "rankcurve_curve_entries") {
				t.Errorf("%s: age %v and interval %v, entries %v", name, hasSeries(h, "rankcurve_curve_as_of_timestamp_seconds"), hasSeries(h, "rankcurve_curve_interval_seconds"), hasSeries(h, "rankcurve_curve_entries"))
			}
			h.stop()
		}
	})
}

// A quiet board that ends has its last refresh too, wherever between two looks its end falls
// and whether it is walked or looked at: what was posted since is in the last curve.
func TestAQuietBoardThatEndsIsRefreshedOnceMore(t *testing.T) {
	const late = 500
	for _, owners := range []int{20_000, 60_000} { // walks are the looks at the smaller one
		for _, minutes := range []int{46, 56} {
			t.Run(fmt.Sprintf("%d entries, ends at minute %d", owners, minutes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					st := newBoards(t, owners, "week")
					ends := time.Now().Add(2*time.Hour + time.Duration(minutes)*time.Minute)
					time.Sleep(time.Minute)
					plan := jobs.Plan{Schedule: schedule(t, "@every 5m"), Ends: ends, IdleMax: 15 * time.Minute}
					hands := []*hand{newHand(t, st, settled(plan)).work(), newHand(t, st, settled(plan)).work()}
					time.Sleep(time.Until(ends.Add(-10 * time.Second)))
					if hands[0].count(jobs.Quiet) < 10 {
						t.Errorf("%d quiet ticks: the board is not taken for quiet", hands[0].count(jobs.Quiet))
					}
					addMore(t, st, "week", late)
					time.Sleep(15 * time.Minute)
					c := publishedOf(t, st, "week")
					if c.Meta().AsOf.Before(ends) || c.Total() != int64(owners+late) {
						t.Errorf("the last curve is as of %s with %d entries, the board ended at %s with %d", c.Meta().AsOf, c.Total(), ends, owners+late)
					}
					last := c.Meta().Generation
					time.Sleep(10 * time.Hour)
					if c := publishedOf(t, st, "week"); c.Meta().Generation != last {
						t.Errorf("refreshed %d times more after its last refresh", c.Meta().Generation-last)
					}
					for _, h := range hands {
						if hasSeries(h, "rankcurve_curve_as_of_timestamp_seconds") {
							t.Error("it still has an age to be alarmed by")
						}
						h.stop()
					}
				})
			})
		}
	}
}

// hasSeries says whether the metrics' page has one.
func hasSeries(h *hand, name string) bool {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return len(family.Metric) > 0
		}
	}
	return false
}
