package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// wantTop holds who is on a board of the family, best first.
func wantTop(t *testing.T, f *rankcurve.Family, p store.Period, at time.Time, want ...string) {
	t.Helper()
	b, err := f.Open(context.Background(), p, at)
	if err != nil {
		t.Fatal(err)
	}
	top, err := b.Top(context.Background(), "", 10)
	got := make([]string, len(top.Rows))
	for i, row := range top.Rows {
		got[i] = row.Owner
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("on the %s board of %s are %v, %v, want %v", p, at, got, err, want)
	}
}

// Whom a family hides is off all of its boards, those of tomorrow too, and comes back on
// all of them with what was posted meanwhile.
func TestAFamilyHidesOnBoardsToCome(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		ctx, c := context.Background(), newClock()
		f := newFamily(t, on, missions(), c)
		post := func(owner string, xp int64) {
			t.Helper()
			if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: owner, Scores: scores{"xp": xp}}); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(done []rankcurve.Moderated, err error) func(want string) {
			return func(want string) {
				t.Helper()
				if got := moderated(done, err); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
		}
		expect(f.Hide(ctx, "early"))("early yes ") // before there is a board
		post("cheat", 100)
		post("ann", 10)
		expect(f.Hide(ctx, "cheat", "ghost", "#x"))("cheat yes ghost yes #x invalid ")
		expect(f.Hide(ctx, "cheat", "early"))("cheat no early no ")
		today := c.Now()
		c.Advance(24 * time.Hour)
		tomorrow := scores{"cheat": 100, "ann": 10, "ghost": 50, "early": 70}
		for owner, xp := range tomorrow {
			post(owner, xp)
		}
		for _, p := range missions().Periods {
			wantTop(t, f, p, c.Now(), "ann")
			wantTop(t, f, p, today, "ann")
		}
		daily, err := f.Open(ctx, store.Daily, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		posted, errs, err := daily.PostAll(ctx, []rankcurve.Post{{Owner: "early", Scores: scores{"xp": 1}}, {Owner: "bob", Scores: scores{"xp": 1}}})
		if err != nil || errors.Join(errs...) != nil || !posted[0].Entry.Hidden || posted[1].Entry.Hidden {
			t.Errorf("%+v, %v, %v", posted, errs, err)
		}
		wantTop(t, f, store.Daily, c.Now(), "ann", "bob")
		for _, owner := range []string{"cheat", "ghost"} {
			boards, _, err := on.BoardsOf(ctx, owner)
			if want := map[string]int{"cheat": 4, "ghost": 3}[owner]; err != nil || len(boards) != want {
				t.Errorf("%s has %d rows, %v, want %d", owner, len(boards), err, want)
			}
		}

		expect(f.Unhide(ctx, "cheat", "ann", "nobody"))("cheat yes ann no nobody missing ")
		wantTop(t, f, store.Daily, c.Now(), "cheat", "ann", "bob")
		wantTop(t, f, store.Daily, today, "cheat", "ann")
		wantTop(t, f, store.Always, c.Now(), "cheat", "ann")
		expect(f.Remove(ctx, "ann", "ghost", "nobody"))("ann yes ghost yes nobody missing ")
		post("ghost", 5) // whose new rows are hidden still
		wantTop(t, f, store.Daily, c.Now(), "cheat", "bob")
		expect(f.Unhide(ctx, "ghost", "early"))("ghost yes early yes ")
		wantTop(t, f, store.Daily, c.Now(), "cheat", "early", "ghost", "bob")
		c.Advance(24 * time.Hour)
		post("ghost", 5)
		wantTop(t, f, store.Daily, c.Now(), "ghost")
	})
}

// Rows that are loaded know nothing of a family; KeepHidden sees to it.
func TestKeepHidden(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		ctx, c := context.Background(), newClock()
		f := newFamily(t, on, missions(), c)
		if _, err := f.Hide(ctx, "cheat", "other"); err != nil {
			t.Fatal(err)
		}
		b, err := f.Make(ctx, store.Daily.At(c.Now()))
		if err != nil {
			t.Fatal(err)
		}
		load(t, on, b.Definition(), scores{"cheat": 9, "ann": 5, "bob": 7})
		if err := b.KeepHidden(ctx, "cheat", "ann", "bob", "other"); err != nil {
			t.Fatal(err)
		}
		wantTop(t, f, store.Daily, c.Now(), "bob", "ann")
		alone := newBoard(t, on, boardOf("games", 2))
		if err := alone.KeepHidden(ctx, "cheat"); err != nil {
			t.Error(err)
		}
	})
}

