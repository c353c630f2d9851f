package storetest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/rankcurve/rankcurve/store"
)

var partitionSentences = []sentence{
	{"rows of a desc column are in rank order", descOrder},
	{"rows of an asc column are in rank order of their keys", ascOrder},
	{"a reversed answer is worst first", reversedOrder},
	{"From and To are inclusive", rangesInclusive},
	{"From below To is ErrInvalid", rangeUpsideDown},
	{"Count is what Rows answers, in every range and direction", countIsRows},
	{"rows of one key come in the same order everywhere", tiesSameOrder},
	{"an empty partition is no error", emptyPartitions},
	{"an owner is in the partition of its shard alone", shardOfOwner},
	{"each answer is one snapshot", oneSnapshot},
	{"a page costs half a unit per 4 KB begun", pageCosts},
}

// Ladder is a set of scores with signs, ties and the extremes.
var ladder = []int64{-store.MaxScore, -1000, -300, -7, -7, -1, 0, 0, 0, 1, 2, 9, 10, 255, 256, 300, 300, 65536, 1 << 40, store.MaxScore}

func (f *fixture) loadLadder() {
	f.Helper()
	rows := make([]store.Entry, 0, len(ladder))
	for i, score := range ladder {
		rows = append(rows, entry(fmt.Sprintf("o%02d", i*7%len(ladder)), score, score))
	}
	f.load(rows...)
	f.wantCount(f.whole("xp"), len(ladder))
	f.wantCount(f.whole("time"), len(ladder))
}

func keysOf(rows []store.Position) []int64 {
	keys := make([]int64, len(rows))
	for i, r := range rows {
		keys[i] = r.Key
	}
	return keys
}

// Select is the model of a range: keys from the best to the worst.
func selectKeys(keys []int64, from, to int64) []int64 {
	var in []int64
	for _, k := range keys {
		if k <= from && k >= to {
			in = append(in, k)
		}
	}
	slices.Sort(in)
	slices.Reverse(in)
	return in
}

func negated(keys []int64) []int64 {
	out := make([]int64, len(keys))
	for i, k := range keys {
		out[i] = -k
	}
	return out
}

func (f *fixture) rows(q store.Query) []store.Position {
	f.Helper()
	rows, err := f.readAll(q)
	if err != nil {
		f.Fatalf("rows of %s: %v", q.Partition, err)
	}
	return rows
}

func (f *fixture) wantKeys(q store.Query, want []int64) {
	f.Helper()
	if got := keysOf(f.rows(q)); !slices.Equal(got, want) {
		f.Errorf("keys of %s from %d to %d:\n got %v\nwant %v", q.Partition, q.From, q.To, got, want)
	}
}

func descOrder(f *fixture) {
	f.loadLadder()
	f.wantKeys(f.whole("xp"), selectKeys(ladder, store.MaxScore, -store.MaxScore))
}

func ascOrder(f *fixture) {
	f.loadLadder()
	f.wantKeys(f.whole("time"), selectKeys(negated(ladder), store.MaxScore, -store.MaxScore))
	e := f.entry(f.rows(f.whole("time"))[0].Owner)
	if e.Scores["time"] != -store.MaxScore {
		f.Errorf("the best of an asc column has score %d, want the smallest", e.Scores["time"])
	}
}

func reversedOrder(f *fixture) {
	f.loadLadder()
	for _, column := range []string{"xp", "time"} {
		f.wantReversed(f.whole(column))
	}
}

// WantReversed holds a selection against the same in the other direction.
func (f *fixture) wantReversed(q store.Query) {
	f.Helper()
	forward := f.rows(q)
	q.Reverse = true
	backward := f.rows(q)
	slices.Reverse(backward)
	if !slices.Equal(forward, backward) {
		f.Errorf("%s: reversed answer is not the answer reversed:\n%v\n%v", q.Partition, forward, backward)
	}
}

func rangesInclusive(f *fixture) {
	f.loadLadder()
	for _, column := range []string{"xp", "time"} {
		keys := ladder
		if column == "time" {
			keys = negated(ladder)
		}
		for _, r := range [][2]int64{{300, 300}, {300, -7}, {299, -6}, {301, 10}, {0, 0}, {5, 3}, {-2, -6}, {-1, -1}, {store.MaxScore, store.MaxScore}, {-store.MaxScore, -store.MaxScore}} {
			q := f.whole(column)
			q.From, q.To = r[0], r[1]
			want := selectKeys(keys, r[0], r[1])
			f.wantKeys(q, want)
			q.Reverse = true
			slices.Reverse(want)
			f.wantKeys(q, want)
		}
	}
}

func rangeUpsideDown(f *fixture) {
	q := f.whole("xp")
	q.From, q.To = 1, 2
	_, err := f.Rows(f.ctx, q)
	f.wantError(err, store.ErrInvalid)
	_, err = f.Count(f.ctx, q)
	f.wantError(err, store.ErrInvalid)
}

func countIsRows(f *fixture) {
	f.loadLadder()
	for _, reverse := range []bool{false, true} {
		for _, limit := range []int{0, 1, 3, len(ladder), len(ladder) + 1} {
			for _, from := range []int64{store.MaxScore, 300, 0} {
				for _, to := range []int64{0, -7, -store.MaxScore} {
					q := f.whole("xp")
					q.From, q.To, q.Limit, q.Reverse = from, to, limit, reverse
					f.compareCount(q)
				}
			}
		}
	}
}

