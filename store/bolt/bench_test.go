package bolt_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

var bg = context.Background()

func benchBoard(shards int) store.Board {
	return store.Board{Name: "bench", Shards: shards, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Sum}}}
}

func randomRows(n int) []store.Entry {
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([]store.Entry, n)
	for i := range rows {
		rows[i] = store.Entry{Owner: fmt.Sprintf("player-%08x-%d", random.Uint32(), i), Scores: map[string]int64{"xp": random.Int64N(1 << 20)}}
	}
	return rows
}

// BenchmarkLoad loads batches of 250,000 rows into 16 shards, each durably: the
// first into a fresh board, the fourth between the rows of three others.
func BenchmarkLoad(b *testing.B) {
	const batch = 250_000
	rows := randomRows(4 * batch)
	for _, before := range []int{0, 3} {
		b.Run(fmt.Sprintf("after=%d", before*batch), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				s := open(b, filepath.Join(b.TempDir(), "bench.db"))
				for i := range before {
					mustLoad(b, s, benchBoard(16), rows[i*batch:(i+1)*batch])
				}
				b.StartTimer()
				mustLoad(b, s, benchBoard(16), rows[before*batch:(before+1)*batch])
				b.StopTimer()
				_ = s.Close()
			}
			b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func mustLoad(tb testing.TB, s *bolt.Store, b store.Board, rows []store.Entry) {
	tb.Helper()
	if _, err := s.Load(bg, b, rows); err != nil {
		tb.Fatal(err)
	}
}

func benchStore(b *testing.B) (*bolt.Store, store.Query) {
	b.Helper()
	s := open(b, filepath.Join(b.TempDir(), "bench.db"), bolt.NoSync())
	board := benchBoard(1)
	mustLoad(b, s, board, randomRows(200_000))
	return s, store.Query{Partition: board.Partition("xp", 0), From: store.MaxScore, To: -store.MaxScore}
}

// BenchmarkCount counts a partition of 200,000 rows, page by page.
func BenchmarkCount(b *testing.B) {
	s, whole := benchStore(b)
	b.ReportAllocs()
	var counted int64
	for b.Loop() {
		for q := whole; ; {
			page, err := s.Count(bg, q)
			if err != nil {
				b.Fatal(err)
			}
			counted += page.Count
			if page.Last == nil {
				break
			}
			q.After = page.Last
		}
	}
	b.ReportMetric(float64(counted)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkTop100 reads the best hundred rows.
func BenchmarkTop100(b *testing.B) {
	s, q := benchStore(b)
	q.Limit = 100
	b.ReportAllocs()
	for b.Loop() {
		if page, err := s.Rows(bg, q); err != nil || len(page.Rows) != 100 {
			b.Fatal(len(page.Rows), err)
		}
	}
}

// BenchmarkPut posts durably from many goroutines, which share commits.
func BenchmarkPut(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "bench.db"))
	board := benchBoard(16)
	rows := randomRows(b.N)
	next := make(chan store.Entry, len(rows))
	for _, r := range rows {
		next <- r
	}
	b.SetParallelism(64)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Put(bg, board, <-next); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkOpen opens a file of 200,000 rows.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bench.db")
	s := open(b, path, bolt.NoSync())
	mustLoad(b, s, benchBoard(16), randomRows(200_000))
	_ = s.Close()
	for b.Loop() {
		s, err := bolt.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}
