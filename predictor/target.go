package predictor

import "slices"

// A target is a place that the fitted curve has to pass within slack +
// scale*weight of.
type target struct {
	key    int64
	better float64
	weight float64
	slack  float64
}

// atomShare is the part of the board from which a shared key is kept as a step:
// both its sides are pinned, so that no line cuts the corner.
const atomShare = 256

// easedPart is the part of its error by which a pinned point may be missed where the
// bytes do not suffice for all: of a half width of 1.96 errors it is an eighth.
const easedPart = 0.25

// targetsOf says what the body has to pass, and how closely. Exactly: its two
// ends, the ends of counted intervals (what lies between is unsure enough), and
// both sides of an atom. If eased, estimates among them may be missed a little.
func targetsOf(points []Point, shape Shape, total float64, eased bool) []target {
	targets := make([]target, 0, len(points)+2*atomShare)
	slack := func(i int) float64 {
		if !eased || isEnd(points, i) {
			return 0
		}
		return easedPart * points[i].Error
	}
	for i, p := range points {
		t := target{key: p.Key, better: float64(p.Better), weight: shape.weight(float64(p.Better), total)}
		if isPinned(points, i, total) {
			t.weight, t.slack = 0, slack(i)
		}
		targets = append(targets, t)
		if isAtomAt(points, i, total) && points[i+1].Key < p.Key-1 {
			targets = append(targets, target{key: p.Key - 1, better: float64(points[i+1].Better), slack: slack(i + 1)})
		}
	}
	return targets
}

func isEnd(points []Point, i int) bool { return i == 0 || i == len(points)-1 }

func isPinned(points []Point, i int, total float64) bool {
	return isEnd(points, i) || points[i].Open || points[i+1].Open || isAtomAt(points, i, total)
}

// isAtomAt says that the entries with point i's key are an atom.
func isAtomAt(points []Point, i int, total float64) bool {
	return i < len(points)-1 && !points[i+1].Open && isAtom(points[i+1].Better-points[i].Better, total)
}

// thin leaves out targets that lie closer to their neighbour than stride weights.
func thin(targets []target, stride float64) []target {
	var kept []target
	last := -1.0
	for _, t := range targets {
		if t.weight == 0 || t.better-last >= stride*t.weight {
			kept = append(kept, t)
			last = t.better
		}
	}
	return kept
}

func isAtom(entries int64, total float64) bool {
	return entries > 1 && float64(entries)*atomShare >= total
}

// unsure says that a body has intervals that were counted, or estimates.
func unsure(points []Point) bool {
	return slices.ContainsFunc(points, func(p Point) bool { return p.Open || p.Error > 0 })
}

func pinned(targets []target) (n int) {
	for _, t := range targets {
		if t.weight == 0 {
			n++
		}
	}
	return n
}
