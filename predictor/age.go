package predictor

import (
	"math"
	"time"
)

// BetterAt is the curve's value at a key, so long after the curve's as-of time. It
// follows the forecast for one horizon and stays there; without a forecast, and at
// negative ages, it is [Curve.Better]. It never falls as the key falls, at any age.
func (c *Curve) BetterAt(key int64, age time.Duration) float64 {
	if age <= 0 || c.forecast == nil {
		return c.Better(key)
	}
	return c.at(age).value(key)
}

// TotalAt is the number of entries that the board is forecast to have, so long after
// the curve's as-of time; see [Curve.BetterAt].
func (c *Curve) TotalAt(age time.Duration) int64 {
	if age <= 0 || c.forecast == nil {
		return c.total
	}
	return int64(c.at(age).total + 0.5)
}

// A moment is a curve at an age.
type moment struct {
	*Curve
	horizons float64 // the age in horizons: what is unsure grows on with it
	part     float64 // of the way to the forecast, at most 1
	total    float64
}

// partSteps is how finely the way to the forecast is divided. A mix of two values
// in so few steps is exact in floating point, and so as monotone as they are.
const partSteps = 1 << 16

func (c *Curve) at(age time.Duration) moment {
	horizons := float64(age.Milliseconds()) / c.forecast.horizon
	part := min(1, math.Floor(horizons*partSteps)/partSteps)
	total := float64(c.total)
	return moment{c, horizons, part, total + part*(c.forecast.total-total)}
}

// body says that a line is one of the body's: both its knots have later values.
func (m moment) body(line int) bool { return line < len(m.forecast.laters)-1 }

// knot is the value at a knot of the body, as values are kept.
func (m moment) knot(i int) float64 {
	now, later := float64(m.values[i]), float64(m.forecast.laters[i])
	return now + m.part*(later-now)
}

// on interpolates on line i of the body.
func (m moment) on(i int, key int64) float64 {
	low, high := m.knot(i), m.knot(i+1)
	return between(low, high, m.alongLine(i, key)) * m.unit
}

// above is the value from the body's first knot up, where so many are better now. It
// ends where the body begins.
func (m moment) above(now float64) float64 {
	first := m.knot(len(m.forecast.laters)-1) * m.unit
	return min(first, now*(1+float64(m.part*m.forecast.drift)))
}

// vertex is the value at knot i.
func (m moment) vertex(i int) float64 {
	if i < len(m.forecast.laters) {
		return m.knot(i) * m.unit
	}
	return m.above(float64(m.values[i]) * m.unit)
}

func (m moment) value(key int64) float64 {
	i, ok := m.line(key)
	switch {
	case ok && m.body(i):
		return m.on(i, key)
	case ok:
		return m.above(m.Curve.on(i, key))
	case key < m.keys[0]:
		return m.total
	}
	return 0
}

// aged is estimate at an age.
func (c *Curve) aged(key int64, tolerance float64, age time.Duration) Estimate {
	m := c.at(age)
	i, ok := m.line(key)
	switch {
	case ok && m.body(i):
		better := m.on(i, key)
		return m.band(better, float64(tolerance*m.shape.weight(better, m.total))+m.spread(i))
	case !ok && key < m.keys[0]:
		return m.band(m.total, m.growthBelow())
	}
	now := 0.0
	if ok {
		now = m.Curve.on(i, key)
	}
	better, half := m.above(now), m.growthAbove(now)
	if ok && key < m.headFrom {
		half += float64(tolerance * m.shape.weight(better, m.total))
	}
	return m.band(better, half)
}

// band is the rounded band; after ages without number it is the whole board.
func (m moment) band(better, half float64) Estimate {
	return band(better, min(half, maxTotal), int64(m.total+0.5))
}

// spread is what is unsure on line i of the body. Its square grows in a straight line
// with the age, as the variance of what comes and goes does; and beyond the horizon,
// where the forecast stands still, what it would have moved is unsure as well.
func (m moment) spread(i int) float64 {
	now := m.Curve.spread(i)
	half := now
	if m.forecast.spreads != nil {
		later := spreadEntries(m.forecast.spreads[i])
		half = math.Sqrt(float64(now*now) + float64(m.horizons*(float64(later*later)-float64(now*now))))
	}
	return half + float64(m.beyond()*max(m.moved(i), m.moved(i+1)))
}

// beyond is by how many horizons the age passes the first.
func (m moment) beyond() float64 { return max(0, m.horizons-1) }

// moved is how far a knot of the body is forecast to move in a horizon, up or down.
func (m moment) moved(i int) float64 {
	return math.Abs(float64(m.forecast.laters[i])-float64(m.values[i])) * m.unit
}

// growthAbove is what the age makes unsure from the body's first knot up. There a
// change is entries that overtake, one by one: its variance goes with the age and
// with the number above.
func (m moment) growthAbove(now float64) float64 {
	half := spreadZ * math.Sqrt(m.forecast.noise*max(1, now)*m.horizons)
	return half + float64(m.beyond()*math.Abs(m.forecast.drift*now))
}

// growthBelow is what the age makes unsure below all knots: the number of entries.
func (m moment) growthBelow() float64 {
	if !m.body(0) {
		return m.growthAbove(float64(m.Curve.total))
	}
	return m.spread(0) - m.Curve.spread(0)
}
