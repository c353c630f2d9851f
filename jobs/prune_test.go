package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// addExpiring makes a board that expires after a time.
func addExpiring(t *testing.T, st store.Store, name string, after time.Duration) {
	t.Helper()
	b := named(name)
	b.Expires = time.Now().Add(after).Truncate(time.Second)
	if err := st.CreateBoard(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Load(t.Context(), b, []store.Entry{{Owner: "ann", Scores: map[string]int64{"xp": 1}}}); err != nil {
		t.Fatal(err)
	}
}

func (h *hand) counter(name string) (sum float64) {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			for _, m := range family.Metric {
				sum += m.Counter.GetValue()
			}
		}
	}
	return sum
}

func wantBoards(t *testing.T, st store.Store, when string, want ...string) {
	t.Helper()
	synctest.Wait()
	boards, err := st.Boards(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(boards))
	for i, b := range boards {
		names[i] = b.Name
	}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("%s: boards %v, want %v", when, names, want)
	}
}

func pruned(p jobs.Plan, every time.Duration) jobs.Settings {
	s := settled(p)
	s.PruneEvery = every
	return s
}

const droppedText = "boards that had expired are dropped"

// Boards stay an hour after they have expired, when they are out of every view, and are
// dropped by one of the workers then, with all that was kept of them.
func TestOneWorkerDropsBoardsThatHaveExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "other")
		for i := range 3 {
			addExpiring(t, st, "day-"+itoa(i), 10*time.Minute)
		}
		time.Sleep(30 * time.Second) // so that looks are between the minutes at which boards expire
		var hands [3]*hand
		for i := range hands {
			hands[i] = newHand(t, st, pruned(everyFive(t), 24*time.Hour)).work()
		}
		time.Sleep(9 * time.Minute)
		if publishedOf(t, st, "day-0") == nil {
			t.Fatal("no curve while it was there")
		}
		time.Sleep(time.Hour) // half a minute is left
		wantBoards(t, st, "before the hour is over", "day-0", "day-1", "day-2", "other")
		time.Sleep(2 * time.Minute)
		wantBoards(t, st, "after it", "other")
		if publishedOf(t, st, "day-0") != nil || publishedOf(t, st, "other") == nil {
			t.Error("a curve was left, or one too many was dropped")
		}
		total, told := 0.0, 0
		for _, h := range hands {
			total += h.counter("rankcurve_boards_pruned_total") + 100*h.counter("rankcurve_prune_failures_total")
			told += strings.Count(h.log.String(), droppedText+`" boards=3 names="day-0, day-1, day-2"`)
			h.stop()
		}
		if total != 3 || told != 1 {
			t.Errorf("%.0f boards dropped, told %d times; want 3, once", total, told)
		}
		if _, err := st.Acquire(context.Background(), "prune", "next", time.Now(), time.Minute); err != nil {
			t.Error(err)
		}
	})
}

// A worker drops boards once in the time that is configured, and not at all where that is 0.
func TestBoardsAreDroppedOnceInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "other")
		addExpiring(t, st, "a", -2*time.Hour)
		addExpiring(t, st, "b", 0)
		h := newHand(t, st, pruned(everyFive(t), 0)).work()
		time.Sleep(30 * time.Hour)
		wantBoards(t, st, "where it is off", "a", "b", "other")
		addExpiring(t, st, "c", -time.Minute)
		h.worker.Reload(pruned(everyFive(t), 24*time.Hour))
		time.Sleep(time.Minute)
		wantBoards(t, st, "after the reload", "c", "other")
		time.Sleep(23 * time.Hour)
		wantBoards(t, st, "within the day", "c", "other")
		time.Sleep(time.Hour)
		wantBoards(t, st, "after a day", "other")
		h.stop()
	})
}

// undroppable cannot drop a board, as often as it is said.
type undroppable struct {
	store.Store
	name  string
	times *atomic.Int64
	why   error
}

func (u undroppable) DropBoard(ctx context.Context, name string, now time.Time) error {
	if name == u.name && u.times.Add(-1) >= 0 {
		if u.why == nil {
			panic("of the test")
		}
		return u.why
	}
	return u.Store.DropBoard(ctx, name, now)
}

