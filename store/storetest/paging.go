package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rankcurve/rankcurve/store"
)

var pagingSentences = []sentence{
	{"a page ends after Limit rows", pageEndsAtLimit},
	{"After continues behind a place, in both directions", afterContinues},
	{"After continues behind a row that has gone", afterGoneRow},
	{"Last is nil when the selection is exhausted", lastWhenExhausted},
	{"Last may be there when a Limit hits the end", lastAtExactEnd},
	{"a page ends at PageBytes", pageEndsAtBytes},
	{"a negative Limit is ErrInvalid", negativeLimit},
}

func pageEndsAtLimit(f *fixture) {
	f.loadLadder()
	for limit := 1; limit < len(ladder); limit += 3 {
		f.wantLimited(f.whole("xp"), limit)
	}
}

// WantLimited reads the first page of a selection that holds more rows than that.
func (f *fixture) wantLimited(q store.Query, limit int) {
	f.Helper()
	whole := f.rows(q)
	q.Limit = limit
	page, err := f.Rows(f.ctx, q)
	if err != nil || !slices.Equal(page.Rows, whole[:limit]) {
		f.Errorf("limit %d: %v, %v; want %v", limit, page.Rows, err, whole[:limit])
	}
	if page.Last == nil || *page.Last != whole[limit-1] {
		f.Errorf("limit %d: last %v, want %v", limit, page.Last, whole[limit-1])
	}
}

func afterContinues(f *fixture) {
	f.loadLadder()
	for _, column := range []string{"xp", "time"} {
		f.wantContinued(f.whole(column), 1, 2, 7)
	}
}

// WantContinued reads a selection in pages of these limits, in both directions.
func (f *fixture) wantContinued(q store.Query, limits ...int) {
	f.Helper()
	for _, q.Reverse = range []bool{false, true} {
		q.Limit = 0
		want := f.rows(q)
		for _, q.Limit = range limits {
			if got := f.rows(q); !slices.Equal(got, want) {
				f.Errorf("%s, reversed %t, limit %d:\n got %v\nwant %v", q.Partition, q.Reverse, q.Limit, got, want)
			}
			f.compareCount(q)
		}
	}
}

func afterGoneRow(f *fixture) {
	for i := range 5 {
		f.put(entry(fmt.Sprintf("o%d", i), int64(i), 0))
	}
	f.wantCount(f.whole("xp"), 5)
	if _, err := f.Delete(f.ctx, f.board, "o2", 1); err != nil {
		f.Fatal(err)
	}
	f.wantCount(f.whole("xp"), 4)
	gone := at(2, "o2")
	q := f.whole("xp")
	q.After = &gone
	f.wantAnswer(q, at(1, "o1"), at(0, "o0"))
	q.Reverse = true
	f.wantAnswer(q, at(3, "o3"), at(4, "o4"))
}

func lastWhenExhausted(f *fixture) {
	f.loadLadder()
	for _, limit := range []int{0, len(ladder) + 1} {
		q := f.whole("xp")
		q.Limit = limit
		page, err := f.Rows(f.ctx, q)
		if err != nil || page.Last != nil || len(page.Rows) != len(ladder) {
			f.Errorf("limit %d: %d rows, last %v, %v; want all and none", limit, len(page.Rows), page.Last, err)
		}
	}
	final := f.rows(f.whole("xp"))[len(ladder)-1]
	q := f.whole("xp")
	q.After = &final
	f.wantAnswer(q)
}

func lastAtExactEnd(f *fixture) {
	f.loadLadder()
	q := f.whole("xp")
	q.Limit = len(ladder)
	page, err := f.Rows(f.ctx, q)
	if err != nil || len(page.Rows) != len(ladder) {
		f.Fatalf("%d rows, %v", len(page.Rows), err)
	}
	if page.Last == nil {
		return
	}
	q.After = page.Last
	f.wantAnswer(q)
}

// PageEndsAtBytes reads 1.4 MB of long owners' names. Backends may differ a little
// in what they count as an entry's size.
func pageEndsAtBytes(f *fixture) {
	const n = 5600
	f.board = store.Board{Name: "wide", Shards: 1, Columns: boardOf("", 1).Columns[:1]}
	f.createBoard(f.board)
	rows := make([]store.Entry, n)
	for i := range rows {
		rows[i] = store.Entry{Owner: fmt.Sprintf("%06d", i) + strings.Repeat("x", 224), Scores: map[string]int64{"xp": int64(i)}}
	}
	f.load(rows...)
	for _, reverse := range []bool{false, true} {
		q := f.whole("xp")
		q.Reverse = reverse
		f.wantCount(q, n)
		f.wantFullPage(q)
	}
}

// WantFullPage reads the first page of a selection of more than PageBytes.
func (f *fixture) wantFullPage(q store.Query) {
	f.Helper()
	page, err := f.Rows(f.ctx, q)
	if err != nil {
		f.Fatal(err)
	}
	bytes := indexBytes(q, page)
	if page.Last == nil || !about(float64(bytes), store.PageBytes) || !about(page.Usage.IndexReads, 128) {
		f.Errorf("a page of %d bytes, last %v, used %v; want one of 1 MB for 128 units", bytes, page.Last, page.Usage)
	}
	f.compareCount(q)
}

func negativeLimit(f *fixture) {
	q := f.whole("xp")
	q.Limit = -1
	_, err := f.Rows(f.ctx, q)
	f.wantError(err, store.ErrInvalid)
	_, err = f.Count(f.ctx, q)
	f.wantError(err, store.ErrInvalid)
}
