package predictor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// targetsFor draws a board of n exponential keys and its targets.
func targetsFor(n int, shape Shape) []target {
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = -int64(r.ExpFloat64() * 1e9)
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	return targetsOf(PointsOf(keys), shape, float64(n), false)
}

// TestCorridorKeepsItsTolerance checks the fit itself, before any encoding: at
// every target, with knots on the grain, monotone, from the first to the last.
func TestCorridorKeepsItsTolerance(t *testing.T) {
	const grain = 0.25
	for _, shape := range []Shape{Abs, Sqrt} {
		targets := targetsFor(50_000, shape)
		for _, scale := range []float64{0, 0.1, 1, 5, 40, 1000} {
			knots, ok := newCorridor(targets).fit(scale, grain, len(targets))
			if !ok {
				t.Fatalf("%s %g: no fit", shape, scale)
			}
			line := 0
			for _, target := range targets {
				for line < len(knots)-2 && knots[line+1].key > target.key {
					line++
				}
				a, b := knots[line], knots[line+1]
				value := a.better + (b.better-a.better)*float64(a.key-target.key)/float64(a.key-b.key)
				if off := math.Abs(value - target.better); off > max(scale*target.weight, grain/2)+1e-6 {
					t.Fatalf("%s %g: off by %g at %d, where %g is allowed", shape, scale, off, target.key, scale*target.weight)
				}
				if b.better < a.better || math.Mod(a.better, grain) != 0 {
					t.Fatalf("%s %g: knots %v and %v", shape, scale, a, b)
				}
			}
		}
	}
}

// TestStabberAgreesWithTernarySearch compares the lines that are found with an
// exhaustive search for a slope that passes all windows.
func TestStabberAgreesWithTernarySearch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 300 {
		var s stabber
		var x, low, high []float64
		at, level := 0.0, 0.0
		for {
			at, level = at+r.Float64()+0.01, level+r.ExpFloat64()
			half := r.Float64() * 3
			x, low, high = append(x, at), append(low, level-half), append(high, level+half)
			ok := true
			if len(x) == 1 {
				s.reset(at, level-half, level+half)
			} else {
				ok = s.add(at, level-half, level+half)
			}
			if room := roomForALine(x, low, high); ok && room < -1e-6 || !ok && room > 1e-6 {
				t.Fatalf("trial %d, %d windows: found a line: %v, room for one: %g", trial, len(x), ok, room)
			}
			if !ok {
				break
			}
		}
	}
}

// roomForALine is how far all windows could shrink until no line passes: negative
// if none does.
func roomForALine(x, low, high []float64) float64 {
	room := func(slope float64) float64 {
		floor, ceiling := math.Inf(-1), math.Inf(1)
		for i := range x {
			floor, ceiling = max(floor, low[i]-slope*x[i]), min(ceiling, high[i]-slope*x[i])
		}
		return ceiling - floor
	}
	left, right := -1e4, 1e4 // room is concave in the slope
	for range 300 {
		a, b := left+(right-left)/3, right-(right-left)/3
		if room(a) < room(b) {
			left = a
		} else {
			right = b
		}
	}
	return room((left + right) / 2)
}

// BenchmarkOpenness counts the knots that a tolerance takes, for several choices
// of where lines end: compare knots/op.
func BenchmarkOpenness(b *testing.B) {
	targets := targetsFor(1_000_000, Abs)
	for _, openness := range []float64{0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9} {
		b.Run(fmt.Sprint(openness), func(b *testing.B) {
			c := newCorridor(targets)
			c.openness = openness
			for b.Loop() {
				knots, _ := c.fit(40, 0.25, len(targets))
				b.ReportMetric(float64(len(knots)), "knots/op")
			}
		})
	}
}
