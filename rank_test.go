package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

func TestRanksOfDistances(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	def := boardOf("jumps", 3, store.Column{Name: "metres", Order: store.Desc, Operator: store.Sum, Decimals: 1})
	b := newBoard(t, st, def)
	post := func(owner, metres string) rankcurve.Posted {
		t.Helper()
		units, err := store.ParseScore(metres, 1)
		if err != nil {
			t.Fatal(err)
		}
		posted, err := b.Post(ctx, rankcurve.Post{Owner: owner, Scores: map[string]int64{"metres": units}})
		if err != nil {
			t.Fatal(err)
		}
		return posted
	}
	ranksAre := func(want map[string]int64, of int64) {
		t.Helper()
		for owner, rank := range want {
			answers, _, err := b.Rank(ctx, "metres", rankcurve.Exact, owner)
			if err != nil {
				t.Fatal(err)
			}
			if a := answers[0]; a.Err != nil || a.Rank.Rank != rank || a.Low != rank || a.High != rank || a.Of != of || !a.Exact {
				t.Errorf("%s: %+v, want %d of %d", owner, a, rank, of)
			}
		}
	}
	post("ann", "82.3")
	post("bob", "111.5")
	post("cid", "54.0")
	ranksAre(map[string]int64{"ann": 2, "bob": 1, "cid": 3}, 3)
	post("dan", "82.3")
	ranksAre(map[string]int64{"ann": 2, "bob": 1, "dan": 2, "cid": 4}, 4)
	if got := store.FormatScore(post("ann", "11.2").Entry.Scores["metres"], 1); got != "93.5" {
		t.Errorf("82.3 + 11.2 = %s, want 93.5", got)
	}
	ranksAre(map[string]int64{"bob": 1, "ann": 2, "dan": 3, "cid": 4}, 4)
}

func TestRankAnswersEveryOwnerInOrder(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	def := boardOf("games", 3, store.Column{Name: "xp", Order: store.Desc, Operator: store.Set}, store.Column{Name: "gold", Order: store.Desc, Operator: store.Set})
	b := newBoard(t, st, def)
	load(t, st, def, map[string]int64{"ann": 5, "bob": 7})
	for _, e := range []store.Entry{{Owner: "cheat", Scores: map[string]int64{"xp": 99}, Hidden: true}, {Owner: "rich", Scores: map[string]int64{"gold": 1}}} {
		if _, err := st.Put(ctx, def, e); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, st, def, 4, map[string]int64{"ann": 5, "bob": 7})
	want := []struct {
		owner string
		rank  int64
		err   error
		text  string
	}{
		{"nobody", 0, store.ErrNotFound, `owner "nobody" is not on board "games"`},
		{"ann", 2, nil, ""},
		{"#x", 0, store.ErrInvalid, "starts with #"},
		{"cheat", 0, store.ErrNotFound, "hidden"},
		{"bob", 1, nil, ""},
		{"rich", 0, store.ErrNotFound, "has no xp"},
		{"ann", 2, nil, ""},
	}
	owners := make([]string, 0, len(want))
	for _, w := range want {
		owners = append(owners, w.owner)
	}
	for _, mode := range []rankcurve.Mode{"", rankcurve.Estimate, rankcurve.Exact, rankcurve.Auto} {
		answers, usage, err := b.Rank(ctx, "", mode, owners...)
		if err != nil || len(answers) != len(want) || usage.TableReads <= 0 {
			t.Fatalf("%s: %d answers for %v, %v", mode, len(answers), usage, err)
		}
		for i, w := range want {
			a := answers[i]
			if a.Owner != w.owner || a.Rank.Rank != w.rank || !errors.Is(a.Err, w.err) || a.Err != nil && !strings.Contains(a.Err.Error(), w.text) {
				t.Errorf("%s: answer %d is %+v, want %+v", mode, i, a, w)
			}
			if a.Err == nil && (a.Board != "games" || a.Column != "xp" || a.Of != 2 || a.Percent != 50*float64(w.rank)) {
				t.Errorf("%s: %+v", mode, a.Rank)
			}
			if a.Err == nil && mode == rankcurve.Estimate && (a.Generation != 4 || a.Exact) {
				t.Errorf("estimate: %+v", a.Rank)
			}
		}
	}
	if answers, _, err := b.Rank(ctx, "xp", rankcurve.Auto); err != nil || len(answers) != 0 {
		t.Errorf("no owners: %v, %v", answers, err)
	}
	if _, _, err := b.Rank(ctx, "xp", "guess", "ann"); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("mode guess: %v, want ErrInvalid", err)
	}
}

