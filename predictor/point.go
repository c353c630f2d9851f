package predictor

import (
	"errors"
	"fmt"
	"math"
)

// Point is one observation of a board: Better entries have a key strictly larger
// than Key. It is exact, or an estimate with an Error.
type Point struct {
	Key    int64
	Better int64
	// Open says that of the entries between the previous point and this one only
	// the number is known (an interval that was counted). Where it is false, every
	// one of those entries has the previous point's key.
	Open bool
	// Error is the standard error of Better, in entries; 0: Better was counted.
	Error float64
	// Later is what Better is forecast to be one [Meta.Horizon] after [Meta.AsOf], and
	// LaterError the standard error of that forecast as a whole. Where both are 0 the
	// point has none of its own: its change and its variance are drawn straight, over
	// Better, between the points around it that have one (above the first of those,
	// from 0 at the top). Without a horizon nobody looks at them.
	Later, LaterError float64
}

// maxKey bounds keys, so that the difference of two is an int64: one above
// store.MaxScore, for a curve's last knot lies one below the worst key.
const maxKey int64 = 1 << 62

// ErrPoints is wrapped by errors about observations that cannot be a board's.
var ErrPoints = errors.New("observations are not of one board")

// checkPoints verifies what every builder relies on: rank order, a first point
// that nobody beats, and at least one entry.
func checkPoints(points []Point) error {
	if len(points) < 2 {
		return fmt.Errorf("%d points, a board with entries has at least 2: %w", len(points), ErrPoints)
	}
	if points[0].Better != 0 {
		return fmt.Errorf("%d entries are better than the first point: %w", points[0].Better, ErrPoints)
	}
	for i, p := range points {
		if p.Key >= maxKey || p.Key < -maxKey {
			return fmt.Errorf("point %d has key %d, the limit is ±%d: %w", i, p.Key, maxKey, ErrPoints)
		}
		if i > 0 && (p.Key >= points[i-1].Key || p.Better < points[i-1].Better) {
			return fmt.Errorf("points %d and %d are not in rank order: %w", i-1, i, ErrPoints)
		}
	}
	if points[len(points)-1].Better == 0 {
		return fmt.Errorf("no entries: %w", ErrPoints)
	}
	for i, p := range points {
		if !isScale(p.Error) || !isScale(p.LaterError) || !(math.Abs(p.Later) <= maxTotal) {
			return fmt.Errorf("point %d has the error %g, and later %g with the error %g: an error is at least 0, and a board has at most %d entries: %w", i, p.Error, p.Later, p.LaterError, uint64(maxTotal), ErrPoints)
		}
	}
	return nil
}

// PointsOf turns all keys of a board, sorted best first, into points: one for
// every distinct key, and a last one below the worst.
func PointsOf(sorted []int64) []Point {
	var points []Point
	for i, key := range sorted {
		if i == 0 || key != sorted[i-1] {
			points = append(points, Point{Key: key, Better: int64(i)})
		}
	}
	if len(sorted) > 0 {
		points = append(points, Point{Key: sorted[len(sorted)-1] - 1, Better: int64(len(sorted))})
	}
	return points
}
