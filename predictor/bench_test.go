package predictor_test

import (
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
)

// BenchmarkLookup sets the curve's lookup beside sort.Search over the same knots,
// in one run: compare the ns/op of "curve" and "sort.Search" per board.
func BenchmarkLookup(b *testing.B) {
	for _, shape := range boards[1:] {
		keys := shape.keys(1_000_000)
		curve, _, err := predictor.Build(predictor.Meta{}, predictor.PointsOf(keys), predictor.Options{})
		if err != nil {
			b.Fatal(err)
		}
		asked := make([]int64, 1<<16)
		r := rand.New(rand.NewPCG(3, 4))
		for i := range asked {
			asked[i] = keys[r.IntN(len(keys))]
		}
		b.Run(shape.name+"/curve", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				sink += curve.Better(asked[i&(1<<16-1)])
			}
		})
		b.Run(shape.name+"/curve with band", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				sink += float64(curve.Held(asked[i&(1<<16-1)], 0).High)
			}
		})
		aged, _, err := predictor.Build(ahead(), forecast(predictor.PointsOf(keys), 0.3), predictor.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(shape.name+"/aged curve", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				sink += aged.BetterAt(asked[i&(1<<16-1)], time.Duration(i)*time.Second)
			}
		})
		b.Run(shape.name+"/aged curve with band", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				sink += float64(aged.Held(asked[i&(1<<16-1)], time.Duration(i)*time.Second).High)
			}
		})
		reference := newSearched(curve)
		b.Run(shape.name+"/sort.Search", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				sink += reference.betterAt(asked[i&(1<<16-1)])
			}
		})
	}
}

var sink float64

// searched is the same curve asked with the standard library's binary search.
type searched struct {
	keys   []int64
	better []float64
}

func newSearched(c *predictor.Curve) searched {
	var s searched
	for _, v := range c.Vertices() {
		s.keys, s.better = append(s.keys, v.Key), append(s.better, v.Better)
	}
	return s
}

func (s searched) between(i int, key int64) float64 {
	part := float64(s.keys[i-1]-key) / float64(s.keys[i-1]-s.keys[i])
	return s.better[i-1] + part*(s.better[i]-s.better[i-1])
}

func (s searched) betterAt(key int64) float64 {
	i := sort.Search(len(s.keys), func(i int) bool { return s.keys[i] <= key })
	switch {
	case i == 0:
		return 0
	case i == len(s.keys):
		return s.better[i-1]
	}
	return s.between(i, key)
}
