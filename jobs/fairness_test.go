package jobs_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
)

// Huge boards do not take all places when a worker begins and knows nothing of them: not
// where they have curves, nor where none has.
func TestSmallBoardsGetTheirTurnFromTheStart(t *testing.T) {
	for name, published := range map[string]bool{"with curves": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				names := []string{"h1", "h2", "h3", "h4", "h5", "s1", "s2"}
				inner := newBoards(t, 100, names...)
				st := inner
				for _, name := range names[:5] {
					addMore(t, inner, name, 20_000)
					st = faulty{st, name, func(ctx context.Context) error { return sleeping(ctx, 15*time.Minute) }}
				}
				if published {
					for _, name := range names {
						if _, err := (jobs.Refresher{Store: inner, Holder: "rebuild"}).Refresh(t.Context(), named(name), "xp", jobs.Options{}); err != nil {
							t.Fatal(err)
						}
					}
					time.Sleep(10 * time.Minute)
				}
				time.Sleep(time.Minute)
				for range 3 {
					h := newHand(t, st, settled(everyFive(t))).work()
					time.Sleep(20 * time.Minute)
					for _, name := range names[5:] {
						if n := h.countOf(name, jobs.Refreshed); n < 4 || n > 5 {
							t.Errorf("%s was refreshed %d times in the first twenty minutes", name, n)
						}
					}
					h.stop()
				}
			})
		})
	}
}

// A worker that does not have the lease does not say that it has.
func TestTheLeaseIsShownWhileItIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := faulty{newBoards(t, 50, "a"), "a", func(ctx context.Context) error { return sleeping(ctx, time.Minute) }}
		if _, err := st.Acquire(t.Context(), "refresh/a.xp", "other", time.Now(), time.Minute); err != nil {
			t.Fatal(err)
		}
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@daily")})).work()
		time.Sleep(30 * time.Second)
		if held := gaugeOf(h, "rankcurve_lease_held"); held != 0 || h.count(jobs.Held) != 1 {
			t.Errorf("while another has it: %v", held)
		}
		for h.count(jobs.Held) == 1 && gaugeOf(h, "rankcurve_lease_held") == 0 && time.Since(time.Unix(946684800, 0)) < time.Hour {
			time.Sleep(time.Second)
		}
		if held := gaugeOf(h, "rankcurve_lease_held"); held != 1 || h.count(jobs.Refreshed) != 0 {
			t.Errorf("while it refreshes: %v", held)
		}
		time.Sleep(10 * time.Minute)
		if held := gaugeOf(h, "rankcurve_lease_held"); held != 0 || h.count(jobs.Refreshed) != 1 {
			t.Errorf("afterwards: %v", held)
		}
		h.stop()
	})
}

// gaugeOf is the only series of a gauge.
func gaugeOf(h *hand, name string) float64 {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name && len(family.Metric) == 1 {
			return family.Metric[0].GetGauge().GetValue()
		}
	}
	return -1
}
