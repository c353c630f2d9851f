package jobs

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// An admission lets so many refreshes run at once. Of those that wait, the cheapest goes
// first, for many small boards are done in the time of one huge one; who has waited long
// goes before all, so that the huge ones get their turn. Of two places or more, one is
// never given to a heavy column: huge boards must not make the small ones wait for them.
// It is safe for concurrent use.
type admission struct {
	mu      sync.Mutex
	places  int
	running int
	heavy   int // of the running ones
	waiting []*waiter
	costs   map[store.CurveKey]float64 // read units of the last refresh, or what one is expected to take
}

// A waiter is a refresh that waits for its place.
type waiter struct {
	key   store.CurveKey
	since time.Time
	heavy bool          // as it was let in
	in    chan struct{} // closed when it is let in
}

const (
	waitsLong  = time.Minute
	heavyTimes = 8 // a heavy column costs so many times what a quarter of them do at most
)

func newAdmission(places int) *admission {
	return &admission{places: max(1, places), costs: map[store.CurveKey]float64{}}
}

// resize changes the number of places. Those who run stay in.
func (a *admission) resize(places int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.places = max(1, places)
	a.admit()
}

// enter waits for a place. The caller must call leave with the read units that it took
// (negative: not known), once.
func (a *admission) enter(ctx context.Context, key store.CurveKey) (leave func(units float64), err error) {
	w := &waiter{key: key, since: time.Now(), in: make(chan struct{})}
	a.mu.Lock()
	a.waiting = append(a.waiting, w)
	a.admit()
	a.mu.Unlock()
	select {
	case <-w.in:
		return func(units float64) { a.leave(w, units) }, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.waiting, w); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	} else { // it was let in as it gave up
		a.out(w)
	}
	return nil, ctx.Err()
}

func (a *admission) leave(w *waiter, units float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if units >= 0 {
		a.costs[w.key] = units
	}
	a.out(w)
}

func (a *admission) out(w *waiter) {
	a.running--
	if w.heavy {
		a.heavy--
	}
	a.admit()
}

// knows says whether a column's cost is known, or expected.
func (a *admission) knows(key store.CurveKey) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, known := a.costs[key]
	return known
}

// forget is for a column that is no longer refreshed.
func (a *admission) forget(key store.CurveKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.costs, key)
}

// admit lets in whoever can be let in.
func (a *admission) admit() {
	limit := a.heavyLimit()
	for a.running < a.places {
		next := a.next(limit)
		if next < 0 {
			return
		}
		w := a.waiting[next]
		a.waiting = slices.Delete(a.waiting, next, next+1)
		a.running++
		if w.heavy = a.costs[w.key] > limit; w.heavy {
			a.heavy++
		}
		close(w.in)
	}
}

// next is the place of whoever is let in next among those who wait, or -1.
func (a *admission) next(limit float64) int {
	best := -1
	for i, w := range a.waiting {
		if a.costs[w.key] > limit && a.places > 1 && a.heavy >= a.places-1 {
			continue
		}
		if best < 0 || a.before(w, a.waiting[best]) {
			best = i
		}
	}
	return best
}

func (a *admission) before(w, other *waiter) bool {
	long, otherLong := time.Since(w.since) > waitsLong, time.Since(other.since) > waitsLong
	switch {
	case long != otherLong:
		return long
	case long:
		return w.since.Before(other.since)
	}
	return a.costs[w.key] < a.costs[other.key]
}

// heavyLimit is the cost above which a column is heavy. It is measured by the cheap ones,
// so that there is one where most are huge.
func (a *admission) heavyLimit() float64 {
	costs := make([]float64, 0, len(a.costs))
	for _, cost := range a.costs {
		if !math.IsInf(cost, 1) {
			costs = append(costs, cost)
		}
	}
	if len(costs) == 0 {
		return 0
	}
	slices.Sort(costs)
	return heavyTimes * max(1, costs[(len(costs)-1)/4])
}
