package rankcurve_test

import (
	"context"
	"errors"
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
	order := rapid.SampledFrom([]store.Order{store.Desc, store.Asc}).Draw(t, "order")
	def := boardOf(name, rapid.IntRange(1, 9).Draw(t, "shards"), store.Column{Name: "xp", Order: order, Operator: store.Set})
	scores, gone := drawBoard(t, on, def)
	b, err := rankcurve.Open(context.Background(), &double{Store: on, pageRows: rapid.IntRange(0, 7).Draw(t, "rows of a page")}, name)
	if err != nil {
		t.Fatal(err)
	}
	checkViews(t, story{on, b, def.Columns[0], scores, gone}, drawSizes(t, scores))
}

// A story is what all views of a column must tell.
type story struct {
	on     backend
	board  *rankcurve.Board
	column store.Column
	scores map[string]int64 // of everyone who is ranked
	gone   []string         // hidden, or removed
}

// Sizes are how much of a board its views ask for.
type sizes struct {
	top, page, around int
	owners            []string // to ask around
	score             int64    // to ask around
}

func drawSizes(t *rapid.T, scores map[string]int64) sizes {
	z := sizes{
		top: rapid.IntRange(1, 60).Draw(t, "n"), page: rapid.IntRange(1, 40).Draw(t, "size"),
		around: rapid.IntRange(1, 12).Draw(t, "k"), score: rapid.Int64Range(-12, 12).Draw(t, "score"),
	}
	if len(scores) > 0 {
		z.owners = rapid.SliceOfN(rapid.SampledFrom(slices.Sorted(maps.Keys(scores))), 1, 3).Draw(t, "owners")
	}
	return z
}

// checkViews holds every view against a plain sorted list.
func checkViews(t tester, s story, z sizes) {
	t.Helper()
	ctx, on, b, scores, column := context.Background(), s.on, s.board, s.scores, s.column.Name
	want := oracle(s.column, scores)
	top, err := b.Top(ctx, column, z.top)
	if err != nil {
		t.Fatalf("%v", err)
	}
	on.wantRows(t, "top", scores, top.Rows, want[:min(z.top, len(want))])

	rows, _ := allPages(t, b, rankcurve.PageQuery{Column: column, Size: z.page})
	on.wantRows(t, "pages", scores, rows, want)

	checkOwners(t, s)
	for _, owner := range z.owners {
		around, err := b.Around(ctx, column, rankcurve.Exact, owner, z.around)
		if err != nil {
			t.Fatalf("%v", err)
		}
		better, pivot, worse := window(want, owner, z.around)
		on.wantRows(t, "around "+owner+": better", scores, rowsOf(around.Better), better)
		on.wantRows(t, "around "+owner+": worse", scores, rowsOf(around.Worse), worse)
		on.wantRows(t, "around "+owner, scores, rowsOf([]rankcurve.Rank{around.Pivot}), []rankcurve.Row{pivot})
		wantConsistent(t, s.column, slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse))
	}
	for _, owner := range s.gone {
		if _, err := b.Around(ctx, column, rankcurve.Exact, owner, z.around); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("around %s, who is gone: %v, want ErrNotFound", owner, err)
		}
	}
	if len(scores) == 0 {
		return
	}
	around, err := b.AroundScore(ctx, column, rankcurve.Exact, z.score, 5)
	if err != nil || around.Pivot.Rank != rankAmong(s.column, scores, z.score) {
		t.Fatalf("around score %d: %+v, %v", z.score, around.Pivot, err)
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
func checkOwners(t tester, s story) {
	t.Helper()
	owners := slices.Sorted(maps.Keys(s.scores))
	results, _, err := s.board.Owners(context.Background(), rankcurve.RankIn{Columns: []string{s.column.Name}, Mode: rankcurve.Exact}, append(slices.Clone(s.gone), owners...)...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for i, r := range results {
		if i < len(s.gone) {
			if !errors.Is(r.Err, store.ErrNotFound) || len(r.Scores) > 0 || r.Owner != s.gone[i] {
				t.Fatalf("%s is gone, and there: %+v", s.gone[i], r)
			}
			continue
		}
		score := r.Scores[s.column.Name]
		want := rankAmong(s.column, s.scores, score)
		if r.Err != nil || score != s.scores[r.Owner] || len(r.Ranks) != 1 || r.Ranks[0].Rank.Rank != want || r.Ranks[0].Of != int64(len(s.scores)) {
			t.Fatalf("%+v, want rank %d of %d", r, want, len(s.scores))
		}
	}
}
