package jobs

import (
	"fmt"
	"math"
	"sort"
	"sync"

	"github.com/rankcurve/rankcurve/store"
)

// OverBudgetError says that a verification would take, or has taken, more than its
// budget. It is [store.ErrTooExpensive].
type OverBudgetError struct {
	Units  float64 // that it takes, about
	Budget float64
	DownTo int64 // how deep the budget reaches, about; 0: nowhere, or not known
	Spent  bool  // the budget is gone: what was predicted was too little
}

// Error implements error.
func (e *OverBudgetError) Error() string {
	if e.Spent {
		return fmt.Sprintf("the budget of %.0f read units is spent, and the owners are not counted yet: allow more", e.Budget)
	}
	text := fmt.Sprintf("takes about %.0f read units, the budget is %.0f: allow more", math.Ceil(e.Units), e.Budget)
	if e.DownTo > 0 {
		text += fmt.Sprintf(", or ask no deeper than rank %d", e.DownTo)
	}
	return text
}

// Unwrap makes it a [store.ErrTooExpensive].
func (e *OverBudgetError) Unwrap() error { return store.ErrTooExpensive }

// A ledger adds up what a verification reads, and says when its budget is spent.
type ledger struct {
	budget float64 // 0: no limit

	mu    sync.Mutex
	usage store.Usage
}

func (l *ledger) add(u store.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usage.Add(u)
}

func (l *ledger) spent() store.Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.usage
}

// affords is asked before every read. What reads under way together take beyond the
// budget is a page each.
func (l *ledger) affords() error {
	if spent := l.spent().ReadUnits(); l.budget > 0 && spent >= l.budget {
		return &OverBudgetError{Units: spent, Budget: l.budget, Spent: true}
	}
	return nil
}

// leastUnits is the price of the shortest read.
const leastUnits = 0.5

// depth is the deepest rank to ask: as far as is wanted, and as the budget reaches.
func (s *survey) depth() (int64, error) {
	depth := s.total()
	if wanted := s.options.DownTo; wanted > 0 {
		depth = min(depth, wanted)
	}
	s.found.Predicted = s.price(depth)
	budget := s.options.ReadBudget
	if budget <= 0 || s.found.Predicted <= budget {
		return depth, nil
	}
	const margin = 0.9 // what the prediction may be wrong by, and the budget hold all the same
	reach := int64(sort.Search(int(depth), func(i int) bool { return s.price(int64(i+1)) > margin*budget }))
	if !s.options.Fit || reach == 0 {
		return 0, &OverBudgetError{Units: s.found.Predicted, Budget: budget, DownTo: twoDigits(reach)}
	}
	s.found.Predicted = s.price(reach)
	return reach, nil
}

// twoDigits rounds a rank down, so that it can be typed.
func twoDigits(rank int64) int64 {
	unit := int64(1)
	for rank/unit >= 100 {
		unit *= 10
	}
	return rank / unit * unit
}

// price is what it takes, in all, to ask down to a rank: what was read, the draws
// below the head, the owners' rows, and the count as the curve lets expect it.
func (s *survey) price(depth int64) float64 {
	units := s.ledger.spent().ReadUnits()
	ranks := s.ranks(depth)
	keys := make([]int64, len(ranks))
	for i, r := range ranks {
		keys[i] = s.keyAt(r.rank)
		units += leastUnits // the owner's row
		if r.rank > int64(len(s.head.rows)) {
			units += leastUnits
		}
	}
	for _, stretch := range s.stretches(distinct(keys), depth == s.total()) {
		units += float64(s.board.Shards) * stretch.units()
	}
	return units
}
