package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rankcurve/rankcurve/store"
)

var entrySentences = []sentence{
	{"Entry reads what was put", entryReadsWhatWasPut},
	{"Entry of a missing row is ErrNotFound", func(f *fixture) { f.wantMissing("nobody") }},
	{"Entry costs one read unit per 4 KB begun", entryCosts},
	{"EntriesOf has the order of owners, and missing rows", entriesOfOrder},
	{"EntriesOf answers an owner named twice twice", entriesOfTwice},
	{"EntriesOf answers hundreds of owners", entriesOfMany},
	{"EntriesOf costs half a unit per row", entriesOfCosts},
	{"Put of a new row over a stored one is ErrConflict", putNewOverStored},
	{"Put with another version is ErrConflict and changes nothing", putConflict},
	{"Put of a missing row with a version is ErrConflict", putMissingWithVersion},
	{"Put moves the row in every index", putMovesIndexes},
	{"Put replaces the whole row", putReplaces},
	{"Put without a column leaves its index", putWithoutColumn},
	{"Put of a hidden row leaves all indexes and it comes back", putHidden},
	{"Put refuses what cannot be stored", putRefuses},
	{"Put and Load take the largest row with its post ids, and refuse a larger one", putLargest},
	{"Put keeps the extremes of scores", putExtremes},
	{"Put keeps boards apart", putKeepsBoardsApart},
	{"Put costs table and index write units", putCosts},
	{"Put by 16 writers wins once per version", putRace},
	{"PutAll answers each as Put alone would", putAllEach},
	{"PutAll of one owner twice stores one", putAllTwice},
	{"PutAll of nothing is nothing", putAllNothing},
	{"Delete removes the row and its index entries", deleteRemoves},
	{"Delete with another version is ErrConflict", deleteConflict},
	{"Delete of a missing row is ErrNotFound", deleteMissing},
	{"Delete lets the owner start anew", deleteThenPut},
}

func entryReadsWhatWasPut(f *fixture) {
	e := entry("ann", 7, 8230)
	e.Attributes = map[string]string{"clan": "owls", "empty": "", "näme": "Ünï ☃"}
	e.Posts = []string{"p1", "p2"}
	f.wantEntry(f.put(e))
	plain := store.Entry{Owner: "plain"}
	f.wantEntry(f.put(plain))
}

func entryCosts(f *fixture) {
	small, big := entry("small", 1, 1), entry("big", 1, 1)
	big.Attributes = map[string]string{"text": strings.Repeat("x", 9000)}
	f.put(small)
	f.put(big)
	for owner, want := range map[string]float64{"small": 1, "big": 3, "nobody": 1} {
		_, u, _ := f.Entry(f.ctx, f.board, owner)
		if u.TableReads != want || !f.oneRequest(u) || u.IndexReads+u.WriteUnits() != 0 {
			f.Errorf("entry of %s used %+v, want %v table reads in one request", owner, u, want)
		}
	}
}

func (f *fixture) entriesOf(owners ...string) ([]store.Entry, store.Usage) {
	f.Helper()
	got, u, err := f.EntriesOf(f.ctx, f.board, owners)
	if err != nil {
		f.Fatalf("entries of %v: %v", owners, err)
	}
	if len(got) != len(owners) {
		f.Fatalf("%d entries of %d owners", len(got), len(owners))
	}
	return got, u
}

// WantEntriesOf waits until many owners' rows are these, in order.
func (f *fixture) wantEntriesOf(owners []string, want ...store.Entry) {
	f.Helper()
	f.eventually(func() error {
		got, _ := f.entriesOf(owners...)
		for i := range want {
			if !sameEntry(got[i], want[i]) {
				return fmt.Errorf("entry %d:\n got %+v\nwant %+v", i, got[i], want[i])
			}
		}
		return nil
	})
}

func entriesOfOrder(f *fixture) {
	ann, bob := f.put(entry("ann", 1, 1)), f.put(entry("bob", 2, 2))
	f.wantEntriesOf([]string{"bob", "nobody", "ann"}, bob, store.Entry{Owner: "nobody"}, ann)
	f.entriesOf()
}

func entriesOfTwice(f *fixture) {
	ann := f.put(entry("ann", 1, 1))
	nobody := store.Entry{Owner: "nobody"}
	f.wantEntriesOf([]string{"ann", "nobody", "ann", "nobody"}, ann, nobody, ann, nobody)
}

