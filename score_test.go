package rankcurve_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

func TestScoreAtRankOfSixImages(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	def := boardOf("images", 3, store.Column{Name: "views", Order: store.Desc, Operator: store.Sum})
	b := newBoard(t, st, def)
	publish(t, st, def, 2, images)
	for i, want := range []int64{94, 83, 52, 27, 23, 16} {
		rank := int64(i) + 1
		got, err := b.ScoreAtRank(ctx, "views", rank)
		if err != nil || got.Score != want || got.Rank != rank || got.Low != rank || got.High != rank || got.Of != 6 || got.Generation != 2 {
			t.Errorf("rank %d: %+v, %v, want %d views", rank, got, err, want)
		}
	}
	for percent, want := range map[float64]int64{0.001: 1, 16.6: 1, 16.7: 2, 50: 3, 100: 6} {
		got, err := b.ScoreAtPercent(ctx, "", percent)
		if err != nil || got.Rank != want || got.Percent != 100*float64(want)/6 {
			t.Errorf("top %v %%: %+v, %v, want rank %d", percent, got, err, want)
		}
	}
}

func TestScoreAtRoundsPercentagesAsWritten(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 1)
	b := newBoard(t, st, def)
	publish(t, st, def, 1, spread(1000, func(i int) int64 { return int64(i) }))
	for percent, want := range map[float64]int64{7: 70, 0.1: 1, 0.3: 3, 5.7: 57, 29: 290, 56.1: 561, 99.9: 999} {
		if got, err := b.ScoreAtPercent(ctx, "xp", percent); err != nil || got.Rank != want || got.Score != 1000-want {
			t.Errorf("top %v %%: %+v, %v, want rank %d", percent, got, err, want)
		}
	}
}

// What floats make a bit too much does not round up to the next rank.
func TestScoreAtRoundsWhatFloatsMakeTooMuch(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 1)
	b := newBoard(t, st, def)
	publish(t, st, def, 1, spread(375, func(i int) int64 { return int64(i) }))
	for percent, want := range map[float64]int64{8.8: 33, 17.6: 66, 21.6: 81, 35.2: 132, 66.4: 249, 86.4: 324} {
		if got, err := b.ScoreAtPercent(ctx, "xp", percent); err != nil || got.Rank != want {
			t.Errorf("top %v %%: %+v, %v, want rank %d", percent, got, err, want)
		}
	}
}

// Equal scores share the best of their ranks, whichever of theirs is asked for.
func TestScoreAtTellsTheRankOfATiedScore(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 1)
	b := newBoard(t, st, def)
	publish(t, st, def, 1, spread(1000, func(int) int64 { return 7 }))
	got, err := b.ScoreAtRank(ctx, "xp", 500)
	if err != nil || got.Rank != 500 || got.ScoreRank != 1 || got.Low != 1 || got.High != 1 {
		t.Errorf("%+v, %v, want rank 1 of the score", got, err)
	}
}

func TestScoreAtOnAnAscendingColumn(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	def := boardOf("laps", 1, store.Column{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2})
	b := newBoard(t, st, def)
	publish(t, st, def, 1, map[string]int64{"ann": 6123, "bob": 5999, "cid": 6123})
	best, err := b.ScoreAtRank(ctx, "time", 1)
	if err != nil || store.FormatScore(best.Score, best.Decimals) != "59.99" {
		t.Errorf("%+v, %v, want 59.99", best, err)
	}
	last, err := b.ScoreAtRank(ctx, "time", 3)
	if err != nil || last.Score != 6123 || last.Low != 2 || last.High != 2 || last.Rank != 3 {
		t.Errorf("%+v, %v, want 61.23, whose owners are both second", last, err)
	}
}

func TestScoreAtLimits(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 1)
	b := newBoard(t, st, def, rankcurve.WithCurvePoll(0))
	if _, err := b.ScoreAtRank(ctx, "xp", 1); !errors.Is(err, rankcurve.ErrNoCurve) || !strings.Contains(err.Error(), "no curve of games.xp yet: run `rankcurve rebuild games`") {
		t.Errorf("no curve: %v", err)
	}
	publish(t, st, def, 1, map[string]int64{"ann": 1, "bob": 2})
	for _, rank := range []int64{-1, 0, 3, math.MaxInt64} {
		if _, err := b.ScoreAtRank(ctx, "xp", rank); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "1..2") {
			t.Errorf("rank %d: %v, want ErrInvalid that names 2", rank, err)
		}
	}
	for _, percent := range []float64{-1, 0, 100.001, math.NaN(), math.Inf(1)} {
		if _, err := b.ScoreAtPercent(ctx, "xp", percent); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("top %v %%: %v, want ErrInvalid", percent, err)
		}
	}
}

// On a board that nobody is on, neither a rank nor a share of it has a score.
func TestScoreAtOfAnEmptyBoard(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 1)
	b := newBoard(t, st, def)
	publish(t, st, def, 1, nil)
	past, _, err := b.At(ctx, "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for what, ask := range map[string]func() error{
		"a rank":          func() error { _, err := b.ScoreAtRank(ctx, "xp", 1); return err },
		"a share":         func() error { _, err := b.ScoreAtPercent(ctx, "xp", 50); return err },
		"a rank of then":  func() error { _, err := past.ScoreAtRank(1); return err },
		"a share of then": func() error { _, err := past.ScoreAtPercent(50); return err },
	} {
		if err := ask(); !errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrInvalid) || !strings.HasSuffix(err.Error(), `board "games": the board has no entries in column "xp" by its curve`) {
			t.Errorf("%s: %v, want ErrNotFound that says that nobody is there", what, err)
		}
	}
}
