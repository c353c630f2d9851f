package synthetic

import (
	"math"
	"testing"
)

// exactBelow is the binomial distribution function of n halves, at each k.
func exactBelow(n int) []float64 {
	sums, sum := make([]float64, n+1), 0.0
	whole, _ := math.Lgamma(float64(n) + 1)
	for k := range sums {
		a, _ := math.Lgamma(float64(k) + 1)
		b, _ := math.Lgamma(float64(n-k) + 1)
		sum += math.Exp(whole - a - b - float64(n)*math.Ln2)
		sums[k] = sum
	}
	return sums
}

// The split of n at a normal deviate has to be binomial when the deviate is normal:
// its distribution function is read off where the split steps to the next number.
func TestSplitsAreBinomial(t *testing.T) {
	h := newHalves()
	for _, c := range []struct {
		n         int
		tolerance float64
	}{{1, 1e-12}, {9, 1e-12}, {64, 1e-12}, {65, 1e-5}, {66, 1e-5}, {200, 1e-5}, {1001, 1e-6}, {100_000, 1e-7}} {
		exact, worst := exactBelow(c.n), 0.0
		for k := max(0, c.n/2-int(4*math.Sqrt(float64(c.n)))); k < c.n && k < c.n/2+int(4*math.Sqrt(float64(c.n))); k++ {
			low, high := -9.0, 9.0
			for range 60 {
				if z := (low + high) / 2; splitAt(h, c.n, z) <= int64(k) {
					low = z
				} else {
					high = z
				}
			}
			worst = max(worst, math.Abs(below(low)-exact[k]))
		}
		t.Logf("n = %d: the distribution function is off by %.1e at most", c.n, worst)
		if worst > c.tolerance {
			t.Errorf("n = %d: the distribution function is off by %g", c.n, worst)
		}
	}
}

// splitAt splits at a given deviate, the way halves.left does.
func splitAt(h *halves, n int, z float64) int64 {
	if n > exactUpTo {
		return leftOfMany(int64(n), z)
	}
	for k, part := range h[n] {
		if below(z) <= part {
			return int64(k)
		}
	}
	return int64(n)
}

func TestSplitsOfExtremeDraws(t *testing.T) {
	for _, n := range []int64{65, 1e6, MaxEntries, 1 << 50} {
		for _, z := range []float64{-40, -9, 9, 40} {
			if left := leftOfMany(n, z); left < 0 || left > n || (left > n/2) != (z > 0) {
				t.Errorf("%d split at %v are %d", n, z, left)
			}
		}
	}
	h := newHalves()
	for n := int64(0); n <= exactUpTo; n++ {
		for key := range uint64(200) {
			if left := h.left(n, still(), key); left < 0 || left > n {
				t.Fatalf("%d split into %d", n, left)
			}
		}
	}
}