func entriesOfMany(f *fixture) {
	const n = 250 // more than one batch of a hundred
	names, rows := make([]string, 0, n), make([]store.Entry, 0, n)
	for i := range n {
		names = append(names, fmt.Sprintf("o%03d", n-i))
		rows = append(rows, entry(names[i], int64(i), 0))
	}
	f.load(rows...)
	want := make([]store.Entry, n)
	for i, e := range rows {
		want[i] = stored(e)
	}
	f.wantEntriesOf(names, want...)
	_, u := f.entriesOf(names...)
	if u.Requests < 1 || u.Requests > n {
		f.Errorf("%d requests", u.Requests)
	}
}

func entriesOfCosts(f *fixture) {
	big := entry("big", 1, 1)
	big.Attributes = map[string]string{"text": strings.Repeat("x", 9000)}
	f.put(big)
	small := f.put(entry("small", 1, 1))
	f.wantEntriesOf([]string{"small", "big"}, small, stored(big))
	if _, u := f.entriesOf("small", "big"); u.TableReads != 2 || u.IndexReads+u.WriteUnits() != 0 {
		f.Errorf("used %+v, want 0.5+1.5 table reads", u)
	}
}

func putNewOverStored(f *fixture) {
	ann := f.put(entry("ann", 1, 1))
	_, err := f.Put(f.ctx, f.board, entry("ann", 2, 2))
	f.wantError(err, store.ErrConflict)
	f.wantEntry(ann)
}

func putConflict(f *fixture) {
	first := f.put(entry("ann", 1, 1))
	second := first.Clone()
	second.Scores["xp"] = 5
	second = f.put(second)
	for _, version := range []int64{1, 3, 99} {
		late := entry("ann", 9, 9)
		late.Version = version
		_, err := f.Put(f.ctx, f.board, late)
		f.wantError(err, store.ErrConflict)
	}
	f.wantEntry(second)
	f.wantRows("xp", at(5, "ann"))
	f.wantRows("time", at(-1, "ann"))
}

func putMissingWithVersion(f *fixture) {
	e := entry("ann", 1, 1)
	e.Version = 1
	_, err := f.Put(f.ctx, f.board, e)
	f.wantError(err, store.ErrConflict)
	f.wantMissing("ann")
	f.wantRows("xp")
}

func putMovesIndexes(f *fixture) {
	f.put(entry("bob", 20, 200))
	ann := f.put(entry("ann", 10, 100))
	f.wantRows("xp", at(20, "bob"), at(10, "ann"))
	f.wantRows("time", at(-100, "ann"), at(-200, "bob"))
	ann.Scores["xp"], ann.Scores["time"] = 30, 300
	f.put(ann)
	f.wantRows("xp", at(30, "ann"), at(20, "bob"))
	f.wantRows("time", at(-200, "bob"), at(-300, "ann"))
}

func putReplaces(f *fixture) {
	e := entry("ann", 1, 1)
	e.Attributes, e.Posts = map[string]string{"a": "1", "b": "2"}, []string{"p1"}
	e = f.put(e)
	e.Attributes, e.Posts = map[string]string{"b": "3"}, nil
	f.wantEntry(f.put(e))
}

func putWithoutColumn(f *fixture) {
	e := f.put(entry("ann", 1, 1))
	delete(e.Scores, "time")
	e = f.put(e)
	f.wantRows("xp", at(1, "ann"))
	f.wantRows("time")
	e.Scores["time"] = 0 // there, and nought
	f.put(e)
	f.wantRows("time", at(0, "ann"))
}

func putHidden(f *fixture) {
	f.put(entry("bob", 2, 2))
	e := f.put(entry("ann", 1, 1))
	e.Hidden = true
	e = f.put(e)
	f.wantRows("xp", at(2, "bob"))
	f.wantRows("time", at(-2, "bob"))
	f.wantEntry(e)
	e.Scores["xp"] = 5
	e = f.put(e) // changed while hidden
	f.wantRows("xp", at(2, "bob"))
	e.Hidden = false
	f.wantEntry(f.put(e))
	f.wantRows("xp", at(5, "ann"), at(2, "bob"))
	f.wantRows("time", at(-1, "ann"), at(-2, "bob"))
}

