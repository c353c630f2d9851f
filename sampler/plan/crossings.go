package plan

import "math"

// Spread is the standard deviation of the logarithms of a board's scores: that of the
// lognormal board which stands for all. What counts is how far an owner moves on it, and
// Gain says that.
const Spread = 1.2

// Crossings is how many entries pass the place with so many better from one refresh to
// the next, both ways together.
//
// A score that changes is multiplied by something between 1 and 1 + 2 Gain, all alike
// probable, which is a gain of Gain on average. On a board whose logarithms are normal with deviation Spread, one at the quantile z passes by
// changing by ln(1+g)/Spread deviations, so a part E[P(z - ln(1+g)/Spread < Z <= z)] of
// all changes are crossings: the flux of a displacement that does not depend on the
// place. [Board.Passed] stands for that where the board itself is known. Whether scores go up or down changes their number little, and it is the number
// that counts, not the direction.
func (b Board) Crossings(better float64) float64 {
	n := float64(b.Entries)
	if better <= 0 || better >= n {
		return 0
	}
	const steps = 32
	passed := b.Passed
	if passed == nil {
		passed = passedLognormal
	}
	sum := 0.0
	for i := range steps {
		sum += passed(better/n, 2*b.gain()*(float64(i)+0.5)/steps)
	}
	return b.Churn * n * sum / steps
}

// passedLognormal is [Board.Passed] of a lognormal board.
func passedLognormal(better, gain float64) float64 {
	return upperNormal(normalQuantile(better)-math.Log1p(gain)/Spread) - better
}

func (b Board) gain() float64 { return orDefault(b.Gain, DefaultGain) }

// upperNormal is the part of a normal distribution above z.
func upperNormal(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// normalQuantile is where a part of a normal distribution is above.
func normalQuantile(part float64) float64 { return math.Sqrt2 * math.Erfcinv(2*part) }
