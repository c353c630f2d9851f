package rankcurve_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// moved is a board whose curve is old: since it was made, hundreds of entries have
// jumped over the place where exact counts end.
func moved(t *testing.T, st store.Store, order store.Order) (store.Board, map[string]int64) {
	t.Helper()
	def := boardOf("games", 4, store.Column{Name: "xp", Order: order, Operator: store.Set})
	scores := spread(3000, func(i int) int64 { return int64(i) * 3 })
	newBoard(t, st, def)
	load(t, st, def, scores)
	publish(t, st, def, 1, scores)
	jumps := maps.Clone(scores)
	random := rand.New(rand.NewPCG(1, 2))
	for owner, score := range jumps {
		switch random.IntN(10) {
		case 0:
			jumps[owner] = 8000 + random.Int64N(1500)
		case 1:
			jumps[owner] = random.Int64N(1500)
		case 2:
			jumps[owner] = score + random.Int64N(200)
		}
	}
	load(t, st, def, jumps)
	return def, jumps
}

func TestAutoIsExactAboveAndMonotoneAcrossTheSeam(t *testing.T) {
	for _, order := range []store.Order{store.Desc, store.Asc} {
		ctx, st := context.Background(), newStore(t)
		def, scores := moved(t, st, order)
		b := newBoard(t, st, def, rankcurve.WithExactTop(200), rankcurve.WithClock(newClock().Now))
		rows := oracle(def.Columns[0], scores)
		exact, estimated := 0, 0
		inTurn := make([]rankcurve.Rank, len(rows))
		for i := range rows {
			answers, _, err := b.Rank(ctx, "xp", rankcurve.Auto, rows[i].Owner)
			if err != nil || answers[0].Err != nil {
				t.Fatal(err, answers[0].Err)
			}
			inTurn[i] = answers[0].Rank
		}
		together, _, err := b.Rank(ctx, "xp", rankcurve.Auto, ownersOf(rows)...)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range together {
			alone := inTurn[i] // of fewer, if one of the others is beyond what the curve knows of
			if a.Rank.Rank != alone.Rank || a.Low != alone.Low || a.Exact != alone.Exact || a.Of < alone.Of {
				t.Fatalf("%s: asked with others %+v, alone %+v", order, a.Rank, alone)
			}
			if a.Low > a.Rank.Rank || a.High < a.Rank.Rank || a.Of < a.High {
				t.Fatalf("%s: %+v", order, a.Rank)
			}
			if i > 0 && a.Rank.Rank < together[i-1].Rank.Rank {
				t.Fatalf("%s: %+v is told a better rank than %+v", order, a.Rank, together[i-1].Rank)
			}
			if i > 0 && together[i-1].Exact && !a.Exact && a.Rank.Rank == together[i-1].Rank.Rank {
				t.Fatalf("%s: %+v below the seam has the rank of %+v", order, a.Rank, together[i-1].Rank)
			}
			if a.Exact {
				exact++
				if a.Rank.Rank != rows[i].Rank || a.Generation != 0 {
					t.Fatalf("%s: %+v, the rank is %d", order, a.Rank, rows[i].Rank)
				}
			} else {
				estimated++
			}
		}
		if exact < 100 || estimated < 1000 {
			t.Errorf("%s: %d exact and %d estimated", order, exact, estimated)
		}
	}
}