func putRefuses(f *fixture) {
	unknown := entry("ann", 1, 1)
	unknown.Scores["gold"] = 1
	for name, c := range map[string]struct {
		e    store.Entry
		want error
	}{
		"no owner":       {entry("", 1, 1), store.ErrInvalid},
		"system's owner": {entry("#ann", 1, 1), store.ErrInvalid},
		"long owner":     {entry(strings.Repeat("x", store.MaxOwner+1), 1, 1), store.ErrInvalid},
		"score too high": {entry("ann", store.MaxScore+1, 1), store.ErrInvalid},
		"score too low":  {entry("ann", -store.MaxScore-1, 1), store.ErrInvalid},
		"unknown column": {unknown, store.ErrNoColumn},
	} {
		if _, err := f.Put(f.ctx, f.board, c.e); err == nil {
			f.Errorf("%s is stored", name)
		} else {
			f.wantError(err, c.want)
		}
	}
	f.wantMissing("ann")
	f.wantRows("xp")
}

func putLargest(f *fixture) {
	largest := entry("ann", 7, 8230)
	for i := range store.MaxPosts {
		largest.Posts = append(largest.Posts, fmt.Sprintf("%0*d", store.MaxPostID, i))
	}
	without := largest.Clone()
	without.Posts, without.Attributes = nil, map[string]string{"replay": "", "clan": "owls"}
	largest.Attributes = map[string]string{"clan": "owls", "replay": strings.Repeat("x", store.MaxEntry-store.EntrySize(f.board, without))}
	largest = f.put(largest)
	f.wantEntry(largest)
	larger := largest.Clone()
	larger.Attributes["replay"] += "x"
	refuses := func(how string, err error) {
		if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("board %q, owner \"ann\"", f.board.Name)) || !strings.Contains(err.Error(), `"replay" of `) {
			f.Errorf("%s of a row that is too large: %v, want ErrInvalid that names it", how, err)
		}
	}
	_, err := f.Put(f.ctx, f.board, larger)
	refuses("Put", err)
	errs, _, err := f.PutAll(f.ctx, f.board, []store.Entry{larger})
	if err != nil {
		f.Fatal(err)
	}
	refuses("PutAll", errs[0])
	_, err = f.Load(f.ctx, f.board, []store.Entry{larger})
	refuses("Load", err)
	_, err = f.Load(f.ctx, f.board, []store.Entry{{Owner: "ann", Attributes: map[string]string{"more": "x"}}})
	refuses("Load together with what is there", err)
	f.wantEntry(largest)
}

func putExtremes(f *fixture) {
	high, low := entry("high", store.MaxScore, store.MaxScore), entry("low", -store.MaxScore, -store.MaxScore)
	long := entry(strings.Repeat("x", store.MaxOwner), 0, 0)
	f.wantEntry(f.put(high))
	f.wantEntry(f.put(low))
	f.wantEntry(f.put(long))
	f.wantRows("xp", at(store.MaxScore, "high"), at(0, long.Owner), at(-store.MaxScore, "low"))
	f.wantRows("time", at(store.MaxScore, "low"), at(0, long.Owner), at(-store.MaxScore, "high"))
}

func putKeepsBoardsApart(f *fixture) {
	other := boardOf("missions:2026-W47", 1)
	f.createBoard(other)
	ann := f.put(entry("ann", 1, 1))
	if _, err := f.Put(f.ctx, other, entry("ann", 2, 2)); err != nil {
		f.Fatal(err)
	}
	f.wantEntry(ann)
	f.wantRows("xp", at(1, "ann"))
	q := f.whole("xp")
	q.Partition.Board = other.Name
	f.wantAnswer(q, at(2, "ann"))
}

func putCosts(f *fixture) {
	e := entry("ann", 1, 1)
	step := func(what string, table, index float64) {
		f.Helper()
		u, err := f.Put(f.ctx, f.board, e)
		if err != nil {
			f.Fatalf("%s: %v", what, err)
		}
		e.Version++
		// a backend may not report what its indexes were written
		if u.TableWrites != table || (u.IndexWrites != index && u.IndexWrites != 0) || !f.oneRequest(u) {
			f.Errorf("%s used %+v, want %v table and %v index writes in one request", what, u, table, index)
		}
	}
	step("a new row", 1, 2)
	step("the same row", 1, 0)
	e.Scores["xp"] = 2
	step("a changed score", 1, 2)
	delete(e.Scores, "time")
	step("a column less", 1, 1)
	e.Attributes = map[string]string{"text": strings.Repeat("x", 2500)}
	step("a long text", 3, 0)
	e.Hidden = true
	step("hidden", 3, 1)
}

