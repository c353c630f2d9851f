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

// What is called exact is true, whatever the curve says: one of the board, one of quite
// another board, an empty one, or none. And no answer contradicts itself.
func TestExactAnswersAreTrueBesideAnyCurve(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		var boards, checks atomic.Int64
		most := int64(1 << 30)
		if !on.sorted {
			most = 5 // each is some hundreds of requests
		}
		rapid.Check(t, func(t *rapid.T) {
			if checks.Add(1) > most {
				return
			}
			s := drawStaleStory(t, on, fmt.Sprintf("c%d", boards.Add(1)))
			if len(s.scores) == 0 {
				return
			}
			modes := []rankcurve.Mode{rankcurve.Exact, rankcurve.Auto}
			if _, err := s.board.Curve(context.Background(), ""); err == nil {
				modes = append(modes, rankcurve.Estimate)
			}
			for _, mode := range modes {
				checkRanks(t, s, mode)
				for range 3 {
					checkAround(t, s, mode)
				}
			}
			checkBoardsOf(t, s)
		})
	})
}

// drawStaleStory is a board whose curve is of then, or of nothing that ever was.
func drawStaleStory(t *rapid.T, on backend, name string) story {
	order := rapid.SampledFrom([]store.Order{store.Desc, store.Asc}).Draw(t, "order")
	def := boardOf(name, rapid.IntRange(1, 6).Draw(t, "shards"), store.Column{Name: "xp", Order: order, Operator: store.Set})
	scores, gone := drawBoard(t, on, def)
	switch rapid.SampledFrom([]string{"none", "of now", "of another", "empty"}).Draw(t, "curve") {
	case "of now":
		publishCurve(t, on, def, scores)
	case "of another":
		publishCurve(t, on, def, spread(rapid.IntRange(0, 300).Draw(t, "entries then"), func(i int) int64 { return int64(i) - 100 }))
	case "empty":
		publishCurve(t, on, def, nil)
	}
	paged := &double{Store: on, pageRows: rapid.IntRange(0, 7).Draw(t, "rows of a page")}
	b, err := rankcurve.Open(context.Background(), paged, name, rankcurve.WithExactTop(rapid.Int64Range(0, 60).Draw(t, "exact top")))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return story{on, b, def.Columns[0], scores, gone}
}

func publishCurve(t *rapid.T, on backend, def store.Board, scores map[string]int64) {
	registered, err := on.Board(context.Background(), def.Name)
	if err != nil {
		t.Fatalf("%v", err)
	}
	_, data, err := curveOf(def, 1, scores)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if _, err := on.Publish(context.Background(), registered.CurveKey("xp"), store.Published{Generation: 1, Data: data}); err != nil {
		t.Fatalf("%v", err)
	}
}

// isTrue holds a rank that is called exact against counting, and all against the mode.
func (s story) isTrue(t tester, r rankcurve.Rank, mode rankcurve.Mode) {
	t.Helper()
	want := rankAmong(s.column, s.scores, r.Score)
	if r.Exact && r.Rank != want || mode == rankcurve.Exact && !r.Exact {
		t.Fatalf("%s: %+v, want rank %d", mode, r, want)
	}
}

