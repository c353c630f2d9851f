package predictor

import "math"

// spreadZ is how many standard deviations of the place inside an interval a
// spread covers: the two-sided 95 % of a normal distribution.
const spreadZ = 1.96

// spreadOf is how far, at most points of a counted interval, the number better
// may be from the straight line between its ends. The entries of the interval
// fall like a Brownian bridge around the line: the standard deviation of the
// number below a fraction x of its width is sqrt(entries x (1-x)), half the root
// in the middle. To that comes the bend of the density, entries/8 times its
// relative change over the interval.
func spreadOf(entries, bend float64) float64 {
	if entries <= 1 {
		return 0
	}
	return spreadZ*math.Sqrt(entries)/2 + entries/8*bend
}

// spreadsOf is the spread of every line of a body, the largest of the counted
// intervals it covers; nil if none was counted.
func spreadsOf(points []Point, knots []knot) []uint32 {
	if !hasOpen(points) {
		return nil
	}
	spreads := make([]uint32, len(knots)-1)
	line := 0
	for i := 1; i < len(points); i++ {
		for line < len(spreads)-1 && points[i].Key < knots[line+1].key {
			line++
		}
		if points[i].Open && points[i-1].Key-points[i].Key > 1 {
			entries := float64(points[i].Better - points[i-1].Better)
			spreads[line] = max(spreads[line], quantizeSpread(spreadOf(entries, bendAt(points, i))))
		}
	}
	return spreads
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
	return uint32(math.Ceil(8 * math.Log2(entries+1)))
}

func spreadEntries(q uint32) float64 {
	return math.Exp2(float64(q)/8) - 1
}
