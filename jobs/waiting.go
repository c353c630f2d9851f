package jobs

import (
	"container/heap"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A waiter is a refresh that waits for its place.
type waiter struct {
	key    store.CurveKey
	cost   float64 // in read units, as it was known when it came; 0: nothing was
	number int     // in the order in which they came
	since  time.Time
	heavy  bool          // as it was let in
	in     chan struct{} // closed when it is let in

	place         int // among the cheapest
	before, after *waiter
}

// A line is who waits, by cost and by age: with thousands of columns due at once, looking
// through all of them for each that is let in would take longer than their refreshes.
type line struct {
	cheapest       cheapest
	oldest, newest *waiter
	came           int
}

// join puts a waiter at the line's end.
func (l *line) join(w *waiter) {
	l.came++
	w.number, w.since = l.came, time.Now()
	heap.Push(&l.cheapest, w)
	w.before, l.newest = l.newest, w
	if w.before == nil {
		l.oldest = w
	} else {
		w.before.after = w
	}
}

// leave takes a waiter out.
func (l *line) leave(w *waiter) {
	heap.Remove(&l.cheapest, w.place)
	if w.before == nil {
		l.oldest = w.after
	} else {
		w.before.after = w.after
	}
	if w.after == nil {
		l.newest = w.before
	} else {
		w.after.before = w.before
	}
	w.before, w.after = nil, nil
}

// waits says whether a waiter is in the line.
func (l *line) waits(w *waiter) bool {
	return w.place < len(l.cheapest) && l.cheapest[w.place] == w
}

// next is who is let in next of those who cost no more than the limit, or nil: who has
// waited long, the oldest first, and then the cheapest.
func (l *line) next(limit float64) *waiter {
	if len(l.cheapest) == 0 || l.cheapest[0].cost > limit {
		return nil
	}
	now := time.Now()
	for w := l.oldest; w != nil && now.Sub(w.since) > waitsLong; w = w.after {
		if w.cost <= limit {
			return w
		}
	}
	return l.cheapest[0]
}

// Cheapest is a heap of waiters. Of those that cost the same the first that came is first.
type cheapest []*waiter

// Len implements heap.Interface.
func (c cheapest) Len() int { return len(c) }

// Less implements heap.Interface.
func (c cheapest) Less(i, j int) bool {
	if c[i].cost != c[j].cost {
		return c[i].cost < c[j].cost
	}
	return c[i].number < c[j].number
}

// Swap implements heap.Interface.
func (c cheapest) Swap(i, j int) {
	c[i], c[j] = c[j], c[i]
	c[i].place, c[j].place = i, j
}

// Push implements heap.Interface.
func (c *cheapest) Push(x any) {
	w := x.(*waiter)
	w.place = len(*c)
	*c = append(*c, w)
}

// Pop implements heap.Interface.
func (c *cheapest) Pop() any {
	last := len(*c) - 1
	w := (*c)[last]
	(*c)[last] = nil
	*c = (*c)[:last]
	return w
}
