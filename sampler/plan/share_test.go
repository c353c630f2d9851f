package plan_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rankcurve/rankcurve/sampler/plan"
	"github.com/rankcurve/rankcurve/store"
)

// The bound holds, and is not far off, where a second round is common enough to be seen,
// at fewer rows than are really read; and those are enough nearly always.
func TestOneRoundAgainstChance(t *testing.T) {
	for _, tc := range []struct{ n, shards, rows int }{
		{100, 8, 19},
		{100, 8, 21},
		{100, 16, 12},
		{1000, 4, 280},
		{10, 32, 3},
		{10, 2, 8},
		{100, 8, store.ShardShare(100, 8)},
		{1000, 64, store.ShardShare(1000, 64)},
		{1, 16, store.ShardShare(1, 16)},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		const trials = 40_000
		once := 0
		for range trials {
			if oneRound(random, tc.n, tc.shards, tc.rows) {
				once++
			}
		}
		seen, bound := float64(once)/trials, plan.OneRound(tc.n, tc.shards, tc.rows)
		chance := 4*math.Sqrt(seen*(1-seen)/trials) + 1e-4
		if bound > seen+chance {
			t.Errorf("%+v: at least %.4f, seen are %.4f", tc, bound, seen)
		}
		// Boole's bound counts the cases twice in which two shards hold too many.
		if missed := 1 - seen; (1-bound)-missed > missed*missed+0.05*missed+chance {
			t.Errorf("%+v: at least %.4f is far below %.4f", tc, bound, seen)
		}
	}
}

// oneRound deals the best n out to the shards, best first, and reports whether no shard runs
// out of the rows that were read of it before all are out.
func oneRound(random *rand.Rand, n, shards, rows int) bool {
	out := make([]int, shards)
	for i := range n {
		shard := random.IntN(shards)
		if out[shard]++; out[shard] == rows && i < n-1 {
			return false
		}
	}
	return true
}

func TestOneRoundAtTheEdges(t *testing.T) {
	for _, tc := range []struct {
		n, shards, rows int
		want            float64
	}{
		{1, 1, 1, 1}, {100, 1, 100, 1}, {100, 1, 99, 0}, {2, 2, 1, 0}, {100_000, 8, 100_000, 1},
	} {
		if got := plan.OneRound(tc.n, tc.shards, tc.rows); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("%+v: got %v", tc, got)
		}
	}
	if p := plan.OneRound(100_000, 64, store.ShardShare(100_000, 64)); p < 0.9 || p >= 1 {
		t.Errorf("the best 100,000 of 64 shards come in one round with probability %v at least", p)
	}
}
