package predictor

import (
	"fmt"
	"slices"
)

// fitBody finds the smallest scale of the corridor whose knots fit the budget. Where
// not even the points that have to be passed fit, estimates among them are eased.
func (d *draft) fitBody(points []Point, budget int) error {
	total := float64(d.total)
	d.targets = targetsOf(points, d.shape, total, false)
	err := d.fitTargets(budget)
	if err == nil || !slices.ContainsFunc(points, func(p Point) bool { return p.Error > 0 }) {
		return err
	}
	d.eased, d.targets = true, targetsOf(points, d.shape, total, true)
	return d.fitTargets(budget)
}

// fitTargets fits the targets. It searches on a sample of them, and settles on all.
func (d *draft) fitTargets(budget int) error {
	f := fitter{draft: d, budget: budget, lineBytes: d.spreadBytes()}
	all := newCorridor(d.targets)
	if f.fits(all, 0) {
		return nil
	}
	start := d.shape.startScale(float64(d.total))
	sample := newCorridor(thin(d.targets, start/4))
	scale, ok := f.search(sample, start)
	if !ok {
		return fmt.Errorf("%d bytes cannot hold the %d exact keys of the head and the %d points that were counted: allow more bytes: %w", budget, len(d.head), pinned(d.targets), ErrTooSmall)
	}
	if scale < start/8 { // the sample was too thin to tell
		_, ok = f.search(all, scale)
	} else {
		ok = f.climb(all, scale, 1.02)
	}
	if !ok {
		return fmt.Errorf("no corridor fits %d bytes: %w", budget, ErrTooSmall)
	}
	return nil
}

// A fitter tries corridors of one body.
type fitter struct {
	draft     *draft
	budget    int
	lineBytes []int // that every line takes in each list of spreads to come
}

// search finds the smallest scale that fits, to 1 %, and keeps its knots.
func (f *fitter) search(path *corridor, start float64) (float64, bool) {
	high := start
	for !f.fits(path, high) {
		if high *= 2; high > 2*float64(f.draft.total) {
			return 0, false
		}
	}
	least := high / (1 << 20) // far below the grain of a knot's value
	low := high / 2
	for low > least && f.fits(path, low) {
		high, low = low, low/2
	}
	for range 6 {
		if middle := (low + high) / 2; f.fits(path, middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// climb raises the scale, in steps that grow, until it fits.
func (f *fitter) climb(path *corridor, scale, step float64) bool {
	for !f.fits(path, scale) {
		scale *= step
		step *= step
		if scale > 2*float64(f.draft.total) {
			return false
		}
	}
	return true
}

// fits fits a corridor and keeps the knots if they fit the budget.
func (f *fitter) fits(path *corridor, scale float64) bool {
	candidate := *f.draft
	candidate.fractionBits = fractionBits(scale)
	knots, ok := path.fit(scale, 1/float64(int(1)<<candidate.fractionBits), knotLimit(f.budget, candidate.outlook != nil)-2*len(candidate.head))
	if !ok {
		return false
	}
	candidate.knots = knots
	if candidate.encodedSize(f.lineBytes) > f.budget {
		return false
	}
	*f.draft = candidate
	return true
}

// knotLimit keeps a decoded curve small: at the default budget under 64 KB, where
// a knot takes 12 bytes, some of the lookup's table and with a forecast 8 more. Only
// boards with short keys meet it, whose knots take less than 5 encoded bytes.
func knotLimit(budget int, forecast bool) int {
	if forecast {
		return max(2300, budget/7)
	}
	return max(3300, budget/5)
}

// startScale is where the search starts: about what a 4 KB curve of a smooth
// board needs.
func (s Shape) startScale(total float64) float64 {
	if s == Abs {
		return max(0.5, 4e-5*total)
	}
	return 0.1
}

// fractionBits says how finely knots' values are written: in quarters of an
// entry, or in whole ones if the curve is exact.
func fractionBits(scale float64) int {
	if scale == 0 {
		return 0
	}
	return 2
}