// A board that cannot be dropped keeps no other from it, and is tried again soon; a panic
// ends neither the worker nor the lease.
func TestABoardThatCannotBeDroppedIsTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		why  error
		left []string // after the first try
	}{
		"damaged": {store.ErrCorrupt, []string{"a", "other"}},
		"away":    {store.ErrUnavailable, []string{"a", "b", "other"}},
		"panic":   {nil, []string{"a", "b", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := newBoards(t, 50, "other")
				addExpiring(t, st, "a", -2*time.Hour)
				addExpiring(t, st, "b", -2*time.Hour)
				var times atomic.Int64
				times.Store(2)
				h := newHand(t, undroppable{st, "a", &times, c.why}, pruned(everyFive(t), 24*time.Hour)).work()
				time.Sleep(time.Hour + time.Minute)
				wantBoards(t, st, "after the first try", c.left...)
				time.Sleep(15 * time.Minute)
				wantBoards(t, st, "after the second", c.left...)
				time.Sleep(15 * time.Minute)
				wantBoards(t, st, "after the third", "other")
				if n, dropped := h.counter("rankcurve_prune_failures_total"), h.counter("rankcurve_boards_pruned_total"); n != 2 || dropped != 2 {
					t.Errorf("%.0f failures and %.0f boards, want 2 and 2", n, dropped)
				}
				if n := strings.Count(h.log.String(), "boards that have expired cannot be dropped"); n != 2 {
					t.Errorf("told %d times", n)
				}
				h.stop()
			})
		})
	}
}

// While another drops boards a worker leaves it alone, and looks again when that may have died.
func TestBoardsThatAnotherDropsAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "other")
		addExpiring(t, st, "a", -2*time.Hour)
		h := newHand(t, st, pruned(everyFive(t), 24*time.Hour)).work()
		time.Sleep(50 * time.Minute)
		if _, err := st.Acquire(t.Context(), "prune", "another", time.Now(), 15*time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Minute)
		wantBoards(t, st, "while another is at it", "a", "other")
		time.Sleep(2 * time.Minute)
		wantBoards(t, st, "after that has died", "other")
		if n := h.counter("rankcurve_prune_failures_total"); n != 0 {
			t.Errorf("%.0f failures", n)
		}
		h.stop()
	})
}

// A machine whose clock is weeks ahead as it starts, until it is set, drops nothing by it; nor
// does one where the store's clock says otherwise, whichever of them is ahead.
func TestNothingIsDroppedByAWrongClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "other")
		addExpiring(t, st, "a", 24*time.Hour)
		machine, known := &setClock{}, &setClock{}
		machine.set(20 * 24 * time.Hour)
		known.set(-20 * 24 * time.Hour) // of a right one
		h := newClockedHand(t, st, pruned(everyFive(t), 24*time.Hour), machine.now).work()
		late := newClockedHand(t, clocked{st, known.wrong}, pruned(everyFive(t), 24*time.Hour), time.Now).work()
		time.Sleep(30 * time.Minute)
		wantBoards(t, st, "before the clock is set", "a", "other")
		machine.set(0)
		time.Sleep(2 * time.Hour)
		wantBoards(t, st, "after that", "a", "other")
		known.set(0)
		time.Sleep(48 * time.Hour)
		wantBoards(t, st, "when it has expired", "other")
		h.stop()
		late.stop()
	})
}

// A round of Once drops them too, and says so.
func TestARoundDropsBoardsThatHaveExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "other")
		addExpiring(t, st, "a", -2*time.Hour)
		addExpiring(t, st, "b", -time.Minute)
		s, err := newHand(t, st, pruned(everyFive(t), 0)).worker.Once(t.Context())
		if err != nil || len(s.Dropped) != 0 {
			t.Errorf("%+v, %v, where it is off", s, err)
		}
		var times atomic.Int64
		times.Store(1)
		s, err = newHand(t, undroppable{st, "a", &times, store.ErrDenied}, pruned(everyFive(t), 24*time.Hour)).worker.Once(t.Context())
		if err != nil || len(s.Failed) != 1 || !errors.Is(s.Failed[0], store.ErrDenied) {
			t.Errorf("%+v, %v, want a failure", s, err)
		}
		s, err = newHand(t, st, pruned(everyFive(t), 24*time.Hour)).worker.Once(t.Context())
		if err != nil || len(s.Dropped) != 1 || s.Dropped[0].Name != "a" || len(s.Failed) != 0 {
			t.Errorf("%+v, %v, want a dropped", s, err)
		}
		wantBoards(t, st, "after the rounds", "b", "other")
	})
}
