package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

// RunDamaged checks what a backend answers beside a row that cannot be read back. Each
// subtest calls open once: it makes a store of the board and its rows, of which the
// damaged owner's is one that nobody can decode.
func RunDamaged(t *testing.T, open func(t *testing.T, b store.Board, rows []store.Entry, damaged string) store.Store) {
	t.Helper()
	for _, s := range damagedSentences {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f := newFixtureOn(t, boardOf("missions", 1), func(t *testing.T, b store.Board) store.Store {
				t.Helper()
				return open(t, b, damagedRows, damagedOwner)
			}, nil)
			s.check(f)
		})
	}
}

const damagedOwner = "bad"

var damagedRows = []store.Entry{entry("ann", 1, 1), entry(damagedOwner, 2, 2), entry("bob", 3, 3)}

var damagedSentences = []sentence{
	{"Entry of a row that cannot be read is ErrCorrupt", damagedEntry},
	{"EntriesOf answers the others, and says why one cannot be read", damagedEntriesOf},
	{"EntriesOf of a row that cannot be read costs what it costs", damagedEntriesOfCosts},
	{"BoardsOf answers the other rows, and says why one cannot be read", damagedBoardsOf},
}

func damagedEntry(f *fixture) {
	_, _, err := f.Entry(f.ctx, f.board, damagedOwner)
	f.wantNamed(err)
	f.wantScore(f.entry("ann"), 1)
}

func damagedEntriesOf(f *fixture) {
	entries, _, err := f.EntriesOf(f.ctx, f.board, []string{"ann", damagedOwner, "nobody", damagedOwner, "bob"})
	var some *store.UnreadableError
	if !errors.As(err, &some) || len(some.Rows) != 1 || len(entries) != 5 {
		f.Fatalf("%d entries, %v; want all of them, and an UnreadableError of one", len(entries), err)
	}
	f.wantNamed(err)
	f.wantNamed(some.Rows[damagedOwner])
	f.wantScore(entries[0], 1)
	f.wantScore(entries[4], 3)
	for i, owner := range []string{damagedOwner, "nobody", damagedOwner} {
		if e := entries[i+1]; !sameEntry(e, store.Entry{Owner: owner}) {
			f.Errorf("%s is answered as %+v, want it without a version", owner, e)
		}
	}
	if entries, _, err = f.EntriesOf(f.ctx, f.board, []string{"ann", "bob"}); err != nil || len(entries) != 2 {
		f.Errorf("the sound rows alone: %d entries, %v", len(entries), err)
	}
}

func damagedEntriesOfCosts(f *fixture) {
	_, u, _ := f.EntriesOf(f.ctx, f.board, []string{"ann", damagedOwner, "bob"})
	if u.TableReads != 1.5 || u.Requests != 1 {
		f.Errorf("three rows used %+v, want 1.5 table reads in one request", u)
	}
}

func damagedBoardsOf(f *fixture) {
	weekly := boardOf("weekly", 1)
	for _, b := range []store.Board{f.board, weekly} {
		if err := f.CreateBoard(f.ctx, b); err != nil {
			f.Fatal(err)
		}
	}
	if _, err := f.Load(f.ctx, weekly, []store.Entry{entry(damagedOwner, 7, 7)}); err != nil {
		f.Fatal(err)
	}
	rows, u, err := f.BoardsOf(f.ctx, damagedOwner)
	var some *store.UnreadableError
	if !errors.As(err, &some) || len(some.Rows) != 1 || len(rows) != 1 || rows[0].Board.Name != weekly.Name {
		f.Fatalf("%d rows, %v; want the sound one, and an UnreadableError of the other", len(rows), err)
	}
	f.wantNamed(err)
	f.wantNamed(some.Rows[f.board.Name])
	f.wantScore(rows[0].Entry, 7)
	if u.TableReads < 0.5 {
		f.Errorf("used %+v, want what was read", u)
	}
}

// wantNamed wants an error that names the damaged row.
func (f *fixture) wantNamed(err error) {
	f.Helper()
	if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), `"`+damagedOwner+`"`) || !strings.Contains(err.Error(), f.board.Name) {
		f.Errorf("%v, want ErrCorrupt naming owner and board", err)
	}
}

func (f *fixture) wantScore(e store.Entry, xp int64) {
	f.Helper()
	if e.Scores["xp"] != xp || e.Version < 1 {
		f.Errorf("%+v, want a score of %d", e, xp)
	}
}
