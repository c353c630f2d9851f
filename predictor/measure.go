package predictor

import "math"

// measure finds the tolerances that the curve really keeps: the largest error at
// the points, and the largest anywhere else, as scales of its shape. Counted
// intervals have no other known places than their ends. By how much the curve misses
// estimates that were eased is in its spreads.
func (c *Curve) measure(points []Point, eased bool) (held, gap float64) {
	const slack = 1 + 1e-9
	scaleAt := func(key, truth int64) float64 {
		better := c.Better(key)
		return math.Abs(better-float64(truth)) / c.shape.weight(better, float64(c.total))
	}
	total := float64(c.total)
	for i, p := range points {
		eased := eased && p.Error > 0
		if !eased || !isPinned(points, i, total) {
			held = max(held, scaleAt(p.Key, p.Better))
		}
		if eased && i > 0 && isAtomAt(points, i-1, total) {
			continue
		}
		if i > 0 && !p.Open && points[i-1].Key-1 > p.Key {
			gap = max(gap, scaleAt(points[i-1].Key-1, p.Better))
		}
	}
	return held * slack, max(held, gap) * slack
}
