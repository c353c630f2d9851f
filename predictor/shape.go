package predictor

import "math"

// Shape says how the tolerance of a fit is spread over the ranks.
type Shape string

const (
	// Sqrt lets the error grow with the square root of the distance to the nearer
	// end of the board: what a rank means to a player is relative, and what a
	// sample can know of it goes with the root.
	Sqrt Shape = "sqrt"
	// Abs allows the same error everywhere: the smallest maximum.
	Abs Shape = "abs"
)

// weight is the shape's value at a place with so many entries better, of total.
func (s Shape) weight(better, total float64) float64 {
	if s == Abs {
		return 1
	}
	return math.Sqrt(max(1, min(better, total-better)))
}