// Exact ranks, of owners and of bare scores, are what counting everything gives,
// with and without a curve, whatever the pages.
func TestExactRanksEqualCounting(t *testing.T) {
	st, boards := newStore(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		boards++
		order := rapid.SampledFrom([]store.Order{store.Desc, store.Asc}).Draw(rt, "order")
		def := boardOf(fmt.Sprintf("b%d", boards), rapid.IntRange(1, 5).Draw(rt, "shards"), store.Column{Name: "xp", Order: order, Operator: store.Set})
		scores := spread(rapid.IntRange(1, 100).Draw(rt, "entries"), func(int) int64 {
			return rapid.OneOf(rapid.Int64Range(-20, 20), rapid.SampledFrom([]int64{store.MaxScore, -store.MaxScore})).Draw(rt, "score")
		})
		b := newBoard(t, &double{Store: st, pageRows: rapid.IntRange(0, 7).Draw(rt, "rows of a page")}, def)
		load(t, st, def, scores)
		of := int64(len(scores))
		if rapid.Bool().Draw(rt, "with a curve") {
			publish(t, st, def, 1, scores)
		}
		mode := rapid.SampledFrom([]rankcurve.Mode{rankcurve.Exact, rankcurve.Auto}).Draw(rt, "mode") // the whole board is in the exact top
		owners := ownersOf(oracle(def.Columns[0], scores))
		owners = owners[:rapid.IntRange(1, len(owners)).Draw(rt, "owners")]
		answers, _, err := b.Rank(context.Background(), "xp", mode, owners...)
		if err != nil {
			rt.Fatal(err)
		}
		for _, a := range answers {
			if want := rankAmong(def.Columns[0], scores, scores[a.Owner]); a.Err != nil || a.Rank.Rank != want || a.Of != of || !a.Exact {
				rt.Fatalf("%+v, want %d of %d", a, want, of)
			}
		}
		score := rapid.OneOf(rapid.Int64Range(-21, 21), rapid.SampledFrom([]int64{store.MaxScore, -store.MaxScore})).Draw(rt, "bare score")
		r, _, err := b.RankOfScore(context.Background(), "xp", mode, score)
		if want := rankAmong(def.Columns[0], scores, score); err != nil || r.Rank != want || r.Of != max(of, want) {
			rt.Fatalf("score %d: %+v, %v, want %d of %d", score, r, err, want, of)
		}
	})
}

func TestEstimatesAreInTheirBand(t *testing.T) {
	for _, order := range []store.Order{store.Desc, store.Asc} {
		ctx, st := context.Background(), newStore(t)
		def := boardOf("games", 8, store.Column{Name: "xp", Order: order, Operator: store.Set})
		b := newBoard(t, st, def)
		scores := spread(20_000, func(i int) int64 {
			if i%5 == 0 {
				return 1000 // a score that many share
			}
			return int64(i) * int64(i) % 1_000_003
		})
		load(t, st, def, scores)
		curve := publish(t, st, def, 7, scores)
		rows := oracle(def.Columns[0], scores)
		answers, usage, err := b.Rank(ctx, "xp", rankcurve.Estimate, ownersOf(rows)...)
		if err != nil || usage.IndexReads != 0 {
			t.Fatalf("%v, read %v of the index", err, usage.IndexReads)
		}
		for i, a := range answers {
			if a.Err != nil || a.Low > rows[i].Rank || a.High < rows[i].Rank || a.Low > a.Rank.Rank || a.High < a.Rank.Rank || a.Of != 20_000 || a.Exact || a.Generation != 7 {
				t.Fatalf("%s: %+v, the rank is %d", order, a, rows[i].Rank)
			}
			if held := curve.Held(def.Columns[0].Key(a.Score), 0); a.Low != held.Low+1 || a.High != min(held.High+1, a.Of) {
				t.Fatalf("%s: %+v, want the narrow band of a key that an entry has, %+v", order, a, held)
			}
		}
		for score := int64(-10); score < 1_000_020; score += 9973 {
			want := rankAmong(def.Columns[0], scores, score)
			r, _, err := b.RankOfScore(ctx, "xp", rankcurve.Estimate, score)
			if err != nil || r.Low > want || r.High < want {
				t.Errorf("%s, score %d: %+v, %v, the rank is %d", order, score, r, err, want)
			}
		}
	}
}

