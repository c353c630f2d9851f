package predictor

import "math"

// spreadZ is how many standard deviations of the place inside an interval a
// spread covers: the two-sided 95 % of a normal distribution.
const spreadZ = 1.96

// spreadOf is how far, at most points of a counted interval, the number better
// may be from the straight line between its ends. The entries of the interval
// fall like a Brownian bridge around the line: the standard deviation of the
// number below a fraction x of its width is sqrt(entries x (1-x)), half the root
// in the middle. The ends may be estimates themselves, with a standard error. To that
// comes the bend of the density, entries/8 times its relative change over the
// interval.
func spreadOf(entries, bend, err float64) float64 {
	if entries <= 1 {
		entries = 0
	}
	return spreadZ*math.Sqrt(entries/4+err*err) + entries/8*bend
}

// A doubt says how sure a body's points are: at its time, or one horizon later.
type doubt struct {
	points []Point
	errors []float64 // of each point; nil: its Error
}

func (d doubt) errorAt(i int) float64 {
	if d.errors == nil {
		return d.points[i].Error
	}
	return d.errors[i]
}

// interval is what is unsure between a point and the one before it. Entries that are
// known to share a key do not spread.
func (d doubt) interval(i int) float64 {
	from, to := d.points[i-1], d.points[i]
	err := max(d.errorAt(i-1), d.errorAt(i))
	if !to.Open || from.Key-to.Key <= 1 {
		return spreadOf(0, 0, err)
	}
	return spreadOf(float64(to.Better-from.Better), bendAt(d.points, i), err)
}

// largest is the most that is unsure anywhere.
func (d doubt) largest() (most float64) {
	for i := 1; i < len(d.points); i++ {
		most = max(most, d.interval(i))
	}
	return most
}

func (d doubt) largestError() (most float64) {
	for i := range d.points {
		most = max(most, d.errorAt(i))
	}
	return most
}

// spreads is what is unsure on every line: the most of the intervals it covers, and
// how far the line misses estimates besides.
func (d doubt) spreads(knots []knot, missed []float64) []uint32 {
	spreads := make([]float64, len(knots)-1)
	line := 0
	for i := 1; i < len(d.points); i++ {
		for line < len(spreads)-1 && knots[line+1].key >= d.points[i-1].Key {
			line++
		}
		most := d.interval(i)
		for l := line; l < len(spreads) && knots[l].key > d.points[i].Key; l++ {
			spreads[l] = max(spreads[l], most)
		}
	}
	quantized := make([]uint32, len(spreads))
	for l, s := range spreads {
		if missed != nil {
			s += missed[l]
		}
		quantized[l] = quantizeSpread(s)
	}
	return quantized
}

// missedBy is how far every line passes from the targets that have slack.
func missedBy(targets []target, knots []knot) []float64 {
	missed := make([]float64, len(knots)-1)
	line := 0
	for _, t := range targets {
		for line < len(missed)-1 && knots[line+1].key > t.key {
			line++
		}
		if t.slack == 0 {
			continue
		}
		high, low := knots[line], knots[line+1]
		part := float64(t.key-low.key) / float64(high.key-low.key)
		off := math.Abs(between(low.better, high.better, part) - t.better)
		missed[line] = max(missed[line], off)
		if t.key == low.key && line+1 < len(missed) {
			missed[line+1] = max(missed[line+1], off)
		}
	}
	return missed
}

// bendAt is the relative change of the density over the interval that ends at
// point i, judged by its neighbours. A neighbour of another nature (an atom, a
// gap) says nothing of the density inside.
func bendAt(points []Point, i int) float64 {
	const alike = 3
	here := density(points, i)
	change, neighbours := 0.0, 0.0
	for _, j := range []int{i - 1, i + 1} {
		d := density(points, j)
		if d <= here*alike && d >= here/alike {
			change += math.Abs(d - here)
			neighbours++
		}
	}
	if neighbours == 0 || here == 0 {
		return 0
	}
	return change / neighbours / here
}

// density is the entries per unit of key in the interval that ends at point i.
func density(points []Point, i int) float64 {
	if i < 1 || i >= len(points) {
		return 0
	}
	return float64(points[i].Better-points[i-1].Better) / float64(points[i-1].Key-points[i].Key)
}

// Spreads are written as q, meaning 2^(q/8)-1 entries, rounded up.
const maxSpread = 8 * 33 // 2^33 entries, more than a board has

func quantizeSpread(entries float64) uint32 {
	return min(maxSpread, uint32(math.Ceil(8*math.Log2(entries+1))))
}

func spreadEntries(q uint16) float64 { return spreadTable[q] }

var spreadTable = func() (entries [maxSpread + 1]float64) {
	for q := range entries {
		entries[q] = math.Exp2(float64(q)/8) - 1
	}
	return entries
}()
