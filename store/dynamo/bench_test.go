package dynamo_test

import (
	"fmt"
	"testing"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// BenchmarkLoad loads batches of fresh rows; against dynalite it measures dynalite.
func BenchmarkLoad(b *testing.B) {
	const batch = 500
	admin := client(servers.DynamoDB(b))
	st := open(b, admin, newTable(b, admin, "xp", "time"))
	rows := make([]store.Entry, batch)
	for n := 0; b.Loop(); n++ {
		for i := range rows {
			rows[i] = ann(int64(i))
			rows[i].Owner = fmt.Sprintf("player-%d-%d", n, i)
		}
		if _, err := st.Load(bg, board(16), rows); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkCount counts a partition of 2,000 rows in one page.
func BenchmarkCount(b *testing.B) {
	const n = 2000
	admin := client(servers.DynamoDB(b))
	st := open(b, admin, newTable(b, admin, "xp", "time"))
	if err := st.CreateBoard(bg, board(1)); err != nil {
		b.Fatal(err)
	}
	rows := make([]store.Entry, n)
	for i := range rows {
		rows[i] = ann(int64(i))
		rows[i].Owner = fmt.Sprint("player-", i)
	}
	if _, err := st.Load(bg, board(1), rows); err != nil {
		b.Fatal(err)
	}
	q := store.Query{Partition: board(1).Partition("xp", 0), From: n, To: 0}
	for b.Loop() {
		if page, err := st.Count(bg, q); err != nil || page.Count != n {
			b.Fatal(page, err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
