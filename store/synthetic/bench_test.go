package synthetic_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

var bg = context.Background()

var column = store.Column{Name: "xp", Order: store.Desc, Operator: store.Sum}

func boardOf(shards int, columns ...store.Column) store.Board {
	return store.Board{Name: "games", Shards: shards, Columns: columns}
}

func made(tb testing.TB, b store.Board, o synthetic.Options) *synthetic.Store {
	tb.Helper()
	st, err := synthetic.New(b, o)
	if err != nil {
		tb.Fatal(err)
	}
	return st
}

// A still board has one draw in each node, a changing one about ten.
var churns = []struct {
	name  string
	churn synthetic.Churn
	tick  float64
}{
	{"still", synthetic.Churn{}, 0},
	{"churning", synthetic.Churn{Rescored: 0.005, Replaced: 0.001, Newcomers: 0.001, Gain: 0.001}, 77},
}

func benchmarked(b *testing.B, run func(b *testing.B, st *synthetic.Store, board store.Board)) {
	b.Helper()
	for _, entries := range []int64{1e6, 1e9} {
		for _, c := range churns {
			b.Run(fmt.Sprintf("entries=%.0e/%s", float64(entries), c.name), func(b *testing.B) {
				board := boardOf(1024, column)
				run(b, made(b, board, synthetic.Options{Entries: entries, Churn: c.churn}).At(c.tick), board)
			})
		}
	}
}

// BenchmarkCount counts an interval of a tenth of the scores in a shard.
func BenchmarkCount(b *testing.B) {
	benchmarked(b, func(b *testing.B, st *synthetic.Store, board store.Board) {
		b.Helper()
		var rows int64
		for i := 0; b.Loop(); i++ {
			page, err := st.Count(bg, store.Query{Partition: board.Partition("xp", i%1024), From: 1200, To: 1000})
			if err != nil {
				b.Fatal(err)
			}
			rows += page.Count
		}
		b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "entries/s")
	})
}

// BenchmarkRows reads the first page of a shard, up to 1 MB of it.
func BenchmarkRows(b *testing.B) {
	benchmarked(b, func(b *testing.B, st *synthetic.Store, board store.Board) {
		b.Helper()
		var rows int
		for i := 0; b.Loop(); i++ {
			page, err := st.Rows(bg, store.Query{Partition: board.Partition("xp", i%1024), From: store.MaxScore, To: -store.MaxScore})
			if err != nil {
				b.Fatal(err)
			}
			rows += len(page.Rows)
		}
		b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "entries/s")
	})
}

// BenchmarkNew makes a store.
func BenchmarkNew(b *testing.B) {
	board := boardOf(1024, column)
	b.ReportAllocs()
	for b.Loop() {
		made(b, board, synthetic.Options{Entries: 1e9})
	}
}
