package synthetic

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Shape names a distribution of scores.
type Shape string

// The shapes, with the defaults of Scale and Spread in brackets. On an "asc" column
// the small scores are the best of the same distribution.
const (
	Lognormal   Shape = "lognormal"   // of median Scale [1000] and deviation of logarithms Spread [1.5]
	Elo         Shape = "elo"         // normal around Scale [1500] with deviation Spread [300], whole points, not below 0
	Zipf        Shape = "zipf"        // the score at rank r of N is Scale [100] times (N/r)^Spread [0.6]
	Exponential Shape = "exponential" // of mean Scale [10000]
	Uniform     Shape = "uniform"     // from 0 to Scale [1000000]
)

// ParseShape reads a shape's name; the empty name is Lognormal.
func ParseShape(name string) (Shape, error) {
	if name == "" {
		return Lognormal, nil
	}
	if _, known := shapes[Shape(name)]; !known {
		return "", fmt.Errorf("shape %q is none of %s", name, shapeNames())
	}
	return Shape(name), nil
}

func shapeNames() string {
	names := make([]string, 0, len(shapes))
	for s := range shapes {
		names = append(names, string(s))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

type shape struct {
	scale, spread float64 // defaults; no spread: the shape has none
	mostSpread    float64

	// score is the score that a part u of the entries is better than, when larger is
	// better, and lower = 1-u: each is exact where it is small.
	score func(m Model, u, lower float64) float64
}

var shapes = map[Shape]shape{
	Lognormal: {1000, 1.5, 8, func(m Model, u, lower float64) float64 {
		return m.Scale * math.Exp(m.Spread*upperNormal(u, lower))
	}},
	Elo: {1500, 300, 1e12, func(m Model, u, lower float64) float64 {
		return max(0, m.Scale+m.Spread*upperNormal(u, lower))
	}},
	Zipf: {100, 0.6, 8, func(m Model, u, _ float64) float64 {
		return m.Scale * math.Pow(u, -m.Spread)
	}},
	Exponential: {10_000, 0, 0, func(m Model, u, lower float64) float64 {
		if lower < u {
			return -m.Scale * math.Log1p(-lower)
		}
		return -m.Scale * math.Log(u)
	}},
	Uniform: {1_000_000, 0, 0, func(m Model, _, lower float64) float64 { return m.Scale * lower }},
}

// upperNormal is the standard normal deviate that a part u of draws is above. The
// standard library's Erfcinv(x) is Erfinv(1-x), which loses all digits of a small x,
// so this is Newton's method on the logarithm of Erfc.
func upperNormal(u, lower float64) float64 {
	if lower < u {
		return -upperNormal(lower, u)
	}
	want := math.Log(u)
	z := math.Sqrt(-2 * math.Log(2*u) * 0.6)
	for range 50 {
		tail := math.Erfc(z/math.Sqrt2) / 2
		density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		step := (math.Log(tail) - want) * tail / density
		z += step
		if math.Abs(step) <= 1e-14*(1+z) {
			break
		}
	}
	return z
}
