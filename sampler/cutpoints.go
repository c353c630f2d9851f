package sampler

import (
	"math"
	"slices"
	"sort"
)

// interval is how many entries one may hold at so many entries from the nearer
// end of the board: a fixed part, so that what is unknown inside stays the same
// part of the rank at every depth.
func (w *Walker) interval(distance float64) float64 {
	return max(1, w.options.Fraction*distance)
}

// depths lists the numbers better at which a board of so many entries is cut,
// growing, from the rows read at one end to those at the other.
func (w *Walker) depths(entries float64) []float64 {
	var upper, lower []float64
	for d := float64(w.endRows); d < entries/2; d += w.interval(d) {
		upper = append(upper, d)
		lower = append(lower, entries-d)
	}
	slices.Reverse(lower)
	return append(upper, lower...)
}

// cutpoints places the cutpoints by a pilot, a uniform sample of 1/scale of the
// board's keys, best first: at the depths of the rule, and where the sample shows
// that a straight line between two of them would be wrong. They are keys that
// entries have, so that a lattice of scores is met on its steps.
func (w *Walker) cutpoints(pilot []int64, scale int) []int64 {
	var rule []int64
	for _, depth := range w.depths(float64(len(pilot) * scale)) {
		i := min(int(depth)/scale, len(pilot)-1)
		if key := pilot[i]; len(rule) == 0 || key < rule[len(rule)-1] {
			rule = append(rule, key)
		}
	}
	return withBends(pilot, rule)
}

// withBends adds cutpoints to a list where a sample leaves the straight line between
// two of them.
func withBends(sample, list []int64) (cuts []int64) {
	for i, key := range list {
		cuts = append(cuts, key)
		if i+1 < len(list) {
			cuts = append(cuts, bends(sample, key, list[i+1])...)
		}
	}
	return cuts
}

// bends finds, between two cutpoints, where the sample leaves the straight line
// by more than chance: at an atom, a gap, a kink. It returns cutpoints strictly
// between them, best first.
func bends(sample []int64, from, to int64) []int64 {
	first, last := betterThan(sample, from), betterThan(sample, to)
	limit := chance(last - first)
	worst, at := limit, -1
	for i := first; i < last; i++ {
		if i > first && sample[i] == sample[i-1] {
			continue
		}
		straight := float64(last-first) * float64(from-sample[i]) / float64(from-to)
		if off := math.Abs(float64(i-first) - straight); off > worst {
			worst, at = off, i
		}
	}
	if at < 0 {
		return nil
	}
	inner := []int64{sample[at]}
	if above := at - 1; above >= first { // an atom shows at the next key below it
		if atom := sample[above]; float64(at-betterThan(sample, atom)) > limit {
			inner = []int64{atom, atom - 1, sample[at]}
		}
	}
	return splitAgain(sample, from, to, inner)
}

// splitAgain puts cutpoints between two others and looks for bends in the parts.
func splitAgain(sample []int64, from, to int64, inner []int64) (cuts []int64) {
	left := from
	for _, cut := range inner {
		if cut < left && cut > to {
			cuts = append(append(cuts, bends(sample, left, cut)...), cut)
			left = cut
		}
	}
	if left == from {
		return nil
	}
	return append(cuts, bends(sample, left, to)...)
}

// chance is how far n uniform draws stray from the straight line at most, in 99
// cases of 100 (the Kolmogorov-Smirnov statistic's 1 % point), and two entries
// more where n is small.
func chance(n int) float64 { return 1.63*math.Sqrt(float64(n)) + 2 }

// betterThan counts the keys strictly larger in keys sorted best first.
func betterThan(sorted []int64, key int64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] <= key })
}
