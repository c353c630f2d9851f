package jobs

import (
	"fmt"
	"slices"
	"time"
)

// Health is how a worker is.
type Health struct {
	Ready   bool     // it can work: it has listed the boards lately, is not ending, and has not failed with all that it has
	Alive   bool     // starting it anew would not help
	Reasons []string // what is wrong, in order, also of a worker that is ready; none if nothing is
	Columns int      // that it refreshes
}

const (
	failsOften   = 3                  // failures in a row that are told
	registryLost = 10 * registryEvery // a worker that tries to read the registry for so long is not alive
)

// Health says how the worker is.
func (w *Worker) Health() Health {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := Health{Ready: true, Alive: true, Columns: len(w.columns)}
	wrong := func(format string, args ...any) {
		h.Ready, h.Reasons = false, append(h.Reasons, fmt.Sprintf(format, args...))
	}
	if w.stopping {
		wrong("the worker ends")
	}
	w.listedLately(wrong)
	if lost := time.Since(w.tried); !w.tried.IsZero() && lost > registryLost {
		wrong("no try to list the boards has ended for %s", lost.Round(time.Second))
		h.Alive = false
	}
	troubles, works := w.troubles()
	h.Reasons = append(h.Reasons, troubles...)
	if len(troubles) > 0 && !works {
		h.Ready = false
	}
	if wrong := w.refresher.wrongBy(); wrong != 0 { // no reason to be idle: the store's time is right
		h.Reasons = append(h.Reasons, clockText(wrong))
	}
	return h
}

// troubles are what is wrong with columns and boards, sorted, and whether any column is
// well: one board that fails does not make the worker of the others a bad one, but one
// with which nothing works should not take the place of another.
func (w *Worker) troubles() (all []string, works bool) {
	known := map[string]bool{}
	for _, c := range w.columns {
		known[c.key.Board] = true
		failures, why, _ := c.state()
		if failures < failsOften {
			works = true
			continue
		}
		all = append(all, fmt.Sprintf("%s has failed %d times in a row: %s", c.key, failures, why))
	}
	for board, r := range w.refused {
		all = append(all, r.text(board, known[board]))
	}
	slices.Sort(all)
	return all, works
}

// listedLately says what is wrong with the reading of the registry.
func (w *Worker) listedLately(wrong func(format string, args ...any)) {
	now := time.Now()
	var why string
	if w.unlisted != nil {
		why = fmt.Sprintf(": %v", w.unlisted)
	}
	if under := now.Sub(w.listing); !w.listing.IsZero() && under > registryEvery {
		why += fmt.Sprintf("; the store has not answered for %s", under.Round(time.Second))
	}
	age := now.Sub(w.listed)
	switch {
	case w.listed.IsZero() && w.unlisted != nil:
		wrong("the boards cannot be listed%s", why)
	case w.listed.IsZero():
		wrong("the boards are not listed yet%s", why)
	case age > 3*registryEvery:
		wrong("the boards were last listed %s ago%s", age.Round(time.Second), why)
	}
}