// Rows that are made while their owner is hidden, or put back, end as the last word was:
// sixteen writers make rows of a new day, and no look at the list is early enough.
func TestHidingRacesWithFirstPosts(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		ctx, c := context.Background(), newClock()
		def := missions()
		def.Periods = []store.Period{store.Daily}
		f := newFamily(t, on, def, c)
		owners := make([]string, 16)
		for i := range owners {
			owners[i] = fmt.Sprintf("player-%02d", i)
		}
		hide := true
		for range 6 {
			c.Advance(24 * time.Hour)
			var all sync.WaitGroup
			for _, one := range owners {
				all.Go(func() {
					if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: one, Scores: scores{"xp": 5}}); err != nil {
						t.Error(err)
					}
				})
			}
			all.Go(func() {
				do := f.Hide
				if !hide {
					do = f.Unhide
				}
				if done, err := do(ctx, owners...); err != nil {
					t.Error(done, err)
				}
			})
			all.Wait()
			b, err := f.Open(ctx, store.Daily, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			rows, _, err := on.EntriesOf(ctx, b.Definition(), owners)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				if row.Hidden != hide || row.Version == 0 {
					t.Errorf("%+v, want hidden %t", row, hide)
				}
			}
			hide = !hide
		}
	})
}

// firstRows is a store in which something happens right before rows are first written.
type firstRows struct {
	store.Store
	before func()
}

func (s *firstRows) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	s.happen(e)
	return s.Store.Put(ctx, b, e)
}

func (s *firstRows) PutAll(ctx context.Context, b store.Board, entries []store.Entry) ([]error, store.Usage, error) {
	s.happen(entries[0])
	return s.Store.PutAll(ctx, b, entries)
}

func (s *firstRows) happen(e store.Entry) {
	if do := s.before; do != nil && e.Version == 0 {
		s.before = nil
		do()
	}
}

// One who hides, or puts back, between a post's look at the list and its write finds no
// row, and the post looks again.
func TestHidingWhileAFirstRowIsWritten(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		ctx, c := context.Background(), newClock()
		def := missions()
		def.Periods = []store.Period{store.Daily}
		st := &firstRows{Store: on.Store}
		f, others := newFamily(t, st, def, c), newFamily(t, on, def, c)
		hide := func() {
			if done, err := others.Hide(ctx, "ann", "bob"); err != nil || done[0].Err != nil {
				t.Error(done, err)
			}
		}
		unhide := func() {
			if done, err := others.Unhide(ctx, "ann", "bob"); err != nil || done[0].Err != nil {
				t.Error(done, err)
			}
		}
		for i, meanwhile := range []func(){hide, unhide, hide, unhide} {
			st.before = meanwhile
			b, err := f.Make(ctx, store.Daily.At(c.Now()))
			if err != nil {
				t.Fatal(err)
			}
			posts := []rankcurve.Post{{Owner: "ann", Scores: scores{"xp": 1}}, {Owner: "bob", Scores: scores{"xp": 2}}}
			if i < 2 {
				_, err = f.Post(ctx, time.Time{}, posts[0])
			} else {
				_, _, err = b.PostAll(ctx, posts)
			}
			if err != nil {
				t.Fatal(err)
			}
			row, _, err := on.Entry(ctx, b.Definition(), "ann")
			if err != nil || row.Hidden != (i%2 == 0) || row.Scores["xp"] != 1 {
				t.Errorf("%d: %+v, %v", i, row, err)
			}
			c.Advance(24 * time.Hour)
		}
	})
}

// Whom a family hides is listed, the last first, be there rows or not; who was hidden by an
// item alone, as other programs write it, from when it is hidden again.
func TestAFamilyListsWhomItHides(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		ctx, c := context.Background(), newClock()
		f := newFamily(t, on, missions(), c)
		wantList := func(want string) {
			t.Helper()
			hidden, _, err := f.Hidden(ctx)
			got := ""
			for _, one := range hidden {
				got += fmt.Sprintf("%s@%v ", one.Owner, one.Since.Sub(newClock().Now()).Minutes())
			}
			if err != nil || got != want {
				t.Errorf("hidden: %s, %v, want %s", got, err, want)
			}
		}
		wantList("")
		if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "cheat", Scores: scores{"xp": 1}}); err != nil {
			t.Fatal(err)
		}
		if _, err := on.Put(ctx, store.Board{Name: "missions/hidden", Shards: 1}, store.Entry{Owner: "old", Hidden: true}); err != nil {
			t.Fatal(err)
		}
		for _, owners := range [][]string{{"cheat"}, {"ghost", "cheat"}, {"old"}} {
			done, err := f.Hide(ctx, owners...)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range done {
				rows := map[string]int{"cheat": 3}[one.Owner]
				if one.Err != nil || one.Rows != rows || one.Changed != (one.Owner == owners[0] && one.Owner != "old") {
					t.Errorf("%+v, want %d rows", one, rows)
				}
			}
			c.Advance(time.Minute)
		}
		wantList("old@2 ghost@1 cheat@0 ")
		if hides, err := f.Hides(ctx, "ghost", "ann", "old"); err != nil || fmt.Sprint(hides) != "[true false true]" {
			t.Errorf("%v, %v", hides, err)
		}
		c.Advance(60 * 24 * time.Hour) // the daily board of the day has expired, and is left alone
		done, err := f.Unhide(ctx, "old", "cheat")
		if err != nil || done[0].Err != nil || done[1].Err != nil || done[0].Rows != 0 || done[1].Rows != 2 {
			t.Errorf("%+v, %v", done, err)
		}
		wantList("ghost@1 ")
	})
}
