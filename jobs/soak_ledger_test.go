package jobs_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// A ledger watches what all workers do to one store, and fails the test where they do what
// must never be done: a generation or a time that goes backwards, a tick done twice, a walk
// without the lease. What it keeps does not grow with time.
type ledger struct {
	t    *testing.T
	tick func(board string, asOf time.Time) time.Time // which one a curve is of

	mu      sync.Mutex
	boards  map[string]*account  // by CurveKey's text
	holders map[string]string    // lease -> process; "" once it is given up
	awake   map[string]time.Time // process -> when it was stopped until
	deaths  map[string]int       // what the processes that were killed had done before
	killed  map[string]bool
}

// An account is what is known of one curve.
type account struct {
	asOf, tick time.Time
	generation int64
	ticks      int
}

func newLedger(t *testing.T, tick func(board string, asOf time.Time) time.Time) *ledger {
	t.Helper()
	return &ledger{
		t: t, tick: tick, boards: map[string]*account{}, holders: map[string]string{},
		awake: map[string]time.Time{}, deaths: map[string]int{}, killed: map[string]bool{},
	}
}

func (l *ledger) published(k store.CurveKey, p store.Published) {
	curve, err := predictor.Decode(p.Data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.t.Errorf("%s: a curve that cannot be read: %v", k, err)
		return
	}
	a := l.boards[k.String()]
	if a == nil {
		a = &account{}
		l.boards[k.String()] = a
	}
	asOf := curve.Meta().AsOf
	if p.Generation <= a.generation || asOf.Before(a.asOf) {
		l.t.Errorf("%s: generation %d as of %s after %d as of %s", k, p.Generation, asOf, a.generation, a.asOf)
	}
	tick := l.tick(k.Board, asOf)
	if !tick.After(a.tick) {
		l.t.Errorf("%s: the tick of %s was done twice: as of %s and of %s", k, tick, a.asOf, asOf)
	}
	a.generation, a.asOf, a.tick = p.Generation, asOf, tick
	a.ticks++
}

// leased notes who holds a lease.
func (l *ledger) leased(name, process string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holders[name] = process
}

// walks holds a read of a partition against who has the lease of its column. A process that
// was stopped finds out that it has lost it at its next renewal.
func (l *ledger) walks(process string, p store.Partition) {
	l.mu.Lock()
	defer l.mu.Unlock()
	const renewal = 20 * time.Second
	holder := l.holders["refresh/"+store.CurveKey{Board: p.Board, Column: p.Column}.String()]
	if holder != process && !l.killed[process] && time.Since(l.awake[process]) > renewal {
		l.t.Errorf("%s reads %s without its lease, which %q has", process, p.Board, holder)
	}
}

func (l *ledger) stopped(process string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.awake[process] = until
}

func (l *ledger) died(process string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killed[process] = true
	holding := 0
	for _, holder := range l.holders {
		if holder == process {
			holding++
		}
	}
	l.deaths[fmt.Sprintf("with %d leases", holding)]++
}

// ticksOf is how often a curve was published.
func (l *ledger) ticksOf(k store.CurveKey) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.boards[k.String()]; a != nil {
		return a.ticks
	}
	return 0
}

// deathsText is in which states processes were killed.
func (l *ledger) deathsText() (text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, state := range slices.Sorted(maps.Keys(l.deaths)) {
		text += fmt.Sprintf(", %d %s", l.deaths[state], state)
	}
	return text
}
