package predictor

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/rankcurve/rankcurve/predictor/internal/curvepb"
)

// A forecast is what a curve knows of the time after its as-of. It says what the
// curve will be one horizon later; between the two, both monotone, the curve is a
// mix of them and so monotone too.
type forecast struct {
	horizon      float64  // in milliseconds
	laters       []uint32 // one horizon later, at the body's knots, as the curve's values
	spreads      []uint16 // one horizon later, of the line above a knot of the body; nil: as now
	total        float64  // one horizon later
	drift, noise float64  // of the head: relative change, and variance for each entry better
}

// maxHorizon is 34 years, in milliseconds.
const maxHorizon = 1 << 40

func (f *forecast) memoryBytes() int {
	if f == nil {
		return 0
	}
	return 4*len(f.laters) + 2*len(f.spreads) + 96
}

// checkForecast verifies the fields of a forecast, or that there are none.
func checkForecast(m *curvepb.Curve) error {
	if m.HorizonMs == 0 {
		if m.LaterFirst != 0 || len(m.LaterRises) > 0 || len(m.LaterSpreads) > 0 || m.HeadDrift != 0 || m.HeadNoise != 0 {
			return fmt.Errorf("a forecast without a horizon")
		}
		return nil
	}
	switch {
	case m.HorizonMs > maxHorizon:
		return fmt.Errorf("a horizon of %d ms, the limit is %d", m.HorizonMs, uint64(maxHorizon))
	case len(m.LaterRises) != len(m.BodyRises):
		return fmt.Errorf("%d later rises for %d rises", len(m.LaterRises), len(m.BodyRises))
	case len(m.LaterSpreads) > 0 && len(m.LaterSpreads) != len(m.BodyRises):
		return fmt.Errorf("%d later spreads for %d rises", len(m.LaterSpreads), len(m.BodyRises))
	case !(m.HeadDrift >= -1) || math.IsInf(m.HeadDrift, 0) || !isScale(m.HeadNoise):
		return fmt.Errorf("a drift of %g and a noise of %g in the head", m.HeadDrift, m.HeadNoise)
	}
	return checkLaterSpreads(m)
}

// checkLaterSpreads verifies that what is unsure only grows.
func checkLaterSpreads(m *curvepb.Curve) error {
	for i, later := range m.LaterSpreads {
		now := uint32(0)
		if len(m.Spreads) > 0 {
			now = m.Spreads[i]
		}
		if later < now || later > maxSpread {
			return fmt.Errorf("spread %d is %d and later %d, the limit is %d", i, now, later, maxSpread)
		}
	}
	return nil
}

// expandLater is the body's values one horizon later, best first; nil without a
// forecast.
func expandLater(m *curvepb.Curve) ([]float64, error) {
	if m.HorizonMs == 0 {
		return nil, nil
	}
	var w walker
	if !w.rise(m.LaterFirst, m.FractionBits) {
		return nil, fmt.Errorf("the body's later start is out of range")
	}
	laters := make([]float64, 1, len(m.BodyGaps))
	laters[0] = w.better()
	for i, rise := range m.LaterRises {
		if !w.rise(rise, m.FractionBits) {
			return nil, fmt.Errorf("body's later better %d is out of range", i+1)
		}
		laters = append(laters, w.better())
	}
	return laters, nil
}

// loadForecast takes over the body's later values, best first.
func (c *Curve) loadForecast(laters []float64, m *curvepb.Curve) {
	if len(laters) == 0 {
		return
	}
	n := len(laters)
	f := &forecast{
		horizon: float64(m.HorizonMs), laters: make([]uint32, n), total: laters[n-1],
		drift: m.HeadDrift, noise: m.HeadNoise,
	}
	for i, later := range laters {
		f.laters[n-1-i] = c.valueOf(later)
	}
	if len(m.LaterSpreads) > 0 {
		f.spreads = make([]uint16, n-1)
		for i, q := range m.LaterSpreads {
			f.spreads[n-2-i] = uint16(q)
		}
	}
	c.meta.Horizon = time.Duration(m.HorizonMs) * time.Millisecond
	c.forecast = f
}

// valueBitsFor is the finest fraction that keeps all of a curve's values in 32 bits.
func valueBitsFor(total uint64, laters []float64) int {
	if len(laters) > 0 {
		total = max(total, uint64(math.Ceil(laters[len(laters)-1])))
	}
	return min(fineBits, 32-bits.Len64(total))
}
