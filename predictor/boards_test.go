package predictor_test

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A board is a shape of keys that curves are tested on.
type board struct {
	name string
	key  func(r *rand.Rand, i int) int64
}

// boards are the shapes: what games have, and what breaks estimators.
var boards = []board{
	{"constant", func(*rand.Rand, int) int64 { return 7 }},
	{"lognormal", func(r *rand.Rand, _ int) int64 { return int64(math.Exp(9 + 1.5*r.NormFloat64())) }},
	{"zipf", func(r *rand.Rand, _ int) int64 { return int64(math.Pow(1-r.Float64(), -1/1.1)) }},
	{"elo", func(r *rand.Rand, _ int) int64 { return int64(math.Round(1500 + 300*r.NormFloat64())) }},
	{"uniform", func(r *rand.Rand, _ int) int64 { return r.Int64N(1_000_000_000) }},
	{"exponential decimals", func(r *rand.Rand, _ int) int64 { return int64(r.ExpFloat64() * 100_000_000) }},
	{"30 % on one score", func(r *rand.Rand, _ int) int64 {
		if r.Float64() < 0.3 {
			return 1000
		}
		return int64(math.Exp(9 + 1.5*r.NormFloat64()))
	}},
	{"0..100", func(r *rand.Rand, _ int) int64 { return r.Int64N(101) }},
	{"pareto", func(r *rand.Rand, _ int) int64 { return int64(1000 * math.Pow(1-r.Float64(), -1/1.5)) }},
	{"two clusters", func(r *rand.Rand, i int) int64 {
		return int64(i%2)*1_000_000_000 + int64(1000*r.NormFloat64())
	}},
	{"one outlier", func(r *rand.Rand, i int) int64 {
		if i == 0 {
			return 1 << 61
		}
		return r.Int64N(100_000)
	}},
	{"negated lognormal", func(r *rand.Rand, _ int) int64 { return -int64(math.Exp(9 + 1.5*r.NormFloat64())) }},
	{"multiples of 25", func(r *rand.Rand, _ int) int64 { return 25 * int64(math.Exp(5+r.NormFloat64())) }},
}

// keys draws n keys, best first.
func (b board) keys(n int) []int64 {
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = b.key(r, i)
	}
	slices.SortFunc(keys, func(a, b int64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	return keys
}
