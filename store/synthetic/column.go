package synthetic

import (
	"math"
	"math/bits"
	"sort"

	"github.com/rankcurve/rankcurve/store"
)

// A column is how the quantiles of a column's entries and their keys correspond, at
// one tick. Keys never grow with the quantile.
type column struct {
	store.Column
	table *quantiles

	scale, shift float64 // units of a score: scale times the table's, and shift
	step         float64 // in units

	atom      int64  // its key
	atomStart uint64 // the quantiles from here on have it
	atomWidth uint64
}

// columnAt finds the correspondence at a tick.
func columnAt(c store.Column, m Model, table *quantiles, churn Churn, tick float64) *column {
	const vast = 1e40 // more than any score, and still far from infinity
	units := math.Pow10(c.Decimals)
	v := &column{
		Column: c,
		table:  table,
		scale:  min(units*math.Exp(churn.Gain*tick), vast),
		shift:  units * churn.Shift * tick,
		step:   max(1, math.Round(units*m.Step)),
	}
	if width := uint64(m.Atom.Share * span); width > 0 {
		v.atom = c.Key(v.rounded(units * m.Atom.Score))
		better := v.quantile(v.atom) // of the others
		v.atomStart, v.atomWidth = scaled(better, span-width, span), width
	}
	return v
}

// scaled is x*to/from, rounded down, for x and to up to from or a quotient that fits.
func scaled(x, to, from uint64) uint64 {
	high, low := bits.Mul64(x, to)
	quotient, _ := bits.Div64(high, low, from)
	return quotient
}

// key is the key at a quantile.
func (c *column) key(x uint64) int64 {
	others := span - c.atomWidth
	switch {
	case c.atomWidth == 0:
		return c.keyOfOthers(x)
	case x < c.atomStart:
		return max(c.atom, c.keyOfOthers(scaled(x, span, others)))
	case x < c.atomStart+c.atomWidth:
		return c.atom
	}
	return min(c.atom, c.keyOfOthers(scaled(x-c.atomWidth, span, others)))
}

// keyOfOthers is the key at a quantile of the entries that the atom has not.
func (c *column) keyOfOthers(x uint64) int64 {
	if c.Order == store.Asc {
		x = span - 1 - x
	}
	return c.Key(c.rounded(c.scale*c.table.score(x) + c.shift))
}

// rounded turns units into the score of the nearest step, within the limits.
func (c *column) rounded(units float64) int64 {
	const limit = float64(1 << 62)
	nearest := int64(min(max(math.Round(units/c.step)*c.step, -limit), limit))
	return min(max(nearest, -store.MaxScore), store.MaxScore)
}

// quantile is the first one whose key is not better than the given.
func (c *column) quantile(key int64) uint64 {
	return uint64(sort.Search(span, func(x int) bool { return c.key(uint64(x)) <= key }))
}

// worst is the worst key that the model gives. Newcomers have it.
func (c *column) worst() int64 { return c.key(span - 1) }
