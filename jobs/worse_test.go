package jobs_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// worseOf is how many curves were counted as worse, for a reason.
func worseOf(h *hand, reason string) (n int) {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.Metric {
			for _, l := range m.Label {
				if family.GetName() == "rankcurve_curves_worse_total" && l.GetName() == "reason" && l.GetValue() == reason {
					n += int(m.Counter.GetValue())
				}
			}
		}
	}
	return n
}

// depart takes owners off a board.
func depart(t *testing.T, st store.Store, board string, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		e, _, err := st.Entry(t.Context(), named(board), "player-"+itoa(i))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Delete(t.Context(), named(board), e.Owner, e.Version); err != nil {
			t.Fatal(err)
		}
	}
}

// A curve that has lost a quarter of its entries is told of, once; one that has lost a
// fifth, or few of a few, is not.
func TestACurveThatLosesManyEntriesIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 2000, "games", "few")
		depart(t, st, "few", 50, 2000)
		h := newHand(t, st, settled(everyFive(t))).work()
		for _, step := range []struct {
			board         string
			from, to      int
			entries, band int
		}{{"games", 0, 400, 0, 0}, {"games", 400, 800, 1, 0}, {"few", 0, 40, 1, 0}, {"games", 800, 801, 1, 0}, {"games", 801, 1700, 2, 0}} {
			time.Sleep(5 * time.Minute)
			depart(t, st, step.board, step.from, step.to)
			time.Sleep(5 * time.Minute)
			if entries, band := worseOf(h, "entries"), worseOf(h, "band"); entries != step.entries || band != step.band {
				t.Errorf("after %d owners have left %s: %d and %d curves were worse, want %d and %d", step.to-step.from, step.board, entries, band, step.entries, step.band)
			}
		}
		h.stop()
		if log := h.log.String(); strings.Count(log, "level=WARN") != 2 || !strings.Contains(log, `msg="curve has lost many of its entries" curve=games.xp entries_before=1600 entries=1200`) {
			t.Errorf("log: %s", log)
		}
	})
}

// A band that gets much wider is told of, as when few shards are walked where all were
// before; that it goes up and down while they are carried forward is not.
func TestACurveWithAMuchWiderBandIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock atomic.Int64
		st := sized(t, 50_000, 0.05, &clock)
		plan := jobs.Plan{Schedule: schedule(t, "@every 5m"), Options: jobs.Options{Method: sampler.Counted, Head: 100}}
		h := newHand(t, st, settled(plan)).work()
		time.Sleep(time.Minute)
		plan.Options.Shards = 2
		h.worker.Reload(settled(plan))
		for range 12 {
			time.Sleep(5 * time.Minute)
			clock.Add(1)
		}
		h.stop()
		if entries, band := worseOf(h, "entries"), worseOf(h, "band"); entries != 0 || band < 1 || band > 2 {
			t.Errorf("%d curves with fewer entries, %d with a wider band, want none and the first that was carried forward: %s", entries, band, h.log)
		}
	})
}
