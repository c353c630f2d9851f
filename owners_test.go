package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

func twoColumns(name string) store.Board {
	return boardOf(name, 3,
		store.Column{Name: "xp", Order: store.Desc, Operator: store.Set},
		store.Column{Name: "time", Order: store.Asc, Operator: store.Set, Decimals: 2})
}

// racers puts ann, bob and cy on a board of two columns, cy without a time, and a
// hidden cheat.
func racers(t *testing.T, on backend, def store.Board) {
	t.Helper()
	for _, e := range []store.Entry{
		{Owner: "ann", Scores: map[string]int64{"xp": 10, "time": 850}, Attributes: map[string]string{"clan": "owls"}},
		{Owner: "bob", Scores: map[string]int64{"xp": 30, "time": 900}},
		{Owner: "cy", Scores: map[string]int64{"xp": 20}, Attributes: map[string]string{"clan": "elks", "flag": "☃"}},
		{Owner: "cheat", Scores: map[string]int64{"xp": 99, "time": 1}, Hidden: true},
	} {
		if _, err := on.Put(context.Background(), def, e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOwnersWithAndWithoutRanks(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		def := twoColumns("games")
		b := newBoard(t, on, def)
		racers(t, on, def)
		owners := []string{"cy", "nobody", "ann", "#x", "cheat", "ann"}
		for _, columns := range [][]string{nil, {"time"}, {"xp", "time"}} {
			results, usage, err := b.Owners(ctx, rankcurve.RankIn{Columns: columns, Mode: rankcurve.Exact}, owners...)
			if err != nil || len(results) != len(owners) || usage.TableReads <= 0 || (usage.IndexReads > 0) != (len(columns) > 0) {
				t.Fatalf("%v: %d results for %v, %v", columns, len(results), usage, err)
			}
			for i, want := range map[int]error{1: store.ErrNotFound, 3: store.ErrInvalid, 4: store.ErrNotFound} {
				if r := results[i]; !errors.Is(r.Err, want) || r.Owner != owners[i] || r.Scores != nil || r.Attributes != nil || r.Ranks != nil {
					t.Errorf("%s: %+v, want %v", owners[i], r, want)
				}
			}
			cy, ann := results[0], results[2]
			if !maps.Equal(cy.Scores, map[string]int64{"xp": 20}) || cy.Attributes["flag"] != "☃" || cy.Board != "games" {
				t.Errorf("%+v", cy)
			}
			if !maps.Equal(ann.Scores, map[string]int64{"xp": 10, "time": 850}) || !maps.Equal(ann.Scores, results[5].Scores) {
				t.Errorf("%+v", ann)
			}
			for j, column := range columns {
				wantAnn, wantCy := int64(3), int64(2)
				if column == "time" {
					wantAnn, wantCy = 1, 0
				}
				if a := ann.Ranks[j]; a.Err != nil || a.Column != column || a.Rank.Rank != wantAnn || a.Owner != "ann" {
					t.Errorf("ann by %s: %+v, want %d", column, a, wantAnn)
				}
				if a := cy.Ranks[j]; a.Rank.Rank != wantCy || (wantCy == 0) != errors.Is(a.Err, store.ErrNotFound) {
					t.Errorf("cy by %s: %+v, want %d", column, a, wantCy)
				}
			}
		}
		if _, _, err := b.Owners(ctx, rankcurve.RankIn{Columns: []string{"gold"}}, "ann"); !errors.Is(err, store.ErrNoColumn) {
			t.Errorf("%v, want ErrNoColumn", err)
		}
	})
}

// A column whose ranks cannot be told keeps nobody from their results and other ranks.
func TestResultsWithoutRanks(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), twoColumns("games")
	racers(t, backend{st, true}, def)
	newBoard(t, st, def)
	publish(t, st, def, 1, map[string]int64{"ann": 10, "bob": 30, "cy": 20}) // of xp alone
	for mode, want := range map[rankcurve.Mode]error{rankcurve.Estimate: rankcurve.ErrNoCurve, rankcurve.Exact: store.ErrTooExpensive} {
		b, err := rankcurve.Open(ctx, st, "games", rankcurve.WithReadBudget(0.1))
		if err != nil {
			t.Fatal(err)
		}
		results, _, err := b.Owners(ctx, rankcurve.RankIn{Columns: []string{"time", "xp"}, Mode: mode}, "ann", "nobody", "cy")
		if err != nil || len(results) != 3 || results[0].Scores["time"] != 850 || len(results[0].Ranks) != 2 || len(results[1].Ranks) != 0 {
			t.Fatal(results, err)
		}
		if a := results[0].Ranks[0]; !errors.Is(a.Err, want) || a.Rank.Rank != 0 || a.Score != 850 || a.Owner != "ann" || a.Column != "time" || a.Decimals != 2 {
			t.Errorf("%s: %+v, want %v", mode, a, want)
		}
		if a := results[2].Ranks[0]; !errors.Is(a.Err, store.ErrNotFound) {
			t.Errorf("%s: %+v, want ErrNotFound: cy has no time", mode, a)
		}
		if a := results[0].Ranks[1]; mode == rankcurve.Estimate && (a.Err != nil || a.Rank.Rank != 3) {
			t.Errorf("%s: %+v, want rank 3", mode, a)
		}
	}
	away := &double{Store: st, curve: func() error { return store.ErrUnavailable }}
	b, err := rankcurve.Open(ctx, away, "games")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Owners(ctx, rankcurve.RankIn{Columns: []string{"xp"}}, "ann"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
}

// The version that is read is the one that a post asks for.
func TestResultsHaveVersions(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		def := twoColumns("games")
		b := newBoard(t, on, def)
		racers(t, on, def)
		for range 2 {
			results, _, err := b.Owners(ctx, rankcurve.RankIn{}, "ann", "nobody")
			if err != nil || results[0].Version == 0 || results[1].Version != 0 {
				t.Fatal(results, err)
			}
			version := results[0].Version
			for i, want := range []error{nil, store.ErrConflict} {
				_, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: map[string]int64{"xp": version + int64(i) + 100}, Version: &version})
				if !errors.Is(err, want) {
					t.Errorf("post %d at version %d: %v, want %v", i, version, err, want)
				}
			}
		}
	})
}

