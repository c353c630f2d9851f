package jobs

import (
	"math"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// Costs are the read units of the columns' last refreshes, or what one is expected to take;
// an infinite one could not be told. The zero value is not of use, see newCosts.
type costs struct {
	of     map[store.CurveKey]float64
	ranked []float64 // the finite ones, in order
}

func newCosts() costs { return costs{of: map[store.CurveKey]float64{}} }

func (c *costs) set(key store.CurveKey, units float64) {
	c.forget(key)
	c.of[key] = units
	if !math.IsInf(units, 1) {
		at, _ := slices.BinarySearch(c.ranked, units)
		c.ranked = slices.Insert(c.ranked, at, units)
	}
}

// forget is for a column that is no longer refreshed.
func (c *costs) forget(key store.CurveKey) {
	units, known := c.of[key]
	delete(c.of, key)
	if known && !math.IsInf(units, 1) {
		at, _ := slices.BinarySearch(c.ranked, units)
		c.ranked = slices.Delete(c.ranked, at, at+1)
	}
}

// heavyTimes is how many times what a quarter of the columns cost at most a heavy one costs.
const heavyTimes = 8

// heavyLimit is the cost above which a column is heavy. It is measured by the cheap ones,
// so that there is one where most are huge.
func (c *costs) heavyLimit() float64 {
	if len(c.ranked) == 0 {
		return 0
	}
	return heavyTimes * max(1, c.ranked[(len(c.ranked)-1)/4])
}
