package jobs_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
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

// A first walk that takes over a minute, for the pace or the worker's read units make it
// wait, gives up its place to small boards, goes on as a huge one's where it was, and fails
// for none of that.
func TestAFirstWalkThatIsMadeToWaitIsFinishedLater(t *testing.T) {
	huge, small := []string{"h1", "h2", "h3", "h4"}, []string{"s1", "s2"}
	names := slices.Concat(huge, small)
	for name, slow := range map[string]struct {
		pace, units    float64 // read units a second, of a partition and of all
		shards, owners int
	}{
		"by its pace":                {pace: 3, shards: 2, owners: 120_000},
		"by the worker's read units": {units: 3, shards: 8, owners: 60_000},
	} {
		settings := func() jobs.Settings {
			pace := sampler.Pace{Start: slow.pace, Max: slow.pace}
			s := settled(jobs.Plan{Schedule: schedule(t, "@every 10m"), Options: jobs.Options{Method: sampler.Counted, Head: 100, Pace: pace}})
			s.Concurrent, s.ReadUnitsPerSecond = 2, slow.units
			return s
		}
		first := func(t *testing.T) store.Store {
			t.Helper()
			st := newBoards(t, 100, small...)
			for _, name := range huge {
				addSharded(t, st, name, slow.shards, slow.owners)
			}
			time.Sleep(time.Minute)
			return st
		}
		check := func(t *testing.T, st store.Store, log string) {
			t.Helper()
			for _, name := range names {
				if publishedOf(t, st, name) == nil {
					t.Errorf("%s has no curve", name)
				}
			}
			left := strings.Count(log, "gives up its place")
			on := regexp.MustCompile(` board=h.* resumed=[1-9]`).FindAllString(log, -1)
			if left < 2 || left > len(huge) || len(on) == 0 || strings.Contains(log, "failed") {
				t.Errorf("%d walks gave up their places, and %d went on where one was\n%s", left, len(on), log)
			}
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := first(t)
				h := newHand(t, st, settings()).work()
				time.Sleep(30 * time.Minute)
				for _, name := range small {
					if n := h.countOf(name, jobs.Refreshed); n != 4 {
						t.Errorf("%s was refreshed %d times in half an hour", name, n)
					}
				}
				if health := h.worker.Health(); !health.Ready || h.count(jobs.Failed) > 0 {
					t.Errorf("%d failed; health: %+v", h.count(jobs.Failed), health)
				}
				h.stop()
				check(t, st, h.log.String())
			})
		})
		t.Run(name+", once", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := first(t)
				h := newHand(t, st, settings())
				if s, err := h.worker.Once(t.Context()); err != nil || s.Outcomes[jobs.Refreshed] != len(names) || len(s.Outcomes) != 1 {
					t.Errorf("%+v, %v", s, err)
				}
				check(t, st, h.log.String())
			})
		})
	}
}

// addSharded makes a board of many entries.
func addSharded(t *testing.T, st store.Store, name string, shards, owners int) {
	t.Helper()
	b := named(name)
	b.Shards = shards
	if err := st.CreateBoard(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	entries := make([]store.Entry, owners)
	for i := range entries {
		entries[i] = store.Entry{Owner: "player-" + itoa(i), Scores: map[string]int64{"xp": int64(i)}}
	}
	if _, err := st.Load(t.Context(), b, entries); err != nil {
		t.Fatal(err)
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
