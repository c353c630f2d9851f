package jobs

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
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
			a.costs.set(store.CurveKey{Board: name}, cost)
		}
		soon := 110 * time.Second
		got := inOrder(t, a, []string{"old", "huge", "middle", "small"}, map[string]time.Duration{"huge": soon, "middle": soon, "small": soon})
		if want := []string{"old", "small", "middle", "huge"}; !slices.Equal(got, want) {
			t.Errorf("let in %v, want %v", got, want)
		}
	})
}

// plainNext is who is let in next, by looking at all who wait, first come first.
func plainNext(a *admission, waiting []*waiter) (best *waiter) {
	var finite []float64
	for _, cost := range a.costs.of {
		if !math.IsInf(cost, 1) {
			finite = append(finite, cost)
		}
	}
	slices.Sort(finite)
	limit := 0.0
	if len(finite) > 0 {
		limit = 8 * max(1, finite[(len(finite)-1)/4])
	}
	for _, w := range waiting {
		long := time.Since(w.since) > time.Minute
		switch {
		case w.cost > limit && a.places > 1 && a.heavy >= a.places-1:
		case best == nil:
			best = w
		case time.Since(best.since) > time.Minute: // who came before it has not waited less
		case long || w.cost < best.cost:
			best = w
		}
	}
	return best
}

// Who is next is told without looking at all, and is the same as if all were looked at:
// whoever comes and goes, whatever columns cost, and however many heavy ones run.
func TestWhoIsNextIsToldWithoutLookingAtAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		a := newAdmission(3)
		some := []float64{0, 0.5, 3, 8, 8, 25, 200, 1e4, math.Inf(1)}
		var waiting []*waiter
		var nobody, long int
		for step := range 50_000 {
			key := store.CurveKey{Board: strconv.Itoa(r.IntN(60))}
			switch r.IntN(9) {
			case 0, 1:
				if len(waiting) > 12 {
					continue
				}
				w := &waiter{key: key, cost: a.costs.of[key]}
				a.waiting.join(w)
				waiting = append(waiting, w)
			case 2, 8:
				if len(waiting) > 0 {
					i := r.IntN(len(waiting))
					a.waiting.leave(waiting[i])
					waiting = slices.Delete(waiting, i, i+1)
				}
			case 3, 4:
				a.costs.set(key, some[r.IntN(len(some))])
			case 5:
				a.costs.forget(key)
			case 6:
				a.places, a.heavy = 1+r.IntN(3), r.IntN(3)
			case 7:
				time.Sleep(time.Duration(r.IntN(90)) * time.Second)
			}
			want := plainNext(a, waiting)
			if got := a.next(a.costs.heavyLimit()); got != want {
				t.Fatalf("step %d: next is %+v, want %+v", step, got, want)
			}
			if want == nil && len(waiting) > 0 {
				nobody++
			} else if want != nil && want != waiting[0] && time.Since(want.since) > waitsLong {
				long++
			}
		}
		if nobody < 100 || long < 100 {
			t.Errorf("%d times nobody could be let in, %d times one who has waited long passed another: the cases are not met", nobody, long)
		}
	})
}

// Two huge columns never hold both places: a small one that comes later is let in.
func TestHeavyColumnsLeaveOnePlaceToTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(2)
		key := func(name string) store.CurveKey { return store.CurveKey{Board: name} }
		for name, cost := range map[string]float64{"huge": 1e5, "vast": 1e5, "a": 10, "b": 10, "c": 12} {
			a.costs.set(key(name), cost)
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
		if !vastIn || a.running != 0 || a.heavy != 0 || a.waiting.oldest != nil || len(a.waiting.cheapest) != 0 {
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
		if a.running != 0 || a.waiting.oldest != nil || len(a.waiting.cheapest) != 0 {
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
	if limit := a.costs.heavyLimit(); limit != 80 || !a.knows(key("vast")) {
		t.Errorf("columns are heavy beyond %v", limit)
	}
	a.forget(key("vast"))
	if a.knows(key("vast")) || len(a.costs.of) != 3 {
		t.Errorf("left behind: %v", a.costs)
	}
}

// BenchmarkAdmission lets so many columns in by four places, all of which wait at once, and
// tells what it takes for each: about as much for many as for few.
func BenchmarkAdmission(b *testing.B) {
	for _, columns := range []int{500, 2_000, 8_000, 32_000} {
		b.Run(strconv.Itoa(columns), func(b *testing.B) {
			a := newAdmission(4)
			round := func(blockers int) {
				leave := make([]func(float64), 0, blockers)
				for i := range blockers {
					out, err := a.enter(b.Context(), store.CurveKey{Board: "blocker", Column: strconv.Itoa(i)})
					if err != nil {
						b.Fatal(err)
					}
					leave = append(leave, out)
				}
				var work sync.WaitGroup
				for i := range columns {
					work.Go(func() {
						out, err := a.enter(b.Context(), store.CurveKey{Board: strconv.Itoa(i)})
						if err != nil {
							b.Error(err)
							return
						}
						out(float64(i * i % 1009))
					})
				}
				for waiting := 0; waiting < columns; time.Sleep(100 * time.Microsecond) {
					a.mu.Lock()
					waiting = len(a.waiting.cheapest)
					a.mu.Unlock()
				}
				for _, out := range leave {
					out(-1)
				}
				work.Wait()
			}
			round(4) // nothing is known of the columns yet
			for b.Loop() {
				round(4)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*columns), "ns/column")
		})
	}
}
