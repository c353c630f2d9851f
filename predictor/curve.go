package predictor

import (
	"github.com/rankcurve/rankcurve/predictor/internal/curvepb"
)

const (
	maxKnots = 1 << 15
	maxTotal = 1<<32 - 1 // entries; a value is kept in 32 bits
)

// Curve is a decoded score -> rank curve. It never changes, takes 13 to 17 bytes
// of memory per knot (with a forecast 4 to 6 more), and is safe for concurrent use.
type Curve struct {
	meta  Meta
	total int64

	shape                   Shape
	tolerance, gapTolerance float64

	// Knots, worst first: better at keys[i] is values[i] / 2^valueBits.
	keys      []int64
	values    []uint32
	valueBits int
	unit      float64  // 2^-valueBits
	spreads   []uint16 // of the line above knot i; nil: none
	headFrom  int64    // keys from here up are exact

	forecast *forecast // nil: nothing is known of later

	index radix
}

// Meta is what the curve says of itself.
func (c *Curve) Meta() Meta { return c.meta }

// Total is the number of entries on the board at the curve's as-of time.
func (c *Curve) Total() int64 { return c.total }

// Knots is the number of vertices.
func (c *Curve) Knots() int { return len(c.keys) }

// Tolerance is the scale and the shape of the fit's error: at a place with so
// many entries better, better is off by at most scale*weight of the shape.
func (c *Curve) Tolerance() (scale float64, shape Shape) { return c.tolerance, c.shape }

// MemoryBytes is what the decoded curve keeps in memory.
func (c *Curve) MemoryBytes() int {
	return 8*len(c.keys) + 4*len(c.values) + 2*len(c.spreads) + c.index.memoryBytes() + c.forecast.memoryBytes() + 256
}

// Vertex is a knot of the curve as it can be drawn.
type Vertex struct {
	Key    int64
	Better float64
}

// Vertices lists the knots at the curve's as-of time, best first.
func (c *Curve) Vertices() []Vertex {
	vertices := make([]Vertex, len(c.keys))
	for i := range c.keys {
		vertices[len(vertices)-1-i] = Vertex{c.keys[i], float64(c.values[i]) * c.unit}
	}
	return vertices
}

// load takes over the knots and the body's later values, best first, and builds the
// lookup.
func (c *Curve) load(knots []knot, laters []float64, m *curvepb.Curve) {
	c.valueBits = valueBitsFor(m.Total, laters)
	c.unit = 1 / float64(uint64(1)<<c.valueBits)
	n := len(knots)
	c.keys, c.values = make([]int64, n), make([]uint32, n)
	for i, k := range knots {
		c.keys[n-1-i] = k.key
		c.values[n-1-i] = c.valueOf(k.better)
	}
	c.headFrom = knots[n-len(m.BodyGaps)].key
	if len(m.HeadCounts) > 0 { // below the last head key, down to the body's first, nothing lies
		c.headFrom = m.BestKey
		for _, gap := range m.HeadGaps {
			c.headFrom -= int64(gap)
		}
	}
	if len(m.Spreads) > 0 {
		c.spreads = make([]uint16, n)
		for i, q := range m.Spreads {
			c.spreads[len(m.Spreads)-1-i] = uint16(q)
		}
	}
	c.loadForecast(laters, m)
	c.index = newRadix(c.keys, c.values)
}

// valueOf is a number of entries as values are kept.
func (c *Curve) valueOf(entries float64) uint32 {
	return uint32(entries*float64(uint64(1)<<c.valueBits) + 0.5)
}
