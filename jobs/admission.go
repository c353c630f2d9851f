package jobs

import (
	"context"
	"math"
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
	waiting line
	costs   costs
}

// waitsLong is when who waits goes before all who have not waited for so long.
const waitsLong = time.Minute

func newAdmission(places int) *admission {
	return &admission{places: max(1, places), costs: newCosts()}
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
	w := a.join(key)
	select {
	case <-w.in:
		return func(units float64) { a.leave(w, units) }, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting.waits(w) {
		a.waiting.leave(w)
	} else { // it was let in as it gave up
		a.out(w)
	}
	return nil, ctx.Err()
}

func (a *admission) join(key store.CurveKey) *waiter {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := &waiter{key: key, cost: a.costs.of[key], in: make(chan struct{})}
	a.waiting.join(w)
	a.admit()
	return w
}

func (a *admission) leave(w *waiter, units float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if units >= 0 {
		a.costs.set(w.key, units)
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
	_, known := a.costs.of[key]
	return known
}

// forget is for a column that is no longer refreshed.
func (a *admission) forget(key store.CurveKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.costs.forget(key)
}

// admit lets in whoever can be let in.
func (a *admission) admit() {
	limit := a.costs.heavyLimit()
	for a.running < a.places {
		w := a.next(limit)
		if w == nil {
			return
		}
		a.waiting.leave(w)
		a.running++
		if w.heavy = w.cost > limit; w.heavy {
			a.heavy++
		}
		close(w.in)
	}
}

// next is who is let in next, where a column that costs more than the limit is heavy.
func (a *admission) next(limit float64) *waiter {
	if a.places == 1 || a.heavy < a.places-1 {
		limit = math.Inf(1)
	}
	return a.waiting.next(limit)
}
