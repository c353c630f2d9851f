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
	depth := s.wanted()
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

// overBeforehand is the error of a budget that does not pay for the best rows. What all
// takes is then told by the curve alone, for entries as long as a UUID makes them: who
// allows that is not refused again for little more.
func (s *survey) overBeforehand() *OverBudgetError {
	shards := s.board.Shards
	const uuid = 36
	s.rowBytes = float64(store.IndexEntryBase(s.board.Partition(s.column.Name, 0)) + store.NumberSize(store.MaxScore) + uuid)
	depth := s.wanted()
	if s.options.Fit { // it goes as deep as may be, and was to ask one at least
		depth = min(1, depth)
	}
	rows := min(int64(s.headLimit()), s.total()/int64(shards)+1)
	spent := s.ledger.spent().ReadUnits() // is the head's already, or a part of it
	units := s.price(depth) - spent + float64(shards)*store.IndexReadUnits(int(float64(rows)*s.rowBytes))
	return &OverBudgetError{Units: units, Budget: s.options.ReadBudget}
}

// wanted is the deepest rank to ask, whatever the budget.
func (s *survey) wanted() int64 {
	if down := s.options.DownTo; down > 0 {
		return min(s.total(), down)
	}
	return s.total()
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
