package rankcurve_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

const agingHorizon = 40 * time.Minute

// publishForecast publishes a curve by which the board grows by a tenth in a horizon.
func publishForecast(t *testing.T, st store.Store, def store.Board, scores map[string]int64) *predictor.Curve {
	t.Helper()
	c := def.Columns[0]
	keys := make([]int64, 0, len(scores))
	for _, row := range oracle(c, scores) {
		keys = append(keys, c.Key(row.Score))
	}
	points := predictor.PointsOf(keys)
	for i := range points {
		points[i].Later = 1.1 * float64(points[i].Better)
		points[i].LaterError = 0.5 * math.Sqrt(float64(points[i].Better))
	}
	meta := predictor.Meta{Board: def.Name, Column: c.Name, Ascending: c.Order == store.Asc, Generation: 3, AsOf: newClock().Now(), Horizon: agingHorizon}
	curve, data, err := predictor.Build(meta, points, predictor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	publishBytes(t, st, def, 3, data)
	return curve
}

// What is told is the curve at its age, of as many entries as there are by then.
func TestEstimatesFollowTheForecast(t *testing.T) {
	for _, order := range []store.Order{store.Desc, store.Asc} {
		ctx, st, now := context.Background(), newStore(t), newClock()
		def := boardOf("games", 8, store.Column{Name: "xp", Order: order, Operator: store.Set})
		b := newBoard(t, st, def, rankcurve.WithClock(now.Now))
		scores := spread(5000, func(i int) int64 { return int64(i) * int64(i) % 100_003 })
		load(t, st, def, scores)
		curve := publishForecast(t, st, def, scores)
		rows := oracle(def.Columns[0], scores)
		of := map[time.Duration]int64{}
		for _, age := range []time.Duration{0, time.Minute, agingHorizon / 2, agingHorizon, 3 * agingHorizon} {
			now.Advance(curve.Meta().AsOf.Add(age).Sub(now.Now()))
			answers, usage, err := b.Rank(ctx, "xp", rankcurve.Estimate, ownersOf(rows)...)
			if err != nil || usage.IndexReads != 0 {
				t.Fatalf("%v, read %v of the index", err, usage.IndexReads)
			}
			of[age] = answers[0].Of
			previous := int64(0)
			for i, a := range answers {
				held := curve.Held(def.Columns[0].Key(rows[i].Score), age)
				if a.Err != nil || a.Rank.Rank != held.Better+1 || a.Low != held.Low+1 || a.High != max(a.Rank.Rank, min(held.High+1, a.Of)) || a.Of != curve.TotalAt(age) {
					t.Fatalf("after %s %+v, want %+v of %d", age, a, held, curve.TotalAt(age))
				}
				if a.Percent != 100*float64(a.Rank.Rank)/float64(a.Of) || !a.AsOf.Equal(curve.Meta().AsOf) || a.Rank.Rank < previous {
					t.Fatalf("after %s %+v, the owner before is %d", age, a, previous)
				}
				previous = a.Rank.Rank
			}
			s, err := b.ScoreAtPercent(ctx, "xp", 100)
			if err != nil || s.Of != of[age] || s.Rank != s.Of || s.Low > s.ScoreRank || s.High < s.ScoreRank {
				t.Errorf("after %s the worst score is %+v, %v", age, s, err)
			}
			if _, err := b.ScoreAtRank(ctx, "xp", of[age]); err != nil {
				t.Errorf("after %s: %v", age, err)
			}
			middle, err := b.ScoreAtRank(ctx, "xp", 1000)
			if err != nil || math.Abs(float64(middle.ScoreRank-1000)) > 2 {
				t.Errorf("after %s the score at rank 1000 is %+v, %v", age, middle, err)
			}
		}
		if of[0] != 5000 || of[agingHorizon/2] != 5250 || of[agingHorizon] != 5500 || of[3*agingHorizon] != 5500 {
			t.Errorf("%s: of %v", order, of)
		}
	}
}

// A curve from the future, by a clock that is behind, is one of now.
func TestAClockThatIsBehindAgesNothing(t *testing.T) {
	ctx, st, now := context.Background(), newStore(t), newClock()
	def := boardOf("games", 4)
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now))
	scores := spread(2000, func(i int) int64 { return int64(i) })
	load(t, st, def, scores)
	curve := publishForecast(t, st, def, scores)
	now.Advance(-time.Hour)
	r, _, err := b.RankOfScore(ctx, "xp", rankcurve.Estimate, 1000)
	if e := curve.Estimate(1000, 0); err != nil || r.Rank != e.Better+1 || r.Low != e.Low+1 || r.High != e.High+1 || r.Of != 2000 {
		t.Errorf("%+v, %v; want %+v", r, err, e)
	}
}

// Counted above, forecast below: never does a better score have the worse rank, nor
// does one answer tell two totals.
func TestTheSeamHoldsAtEveryAge(t *testing.T) {
	ctx, st, now := context.Background(), newStore(t), newClock()
	def := boardOf("games", 8)
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now), rankcurve.WithExactTop(300))
	scores := spread(4000, func(i int) int64 { return int64(i) % 1777 })
	load(t, st, def, scores)
	curve := publishForecast(t, st, def, scores)
	owners := ownersOf(oracle(def.Columns[0], scores))
	for range 5 {
		answers, _, err := b.Rank(ctx, "xp", rankcurve.Auto, owners...)
		if err != nil {
			t.Fatal(err)
		}
		age := now.Now().Sub(curve.Meta().AsOf)
		if !slices.IsSortedFunc(answers, func(x, y rankcurve.Answer) int { return int(x.Rank.Rank - y.Rank.Rank) }) {
			t.Errorf("after %s a better score has the worse rank", age)
		}
		exact := 0
		for _, a := range answers {
			if a.Of != curve.TotalAt(age) || a.Low > a.Rank.Rank || a.High < a.Rank.Rank {
				t.Fatalf("after %s: %+v, want of %d", age, a, curve.TotalAt(age))
			}
			if a.Exact {
				exact++
			}
		}
		if exact < 300 || exact > 310 {
			t.Errorf("after %s %d are counted", age, exact)
		}
		now.Advance(agingHorizon / 3)
	}
}
