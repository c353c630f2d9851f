package jobs_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

// sized is a synthetic board of so many entries, of which so large a part changes at each
// move of the clock.
func sized(t *testing.T, entries int64, changes float64, clock *atomic.Int64) store.Store {
	t.Helper()
	b := named("sized")
	b.Shards = 16
	st, err := synthetic.New(b, synthetic.Options{
		Entries: entries, Seed: 1, Churn: synthetic.Churn{Rescored: changes},
		Clock: func() float64 { return float64(clock.Load()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// costs works at a board for some ticks, at each of which it changes or at none, and tells
// the read units of a walk and of all, and how old the curve became.
func costs(t *testing.T, entries int64, changes float64, ticks int) (walk, all float64, oldest time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var clock atomic.Int64
		st := sized(t, entries, changes, &clock)
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@every 5m"), IdleMax: 15 * time.Minute})).work()
		time.Sleep(time.Minute)
		walk = units(h)
		for range ticks - 1 {
			time.Sleep(5 * time.Minute)
			clock.Add(1)
			oldest = max(oldest, time.Since(publishedOf(t, st, "sized").Meta().AsOf))
		}
		h.stop()
		if n := h.count(jobs.Failed); n > 0 {
			t.Errorf("%d failed: %s", n, h.log)
		}
		all = units(h)
	})
	return walk, all, oldest
}

// What a board costs where nobody posts, and where looks find a change each time, beside
// walks at each tick. From a few thousand entries on, quiet boards cost a part of that, and
// looks in vain hardly anything.
func TestQuietBoardsCostLittle(t *testing.T) {
	const ticks = 6 * 12
	t.Logf("%8s  %10s  %12s", "ENTRIES", "A WALK", "QUIET TICK")
	for _, c := range []struct {
		entries int64
		most    float64 // of a walk, at most, for a tick of a quiet board
	}{{1_000, 1.01}, {5_000, 0.4}, {20_000, 0.4}, {50_000, 0.15}, {100_000, 0.1}, {400_000, 0.06}} {
		walk, all, oldest := costs(t, c.entries, 0, ticks)
		t.Logf("%8d  %10.0f  %12.1f", c.entries, walk, all/ticks)
		if all/ticks > c.most*walk || oldest > 21*time.Minute {
			t.Errorf("%d entries: %.1f read units a tick of a quiet board, %.0f a walk; the curve got %s old", c.entries, all/ticks, walk, oldest)
		}
	}
	for _, entries := range []int64{20_000, 50_000} {
		walk, all, _ := costs(t, entries, 0.01, ticks/2)
		t.Logf("%8d  %10.0f  %12.1f where it changes", entries, walk, all/(ticks/2))
		if all/(ticks/2) > 1.09*walk {
			t.Errorf("%d entries: %.1f read units a tick of a board that changes, %.0f a walk", entries, all/(ticks/2), walk)
		}
	}
}

// A small board whose walks got rarer is walked at each tick again when it changes.
func TestASmallQuietBoardThatChangesIsWalkedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 10_000, "games")
		time.Sleep(time.Minute)
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@every 5m"), IdleMax: 20 * time.Minute})).work()
		time.Sleep(2 * time.Hour)
		if walked, quiet := h.count(jobs.Refreshed), h.count(jobs.Quiet); walked > 9 || walked < 7 || quiet < 15 {
			t.Errorf("%d walks and %d quiet ticks in two hours without a change", walked, quiet)
		}
		before := h.count(jobs.Refreshed)
		for i := range 12 {
			addNew(t, st, "games", i)
			time.Sleep(5 * time.Minute)
		}
		if walked := h.count(jobs.Refreshed) - before; walked < 8 {
			t.Errorf("%d walks in an hour of changes", walked)
		}
		if c := publishedOf(t, st, "games"); c.Total() < 10_011 {
			t.Errorf("the curve has %d entries", c.Total())
		}
		h.stop()
	})
}

// addNew posts one owner's first score.
func addNew(t *testing.T, st store.Store, board string, i int) {
	t.Helper()
	if _, err := st.Load(t.Context(), named(board), []store.Entry{{Owner: "new-" + itoa(i), Scores: map[string]int64{"xp": int64(500 * i)}}}); err != nil {
		t.Fatal(err)
	}
}
