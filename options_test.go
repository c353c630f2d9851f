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

// An option that is out of range is told where a board is opened, by its name.
func TestOptionsOutOfRange(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	newBoard(t, st, runs)
	for want, option := range map[string]rankcurve.Option{
		"WithReadBudget(-1)":      rankcurve.WithReadBudget(-1),
		"WithReadBudget(NaN)":     rankcurve.WithReadBudget(math.NaN()),
		"WithExactTop(-1)":        rankcurve.WithExactTop(-1),
		"WithCurvePoll(-1s)":      rankcurve.WithCurvePoll(-time.Second),
		"WithMaxStaleness(-1ns)":  rankcurve.WithMaxStaleness(-1),
		"WithCursorMaxAge(-1m0s)": rankcurve.WithCursorMaxAge(-time.Minute),
	} {
		_, made := rankcurve.New(ctx, st, boardOf("games", 2), option)
		_, opened := rankcurve.Open(ctx, st, runs.Name, option)
		_, family := rankcurve.NewFamily(st, missions(), option)
		_, _, boards := rankcurve.BoardsOf(ctx, st, "ann", option)
		for _, err := range []error{made, opened, family, boards} {
			if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), want+" is not 0 or more") {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
	if _, err := st.Board(ctx, "games"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the board is there: %v", err)
	}
	zero := []rankcurve.Option{rankcurve.WithReadBudget(0), rankcurve.WithExactTop(0), rankcurve.WithCurvePoll(0), rankcurve.WithMaxStaleness(0), rankcurve.WithCursorMaxAge(0)}
	if _, err := rankcurve.Open(ctx, st, runs.Name, zero...); err != nil {
		t.Error(err)
	}
	b, err := rankcurve.Open(ctx, st, runs.Name, rankcurve.WithClock(nil))
	if err != nil {
		t.Fatal(err)
	}
	posted, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}})
	if err != nil || posted.Entry.Updated.Year() < 2026 {
		t.Errorf("%+v, %v: no clock is the system's", posted, err)
	}
}

// What has expired is left out of an owner's boards by the clock that is given.
func TestBoardsOfByAClock(t *testing.T) {
	ctx, st, c := context.Background(), newStore(t), newClock()
	postXP(t, newFamily(t, st, missions(), c), time.Time{}, 1, "one")
	for _, want := range []int{3, 2} {
		if rows, _, err := rankcurve.BoardsOf(ctx, st, "ann", rankcurve.WithClock(c.Now)); err != nil || len(rows) != want {
			t.Errorf("at %s: %+v, %v, want %d", c.Now(), rows, err, want)
		}
		c.Advance(32 * 24 * time.Hour)
	}
}
