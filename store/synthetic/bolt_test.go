package synthetic_test

import (
	"path/filepath"
	"testing"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

// asBolt is the same rows, held by the embedded store.
func asBolt(t *testing.T, st *synthetic.Store, board store.Board) *bolt.Store {
	t.Helper()
	held, err := bolt.Open(filepath.Join(t.TempDir(), "rankcurve.db"), bolt.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.Close() })
	entries := make([]store.Entry, 0, 40_000)
	for number := range size(t, st) {
		owner, err := st.Owner(number)
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := st.Entry(bg, board, owner)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if _, err := held.Load(bg, board, entries); err != nil {
		t.Fatal(err)
	}
	return held
}

// The embedded store counts every row and byte that it passes. It orders the rows of
// one key by their owners, so those are not compared.
func TestPagesAndPricesAreThoseOfTheEmbeddedStore(t *testing.T) {
	board := boardOf(1, column, store.Column{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2})
	st := made(t, board, synthetic.Options{
		Entries: 35_000, Seed: 8,
		Columns: map[string]synthetic.Model{"time": {Shape: synthetic.Elo, Scale: 90, Spread: 120, Atom: synthetic.Atom{Share: 0.2, Score: 60.5}}},
		Churn:   synthetic.Churn{Rescored: 0.01, Newcomers: 0.001, Shift: -20},
	}).At(50)
	held := asBolt(t, st, board)
	pages := 0
	for _, name := range []string{"xp", "time"} {
		for _, reverse := range []bool{false, true} {
			for _, limit := range []int{0, 5000} {
				for _, r := range [][2]int64{{store.MaxScore, -store.MaxScore}, {0, -100_000}, {1500, -3}, {-999, -1000}, {9, 9}, {-6050, -6050}} {
					q := store.Query{Partition: board.Partition(name, 0), From: r[0], To: r[1], Reverse: reverse, Limit: limit}
					pages += comparePages(t, st, held, q)
				}
			}
		}
	}
	if pages < 70 {
		t.Errorf("compared %d pages: the board is not what the test is for", pages)
	}
	owner, _ := st.Owner(77)
	_, a, _ := st.Entry(bg, board, owner)
	_, b, _ := held.Entry(bg, board, owner)
	if a != b {
		t.Errorf("an entry used %v, and %v", a, b)
	}
}

func comparePages(t *testing.T, st, held store.Partitions, q store.Query) (pages int) {
	t.Helper()
	other := q
	for {
		mine, err := st.Rows(bg, q)
		theirs, err2 := held.Rows(bg, other)
		counted, err3 := st.Count(bg, q)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		if len(mine.Rows) != len(theirs.Rows) || mine.Usage != theirs.Usage || (mine.Last == nil) != (theirs.Last == nil) ||
			counted.Count != int64(len(mine.Rows)) || counted.Usage != mine.Usage {
			t.Fatalf("%+v: %d rows, %v, last %v; counted %d, %v; the embedded store: %d rows, %v, last %v", q,
				len(mine.Rows), mine.Usage, mine.Last, counted.Count, counted.Usage, len(theirs.Rows), theirs.Usage, theirs.Last)
		}
		for i := range mine.Rows {
			if mine.Rows[i].Key != theirs.Rows[i].Key {
				t.Fatalf("%+v: row %d has key %d, in the embedded store %d", q, i, mine.Rows[i].Key, theirs.Rows[i].Key)
			}
		}
		pages++
		if mine.Last == nil {
			return pages
		}
		q.After, other.After = mine.Last, theirs.Last
	}
}
