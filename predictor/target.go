package predictor

// A target is a place that the fitted curve has to pass within scale*weight of.
type target struct {
	key    int64
	better float64
	weight float64
}

// atomShare is the part of the board from which a shared key is kept as a step:
// both its sides are pinned, so that no line cuts the corner.
const atomShare = 256

// targetsOf says what the body has to pass, and how closely. Exactly: its two
// ends, the ends of counted intervals (what lies between is unsure enough), and
// both sides of an atom.
func targetsOf(points []Point, shape Shape, total float64) []target {
	targets := make([]target, 0, len(points)+2*atomShare)
	last := len(points) - 1
	for i, p := range points {
		t := target{key: p.Key, better: float64(p.Better), weight: shape.weight(float64(p.Better), total)}
		if i == 0 || i == last || p.Open || points[i+1].Open {
			t.weight = 0
		}
		atom := i < last && !points[i+1].Open && isAtom(points[i+1].Better-p.Better, total)
		if atom {
			t.weight = 0
		}
		targets = append(targets, t)
		if atom && points[i+1].Key < p.Key-1 {
			targets = append(targets, target{key: p.Key - 1, better: float64(points[i+1].Better)})
		}
	}
	return targets
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

func hasOpen(points []Point) bool {
	for _, p := range points {
		if p.Open {
			return true
		}
	}
	return false
}

func pinned(targets []target) (n int) {
	for _, t := range targets {
		if t.weight == 0 {
			n++
		}
	}
	return n
}
