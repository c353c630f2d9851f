package predictor

// A stabber finds the straight lines that pass through a growing row of
// vertical windows [low, high] at increasing x. It keeps the steepest and the
// flattest such line; both are tangents of two convex chains, so that adding a
// window costs O(1) amortised. (J. O'Rourke, "An on-line algorithm for fitting
// straight lines between data ranges", CACM 24(9), 1981.)
type stabber struct {
	lows, highs []vertex // chains that the lines lean on: concave below, convex above
	steep, flat line
	windows     int
}

type vertex struct{ x, y float64 }

type line struct {
	at    vertex
	slope float64
}

func (l line) value(x float64) float64 { return l.at.y + l.slope*(x-l.at.x) }

func through(a, b vertex) line {
	return line{at: a, slope: (b.y - a.y) / (b.x - a.x)}
}

// reset starts a new row with one window.
func (s *stabber) reset(x, low, high float64) {
	s.lows = append(s.lows[:0], vertex{x, low})
	s.highs = append(s.highs[:0], vertex{x, high})
	s.windows = 1
}

// add appends a window, or reports false and changes nothing if no line passes
// through all.
func (s *stabber) add(x, low, high float64) bool {
	lo, hi := vertex{x, low}, vertex{x, high}
	if s.windows == 1 {
		s.steep, s.flat = through(s.lows[0], hi), through(s.highs[0], lo)
		s.lows, s.highs = append(s.lows, lo), append(s.highs, hi)
		s.windows = 2
		return true
	}
	top, bottom := s.steep.value(x), s.flat.value(x)
	if high < bottom || low > top {
		return false
	}
	// A window end that lies outside the lines' fan can never be leaned on.
	if high < top {
		s.steep, s.lows = tangent(s.lows, hi, func(a, b float64) bool { return a <= b })
		s.highs = appendHull(s.highs, hi, 1)
	}
	if low > bottom {
		s.flat, s.highs = tangent(s.highs, lo, func(a, b float64) bool { return a >= b })
		s.lows = appendHull(s.lows, lo, -1)
	}
	s.windows++
	return true
}

// tangent is the line from p, right of the chain, that touches it; the part of
// the chain left of where it touches is dropped, for later lines touch further
// right.
func tangent(chain []vertex, p vertex, better func(a, b float64) bool) (line, []vertex) {
	best := through(chain[0], p)
	first := 0
	for i := 1; i < len(chain); i++ {
		candidate := through(chain[i], p)
		if !better(candidate.slope, best.slope) {
			break
		}
		best, first = candidate, i
	}
	return best, chain[first:]
}

// appendHull adds the rightmost vertex to a chain that bends upwards (turn 1) or
// downwards (turn -1).
func appendHull(chain []vertex, p vertex, turn float64) []vertex {
	for len(chain) >= 2 {
		a, b := chain[len(chain)-2], chain[len(chain)-1]
		if turn*((b.x-a.x)*(p.y-a.y)-(b.y-a.y)*(p.x-a.x)) > 0 {
			break
		}
		chain = chain[:len(chain)-1]
	}
	return append(chain, p)
}
