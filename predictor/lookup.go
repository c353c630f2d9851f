package predictor

import (
	"math"
	"sort"
	"time"
)

// Estimate is what the curve knows of one key. Better is the number of entries
// strictly better, so a rank is one more; the truth, at the age that was asked for,
// lies in [Low, High]. Where Low equals High the curve is exact.
type Estimate struct {
	Better, Low, High int64
}

// Better is the curve's value at a key, as of the curve's time: about 15 ns, no
// allocation.
func (c *Curve) Better(key int64) float64 {
	i, ok := c.line(key)
	if !ok {
		return c.beyond(key)
	}
	return c.on(i, key)
}

// Held estimates the place of an entry that has this key, so long after the curve's
// as-of time: 0 is the board as it was then, and negative ages count as 0. The band
// is the fit's tolerance over the keys that entries have, what the interval leaves
// open where the board was counted, what an estimated point leaves open, and what the
// age adds. A curve without a horizon ([Meta.Horizon]) knows nothing of the age.
func (c *Curve) Held(key int64, age time.Duration) Estimate {
	return c.estimate(key, c.tolerance, age)
}

// Estimate estimates the place of any key, whether an entry has it or not, at an age
// as [Curve.Held]. Between two neighbouring entries' keys the curve has no step, so
// the band is wider than that of Held by the largest number of entries that share a
// key there.
func (c *Curve) Estimate(key int64, age time.Duration) Estimate {
	return c.estimate(key, c.gapTolerance, age)
}

func (c *Curve) estimate(key int64, tolerance float64, age time.Duration) Estimate {
	if age > 0 && c.forecast != nil {
		return c.aged(key, tolerance, age)
	}
	i, ok := c.line(key)
	if !ok || key >= c.headFrom {
		better := int64(c.Better(key) + 0.5)
		return Estimate{better, better, better}
	}
	better := c.on(i, key)
	return band(better, float64(tolerance*c.shape.weight(better, float64(c.total)))+c.spread(i), c.total)
}

// band rounds a value with so much on both sides of it outward, within the board.
func band(better, half float64, total int64) Estimate {
	return Estimate{
		Better: int64(better + 0.5),
		Low:    max(0, int64(math.Floor(better-half))),
		High:   min(total, int64(math.Ceil(better+half))),
	}
}

// spread is what is unsure on the line above knot i, beside the fit.
func (c *Curve) spread(i int) float64 {
	if c.spreads == nil {
		return 0
	}
	return spreadEntries(c.spreads[i])
}

// line finds the knot at or next below a key; false if the key lies outside the
// knots.
func (c *Curve) line(key int64) (int, bool) {
	keys := c.keys
	if key >= keys[len(keys)-1] || key < keys[0] {
		return 0, false
	}
	i, ok := c.index.floor(uint64(key - keys[0]))
	if !ok {
		return sort.Search(len(keys), func(i int) bool { return keys[i] > key }) - 1, true
	}
	for keys[i+1] <= key {
		i++
	}
	return i, true
}

// beyond is the value outside the knots: nobody is better than the best, all are
// better than what is below the worst.
func (c *Curve) beyond(key int64) float64 {
	if key < c.keys[0] {
		return float64(c.total)
	}
	return 0
}

// on interpolates on the line above knot i.
func (c *Curve) on(i int, key int64) float64 {
	return between(float64(c.values[i]), float64(c.values[i+1]), c.alongLine(i, key)) * c.unit
}

// alongLine is how far up line i a key lies, from 0 at its knot.
func (c *Curve) alongLine(i int, key int64) float64 {
	return float64(key-c.keys[i]) / float64(c.keys[i+1]-c.keys[i])
}

// between goes a part of the way from a knot's value up to the next one's, which is
// the smaller. (Here and elsewhere, the conversion of a product keeps processors from
// adding to it before it is rounded: readers in other languages get the same bits.)
func between(low, high, part float64) float64 {
	return low - float64(part*(low-high))
}

// KeyAt is the curve backwards: the largest key that rank entries or more have or
// surpass, so long after the curve's as-of time, which is the key of the entry at that
// rank (1-based) where the curve is exact, and an estimate of it elsewhere. Ranks
// outside 1..TotalAt are taken to the nearer end.
func (c *Curve) KeyAt(rank int64, age time.Duration) int64 {
	total, knot := c.TotalAt(age), func(i int) float64 { return float64(c.values[i]) * c.unit }
	if age > 0 && c.forecast != nil {
		knot = c.at(age).vertex
	}
	wanted := float64(min(max(rank, 1), max(total, 1))) - 0.5 // the first key whose better rounds to rank or more
	low, high := 0, len(c.keys)-1
	for high-low > 1 { // values fall with i
		if middle := (low + high) / 2; knot(middle) >= wanted {
			low = middle
		} else {
			high = middle
		}
	}
	if len(c.keys) == 1 {
		return c.keys[0]
	}
	top, bottom := knot(low), knot(high)
	if top <= bottom || top < wanted {
		return c.keys[low] + 1
	}
	part := (top - wanted) / (top - bottom)
	return c.keys[low] + int64(part*float64(c.keys[high]-c.keys[low])) + 1
}
