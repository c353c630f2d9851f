package jobs

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// inOrder has columns with these costs wait behind one that runs, and says in which order
// they are let in.
func inOrder(t *testing.T, a *admission, columns []string, waits map[string]time.Duration) (order []string) {
	t.Helper()
	leave, err := a.enter(t.Context(), store.CurveKey{Board: "running"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range columns {
		go func() {
			time.Sleep(waits[name])
			leave, err := a.enter(context.Background(), store.CurveKey{Board: name})
			if err != nil {
				t.Error(err)
				return
			}
			order = append(order, name) // one place: one at a time
			leave(-1)
		}()
	}
	time.Sleep(2 * time.Minute)
	leave(-1)
	synctest.Wait()
	return order
}

func TestTheCheapestIsLetInFirstAndWhoHasWaitedLongBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(1)
		for name, cost := range map[string]float64{"huge": 1e5, "small": 10, "middle": 100, "old": 1e6} {
			a.costs[store.CurveKey{Board: name}] = cost
		}
		soon := 110 * time.Second
		got := inOrder(t, a, []string{"old", "huge", "middle", "small"}, map[string]time.Duration{"huge": soon, "middle": soon, "small": soon})
		if want := []string{"old", "small", "middle", "huge"}; !slices.Equal(got, want) {
			t.Errorf("let in %v, want %v", got, want)
		}
	})
}

// Two huge columns never hold both places: a small one that comes later is let in.
func TestHeavyColumnsLeaveOnePlaceToTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(2)
		key := func(name string) store.CurveKey { return store.CurveKey{Board: name} }
		for name, cost := range map[string]float64{"huge": 1e5, "vast": 1e5, "a": 10, "b": 10, "c": 12} {
			a.costs[key(name)] = cost
		}
		leave, err := a.enter(t.Context(), key("huge"))
		if err != nil {
			t.Fatal(err)
		}
		var vastIn bool
		go func() {
			if out, err := a.enter(context.Background(), key("vast")); err == nil {
				vastIn = true
				out(-1)
			}
		}()
		synctest.Wait()
		if vastIn {
			t.Error("the second huge column was let in beside the first")
		}
		out, err := a.enter(t.Context(), key("a"))
		if err != nil {
			t.Fatal(err)
		}
		out(10)
		leave(1e5)
		synctest.Wait()
		if !vastIn || a.running != 0 || a.heavy != 0 || len(a.waiting) != 0 {
			t.Errorf("in the end: let in %v, %+v", vastIn, a)
		}
	})
}

func TestWhoGivesUpWaitingTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(1)
		leave, err := a.enter(t.Context(), store.CurveKey{Board: "a"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := a.enter(ctx, store.CurveKey{Board: "b"}); err == nil {
			t.Error("two were let in to one place")
		}
		leave(1)
		if a.running != 0 || len(a.waiting) != 0 {
			t.Errorf("left behind: %+v", a)
		}
		a.resize(3)
		for range 3 {
			if _, err := a.enter(t.Context(), store.CurveKey{Board: "c"}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// What is kept of a column goes with it, and boards whose cost cannot be told count as heavy
// without making the others so.
func TestCostsAreForgottenAndUnknownOnesAreHeavy(t *testing.T) {
	a := newAdmission(2)
	key := func(name string) store.CurveKey { return store.CurveKey{Board: name} }
	for name, cost := range map[string]float64{"a": 10, "b": 20, "vast": math.Inf(1), "unknown": math.Inf(1)} {
		leave, err := a.enter(t.Context(), key(name))
		if err != nil {
			t.Fatal(err)
		}
		leave(cost)
	}
	if limit := a.heavyLimit(); limit != 80 || !a.knows(key("vast")) {
		t.Errorf("columns are heavy beyond %v", limit)
	}
	a.forget(key("vast"))
	if a.knows(key("vast")) || len(a.costs) != 3 {
		t.Errorf("left behind: %v", a.costs)
	}
}
