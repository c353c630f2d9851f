package predictor

import "math"

// A vertexRange is a knot before its value is chosen: any value in [low, high]
// lets the line from the knot before it pass through all windows between.
type vertexRange struct {
	index     int
	low, high float64
}

// A corridor is a row of windows [low, high], one at every target, that rise with
// depth as better does: no window asks for a line that falls.
type corridor struct {
	targets   []target
	low, high []float64
	openness  float64
}

func newCorridor(targets []target) *corridor {
	return &corridor{targets: targets, low: make([]float64, len(targets)), high: make([]float64, len(targets)), openness: defaultOpenness}
}

// fit makes a continuous monotone piecewise-linear function that passes within
// slack + scale*weight of every target, with knots at targets' keys and values that are
// multiples of grain. Each line is extended as far as any line reaches that starts
// in the range the one before left open (greedy; a little above the minimum number
// of knots at the most). It reports false as soon as more than maxKnots are
// needed.
func (c *corridor) fit(scale, grain float64, maxKnots int) ([]knot, bool) {
	c.open(scale, grain)
	ranges, ok := c.reach(maxKnots)
	if !ok {
		return nil, false
	}
	knots := c.settle(ranges)
	for i := range knots {
		knots[i].better = math.Round(knots[i].better/grain) * grain
	}
	return knots, true
}

// open sets the windows to scale, less what rounding may move a line: half a
// grain at both its ends. (Rounding a knot before the line that leads to it is
// chosen would not do: a line that is held near one end swings far at the other.)
func (c *corridor) open(scale, grain float64) {
	floor := 0.0
	for i, t := range c.targets {
		floor = max(floor, t.better-room(t.slack+scale*t.weight, grain))
		c.low[i] = floor
	}
	ceiling := math.Inf(1)
	for i := len(c.targets) - 1; i >= 0; i-- {
		t := &c.targets[i]
		ceiling = min(ceiling, t.better+room(t.slack+scale*t.weight, grain))
		c.high[i] = ceiling
	}
}

func room(tolerance, grain float64) float64 { return max(0, tolerance-grain/2) }

// defaultOpenness is how much of a window has to be within the lines' reach for a
// knot to be set there. A line that is taken to its very end arrives at one edge of
// the corridor, where the next cannot go far: giving up the last part of each line
// makes four times fewer knots at the same tolerance (BenchmarkOpenness).
const defaultOpenness = 0.35

// reach goes forward and finds the knots' places and ranges.
func (c *corridor) reach(maxKnots int) ([]vertexRange, bool) {
	current := vertexRange{low: c.low[0], high: c.high[0]}
	ranges := []vertexRange{current}
	var s stabber
	for current.index < len(c.targets)-1 {
		if len(ranges) >= maxKnots {
			return nil, false
		}
		current = c.extend(&s, current)
		ranges = append(ranges, current)
	}
	return ranges, true
}

// extend goes as far as one line reaches from a knot, and back to the last place
// that was open enough for the next knot.
func (c *corridor) extend(s *stabber, from vertexRange) vertexRange {
	origin := c.targets[from.index].key
	s.reset(0, from.low, from.high)
	var to vertexRange
	for j := from.index + 1; j < len(c.targets); j++ {
		x := float64(origin - c.targets[j].key)
		if !s.add(x, c.low[j], c.high[j]) {
			return to
		}
		low := s.flat.value(x)
		if s.flat.slope < 0 { // better never falls with depth: level is the lowest way there
			low = max(from.low, c.low[j])
		}
		high := max(low, s.steep.value(x))
		last := j == len(c.targets)-1
		if last || to.index == 0 || high-low >= c.openness*(c.high[j]-c.low[j]) {
			to = vertexRange{index: j, low: low, high: high}
		}
	}
	return to
}

// settle goes backward and chooses each knot's value: of what the line to the
// next knot allows, the one nearest to what was observed.
func (c *corridor) settle(ranges []vertexRange) []knot {
	knots := make([]knot, len(ranges))
	last := len(ranges) - 1
	next := c.targets[ranges[last].index]
	knots[last] = knot{next.key, next.better}
	for i := last - 1; i >= 0; i-- {
		r := ranges[i]
		end := knots[i+1]
		gentle, steep := 0.0, math.Inf(1)
		for j := r.index + 1; j < ranges[i+1].index; j++ {
			dx := float64(c.targets[j].key - end.key)
			gentle = max(gentle, (end.better-c.high[j])/dx)
			steep = min(steep, (end.better-c.low[j])/dx)
		}
		here := c.targets[r.index]
		dx := float64(here.key - end.key)
		low, high := r.low, min(r.high, end.better-gentle*dx)
		if !math.IsInf(steep, 1) {
			low = max(low, end.better-steep*dx)
		}
		value := min(max(here.better, low), max(low, high), r.high) // low > high is rounding
		knots[i] = knot{here.key, min(value, end.better)}
	}
	return knots
}

// A knot is a vertex of the curve.
type knot struct {
	key    int64
	better float64
}
