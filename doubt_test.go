package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// doubts is a store one of whose puts is carried out or not, is followed by other posts,
// and then has an outcome that it does not know.
type doubts struct {
	store.Store
	carriedOut bool
	others     func(st store.Store)
	after      int // puts, which meet others
	puts       int
}

func (d *doubts) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	switch d.puts++; {
	case d.puts <= d.after:
		return store.Usage{}, fmt.Errorf("put: %w", store.ErrConflict)
	case d.puts > d.after+1:
		return d.Store.Put(ctx, b, e)
	}
	if d.carriedOut {
		if _, err := d.Store.Put(ctx, b, e); err != nil {
			return store.Usage{}, err
		}
	}
	d.others(d.Store)
	return store.Usage{}, fmt.Errorf("put: %w, %w", store.ErrConflict, store.ErrUnknown)
}

func (d *doubts) PutAll(ctx context.Context, b store.Board, entries []store.Entry) ([]error, store.Usage, error) {
	errs := make([]error, len(entries))
	for i, e := range entries {
		_, errs[i] = d.Put(ctx, b, e)
	}
	return errs, store.Usage{}, nil
}

// Where the store does not know, the row's post ids do, as long as they go back so far;
// without an id, or with too many posts between, the caller is told and nothing is
// added a second time.
func TestAPostOfUnknownOutcomeIsLookedForByItsID(t *testing.T) {
	ctx := context.Background()
	later := func(posts int) func(store.Store) {
		return func(st store.Store) {
			b := newBoard(t, st, runs)
			for i := range posts {
				if _, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 100}, ID: "later-" + strconv.Itoa(i)}); err != nil {
					t.Error(err)
				}
			}
		}
	}
	removed := func(st store.Store) {
		row, _, err := st.Entry(ctx, runs, "ann")
		if err == nil {
			_, err = st.Delete(ctx, runs, "ann", row.Version)
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		name       string
		before     int // posts with ids
		id         string
		carriedOut bool
		others     func(store.Store)
		unknown    bool
		xp         int64 // in the end, of which the post adds 1
	}{
		{"applied, a few between", 16, "mine", true, later(5), false, 501},
		{"applied, as many between as are remembered", 16, "mine", true, later(15), false, 1501},
		{"not applied, a few between", 16, "mine", false, later(5), false, 501},
		{"not applied, nothing forgotten yet", 3, "mine", false, later(12), false, 1201},
		{"applied and forgotten", 16, "mine", true, later(16), true, 1601},
		{"not applied and forgotten", 16, "mine", false, later(16), true, 1600},
		{"applied, and the row was made anew", 16, "mine", true, func(st store.Store) { removed(st); later(16)(st) }, false, 1601},
		{"applied, and the row was made anew and has come as far", 3, "mine", true, func(st store.Store) { removed(st); later(16)(st) }, true, 1600},
		{"without an id, applied", 3, "", true, later(1), true, 101},
		{"without an id, not applied", 3, "", false, later(1), true, 100},
		{"applied, and the row is gone", 3, "mine", true, removed, false, 1},
	} {
		for _, batched := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, batched %t", c.name, batched), func(t *testing.T) {
				st := newStore(t)
				for i := range c.before {
					if _, err := newBoard(t, st, runs).Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 0}, ID: "early-" + strconv.Itoa(i)}); err != nil {
						t.Fatal(err)
					}
				}
				b := newBoard(t, &doubts{Store: st, carriedOut: c.carriedOut, others: c.others}, runs)
				posted, err := postWay(b, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, ID: c.id}, batched)
				if errors.Is(err, store.ErrUnknown) != c.unknown || (err != nil) != c.unknown {
					t.Errorf("%v, want an unknown outcome: %t", err, c.unknown)
				}
				if !c.unknown && (!posted.Changed || len(posted.Changes) != 1 || *posted.Changes[0].After-value(posted.Changes[0].Before) != 1) {
					t.Errorf("answered %+v", posted)
				}
				if forgotten := c.unknown && c.id != ""; errors.Is(err, rankcurve.ErrForgotten) != forgotten || forgotten && errors.Is(err, store.ErrConflict) {
					t.Errorf("%v, want a forgotten post: %t", err, forgotten)
				}
				wantRow(t, st, c.xp)
				if err != nil { // what the error warns of: sent again, it is applied again
					if _, err := postWay(newBoard(t, st, runs), rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, ID: c.id}, batched); err != nil {
						t.Error(err)
					}
					wantRow(t, st, c.xp+1)
				}
			})
		}
	}
}

func wantRow(t *testing.T, st store.Store, xp int64) {
	t.Helper()
	row, _, err := st.Entry(context.Background(), runs, "ann")
	if err != nil || row.Scores["xp"] != xp {
		t.Errorf("%+v, %v, want xp %d", row, err, xp)
	}
}

// A post whose last try has an unknown outcome is looked for once more: to be told that it
// met others ten times is proof that it is not stored.
func TestTheLastTryIsLookedForToo(t *testing.T) {
	for _, carriedOut := range []bool{true, false} {
		for _, batched := range []bool{true, false} {
			st := newStore(t)
			d := &doubts{Store: st, carriedOut: carriedOut, others: func(store.Store) {}, after: 9}
			_, err := postWay(newBoard(t, d, runs), rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, ID: "mine"}, batched)
			if errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrConflict) == carriedOut || (err == nil) != carriedOut {
				t.Errorf("carried out %t, batched %t: %v", carriedOut, batched, err)
			}
			if d.puts != 10 {
				t.Errorf("%d puts", d.puts)
			}
		}
	}
}
