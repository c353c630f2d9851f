package jobs

import (
	"fmt"
	"math"
	"slices"
)

// Inside reports whether the counted rank is in the band that the curve told.
func (c Check) Inside() bool { return c.Low <= c.Rank && c.Rank <= c.High }

// Error is how far the estimate is off, as a part of the rank.
func (c Check) Error() float64 { return math.Abs(float64(c.Estimate-c.Rank)) / float64(c.Rank) }

// Width is that of the band, as a part of the rank.
func (c Check) Width() float64 { return float64(c.High-c.Low) / float64(c.Rank) }

// Accuracy sums checks up. Errors and widths are parts of the rank; all are 0 where
// nobody was asked.
type Accuracy struct {
	Owners                int // asked
	Inside                int // of them, those whose rank was in the band
	Median, P90, P99, Max float64
	Width                 float64 // median
}

// Coverage is the part of the owners whose rank was in the band.
func (a Accuracy) Coverage() float64 { return float64(a.Inside) / float64(max(1, a.Owners)) }

// A Depth is the accuracy in one decade of ranks, both inclusive. An owner is in the
// decade of the counted rank.
type Depth struct {
	From, To int64
	Accuracy
}

// Depths are the decades in which owners were asked, the best first.
func (v Verification) Depths() []Depth {
	var depths []Depth
	for rest := v.Checks; len(rest) > 0; {
		decade := decadeOf(rest[0].Rank)
		n := slices.IndexFunc(rest, func(c Check) bool { return c.Rank > decade.to })
		if n < 0 {
			n = len(rest)
		}
		depths = append(depths, Depth{decade.from, decade.to, accuracyOf(rest[:n])})
		rest = rest[n:]
	}
	return depths
}

// Total is the accuracy over all owners that were asked, the same number from each
// decade as far as it has them: not that of the board's owners, most of whom are in the
// last decade.
func (v Verification) Total() Accuracy { return accuracyOf(v.Checks) }

func accuracyOf(checks []Check) Accuracy {
	a := Accuracy{Owners: len(checks)}
	if len(checks) == 0 {
		return a
	}
	var off, widths []float64
	for _, c := range checks {
		if c.Inside() {
			a.Inside++
		}
		off, widths = append(off, c.Error()), append(widths, c.Width())
	}
	slices.Sort(off)
	slices.Sort(widths)
	a.Median, a.P90, a.P99, a.Max = quantile(off, 0.5), quantile(off, 0.9), quantile(off, 0.99), off[len(off)-1]
	a.Width = quantile(widths, 0.5)
	return a
}

// quantile is the smallest value that a part p of the sorted ones do not pass.
func quantile(sorted []float64, p float64) float64 {
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

// A Promise is what a curve is held to.
type Promise struct {
	Coverage float64 // the part of the owners whose rank is in the band, 0 to 1
	MaxError float64 // of any owner asked at FromRank or below, as a part of the rank; 0: none is held to one
	FromRank int64
}

// Significance is the chance at which a kept promise of coverage is called broken.
const Significance = 0.01

// Broken says how the promise is broken, nil if it is not. A sample falls below the
// coverage by chance too, so it is held to be broken only where so few inside the band
// would come of a coverage just as promised once in a hundred times at most (one-sided
// binomial test). Owners of several depths with different coverages vary less than a
// binomial, so that the chance is at most that.
func (v Verification) Broken(p Promise) (broken []string) {
	total := v.Total()
	if chance := binomialUpTo(total.Inside, total.Owners, p.Coverage); chance < Significance {
		broken = append(broken, fmt.Sprintf("the band held %.1f %% of %d owners, promised are %v %%: further below than chance explains (once in a hundred times at most)",
			100*total.Coverage(), total.Owners, percentOf(p.Coverage)))
	}
	if p.MaxError <= 0 {
		return broken
	}
	var worst *Check
	for i, c := range v.Checks {
		if c.Rank >= p.FromRank && c.Error() > p.MaxError && (worst == nil || c.Error() > worst.Error()) {
			worst = &v.Checks[i]
		}
	}
	if worst != nil {
		broken = append(broken, fmt.Sprintf("%q is at rank %d and was estimated at %d, an error of %s %%; allowed is %v %% from rank %d on",
			worst.Owner, worst.Rank, worst.Estimate, twoFigures(100*worst.Error()), percentOf(p.MaxError), p.FromRank))
	}
	return broken
}

// twoFigures is a percentage with two figures, or all of those before the point.
func twoFigures(percent float64) string {
	if percent >= 10 {
		return fmt.Sprintf("%.0f", percent)
	}
	return fmt.Sprintf("%.2g", percent)
}

// percentOf undoes the rounding of a percentage that was divided by 100.
func percentOf(part float64) float64 { return math.Round(part*1e10) / 1e8 }

// binomialUpTo is the probability of at most k successes in n trials of chance p.
func binomialUpTo(k, n int, p float64) float64 {
	switch {
	case k >= n || p <= 0:
		return 1
	case p >= 1:
		return 0
	}
	choose := func(i int) float64 {
		all, _ := math.Lgamma(float64(n + 1))
		some, _ := math.Lgamma(float64(i + 1))
		rest, _ := math.Lgamma(float64(n - i + 1))
		return all - some - rest
	}
	sum := 0.0
	for i := k; i >= 0; i-- {
		sum += math.Exp(choose(i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(1, sum)
}