// The scores are looked up, so that a post moves its owner at once.
func TestEstimateFollowsThePostNotTheCurve(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 4)
	b := newBoard(t, st, def)
	scores := spread(1000, func(i int) int64 { return int64(i) })
	load(t, st, def, scores)
	publish(t, st, def, 1, scores)
	for score, want := range map[int64]int64{5000: 1, 500: 500, -5: 1001} {
		if _, err := b.Post(ctx, rankcurve.Post{Owner: "new", Scores: map[string]int64{"xp": score}}); err != nil {
			t.Fatal(err)
		}
		answers, _, err := b.Rank(ctx, "xp", rankcurve.Estimate, "new")
		if a := answers[0]; err != nil || a.Rank.Rank != want || a.Of != max(1000, want) || a.Percent > 100 {
			t.Errorf("score %d: %+v, %v, want rank %d", score, a, err, want)
		}
	}
}

// Of is one number in an answer, no less than a rank in it, and counted on a small board.
func TestOfIsNoLessThanTheRanks(t *testing.T) {
	for _, tc := range []struct {
		name     string
		top, was int // WithExactTop, and entries of the curve
		now      int
		mode     rankcurve.Mode
		of       int64 // asked for the best alone
	}{
		{"small, grown", 100, 4, 9, rankcurve.Exact, 9},
		{"small, grown", 100, 4, 9, rankcurve.Auto, 9},
		{"small, shrunk", 100, 9, 4, rankcurve.Exact, 4},
		{"small, shrunk", 100, 9, 4, rankcurve.Auto, 4},
		{"empty, grown", 100, 0, 4, rankcurve.Exact, 4},
		{"empty, grown", 100, 0, 4, rankcurve.Auto, 4},
		{"large, grown", 100, 300, 500, rankcurve.Exact, 300},
		{"large, grown", 100, 300, 500, rankcurve.Auto, 300},
		{"large, shrunk", 100, 500, 300, rankcurve.Exact, 500},
	} {
		ctx, st, def := context.Background(), newStore(t), boardOf("games", 4)
		b := newBoard(t, st, def, rankcurve.WithExactTop(int64(tc.top)), rankcurve.WithClock(newClock().Now))
		score := func(i int) int64 { return int64(10_000 - i) }
		publish(t, st, def, 1, spread(tc.was, score))
		load(t, st, def, spread(tc.now, score))
		rows := oracle(def.Columns[0], spread(tc.now, score))
		ask := func(owners ...string) []rankcurve.Answer {
			t.Helper()
			answers, _, err := b.Rank(ctx, "xp", tc.mode, owners...)
			if err != nil {
				t.Fatal(err)
			}
			return answers
		}
		if a := ask(rows[0].Owner)[0]; a.Of != tc.of || a.Rank.Rank != 1 || !a.Exact || a.Percent != 100/float64(tc.of) {
			t.Errorf("%s, %s: the best alone is %+v, want of %d", tc.name, tc.mode, a, tc.of)
		}
		answers := ask(ownersOf(rows)...)
		for i, a := range answers {
			if a.Of != answers[0].Of || a.Rank.Rank > a.Of || a.High > a.Of || a.Percent > 100 || a.Percent != 100*float64(a.Rank.Rank)/float64(a.Of) {
				t.Fatalf("%s, %s: %+v, the best is of %d", tc.name, tc.mode, a, answers[0].Of)
			}
			if tc.mode == rankcurve.Exact && a.Rank.Rank != int64(i)+1 {
				t.Fatalf("%s: %+v, want rank %d", tc.name, a, i+1)
			}
		}
	}
}

// The total of what a curve calls small is not worth an error: the board has grown.
func TestATotalOverTheBudgetIsTheCurves(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 4)
	b := newBoard(t, st, def, rankcurve.WithReadBudget(20))
	publish(t, st, def, 1, spread(50, func(i int) int64 { return int64(i) }))
	scores := spread(20_000, func(i int) int64 { return int64(i) })
	load(t, st, def, scores)
	answers, _, err := b.Rank(ctx, "xp", rankcurve.Exact, "player-019990")
	if err != nil {
		t.Fatal(err)
	}
	if a := answers[0]; a.Rank.Rank != 10 || a.Of != 50 || !a.Exact {
		t.Errorf("%+v, want rank 10 of 50", a)
	}
}

