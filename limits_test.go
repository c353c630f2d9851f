package rankcurve_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

func TestLimits(t *testing.T) {
	ctx := context.Background()
	limits := map[string]store.Limit{"level": {Max: new(int64(100))}, "xp": {Min: new(int64(-10)), Max: new(int64(1000))}, "time": {Min: new(int64(2000))}}
	for _, c := range []struct {
		name     string
		there    scores
		post     scores
		operator store.Operator
		refused  string // what the error names; empty: taken
		after    scores
	}{
		{"set up to the limit", scores{"level": 1}, scores{"level": 100}, "", "", scores{"level": 100}},
		{"set over the limit", scores{"level": 1}, scores{"level": 101}, "", `column "level": score 101 is above the limit of 100`, scores{"level": 1}},
		{"below a column without a lower limit", scores{}, scores{"level": -5000}, "", "", scores{"level": -5000}},
		{"a best below the limit", scores{"time": 5000}, scores{"time": 1999}, "", `column "time": score 19.99 is below the limit of 20`, scores{"time": 5000}},
		{"a worst that is not plausible, and would change nothing", scores{"level": 50}, scores{"level": 200}, store.Worst, "above the limit", scores{"level": 50}},
		{"a first sum over the limit", scores{}, scores{"xp": 1001}, "", `column "xp": score 1001 is above the limit of 1000`, nil},
		{"a sum that comes over the limit", scores{"xp": 990}, scores{"xp": 11}, "", `column "xp": score 1001 is above the limit of 1000`, scores{"xp": 990}},
		{"a sum up to the limit", scores{"xp": 990}, scores{"xp": 10}, "", "", scores{"xp": 1000}},
		{"a large summand that the sum stands", scores{"xp": -5}, scores{"xp": 1005}, "", "", scores{"xp": 1000}},
		{"a sum below the lower limit", scores{"xp": 5}, scores{"xp": -16}, "", `column "xp": score -11 is below the limit of -10`, scores{"xp": 5}},
		{"a sum on its way back", scores{"xp": 5000}, scores{"xp": -1000}, "", "", scores{"xp": 4000}},
		{"a sum that goes on beyond", scores{"xp": 5000}, scores{"xp": 1}, "", `score 5001 is above the limit of 1000`, scores{"xp": 5000}},
		{"a sum from beyond one limit over the other", scores{"xp": 5000}, scores{"xp": -6000}, "", `score -1000 is below the limit of -10`, scores{"xp": 5000}},
		{"one of many columns", scores{"xp": 1}, scores{"xp": 1, "level": 101}, "", `column "level"`, scores{"xp": 1}},
		{"a row as a whole", scores{"level": 1}, scores{"level": 2, "xp": 1001}, store.BestRow, `column "xp"`, scores{"level": 1}},
		{"a column without limits", scores{}, scores{"streak": store.MaxScore}, "", "", scores{"streak": store.MaxScore}},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := newStore(t)
			b := newBoard(t, st, runs, rankcurve.WithLimits(limits))
			if len(c.there) > 0 {
				if _, err := st.Load(ctx, runs, []store.Entry{{Owner: "ann", Scores: maps.Clone(c.there)}}); err != nil {
					t.Fatal(err)
				}
			}
			for _, batched := range []bool{true, false} {
				_, err := postWay(b, rankcurve.Post{Owner: "ann", Scores: c.post, Operator: c.operator, ID: "p"}, batched)
				if c.refused == "" && err != nil || c.refused != "" && (!errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), c.refused)) {
					t.Errorf("batched %t: %v, want %q", batched, err, c.refused)
				}
			}
			row, _, err := st.Entry(ctx, runs, "ann")
			if !maps.Equal(row.Scores, c.after) || (c.after == nil) != errors.Is(err, store.ErrNotFound) {
				t.Errorf("%+v, %v, want %v", row, err, c.after)
			}
		})
	}
}

func TestLimitsThatCannotBe(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	newBoard(t, st, runs)
	for want, limits := range map[error]map[string]store.Limit{
		store.ErrNoColumn: {"gold": {Max: new(int64(1))}},
		store.ErrInvalid:  {"xp": {Min: new(int64(2)), Max: new(int64(1))}},
	} {
		if _, err := rankcurve.Open(ctx, st, runs.Name, rankcurve.WithLimits(limits)); !errors.Is(err, want) {
			t.Errorf("open: %v, want %v", err, want)
		}
		if _, err := rankcurve.New(ctx, st, runs, rankcurve.WithLimits(limits)); !errors.Is(err, want) {
			t.Errorf("make: %v, want %v", err, want)
		}
	}
}
