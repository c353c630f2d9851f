package jobs_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

// large is a synthetic board of half a million entries, read at the tick that the clock shows.
func large(t *testing.T, clock *atomic.Int64) store.Store {
	t.Helper()
	b := named("large")
	b.Shards = 16
	st, err := synthetic.New(b, synthetic.Options{
		Entries: 500_000, Seed: 1, Churn: synthetic.Churn{Rescored: 0.01},
		Clock: func() float64 { return float64(clock.Load()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A board that nobody posts to is looked at and not walked: its curve stays young, at a
// small part of a walk's price, and less and less often. A change brings the walks back.
func TestAQuietBoardCostsLooksAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock atomic.Int64
		st := large(t, &clock)
		plan := jobs.Plan{Schedule: schedule(t, "@every 5m"), IdleMax: 20 * time.Minute, Options: jobs.Options{Method: sampler.Counted}}
		h := newHand(t, st, settled(plan)).work()
		time.Sleep(9 * time.Minute)
		if n := h.count(jobs.Refreshed); n != 2 {
			t.Fatalf("%d walks before the first look: %s", n, h.log)
		}
		walks := units(h)
		time.Sleep(12 * time.Hour)
		looks, quiet := h.count(jobs.Unchanged), h.count(jobs.Quiet)
		if n := h.count(jobs.Refreshed); n > 3 || looks < 36 || looks > 42 || quiet < 90 {
			t.Errorf("%d walks, %d looks and %d quiet ticks in twelve hours without a change", n, looks, quiet)
		}
		if each := (units(h) - walks) / float64(looks); each > walks/2/20 {
			t.Errorf("a look cost %.0f read units, a walk %.0f", each, walks/2)
		}
		c := publishedOf(t, st, "large")
		if age := time.Since(c.Meta().AsOf); age > 21*time.Minute || c.Total() != 500_000 {
			t.Errorf("the curve is %s old and has %d entries", age, c.Total())
		}
		for i := range 16 { // one in a hundred has another score, again and again
			clock.Add(1)
			walked := h.count(jobs.Refreshed)
			time.Sleep(5 * time.Minute)
			if n := h.count(jobs.Refreshed); i >= 4 && n != walked+1 { // the next look may have been 20 minutes off
				t.Errorf("%d walks in interval %d of a changing board", n-walked, i)
			}
		}
		h.stop()
	})
}

// What no look has seen is walked after a day all the same.
func TestAQuietBoardIsWalkedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock atomic.Int64
		st := large(t, &clock)
		plan := jobs.Plan{Schedule: schedule(t, "@hourly"), IdleMax: 2 * time.Hour, Options: jobs.Options{Method: sampler.Counted}}
		h := newHand(t, st, settled(plan)).work()
		time.Sleep(10 * 24 * time.Hour)
		h.stop()
		if n := h.count(jobs.Refreshed); n < 10 || n > 24 {
			t.Errorf("%d walks in ten quiet days", n)
		}
	})
}

// units are the read units that a worker's refreshes have taken.
func units(h *hand) (total float64) {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "rankcurve_refresh_read_units_total" {
			for _, m := range family.Metric {
				total += m.Counter.GetValue()
			}
		}
	}
	return total
}

// Twice lists the synthetic board under two names.
type twice struct{ store.Store }

func (d twice) Boards(ctx context.Context) ([]store.Board, error) {
	boards, err := d.Store.Boards(ctx)
	if err != nil {
		return nil, err
	}
	other := boards[0]
	other.Name = "other"
	return append(boards, other), nil
}

func (d twice) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	q.Partition.Board = "large"
	return d.Store.Rows(ctx, q)
}

func (d twice) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	q.Partition.Board = "large"
	return d.Store.Count(ctx, q)
}

// The budget of a second is for all refreshes of a worker together.
func TestReadUnitsPerSecondBoundAllRefreshes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock atomic.Int64
		st := large(t, &clock)
		s := settled(jobs.Plan{Schedule: schedule(t, "@daily"), Options: jobs.Options{Method: sampler.Counted, Pace: sampler.Pace{Max: 3000}}})
		s.ReadUnitsPerSecond = 50
		began := time.Now()
		h := newHand(t, twice{st}, s)
		if summary, err := h.worker.Once(t.Context()); err != nil || summary.Outcomes[jobs.Refreshed] != 2 {
			t.Fatal(summary, err)
		}
		took, spent := time.Since(began).Seconds(), units(h)
		const first = 256 // are there to be spent at once
		if rate := (spent - first) / took; rate > 51 || rate < 40 {
			t.Errorf("%.0f read units in %.0f s, %.0f a second where 50 are allowed", spent, took, rate)
		}
	})
}

// A curve that loses most of its entries is published, and said to be.
func TestACurveThatLosesItsEntriesIsWarnedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 2000, "games")
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(time.Minute)
		b := named("games")
		for i := range 1900 {
			owner := "player-" + itoa(i)
			e, _, err := st.Entry(context.Background(), b, owner)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := st.Delete(context.Background(), b, owner, e.Version); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Minute)
		h.stop()
		if log := h.log.String(); publishedOf(t, st, "games").Total() != 100 || !strings.Contains(log, "level=WARN msg=\"curve has lost most of its entries\" curve=games.xp entries_before=2000 entries=100") {
			t.Errorf("%d entries; the log:\n%s", publishedOf(t, st, "games").Total(), log)
		}
	})
}

// A tick that had to wait for the turn of others is counted and explained; the small
// boards do not wait for the huge one.
func TestAHugeBoardDoesNotStarveTheSmallOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"huge", "vast", "a", "b", "c", "d", "e", "f"}
		inner := newBoards(t, 100, names...)
		addMore(t, inner, "huge", 60_000)
		addMore(t, inner, "vast", 60_000)
		slow := func(ctx context.Context) error { return sleeping(ctx, 4*time.Minute) }
		st := faulty{faulty{inner, "huge", slow}, "vast", slow}
		s := settled(everyFive(t))
		s.Concurrent = 2
		h := newHand(t, st, s).work()
		time.Sleep(15 * time.Minute) // the costs are known then
		before := map[string]int{}
		for _, name := range names {
			before[name] = h.countOf(name, jobs.Refreshed)
		}
		time.Sleep(2 * time.Hour)
		h.stop()
		for _, name := range names[2:] {
			if n := h.countOf(name, jobs.Refreshed) - before[name]; n < 23 || n > 25 {
				t.Errorf("%s was refreshed %d times in two hours", name, n)
			}
		}
		for _, name := range names[:2] {
			if n := h.countOf(name, jobs.Refreshed) - before[name]; n < 6 { // one place, 8 minutes each
				t.Errorf("%s was refreshed %d times", name, n)
			}
		}
		if !strings.Contains(h.log.String(), "tick is late: it had to wait for its turn") {
			t.Error("nothing was late")
		}
	})
}