func TestEmptyBoard(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 3)
	b := newBoard(t, st, def, rankcurve.WithCurvePoll(0))
	check := func(mode rankcurve.Mode) {
		t.Helper()
		r, _, err := b.RankOfScore(ctx, "xp", mode, 5)
		if err != nil || r.Rank != 1 || r.Of != 0 || r.Percent != 0 {
			t.Errorf("%s: %+v, %v, want rank 1 of 0", mode, r, err)
		}
	}
	check(rankcurve.Exact)
	check(rankcurve.Auto)
	publish(t, st, def, 1, nil)
	check(rankcurve.Exact)
	check(rankcurve.Auto)
	check(rankcurve.Estimate)
	if _, err := b.ScoreAtRank(ctx, "xp", 1); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("score at rank 1 of nobody: %v, want ErrNotFound", err)
	}
	if _, err := b.ScoreAtPercent(ctx, "xp", 50); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("score of the top half of nobody: %v, want ErrNotFound", err)
	}
}

func TestRankOfScoreRefusesScoresOutOfRange(t *testing.T) {
	b := newBoard(t, newStore(t), boardOf("games", 3))
	for _, score := range []int64{store.MaxScore + 1, -store.MaxScore - 1} {
		if _, _, err := b.RankOfScore(context.Background(), "xp", rankcurve.Exact, score); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("score %d: %v, want ErrInvalid", score, err)
		}
	}
}

func TestExactStopsWithinItsBudget(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 4)
	scores := spread(30_000, func(i int) int64 { return int64(i) })
	newBoard(t, st, def)
	load(t, st, def, scores)
	for _, budget := range []float64{0, 1, 2, 10, 50} {
		b := newBoard(t, st, def, rankcurve.WithReadBudget(budget))
		_, usage, err := b.RankOfScore(ctx, "xp", rankcurve.Exact, 5)
		if !errors.Is(err, store.ErrTooExpensive) || usage.IndexReads > budget {
			t.Errorf("budget %v: %v after %v read units", budget, err, usage.IndexReads)
		}
		if _, _, err = b.RankOfScore(ctx, "xp", rankcurve.Auto, 5); !errors.Is(err, store.ErrTooExpensive) || !errors.Is(err, rankcurve.ErrNoCurve) || !strings.Contains(err.Error(), "run `rankcurve rebuild games`") {
			t.Errorf("auto without a curve, budget %v: %v, want what to run", budget, err)
		}
		if r, usage, err := b.RankOfScore(ctx, "xp", rankcurve.Exact, 30_000); budget >= 2 && err == nil && (r.Rank != 1 || usage.IndexReads > budget) {
			t.Errorf("budget %v: %+v after %v read units", budget, r, usage.IndexReads)
		}
	}
	publish(t, st, def, 1, scores)
	b := newBoard(t, st, def, rankcurve.WithReadBudget(50))
	_, usage, err := b.RankOfScore(ctx, "xp", rankcurve.Exact, 5)
	if !errors.Is(err, store.ErrTooExpensive) || usage.IndexReads > 50 || !strings.Contains(err.Error(), "the curve says that it takes about ") || !strings.Contains(err.Error(), "--mode estimate") {
		t.Errorf("with a curve: %v after %v read units", err, usage.IndexReads)
	}
	if r, usage, err := b.RankOfScore(ctx, "xp", rankcurve.Exact, 29_000); err != nil || r.Rank != 1000 || r.Of != 30_000 || usage.IndexReads > 50 {
		t.Errorf("rank 1000: %+v, %v after %v read units", r, err, usage.IndexReads)
	}
}

func TestExactNamesTheShardThatFails(t *testing.T) {
	def := boardOf("games", 5)
	st := &double{Store: newStore(t), rows: func(q store.Query) error {
		if q.Partition.Shard == 2 {
			return store.ErrUnavailable
		}
		return nil
	}}
	_, _, err := newBoard(t, st, def).RankOfScore(context.Background(), "xp", rankcurve.Exact, 1)
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "games.xp shard 2") {
		t.Errorf("%v, want ErrUnavailable that names games.xp shard 2", err)
	}
}

func TestParseMode(t *testing.T) {
	for _, mode := range []rankcurve.Mode{rankcurve.Estimate, rankcurve.Exact, rankcurve.Auto} {
		if got, err := rankcurve.ParseMode(string(mode)); err != nil || got != mode {
			t.Errorf("%s: %s, %v", mode, got, err)
		}
	}
	if _, err := rankcurve.ParseMode("guess"); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("guess: %v, want ErrInvalid", err)
	}
}
