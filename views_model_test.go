package rankcurve_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// All views of a random board tell one story, that of a plain sorted list: any order,
// shards, ties, hidden and removed owners, sizes and lengths of the store's pages.
func TestViewsTellOneStory(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		var boards, checks atomic.Int64
		most := int64(1 << 30)
		if !on.sorted {
			most = 12 // each is some hundreds of requests
		}
		rapid.Check(t, func(t *rapid.T) {
			if checks.Add(1) > most {
				return
			}
			tellStory(t, on, fmt.Sprintf("b%d", boards.Add(1)))
		})
	})
}

func tellStory(t *rapid.T, on backend, name string) {
	ctx := context.Background()
	order := rapid.SampledFrom([]store.Order{store.Desc, store.Asc}).Draw(t, "order")
	def := boardOf(name, rapid.IntRange(1, 9).Draw(t, "shards"), store.Column{Name: "xp", Order: order, Operator: store.Set})
	scores, gone := drawBoard(t, on, def)
	b, err := rankcurve.Open(ctx, &double{Store: on, pageRows: rapid.IntRange(0, 7).Draw(t, "rows of a page")}, name)
	if err != nil {
		t.Fatal(err)
	}
	want := oracle(def.Columns[0], scores)

	n := rapid.IntRange(1, 60).Draw(t, "n")
	top, err := b.Top(ctx, "", n)
	if err != nil {
		t.Fatal(err)
	}
	on.wantRows(t, "top", scores, top.Rows, want[:min(n, len(want))])

	rows, _ := allPages(t, b, rankcurve.PageQuery{Size: rapid.IntRange(1, 40).Draw(t, "size")})
	on.wantRows(t, "pages", scores, rows, want)

	owners := slices.Sorted(maps.Keys(scores))
	checkOwners(t, b, scores, gone, owners)
	if len(owners) == 0 {
		return
	}
	for range 3 {
		owner, k := rapid.SampledFrom(owners).Draw(t, "owner"), rapid.IntRange(1, 12).Draw(t, "k")
		around, err := b.Around(ctx, "xp", rankcurve.Exact, owner, k)
		if err != nil {
			t.Fatal(err)
		}
		better, pivot, worse := window(want, owner, k)
		on.wantRows(t, "around "+owner+": better", scores, rowsOf(around.Better), better)
		on.wantRows(t, "around "+owner+": worse", scores, rowsOf(around.Worse), worse)
		on.wantRows(t, "around "+owner, scores, rowsOf([]rankcurve.Rank{around.Pivot}), []rankcurve.Row{pivot})
		wantConsistent(t, def.Columns[0], slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse))
	}
	score := rapid.Int64Range(-12, 12).Draw(t, "score")
	around, err := b.AroundScore(ctx, "xp", rankcurve.Exact, score, 5)
	if err != nil || around.Pivot.Rank != rankAmong(def.Columns[0], scores, score) {
		t.Fatalf("around score %d: %+v, %v", score, around.Pivot, err)
	}
	at := int(around.Pivot.Rank) - 1
	on.wantRows(t, "around a score: better", scores, rowsOf(around.Better), want[max(0, at-5):at])
	on.wantRows(t, "around a score: not better", scores, rowsOf(around.Worse), want[at:min(len(want), at+5)])
}

// drawBoard stores a board, then hides and removes some of it. Few scores make ties.
func drawBoard(t *rapid.T, on backend, def store.Board) (scores map[string]int64, gone []string) {
	ctx := context.Background()
	if err := on.CreateBoard(ctx, def.Stamped(newClock().Now())); err != nil {
		t.Fatal(err)
	}
	highest := rapid.SampledFrom([]int64{0, 1, 3, 10, 1000}).Draw(t, "highest score")
	scores = spread(rapid.IntRange(0, 120).Draw(t, "entries"), func(int) int64 {
		return rapid.Int64Range(-highest, highest).Draw(t, "score")
	})
	entries := make([]store.Entry, 0, len(scores))
	for owner, score := range scores {
		entries = append(entries, store.Entry{Owner: owner, Scores: map[string]int64{"xp": score}})
	}
	if _, err := on.Load(ctx, def, entries); err != nil {
		t.Fatal(err)
	}
	for _, owner := range slices.Sorted(maps.Keys(scores)) {
		var err error
		switch rapid.SampledFrom([]string{"", "", "", "", "", "hide", "remove"}).Draw(t, "what becomes of "+owner) {
		case "hide":
			_, err = on.Put(ctx, def, store.Entry{Owner: owner, Scores: map[string]int64{"xp": scores[owner]}, Hidden: true, Version: 1})
		case "remove":
			_, err = on.Delete(ctx, def, owner, 1)
		default:
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		delete(scores, owner)
		gone = append(gone, owner)
	}
	return scores, gone
}

// checkOwners compares everybody's rank with counting, and finds nobody who is gone.
func checkOwners(t *rapid.T, b *rankcurve.Board, scores map[string]int64, gone, owners []string) {
	results, _, err := b.Owners(context.Background(), rankcurve.RankIn{Columns: []string{"xp"}, Mode: rankcurve.Exact}, append(slices.Clone(gone), owners...)...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if i < len(gone) {
			if r.Err == nil || len(r.Scores) > 0 || r.Owner != gone[i] {
				t.Fatalf("%s is gone, and there: %+v", gone[i], r)
			}
			continue
		}
		want := rankAmong(b.Definition().Columns[0], scores, r.Scores["xp"])
		if r.Err != nil || r.Scores["xp"] != scores[r.Owner] || len(r.Ranks) != 1 || r.Ranks[0].Rank.Rank != want || r.Ranks[0].Of != int64(len(scores)) {
			t.Fatalf("%+v, want rank %d of %d", r, want, len(scores))
		}
	}
}