// CompareCount follows the pages of both reads side by side.
func (f *fixture) compareCount(q store.Query) {
	f.Helper()
	for {
		rows, err := f.Rows(f.ctx, q)
		if err != nil {
			f.Fatal(err)
		}
		count, err := f.Count(f.ctx, q)
		if err != nil {
			f.Fatal(err)
		}
		if count.Count != int64(len(rows.Rows)) || !samePlace(rows.Last, count.Last) || !f.sameUsage(rows.Usage, count.Usage) {
			f.Fatalf("%+v:\n Rows %d, last %v, used %v\nCount %d, last %v, used %v", q,
				len(rows.Rows), rows.Last, rows.Usage, count.Count, count.Last, count.Usage)
		}
		if rows.Last == nil {
			return
		}
		q.After = rows.Last
	}
}

func samePlace(a, b *store.Position) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func tiesSameOrder(f *fixture) {
	rows := make([]store.Entry, 0, 40)
	for i := range 40 {
		rows = append(rows, entry(fmt.Sprintf("o%d", i), int64(i%3), 5))
	}
	f.load(rows...)
	f.wantCount(f.whole("xp"), 40)
	whole := f.rows(f.whole("xp"))
	one := f.whole("xp")
	one.From, one.To = 1, 1
	var tied []store.Position
	for _, r := range whole {
		if r.Key == 1 {
			tied = append(tied, r)
		}
	}
	f.wantAnswer(one, tied...)
	one.Limit = 4
	f.wantAnswer(one, tied...)
	one.Reverse = true
	slices.Reverse(tied)
	f.wantAnswer(one, tied...)
}

func emptyPartitions(f *fixture) {
	unmade := f.whole("xp")
	unmade.Partition.Board = "never-made"
	unheard := f.whole("xp")
	unheard.Partition.Shard = 35
	f.put(entry("ann", 5, 5))
	outside := f.whole("xp")
	outside.From = 4
	f.wantRows("xp", at(5, "ann"))
	f.wantEmpty(map[string]store.Query{"board never made": unmade, "shard": unheard, "range": outside})
}

// WantEmpty asks for selections in which there is nothing.
func (f *fixture) wantEmpty(queries map[string]store.Query) {
	f.Helper()
	for name, q := range queries {
		page, err := f.Rows(f.ctx, q)
		if err != nil || len(page.Rows) != 0 || page.Last != nil || !isHalfUnit(page.Usage) {
			f.Errorf("%s: Rows answered %+v, %v; want nothing for half a unit", name, page, err)
		}
		count, err := f.Count(f.ctx, q)
		if err != nil || count.Count != 0 || count.Last != nil || !isHalfUnit(count.Usage) {
			f.Errorf("%s: Count answered %+v, %v; want nothing for half a unit", name, count, err)
		}
	}
}

// isHalfUnit is the price of an empty answer. An emulator may charge nothing.
func isHalfUnit(u store.Usage) bool {
	return u.IndexReads == 0.5 || u.IndexReads == 0 && u.Requests > 0
}

func shardOfOwner(f *fixture) {
	f.board = boardOf("sharded", 37) // shards of two different first digits
	f.createBoard(f.board)
	rows := make([]store.Entry, 0, 120)
	names := make([]string, 0, 120)
	for i := range 120 {
		names = append(names, fmt.Sprintf("o%d", i))
		rows = append(rows, entry(names[i], int64(i), int64(i)))
	}
	f.load(rows[:60]...)
	for i, err := range f.putAll(rows[60:]...) {
		if err != nil {
			f.Fatalf("put %d: %v", i, err)
		}
	}
	f.wantShards("xp", names)
	f.wantShards("time", names)
}

// OneSnapshot moves a row up and down past others while reading: it must be seen
// once in every answer, and never twice or not at all. Where indexes lag that is
// true of the others alone.
func oneSnapshot(f *fixture) {
	e := f.put(entry("mover", 0, 0))
	for i := range 20 {
		f.put(entry(fmt.Sprintf("o%d", i), int64(i*10+5), 0))
	}
	f.wantCount(f.whole("xp"), 21)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 100 {
			e.Scores["xp"] = int64(i % 2 * 1000)
			if _, err := f.Put(f.ctx, f.board, e); err != nil {
				f.Errorf("put: %v", err)
				return
			}
			e.Version++
		}
	})
	for range 100 {
		page, err := f.Rows(f.ctx, f.whole("xp"))
		rows, want := page.Rows, 21
		if f.lags {
			rows, want = slices.DeleteFunc(rows, func(r store.Position) bool { return r.Owner == "mover" }), 20
		}
		if err != nil || len(rows) != want {
			f.Errorf("%d rows, %v; want %d", len(rows), err, want)
			break
		}
	}
	wg.Wait()
}

func pageCosts(f *fixture) {
	const n = 700
	rows := make([]store.Entry, 0, n)
	for i := range n {
		rows = append(rows, entry(fmt.Sprintf("owner-with-a-name-%d", i), int64(i*i), 0))
	}
	f.load(rows...)
	f.wantCount(f.whole("xp"), n)
	f.wantPrice(f.whole("xp"), 1, 10, 200, 0)
}

// WantPrice reads pages of these limits and adds up what their rows cost.
func (f *fixture) wantPrice(q store.Query, limits ...int) {
	f.Helper()
	for _, limit := range limits {
		q.Limit = limit
		page, err := f.Rows(f.ctx, q)
		if err != nil {
			f.Fatal(err)
		}
		bytes := indexBytes(q, page)
		if want := store.IndexReadUnits(bytes); !about(page.Usage.IndexReads, want) || !f.oneRequest(page.Usage) || page.Usage.TableReads != 0 {
			f.Errorf("a page of %d rows used %+v, want about %v index reads", len(page.Rows), page.Usage, want)
		}
	}
}

// IndexBytes is the size of a page's rows in the index.
func indexBytes(q store.Query, page store.Page) (bytes int) {
	for _, r := range page.Rows {
		bytes += store.IndexEntrySize(q.Partition, r.Key, r.Owner)
	}
	return bytes
}
