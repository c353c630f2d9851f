package dynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// unfit is how many rows of mixed are left out of a column. Two more are beyond all
// scores, and so in no selection.
const unfit = 6

// mixed is a partition of rows with scores as other programs wrote them: among those
// that the column can hold are some that it cannot.
func mixed(t *testing.T) (st *dynamo.Store, table string) {
	t.Helper()
	admin := client(servers.DynamoDB(t))
	table = newTable(t, admin, "xp", "time")
	st = open(t, admin, table)
	if err := st.CreateBoard(bg, board(1)); err != nil {
		t.Fatal(err)
	}
	for i, scores := range [][2]string{
		{"7", "7.01"},
		{"7", "7.01"},
		{"7", "7.02"},
		{"6.5", "7.015"},
		{"6.2", "7.011"},
		{"6", "6.99"},
		{"6", "-0.01"},
		{"0.5", "0.001"},
		{"0", "0"},
		{"-0.5", "-0.001"},
		{"-1", "-0.02"},
		{"-1.25", "-7.005"},
		{"-2", "-7"},
		{"1E30", "1E30"},
		{"-1E-30", "1E-30"},
		{"1E37", "-1E37"},
		{"1e2", "1e2"},
	} {
		put(t, admin, table, map[string]types.AttributeValue{
			"o": s(fmt.Sprintf("o'%02d", i)), "b": s("missions"), "g": s("missions#00"), "xp": n(scores[0]), "time": n(scores[1]),
		})
	}
	return st, table
}

// One row that the column cannot hold does not take the others with it: they are read
// once each, in order, whatever the pages' length and wherever a page ends.
func TestRowsThatTheColumnCannotHoldAreLeftOut(t *testing.T) {
	st, table := mixed(t)
	want := map[string][]int64{
		"xp":   {100, 7, 7, 7, 6, 6, 0, -1, -2},
		"time": {700, 2, 1, 0, -699, -701, -701, -702, -10000},
	}
	for column, keys := range want {
		for _, reverse := range []bool{false, true} {
			if reverse {
				keys = slices.Clone(keys)
				slices.Reverse(keys)
			}
			for _, limit := range []int{0, 1, 2, 3, 4, 5, 7, 11} {
				q := store.Query{Partition: board(1).Partition(column, 0), From: store.MaxScore, To: -store.MaxScore, Reverse: reverse, Limit: limit}
				name := fmt.Sprintf("%s, reverse %t, limit %d", column, reverse, limit)
				got, u := everyRow(t, st, q)
				if !slices.Equal(got, keys) {
					t.Errorf("%s: rows %v, want %v", name, got, keys)
				}
				// One that lies right behind a page's end is passed by unread.
				if u.Skipped > unfit || u.Skipped == 0 || limit == 0 && u.Skipped != unfit {
					t.Errorf("%s: %d rows were left out, want %d", name, u.Skipped, unfit)
				}
				for _, words := range []string{`owner "o'`, "on board \"missions\": attribute " + column, "docs/schema.md", "aws dynamodb delete-item --table-name " + table, `'\''`} {
					if !strings.Contains(u.SkippedRow, words) {
						t.Errorf("%s: %q does not say %q", name, u.SkippedRow, words)
					}
				}
				countsAgree(t, st, q, name, keys)
			}
		}
	}
}

func everyRow(t *testing.T, st *dynamo.Store, q store.Query) (keys []int64, u store.Usage) {
	t.Helper()
	seen := map[string]bool{}
	for {
		page, err := st.Rows(bg, q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Rows) == 0 && page.Last != nil || q.Limit > 0 && len(page.Rows) > q.Limit {
			t.Fatalf("%d rows of %d asked for, and the page ended at %v", len(page.Rows), q.Limit, page.Last)
		}
		for _, row := range page.Rows {
			if seen[row.Owner] {
				t.Fatalf("%s came twice", row.Owner)
			}
			seen[row.Owner] = true
			keys = append(keys, row.Key)
		}
		u.Add(page.Usage)
		if page.Last == nil {
			return keys, u
		}
		q.After = page.Last
	}
}

// countsAgree holds against the rows: where a page of a COUNT ended, as many rows are
// behind it as it had left, not one skipped or double, and the same to go on with.
func countsAgree(t *testing.T, st *dynamo.Store, q store.Query, name string, keys []int64) {
	t.Helper()
	whole := q
	whole.Limit = 0
	counted := int64(0)
	for {
		page, err := st.Count(bg, q)
		if err != nil {
			t.Fatal(err)
		}
		if counted += page.Count; q.Limit > 0 && page.Count > int64(q.Limit) {
			t.Fatalf("%s: counted %d", name, page.Count)
		}
		if page.Last == nil {
			break
		}
		whole.After, q.After = page.Last, page.Last
		rest, _ := everyRow(t, st, whole)
		before := keys[:len(keys)-len(rest)]
		if !slices.Equal(rest, keys[len(before):]) || counted < int64(len(before)) {
			t.Fatalf("%s: %d counted up to %v, behind which are %v of %v", name, counted, *page.Last, rest, keys)
		}
		for _, key := range before {
			if key < page.Last.Key != q.Reverse && key != page.Last.Key {
				t.Fatalf("%s: %d is before %v", name, key, *page.Last)
			}
		}
	}
	if counted < int64(len(keys)) || counted > int64(len(keys)+unfit) {
		t.Errorf("%s: counted %d of %d rows and %d that are left out", name, counted, len(keys), unfit)
	}
}

// A rank that is counted grows with the score's place, whatever rows lie between.
func TestCountsGrowAcrossRowsThatAreLeftOut(t *testing.T) {
	st, _ := mixed(t)
	for _, column := range []string{"xp", "time"} {
		before := int64(-1)
		for key := int64(10_100); key >= -10_100; key -= 37 {
			page, err := st.Count(bg, store.Query{Partition: board(1).Partition(column, 0), From: store.MaxScore, To: key})
			if err != nil || page.Last != nil || page.Count < before {
				t.Fatalf("%s: %d from %d up, %d before: %v", column, page.Count, key, before, err)
			}
			before = page.Count
		}
	}
}
