package simulation

import (
	"context"
	"math"
	"slices"

	"github.com/rankcurve/rankcurve/predictor"
)

// The depths that are asked for at each tick.
const (
	depthsAsked = 200
	leastDepth  = 10
)

// asked is some scores, best first, and the truth of them.
type asked struct {
	keys   []int64
	better []int64
}

// ask picks scores of entries evenly in the logarithm of their depth, each once, and
// counts.
func ask(ctx context.Context, o Options, v view, guess *predictor.Curve) (asked, error) {
	keys, err := v.held(ctx, depths(v.entries()), func(depth int64) int64 { return guess.KeyAt(depth, o.Every) })
	if err != nil {
		return asked{}, err
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	slices.Reverse(keys)
	a := asked{keys: keys, better: make([]int64, len(keys))}
	for shard := range o.Shards {
		counts, err := v.counts(ctx, shard, keys)
		if err != nil {
			return asked{}, err
		}
		for i, n := range counts {
			a.better[i] += n
		}
	}
	return a, nil
}

// depths are evenly spread from leastDepth to the end of the board.
func depths(entries int64) []int64 {
	all := make([]int64, depthsAsked)
	step := math.Pow(float64(entries)/leastDepth, 1/float64(depthsAsked-1))
	for i := range all {
		depth := leastDepth * math.Pow(step, float64(i))
		all[i] = min(entries, int64(depth+0.5))
	}
	return all
}
