package rankcurve_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// A store that is reticent says once whom a family hides, and then no more.
type reticent struct {
	store.Store
	said bool
}

func (r *reticent) Entry(ctx context.Context, b store.Board, owner string) (store.Entry, store.Usage, error) {
	if strings.HasSuffix(b.Name, "/hidden") {
		if r.said {
			return store.Entry{}, store.Usage{}, store.ErrUnavailable
		}
		r.said = true
	}
	return r.Store.Entry(ctx, b, owner)
}

// A row that was made while nobody can say whether its owner is hidden is no post that has
// succeeded, nor one that was not stored.
func TestAPostThatCannotSeeWhomTheFamilyHidesSaysSo(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		ctx, c := context.Background(), newClock()
		f := newFamily(t, on, missions(), c)
		if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "bob", Scores: scores{"xp": 1}}); err != nil { // makes the boards
			t.Fatal(err)
		}
		daily, err := f.Open(ctx, store.Daily, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		board, err := rankcurve.New(ctx, &reticent{Store: on}, daily.Definition())
		if err != nil {
			t.Fatal(err)
		}
		_, err = board.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 5}, ID: "one"})
		if !errors.Is(err, store.ErrUnknown) || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%v", err)
		}
		row, _, err := on.Entry(ctx, daily.Definition(), "ann")
		if err != nil || row.Scores["xp"] != 5 {
			t.Errorf("%+v, %v", row, err)
		}
	})
}
