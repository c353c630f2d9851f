package rankcurve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rankcurve/rankcurve"
)

func BenchmarkTop1000Over32Shards(b *testing.B) {
	st, def := newStore(b), boardOf("games", 32)
	board := newBoard(b, st, def)
	random := rand.New(rand.NewPCG(1, 2))
	load(b, st, def, spread(200_000, func(int) int64 { return int64(math.Exp(9 + 1.5*random.NormFloat64())) }))
	rows := 0
	b.ReportAllocs()
	for b.Loop() {
		top, err := board.Top(context.Background(), "xp", 1000)
		if err != nil {
			b.Fatal(err)
		}
		rows += top.RowsRead
	}
	b.ReportMetric(float64(rows)/float64(b.N), "rows/op")
}

func BenchmarkRankOfScore(b *testing.B) {
	st, def := newStore(b), boardOf("games", 32)
	board := newBoard(b, st, def)
	random := rand.New(rand.NewPCG(1, 2))
	scores := spread(200_000, func(int) int64 { return int64(math.Exp(9 + 1.5*random.NormFloat64())) })
	load(b, st, def, scores)
	publish(b, st, def, 1, scores)
	for _, mode := range []rankcurve.Mode{rankcurve.Estimate, rankcurve.Auto, rankcurve.Exact} {
		b.Run(string(mode), func(b *testing.B) {
			units := 0.0
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				_, usage, err := board.RankOfScore(context.Background(), "xp", mode, 8000+i%256)
				if err != nil {
					b.Fatal(err)
				}
				units += usage.ReadUnits()
			}
			b.ReportMetric(units/float64(b.N), "units/op")
		})
	}
}
