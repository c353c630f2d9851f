package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// Wishes are what a plan has to keep to.
type Wishes struct {
	Writes   float64 // score changes a second at peak
	Shards   int     // 0: as many as it takes
	Budget   float64 // dollars a month for refreshes; 0: no limit
	Accuracy float64 // of 95 ranks in 100 from AccuracyFrom on, as a part of the rank, just after a refresh; 0: DefaultAccuracy where there is no Budget
	Prices   Prices
}

// DefaultAccuracy is half a percent.
const DefaultAccuracy = 0.005

// AccuracyFrom is the rank from which the wished accuracy counts.
const AccuracyFrom = 10_000

// Choice is a plan.
type Choice struct {
	Board   Board // with its shards
	Walked  int
	Cost    Cost
	Monthly Monthly
	Errors  []Error // at Depths, and Worst
	Worst   Error   // of all ranks from AccuracyFrom on, relative to the rank
}

// Off is what 95 ranks in 100 are off by at most where that is the most, as a part of
// the rank, just after a refresh.
func (c Choice) Off() float64 { return NinetyFive * c.Worst.Fresh() / float64(c.Worst.Rank) }

// Quantiles of a normal error's size, in standard deviations.
const (
	Median     = 0.6745
	NinetyFive = 1.96
)

// Rotation is how many refreshes it takes to see every shard.
func (c Choice) Rotation() int { return (c.Board.Shards + c.Walked - 1) / c.Walked }

// mostRotation is the longest rotation that is chosen for its price alone. It is as far as
// simulations go; a budget may ask for more.
const mostRotation = 16

// worthIt is what a plan that is less sure, or has more shards, has to save a month.
const worthIt = 1.0

// An ImpossibleError says that no plan keeps to the wishes, and what could be had.
type ImpossibleError struct {
	Wish     Wish
	Cheapest Choice // of all, whatever its accuracy
	Surest   Choice // of those that keep to budget and time; without shards if none does
}

// Wish is one thing that a plan has to keep to.
type Wish string

const (
	Time     Wish = "time" // a refresh ends before the next is due
	Budget   Wish = "budget"
	Accuracy Wish = "accuracy"
)

// Error implements error.
func (e *ImpossibleError) Error() string { return fmt.Sprintf("no plan keeps to the %s", e.Wish) }

// Choose finds the plan for a board. With a budget alone it walks as many shards as that
// pays for; otherwise as few as reach the accuracy, and no fewer than a 16th. It walks all
// where that is dearer by less than a dollar a month. More shards than the writes take are
// planned where they make the plan cheaper, or more accurate at the same budget, by a tenth
// for each doubling. Where no plan keeps to the wishes, the error is an [ImpossibleError].
func Choose(b Board, w Wishes) (Choice, error) {
	if w.Accuracy == 0 && w.Budget == 0 {
		w.Accuracy = DefaultAccuracy
	}
	counts := []int{w.Shards}
	if w.Shards == 0 {
		counts = b.candidates(ShardsForWrites(w.Writes))
	}
	var best *Choice
	for _, shards := range counts {
		b.Shards = shards
		c, found := b.choose(w)
		if !found {
			continue
		}
		if best != nil && !better(c, *best, w) {
			break
		}
		best = &c
	}
	if best == nil {
		return Choice{}, b.impossible(w, counts)
	}
	return *best, nil
}

// candidates are the shard counts tried: doublings, as long as a shard keeps a thousand entries.
func (b Board) candidates(least int) []int {
	counts := []int{least}
	for k := 2 * least; k <= store.MaxShards && b.Entries/int64(k) >= 1000; k *= 2 {
		counts = append(counts, k)
	}
	return counts
}

// better says that a plan is worth its larger number of shards.
func better(c, than Choice, w Wishes) bool {
	if w.Accuracy == 0 {
		return c.Off() < 0.9*than.Off()
	}
	return c.Monthly.Dollars < min(0.9*than.Monthly.Dollars, than.Monthly.Dollars-worthIt)
}

// choose finds the number of shards to walk, for a number of shards.
func (b Board) choose(w Wishes) (Choice, bool) {
	order := b.walks()
	if w.Accuracy == 0 {
		slices.Reverse(order)
	}
	for _, walked := range order {
		c := b.plan(walked, w.Prices)
		if w.Budget == 0 && c.Rotation() > mostRotation {
			continue
		}
		if c.keeps(w) != "" {
			continue
		}
		if all := b.plan(b.Shards, w.Prices); all.keeps(w) == "" && all.Monthly.Dollars < c.Monthly.Dollars+worthIt {
			return all, true
		}
		return c, true
	}
	return Choice{}, false
}

// walks are the numbers of shards that a refresh can walk, the least first. One by scores
// walks all.
func (b Board) walks() (numbers []int) {
	least := 1
	if b.Walk.Method == sampler.Scores {
		least = b.Shards
	}
	for walked := least; walked <= b.Shards; walked++ {
		numbers = append(numbers, walked)
	}
	return numbers
}

// plan is the plan of walking so many shards.
func (b Board) plan(walked int, p Prices) Choice {
	c := Choice{Board: b, Walked: walked, Cost: b.Refresh(walked)}
	c.Monthly = b.Monthly(c.Cost, p)
	for _, rank := range b.Depths() {
		c.Errors = append(c.Errors, b.ErrorAt(rank, walked))
	}
	c.Worst = b.worstAt(walked)
	if !slices.ContainsFunc(c.Errors, func(e Error) bool { return e.Rank == c.Worst.Rank }) {
		c.Errors = append(c.Errors, c.Worst)
		slices.SortFunc(c.Errors, func(a, b Error) int { return cmp.Compare(a.Rank, b.Rank) })
	}
	return c
}

// keeps says which wish a plan does not keep, "" if it keeps all.
func (c Choice) keeps(w Wishes) Wish {
	switch {
	case c.Cost.Seconds > c.Board.Every.Seconds():
		return Time
	case w.Budget > 0 && c.Monthly.Dollars > w.Budget:
		return Budget
	case w.Accuracy > 0 && c.Off() > w.Accuracy:
		return Accuracy
	}
	return ""
}

// impossible says why there is no plan.
func (b Board) impossible(w Wishes, counts []int) error {
	e := &ImpossibleError{}
	asked := w
	asked.Accuracy = 0
	for _, shards := range counts {
		b.Shards = shards
		for _, walked := range b.walks() {
			c := b.plan(walked, w.Prices)
			if e.Cheapest.Walked == 0 || c.Monthly.Dollars < e.Cheapest.Monthly.Dollars {
				e.Cheapest = c
			}
			if c.keeps(asked) == "" && (e.Surest.Walked == 0 || c.Off() < e.Surest.Off()) {
				e.Surest = c
			}
		}
	}
	e.Wish = e.Cheapest.keeps(asked)
	if e.Surest.Walked > 0 {
		e.Wish = Accuracy
	}
	return e
}
