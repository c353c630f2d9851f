package synthetic

import (
	"math"
	"sort"
)

// exactUpTo is how many entries are split by the exact binomial distribution.
const exactUpTo = 64

// farthest is more than any sum of draws in 10^20.
const farthest = 10

// halves splits n entries, each of which goes left with probability 1/2. It holds
// the distribution function of every n up to exactUpTo.
type halves [exactUpTo + 1][]float64

func newHalves() *halves {
	h := new(halves)
	for n := range h {
		h[n] = make([]float64, n+1)
		part, sum := math.Pow(0.5, float64(n)), 0.0
		for k := range h[n] {
			sum += part
			h[n][k] = sum
			part *= float64(n-k) / float64(k+1)
		}
	}
	return h
}

// left is the quantile of the binomial distribution of n at the value of a process.
func (h *halves) left(n int64, at noise, key uint64) int64 {
	if n <= exactUpTo {
		k := sort.SearchFloat64s(h[n], at.uniform(key))
		return min(int64(k), n)
	}
	return leftOfMany(n, at.normal(key))
}

// leftOfMany is Cornish and Fisher's expansion with the fourth cumulant (the third
// is 0). The continuous variable that is rounded has a variance smaller by 1/12,
// and a fourth cumulant larger by 1/120, than the lattice (Sheppard). The expansion
// turns back far out, where no draw comes.
func leftOfMany(n int64, z float64) int64 {
	z = min(max(z, -farthest), farthest)
	variance := float64(n)/4 - 1.0/12
	fourth := (-float64(n)/8 + 1.0/120) / (variance * variance)
	w := z + (z*z*z-3*z)*fourth/24
	left := math.Round(float64(n)/2 + math.Sqrt(variance)*w)
	return int64(min(max(left, 0), float64(n)))
}