// Between two counts of the seam more entries arrive above it: whoever is below is
// told no better rank than the one above was.
func TestAutoStaysMonotoneWhileTheBoardMoves(t *testing.T) {
	ctx, st, def, now := context.Background(), newStore(t), boardOf("games", 4), newClock()
	scores := spread(3000, func(i int) int64 { return int64(i) })
	b := newBoard(t, st, def, rankcurve.WithExactTop(100), rankcurve.WithClock(now.Now))
	load(t, st, def, scores)
	publish(t, st, def, 1, scores)
	rank := func(score int64) rankcurve.Rank {
		t.Helper()
		r, _, err := b.RankOfScore(ctx, "xp", rankcurve.Auto, score)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if above, below := rank(2900), rank(2880); !above.Exact || below.Exact || above.Rank != 100 || below.Rank != 120 {
		t.Fatalf("above the seam %+v, below %+v", above, below)
	}
	arrived := map[string]int64{}
	for owner, score := range scores {
		if score < 500 {
			arrived[owner] = 5000
		}
	}
	load(t, st, def, arrived)
	if above, below := rank(2900), rank(2880); above.Rank != 600 || below.Rank < 600 || below.Low < 600 || below.High < 600 {
		t.Errorf("above the seam %+v, below %+v", above, below)
	}
	owner := func(name string) int64 {
		t.Helper()
		answers, _, err := b.Rank(ctx, "xp", rankcurve.Auto, name)
		if err != nil || answers[0].Err != nil {
			t.Fatal(answers, err)
		}
		return answers[0].Rank.Rank
	}
	if above, below := owner("player-002900"), owner("player-002880"); above != 600 || below != 601 {
		t.Errorf("the owner above the seam has rank %d, the one below %d, who is behind that one too", above, below)
	}
	for owner := range arrived {
		arrived[owner] = 1
	}
	load(t, st, def, arrived)
	if below := rank(2880); below.Rank < 600 {
		t.Errorf("within the seam's age it was counted again: %+v", below)
	}
	now.Advance(11 * time.Second)
	if below := rank(2880); below.Rank != 120 {
		t.Errorf("the seam was not counted again: %+v", below)
	}
}

func TestAutoEstimatesWhatIsTooExpensiveToCount(t *testing.T) {
	ctx, now := context.Background(), newClock()
	st, def := &double{Store: newStore(t)}, boardOf("games", 4)
	scores := spread(20_000, func(i int) int64 { return int64(i) })
	b := newBoard(t, st, def, rankcurve.WithReadBudget(10), rankcurve.WithExactTop(10_000), rankcurve.WithClock(now.Now))
	load(t, st, def, scores)
	publish(t, st, def, 1, scores)
	for i := range 3 {
		r, usage, err := b.RankOfScore(ctx, "xp", rankcurve.Auto, 15_000)
		if err != nil || r.Exact || r.Low > 5000 || r.High < 5000 || i > 0 && usage.IndexReads != 0 {
			t.Errorf("%+v, %v for %v, want an estimate, and nothing spent on trying again", r, err, usage)
		}
	}
}

// Many owners of the top cost one pass, not one each.
func TestAutoCountsManyOwnersInOnePass(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 32)
	scores := spread(5000, func(i int) int64 { return int64(i) })
	b := newBoard(t, st, def)
	load(t, st, def, scores)
	publish(t, st, def, 1, scores)
	top, err := b.Top(ctx, "xp", 500)
	if err != nil {
		t.Fatal(err)
	}
	answers, usage, err := b.Rank(ctx, "xp", rankcurve.Auto, ownersOf(top.Rows)...)
	if err != nil || usage.IndexReads > 2*32*1 {
		t.Fatalf("%v for %v", err, usage)
	}
	for i, a := range answers {
		if !a.Exact || a.Rank.Rank != int64(i)+1 {
			t.Errorf("%+v, want rank %d", a, i+1)
		}
	}
}

func TestExactTopZeroEstimatesAll(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 2)
	b := newBoard(t, st, def, rankcurve.WithExactTop(0))
	scores := spread(100, func(i int) int64 { return int64(i) })
	load(t, st, def, scores)
	publish(t, st, def, 1, scores)
	r, usage, err := b.RankOfScore(ctx, "xp", rankcurve.Auto, 99)
	if err != nil || r.Exact || r.Rank != 1 || usage.IndexReads != 0 {
		t.Errorf("%+v, %v for %v, want an estimate", r, err, usage)
	}
}

// While the seam is counted, entries arrive behind the place that the count has
// reached, and one above is told of them: the count may not take that back.
func TestAutoKeepsWhatArrivedWhileTheSeamWasCounted(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // two that count at once would wait for ever
	defer cancel()
	now := newClock()
	st, def := &double{Store: newStore(t), pageRows: 10}, boardOf("games", 1)
	scores := spread(3000, func(i int) int64 { return int64(i) })
	b := newBoard(t, st, def, rankcurve.WithExactTop(100), rankcurve.WithClock(now.Now))
	load(t, st, def, scores)
	publish(t, st, def, 1, scores)
	rank := func(score int64) rankcurve.Rank {
		r, _, err := b.RankOfScore(ctx, "xp", rankcurve.Auto, score)
		if err != nil {
			t.Error(err)
		}
		return r
	}
	rank(2880)
	arrived := map[string]int64{}
	for owner, score := range scores {
		if score < 500 {
			arrived[owner] = 5000
		}
	}
	var above rankcurve.Rank
	pages := 0
	st.rows = func(store.Query) error {
		if pages++; pages == 5 { // of the second count
			load(t, st, def, arrived)
			now.Advance(-11 * time.Second) // for the one above, the first count serves still
			above = rank(2999)
			now.Advance(11 * time.Second)
		}
		return nil
	}
	now.Advance(11 * time.Second)
	if below := rank(2880); !above.Exact || above.Rank != 501 || below.Rank < 501 {
		t.Errorf("above the seam %+v, below %+v", above, below)
	}
}