// Who is hidden is there for moderators alone, and has no rank for them either.
func TestModeratorsSeeHiddenOwners(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		def := twoColumns("games")
		b := newBoard(t, on, def)
		racers(t, on, def)
		results, _, err := b.OwnersWithHidden(ctx, rankcurve.RankIn{Columns: []string{"xp"}}, "cheat", "ann", "nobody")
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0]; r.Err != nil || !r.Hidden || r.Scores["xp"] != 99 || r.Version == 0 || len(r.Ranks) != 0 {
			t.Errorf("%+v, want the hidden row without a rank", r)
		}
		if r := results[1]; r.Err != nil || r.Hidden || len(r.Ranks) != 1 || r.Ranks[0].Rank.Rank != 3 {
			t.Errorf("%+v, want rank 3: nobody hidden is above", r)
		}
		if r := results[2]; !errors.Is(r.Err, store.ErrNotFound) {
			t.Errorf("%+v, want ErrNotFound", r)
		}
	})
}

func TestOwnersAreTheCallers(t *testing.T) {
	st, def := newStore(t), twoColumns("games")
	b := newBoard(t, st, def)
	racers(t, backend{st, true}, def)
	results, _, err := b.Owners(context.Background(), rankcurve.RankIn{}, "ann", "ann")
	if err != nil {
		t.Fatal(err)
	}
	results[0].Scores["xp"], results[0].Attributes["clan"] = 1, "x"
	if results[1].Scores["xp"] != 10 || results[1].Attributes["clan"] != "owls" {
		t.Errorf("the second answer changed with the first: %+v", results[1])
	}
}

func TestRanksInManyColumns(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		def := twoColumns("games")
		b := newBoard(t, on, def)
		racers(t, on, def)
		ranks, usage, err := b.Ranks(ctx, []string{"time", "xp", ""}, rankcurve.Exact, "bob", "cy", "nobody")
		if err != nil || len(ranks) != 3 || len(ranks[0]) != 3 {
			t.Fatal(ranks, err)
		}
		text := ""
		for _, one := range ranks {
			for _, a := range one {
				text += fmt.Sprintf("%s.%s %d/%d %t, ", a.Owner, a.Column, a.Rank.Rank, a.Of, a.Err == nil)
			}
		}
		const want = "bob.time 2/2 true, bob.xp 1/3 true, bob.xp 1/3 true, cy.time 0/0 false, cy.xp 2/3 true, cy.xp 2/3 true, nobody.time 0/0 false, nobody.xp 0/0 false, nobody.xp 0/0 false, "
		if text != want {
			t.Errorf("%s\nwant %s", text, want)
		}
		if looks := usage.TableReads - 2; on.sorted && looks > 2 { // two curves were asked for
			t.Errorf("%v: the owners were not looked up once", usage)
		}
	})
}

func TestBoardsOfAnOwner(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		for _, name := range []string{"weekly", "arena", "games"} {
			def := twoColumns(name)
			newBoard(t, on, def)
			if name != "games" {
				racers(t, on, def)
			}
		}
		rows, _, err := rankcurve.BoardsOfWithHidden(ctx, on, "cheat")
		names := make([]string, 0, len(rows))
		for _, row := range rows {
			names = append(names, row.Board.Name)
			if !row.Entry.Hidden || row.Entry.Scores["xp"] != 99 || row.Board.Columns[1].Decimals != 2 {
				t.Errorf("%+v", row)
			}
		}
		if err != nil || !slices.Equal(names, []string{"arena", "weekly"}) {
			t.Errorf("boards %v, %v", names, err)
		}
		if rows, _, err := rankcurve.BoardsOf(ctx, on, "cheat"); err != nil || len(rows) != 0 {
			t.Errorf("hidden everywhere, and on %v, %v", rows, err)
		}
		if rows, _, err := rankcurve.BoardsOf(ctx, on, "ann"); err != nil || len(rows) != 2 || rows[1].Board.Name != "weekly" || rows[1].Entry.Version == 0 {
			t.Errorf("ann is on %v, %v", rows, err)
		}
		if rows, _, err := rankcurve.BoardsOf(ctx, on, "nobody"); err != nil || len(rows) != 0 {
			t.Errorf("nobody: %v, %v", rows, err)
		}
		if _, _, err := rankcurve.BoardsOf(ctx, on, "#board"); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%v, want ErrInvalid", err)
		}
	})
}

// A board that has expired is none of an owner's, though its rows are still there.
func TestBoardsOfAnOwnerThatHaveExpired(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	for name, expires := range map[string]time.Time{"games:2020-01-06": time.Now().Add(-time.Hour).Truncate(time.Second), "games:2020-01-07": time.Now().Add(time.Hour).Truncate(time.Second)} {
		def := twoColumns(name)
		def.Family, def.Period, def.Expires = "games", store.Daily, expires
		if err := st.CreateBoard(ctx, def.Stamped(time.Now())); err != nil {
			t.Fatal(err)
		}
		racers(t, backend{st, true}, def)
	}
	rows, _, err := rankcurve.BoardsOf(ctx, st, "ann")
	if err != nil || len(rows) != 1 || rows[0].Board.Name != "games:2020-01-07" {
		t.Errorf("%v, %v, want the board that has not expired", rows, err)
	}
}