func putRace(f *fixture) {
	f.put(entry("ann", 0, 0))
	for version := int64(1); version <= 5; version++ {
		var wins atomic.Int64
		var wg sync.WaitGroup
		for w := range 16 {
			wg.Go(func() {
				e := entry("ann", version*100+int64(w), 0)
				e.Version = version
				_, err := f.Put(f.ctx, f.board, e)
				if err == nil {
					wins.Add(1)
				} else {
					f.wantError(err, store.ErrConflict)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			f.Fatalf("%d of 16 writers won version %d", wins.Load(), version)
		}
	}
	e := f.entry("ann")
	if e.Version != 6 {
		f.Errorf("version %d, want 6", e.Version)
	}
	f.wantRows("xp", at(e.Scores["xp"], "ann"))
}

func (f *fixture) putAll(entries ...store.Entry) []error {
	f.Helper()
	errs, _, err := f.PutAll(f.ctx, f.board, entries)
	if err != nil || len(errs) != len(entries) {
		f.Fatalf("put %d entries: %d errors, %v", len(entries), len(errs), err)
	}
	return errs
}

func putAllEach(f *fixture) {
	ann := f.put(entry("ann", 1, 1))
	unknown := entry("eve", 1, 1)
	unknown.Scores["gold"] = 1
	again := ann.Clone()
	again.Scores["xp"] = 10
	errs := f.putAll(entry("bob", 2, 2), entry("ann", 9, 9), entry("", 1, 1), unknown, again, entry("cid", 3, 3))
	for i, want := range []error{nil, store.ErrConflict, store.ErrInvalid, store.ErrNoColumn, nil, nil} {
		if want == nil && errs[i] != nil {
			f.Errorf("entry %d: %v", i, errs[i])
		} else if want != nil {
			f.wantError(errs[i], want)
		}
	}
	f.wantEntry(stored(again))
	f.wantMissing("eve")
	f.wantRows("xp", at(10, "ann"), at(3, "cid"), at(2, "bob"))
	f.wantRows("time", at(-1, "ann"), at(-2, "bob"), at(-3, "cid"))
}

func putAllTwice(f *fixture) {
	errs := f.putAll(entry("ann", 1, 1), entry("ann", 2, 2))
	if (errs[0] == nil) == (errs[1] == nil) {
		f.Fatalf("errors %v, want one of two stored", errs)
	}
	want := int64(1)
	if errs[0] != nil {
		want = 2
		f.wantError(errs[0], store.ErrConflict)
	} else {
		f.wantError(errs[1], store.ErrConflict)
	}
	f.wantRows("xp", at(want, "ann"))
}

func putAllNothing(f *fixture) { f.putAll() }

func deleteRemoves(f *fixture) {
	f.put(entry("bob", 2, 2))
	ann := f.put(entry("ann", 1, 1))
	u, err := f.Delete(f.ctx, f.board, "ann", ann.Version)
	if err != nil {
		f.Fatal(err)
	}
	if u.TableWrites != 1 || (u.IndexWrites != 2 && u.IndexWrites != 0) {
		f.Errorf("used %+v, want 1 table and 2 index writes", u)
	}
	f.wantMissing("ann")
	f.wantRows("xp", at(2, "bob"))
	f.wantRows("time", at(-2, "bob"))
}

func deleteConflict(f *fixture) {
	ann := f.put(f.put(entry("ann", 1, 1)))
	for _, version := range []int64{0, 1, 3} {
		_, err := f.Delete(f.ctx, f.board, "ann", version)
		f.wantError(err, store.ErrConflict)
	}
	f.wantEntry(ann)
	f.wantRows("xp", at(1, "ann"))
}

func deleteMissing(f *fixture) {
	for _, version := range []int64{0, 1} {
		_, err := f.Delete(f.ctx, f.board, "nobody", version)
		f.wantError(err, store.ErrNotFound)
	}
}

func deleteThenPut(f *fixture) {
	ann := f.put(entry("ann", 1, 1))
	if _, err := f.Delete(f.ctx, f.board, "ann", ann.Version); err != nil {
		f.Fatal(err)
	}
	f.wantEntry(f.put(entry("ann", 3, 3)))
	f.wantRows("xp", at(3, "ann"))
}
