package kriging

import (
	"math"
	"slices"
)

// activities are what an interval's activity may be.
var activities = []float64{1, 10, 100, 1e3, 1e4, 1e5}

const (
	// worthwhile is the gain in log likelihood, summed over the cutpoints asked, from
	// which an interval's activity is changed. The cutpoints tell much the same story,
	// so it is several times what one alone would need.
	worthwhile = 12
	asked      = 10 // cutpoints
	recent     = 4  // intervals looked at; those that were found active before, too
)

// learnActivity looks for an interval in which the board changed at another speed
// than had been thought, and keeps the best single change. One a call is enough: a
// burst is found by the first refresh behind it, and what was a false alarm is taken
// back by a later one.
func (h *history) learnActivity(all []counts) {
	if len(h.ages) < 4 {
		return
	}
	some := spread(all)
	if len(some) == 0 {
		return
	}
	search := grid(fewLevels, fewSlopes, fewCrossings)
	likelihood := func() (sum float64) {
		clock := h.clock()
		for growth, members := range byGrowth(some) {
			if len(members) == 0 {
				continue
			}
			mixtures, models := h.mix(search, growths[growth], clock, pick(some, members))
			for i := range mixtures {
				sum += mixtures[i].total(models)
			}
		}
		return sum
	}
	base, gain := likelihood(), float64(worthwhile)
	best := slices.Clone(h.active)
	for i := range h.active {
		was := h.active[i]
		if i >= recent && was == 1 {
			continue
		}
		for _, a := range activities {
			if a == was {
				continue
			}
			h.active[i] = a
			if g := likelihood() - base; g > gain {
				gain, best = g, slices.Clone(h.active)
			}
		}
		h.active[i] = was
	}
	h.active = best
}

// spread picks cutpoints evenly by depth, leaving out those with little to say, and
// those that change so much that one interval would not stand out.
func spread(all []counts) (some []counts) {
	var busy []counts
	for _, c := range all {
		if c.usual >= 20 && math.Abs(c.growth) < 2 {
			busy = append(busy, c)
		}
	}
	for i := range min(asked, len(busy)) {
		some = append(some, busy[(2*i+1)*len(busy)/(2*min(asked, len(busy)))])
	}
	return some
}

// intervals is what was learnt, for the next call.
func (h *history) intervals() (known []Interval) {
	for i, end := range h.ends {
		if h.active[i] != 1 {
			known = append(known, Interval{End: end, Activity: h.active[i]})
		}
	}
	return known
}
