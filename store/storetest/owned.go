package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/rankcurve/rankcurve/store"
)

var ownerSentences = []sentence{
	{"BoardsOf reads all rows of an owner sorted by board", boardsOfAll},
	{"BoardsOf has hidden rows", boardsOfHidden},
	{"BoardsOf passes a board by that is not registered", boardsOfUnregistered},
	{"BoardsOf keeps owners apart whose names begin alike", boardsOfAlike},
	{"BoardsOf of nobody is nothing", boardsOfNobody},
	{"BoardsOf costs half a unit per 4 KB of all rows together", boardsOfCosts},
}

// WantBoardsOf waits until an owner's rows are these; they are of the boards of the
// same place in the list.
func (f *fixture) wantBoardsOf(owner string, boards []store.Board, rows ...store.Entry) {
	f.Helper()
	f.eventually(func() error {
		got, _, err := f.BoardsOf(f.ctx, owner)
		if err != nil {
			return err
		}
		if len(got) != len(rows) {
			return fmt.Errorf("%d boards of %q, want %d: %+v", len(got), owner, len(rows), got)
		}
		for i, o := range got {
			if o.Board.Name != boards[i].Name || o.Board.Same(boards[i]) != nil || !sameEntry(o.Entry, rows[i]) {
				return fmt.Errorf("board %d of %q:\n got %+v\nwant %+v\n  on %+v", i, owner, o, rows[i], boards[i])
			}
		}
		return nil
	})
}

func (f *fixture) putOn(b store.Board, e store.Entry) store.Entry {
	f.Helper()
	if _, err := f.Put(f.ctx, b, e); err != nil {
		f.Fatalf("put %q on %q: %v", e.Owner, b.Name, err)
	}
	return stored(e)
}

func boardsOfAll(f *fixture) {
	weekly, first := boardOf("missions:2026-W47", 5), boardOf("arena", 2)
	first.Columns = []store.Column{{Name: "xp", Order: store.Asc, Operator: store.Set, Decimals: 3}}
	f.createBoard(weekly)
	f.createBoard(first)
	onMissions := entry("ann", 7, 8230)
	onMissions.Attributes, onMissions.Posts = map[string]string{"clan": "owls"}, []string{"p1"}
	rows := []store.Entry{
		f.putOn(first, store.Entry{Owner: "ann", Scores: map[string]int64{"xp": -1500}}),
		f.put(onMissions),
		f.putOn(weekly, store.Entry{Owner: "ann"}),
	}
	f.putOn(weekly, entry("bob", 1, 1))
	f.wantBoardsOf("ann", []store.Board{first, f.board, weekly}, rows...)
	if _, err := f.Delete(f.ctx, f.board, "ann", 1); err != nil {
		f.Fatal(err)
	}
	f.wantBoardsOf("ann", []store.Board{first, weekly}, rows[0], rows[2])
}

func boardsOfHidden(f *fixture) {
	e := entry("ann", 7, 8230)
	e.Hidden = true
	f.wantBoardsOf("ann", []store.Board{f.board}, f.put(e))
}

func boardsOfUnregistered(f *fixture) {
	f.putOn(boardOf("never-made", 2), entry("ann", 1, 1))
	f.wantBoardsOf("ann", []store.Board{f.board}, f.put(entry("ann", 7, 8230)))
}

func boardsOfAlike(f *fixture) {
	ann := f.put(entry("ann", 1, 1))
	anna := f.put(entry("anna", 2, 2))
	f.wantBoardsOf("ann", []store.Board{f.board}, ann)
	f.wantBoardsOf("anna", []store.Board{f.board}, anna)
}

func boardsOfNobody(f *fixture) {
	f.put(entry("ann", 1, 1))
	for _, owner := range []string{"nobody", "an", "", "#board", "a\x00missions", "\xff"} {
		f.wantBoardsOf(owner, nil)
	}
}

func boardsOfCosts(f *fixture) {
	other := boardOf("other", 1)
	f.createBoard(other)
	for _, b := range []store.Board{f.board, other} {
		e := entry("ann", 1, 1)
		e.Attributes = map[string]string{"text": strings.Repeat("x", 9000)}
		f.putOn(b, e)
	}
	f.eventually(func() error {
		_, u, err := f.BoardsOf(f.ctx, "ann")
		if err == nil && (!about(u.TableReads, 2.5) || u.TableReads < 2 || u.IndexReads+u.WriteUnits() != 0 || u.Requests < 1) {
			err = fmt.Errorf("18 KB used %+v, want about 2.5 table reads", u)
		}
		return err
	})
}

var secretSentences = []sentence{
	{"Secret is made once and stays", secretStays},
	{"Secret at once by many is one", secretRace},
	{"Secret of another name is another", secretNames},
	{"Secret refuses what is no name", func(f *fixture) {
		for _, name := range []string{"", "A", "a b", "#a", strings.Repeat("a", 40)} {
			_, _, err := f.Secret(f.ctx, name)
			f.wantError(err, store.ErrInvalid)
		}
	}},
}

func (f *fixture) secret(name string) []byte {
	f.Helper()
	s, _, err := f.Secret(f.ctx, name)
	if err != nil || len(s) != store.SecretBytes || bytes.Equal(s, make([]byte, store.SecretBytes)) {
		f.Errorf("secret %q is %x, %v; want %d random bytes", name, s, err, store.SecretBytes)
	}
	return s
}

func secretStays(f *fixture) {
	first := f.secret("cursor")
	given := bytes.Clone(first)
	first[0]++ // it is the caller's own
	if again := f.secret("cursor"); !bytes.Equal(again, given) {
		f.Errorf("it was %x and is %x", given, again)
	}
	_, u, err := f.Secret(f.ctx, "cursor")
	if err != nil || u.TableReads != 1 || u.WriteUnits() != 0 {
		f.Errorf("reading it used %+v, %v; want a read unit", u, err)
	}
}

func secretRace(f *fixture) {
	secrets := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range secrets {
		wg.Go(func() { secrets[i] = f.secret("cursor") })
	}
	wg.Wait()
	for _, s := range secrets[1:] {
		if !bytes.Equal(s, secrets[0]) {
			f.Errorf("two secrets of one name: %x and %x", s, secrets[0])
		}
	}
}

func secretNames(f *fixture) {
	if a, b := f.secret("cursor"), f.secret("other"); bytes.Equal(a, b) {
		f.Errorf("both are %x", a)
	}
}
