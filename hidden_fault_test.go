package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		board, err := rankcurve.New(ctx, &reticent{Store: on}, daily.Definition(), rankcurve.WithClock(c.Now))
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

// A row that cannot be decoded keeps its owner on no other board of the family.
func TestAFamilyHidesBesideADamagedRow(t *testing.T) {
	ctx, c := context.Background(), newClock()
	st := &damagedOn{Store: newStore(t)}
	f := newFamily(t, st, missions(), c)
	for _, owner := range []string{"bad", "ann"} {
		if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: owner, Scores: scores{"xp": 1}}); err != nil {
			t.Fatal(err)
		}
	}
	weekly, err := f.Open(ctx, store.Weekly, c.Now())
	if err != nil {
		t.Fatal(err)
	}
	st.board = weekly.Definition().Name
	done, err := f.Hide(ctx, "bad")
	if err != nil || !errors.Is(done[0].Err, store.ErrCorrupt) || !done[0].Changed {
		t.Errorf("%+v, %v, want it hidden where it can be, and told where not", done, err)
	}
	for _, p := range []store.Period{store.Always, store.Daily} {
		wantTop(t, f, p, c.Now(), "ann")
	}
}

// damagedOn is a store in which "bad" has a row on one board that cannot be decoded.
type damagedOn struct {
	store.Store
	board string
}

func (d *damagedOn) Entry(ctx context.Context, b store.Board, owner string) (store.Entry, store.Usage, error) {
	if owner == "bad" && b.Name == d.board {
		return store.Entry{}, store.Usage{}, fmt.Errorf("owner %q: %w", owner, store.ErrCorrupt)
	}
	return d.Store.Entry(ctx, b, owner)
}

func (d *damagedOn) BoardsOf(ctx context.Context, owner string) ([]store.Owned, store.Usage, error) {
	rows, usage, err := d.Store.BoardsOf(ctx, owner)
	sound := slices.DeleteFunc(rows, func(o store.Owned) bool { return o.Board.Name == d.board })
	if err == nil && len(sound) < len(rows) {
		err = store.Unreadable(map[string]error{d.board: fmt.Errorf("owner %q: %w", owner, store.ErrCorrupt)})
	}
	return sound, usage, err
}

// A board whose definition cannot be read keeps an owner on no other board, and whoever is
// on it is told so; so is everybody while it is the board of now, where nobody can look.
func TestAFamilyHidesBesideADamagedBoard(t *testing.T) {
	ctx, c := context.Background(), newClock()
	st := &damagedBoard{Store: newStore(t)}
	f := newFamily(t, st, missions(), c)
	post := func(owner string) {
		t.Helper()
		if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: owner, Scores: scores{"xp": 1}}); err != nil {
			t.Fatal(err)
		}
	}
	post("bad")
	day, err := f.Open(ctx, store.Daily, c.Now())
	if err != nil {
		t.Fatal(err)
	}
	then := c.Now()
	c.Advance(24 * time.Hour)
	post("bad")
	post("ann")
	post("bob")

	st.board = day.Definition().Name
	done, err := f.Hide(ctx, "bad", "bob")
	if err != nil || !errors.Is(done[0].Err, store.ErrCorrupt) || !strings.Contains(done[0].Err.Error(), st.board) || !done[0].Changed {
		t.Errorf("%+v, %v, want it hidden where it can be, and told where not", done, err)
	}
	if done[1].Err != nil {
		t.Errorf("%+v, who was on it never", done[1])
	}
	for _, p := range []store.Period{store.Always, store.Daily} {
		wantTop(t, f, p, c.Now(), "ann")
	}
	st.known = true // as a process does that has met the board when it was sound
	if done, err := f.Remove(ctx, "bad"); err != nil || !errors.Is(done[0].Err, store.ErrCorrupt) {
		t.Errorf("%+v, %v, want it told of the board where it has a row", done, err)
	}
	st.board, st.known = "", false
	wantTop(t, f, store.Daily, then, "bad")

	today, err := f.Open(ctx, store.Daily, c.Now())
	if err != nil {
		t.Fatal(err)
	}
	st.board = today.Definition().Name
	if done, err := f.Unhide(ctx, "bob"); err != nil || !errors.Is(done[0].Err, store.ErrCorrupt) {
		t.Errorf("%+v, %v, want it told of the board of now", done, err)
	}
	st.board = "others:" + strings.TrimPrefix(st.board, "missions:")
	if done, err := f.Unhide(ctx, "bob"); err != nil || done[0].Err != nil {
		t.Errorf("%+v, %v beside a damaged board of another family", done, err)
	}
}

// damagedBoard is a store in which the definition of one board cannot be decoded.
type damagedBoard struct {
	store.Store
	board string
	known bool // from before, for BoardsOf
}

func (d *damagedBoard) Boards(ctx context.Context) ([]store.Board, error) {
	all, err := d.Store.Boards(ctx)
	if err != nil || d.board == "" {
		return all, err
	}
	all = slices.DeleteFunc(all, func(b store.Board) bool { return b.Name == d.board })
	return all, store.Unreadable(map[string]error{d.board: fmt.Errorf("decode board %q: %w", d.board, store.ErrCorrupt)})
}

func (d *damagedBoard) BoardsOf(ctx context.Context, owner string) ([]store.Owned, store.Usage, error) {
	rows, usage, err := d.Store.BoardsOf(ctx, owner)
	sound := slices.DeleteFunc(slices.Clone(rows), func(o store.Owned) bool { return o.Board.Name == d.board })
	if err == nil && len(sound) < len(rows) && !d.known {
		return sound, usage, store.Unreadable(map[string]error{d.board: fmt.Errorf("decode board %q: %w", d.board, store.ErrCorrupt)})
	}
	return rows, usage, err
}