// checkRanks asks for everybody at once, for some alone, and for scores.
func checkRanks(t *rapid.T, s story, mode rankcurve.Mode) {
	ctx := context.Background()
	rows := oracle(s.column, s.scores)
	many, _, err := s.board.Rank(ctx, "", mode, append(ownersOf(rows), s.gone...)...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, a := range many[len(rows):] {
		if !errors.Is(a.Err, store.ErrNotFound) || a.Score != 0 {
			t.Fatalf("%+v is gone, want ErrNotFound", a)
		}
	}
	ranks := make([]rankcurve.Rank, len(rows))
	for i, a := range many[:len(rows)] {
		if a.Err != nil || a.Score != s.scores[a.Owner] {
			t.Fatalf("%+v, want score %d", a, s.scores[a.Owner])
		}
		s.isTrue(t, a.Rank, mode)
		ranks[i] = a.Rank
	}
	wantInOrder(t, s.column, ranks)
	for range 3 {
		owner := rapid.SampledFrom(rows).Draw(t, "owner").Owner
		one, _, err := s.board.Rank(ctx, "", mode, owner)
		if err != nil || one[0].Err != nil {
			t.Fatalf("%+v, %v", one, err)
		}
		s.isTrue(t, one[0].Rank, mode)
		score := rapid.Int64Range(-1100, 1100).Draw(t, "bare score")
		r, _, err := s.board.RankOfScore(ctx, "", mode, score)
		if err != nil || r.Score != score || r.Of < r.Rank && (r.Of > 0 || r.Rank > 1) { // of 0 on a board that is empty by its curve
			t.Fatalf("%+v, %v", r, err)
		}
		s.isTrue(t, r, mode)
	}
}

// wantInOrder wants that no better score has the worse rank, and one total.
func wantInOrder(t tester, c store.Column, ranks []rankcurve.Rank) {
	t.Helper()
	for i, r := range ranks {
		if r.Of != ranks[0].Of || r.Rank > r.Of || r.Low > r.Rank || r.High < r.Rank || r.High > r.Of {
			t.Fatalf("%+v, beside others of %d", r, ranks[0].Of)
		}
		if i > 0 && (r.Rank < ranks[i-1].Rank || r.Score == ranks[i-1].Score && r.Rank != ranks[i-1].Rank) {
			t.Fatalf("%s: %+v stands behind %+v", c.Order, r, ranks[i-1])
		}
	}
}

func checkAround(t *rapid.T, s story, mode rankcurve.Mode) {
	ctx := context.Background()
	owner := rapid.SampledFrom(slices.Sorted(maps.Keys(s.scores))).Draw(t, "owner")
	k := rapid.IntRange(1, 130).Draw(t, "k")
	around, err := s.board.Around(ctx, "", mode, owner, k)
	if err != nil {
		t.Fatalf("%v", err)
	}
	rows := slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse)
	wantConsistent(t, s.column, rows)
	wantCounted(t, s, rows)
	seen := map[string]bool{}
	for _, r := range rows {
		s.isTrue(t, r, mode)
		if score, there := s.scores[r.Owner]; !there || score != r.Score || seen[r.Owner] {
			t.Fatalf("around %s: %+v, who has %d, there %t, seen %t", owner, r, score, there, seen[r.Owner])
		}
		seen[r.Owner] = true
	}
	one, _, err := s.board.Rank(ctx, "", mode, owner)
	if err != nil || around.Pivot.Exact && one[0].Exact && around.Pivot.Rank != one[0].Rank.Rank {
		t.Fatalf("around tells %+v, and rank %+v, %v", around.Pivot, one, err)
	}
	score := rapid.Int64Range(-12, 12).Draw(t, "score")
	around, err = s.board.AroundScore(ctx, "", mode, score, k)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s.isTrue(t, around.Pivot, mode)
	for _, r := range slices.Concat(around.Better, around.Worse) {
		s.isTrue(t, r, mode)
		if r.Of != around.Pivot.Of || r.Rank > r.Of {
			t.Fatalf("around %d: %+v beside %+v", score, r, around.Pivot)
		}
	}
	wantCounted(t, s, slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse))
}

// wantCounted wants that ranks follow each other by counting: however wrong the curve is,
// all are as far from the truth. No tie here is longer than what is read of one.
func wantCounted(t tester, s story, rows []rankcurve.Rank) {
	t.Helper()
	off := func(r rankcurve.Rank) int64 { return r.Rank - rankAmong(s.column, s.scores, r.Score) }
	for _, r := range rows {
		if off(r) != off(rows[0]) {
			t.Fatalf("%+v is off by %d, and beside it %+v by %d", rows[0], off(rows[0]), r, off(r))
		}
	}
}

// checkBoardsOf finds the board with who is on it, and not with who is gone.
func checkBoardsOf(t *rapid.T, s story) {
	owner := slices.Sorted(maps.Keys(s.scores))[0]
	if score, there := scoreOn(t, s, owner); !there || score != s.scores[owner] {
		t.Fatalf("%s has %d there, %t; want %d", owner, score, there, s.scores[owner])
	}
	if len(s.gone) > 0 {
		if score, there := scoreOn(t, s, s.gone[0]); there {
			t.Fatalf("%s is gone, and has %d", s.gone[0], score)
		}
	}
}

func scoreOn(t *rapid.T, s story, owner string) (score int64, there bool) {
	rows, _, err := rankcurve.BoardsOf(context.Background(), s.on, owner)
	if err != nil {
		t.Fatalf("%v", err)
	}
	at := slices.IndexFunc(rows, func(o store.Owned) bool { return o.Board.Name == s.board.Definition().Name })
	if at < 0 {
		return 0, false
	}
	return rows[at].Entry.Scores["xp"], true
}
