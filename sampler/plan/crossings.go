package plan

import "math"

// Spread is the standard deviation of the logarithms of a board's scores: that of the
// lognormal board which stands for all. What counts is how far an owner moves on it, and
// Gain says that.
const Spread = 1.2

// Crossings is how many entries pass the place with so many better from one refresh to
// the next, both ways together.
//
// Of the owners whose score changes, half are taken to multiply it by as much as 1 + 2
// Gain at most and the others by as little as 1, uniformly, which is Gain on average. On a board
// whose logarithms are normal with deviation Spread, one at the quantile z passes by
// changing by ln(1+g)/Spread deviations, so a part E[P(z - ln(1+g)/Spread < Z <= z)] of
// all changes are crossings: the flux of a displacement that does not depend on the
// place. Whether scores go up or down changes their number little, and it is the number
// that counts, not the direction.
func (b Board) Crossings(better float64) float64 {
	n := float64(b.Entries)
	if better <= 0 || better >= n {
		return 0
	}
	const steps = 32
	part := better / n
	z := normalQuantile(part)
	sum := 0.0
	for i := range steps {
		g := 2 * b.gain() * (float64(i) + 0.5) / steps
		sum += upperNormal(z-math.Log1p(g)/Spread) - part
	}
	return b.Churn * n * sum / steps
}

func (b Board) gain() float64 { return orDefault(b.Gain, DefaultGain) }

// upperNormal is the part of a normal distribution above z.
func upperNormal(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// normalQuantile is where a part of a normal distribution is above.
func normalQuantile(part float64) float64 { return math.Sqrt2 * math.Erfcinv(2*part) }
