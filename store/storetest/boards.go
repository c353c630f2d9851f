package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

var boardSentences = []sentence{
	{"CreateBoard registers a definition", boardRegistered},
	{"CreateBoard of an invalid definition is ErrInvalid", boardInvalid},
	{"CreateBoard of the same again changes nothing", boardAgain},
	{"CreateBoard of another definition is ErrBoardMismatch", boardMismatch},
	{"CreateBoard at once by many makes one board", boardRace},
	{"Board that is not there is ErrNotFound", func(f *fixture) {
		_, err := f.Board(f.ctx, "nowhere")
		f.wantError(err, store.ErrNotFound)
	}},
	{"Boards lists all definitions sorted by name", boardList},
	{"a board of a family keeps what it was made with", boardOfFamily},
	{"DropBoard of an expired board deletes it with its curves, states and history", boardDropped},
	{"DropBoard of one that has not expired is ErrInvalid", boardNotDropped},
	{"DropBoard of an unknown board is ErrNotFound", func(f *fixture) {
		f.wantError(f.DropBoard(f.ctx, "nowhere", weekExpiry), store.ErrNotFound)
	}},
}

// weekOf is a board of a family that ends.
func weekOf(family string) store.Board {
	b := boardOf(family+":2026-W47", 3)
	b.Family, b.Period, b.Expires = family, store.Weekly, weekExpiry
	return b
}

var weekExpiry = time.Date(2026, 12, 23, 0, 0, 0, 0, time.UTC)

func boardOfFamily(f *fixture) {
	b := weekOf("missions")
	f.createBoard(b)
	f.wantBoard(b)
	got, err := f.Board(f.ctx, b.Name)
	if err != nil || got.Family != b.Family || got.Period != b.Period || !got.Expires.Equal(b.Expires) {
		f.Errorf("got %+v, %v, want %+v", got, err, b)
	}
	later := b
	later.Expires = b.Expires.AddDate(1, 0, 0)
	f.createBoard(later)
	if got, err := f.Board(f.ctx, b.Name); err != nil || !got.Expires.Equal(b.Expires) {
		f.Errorf("made again, it expires at %s, %v, not %s", got.Expires, err, b.Expires)
	}
	wrong := b
	wrong.Name = "missions:2026-11"
	f.wantError(f.CreateBoard(f.ctx, wrong), store.ErrInvalid)
}

func boardDropped(f *fixture) {
	b := weekOf("missions")
	f.createBoard(b)
	e := entry("ann", 5, 5)
	for _, on := range []store.Board{b, f.board} {
		if _, err := f.Put(f.ctx, on, e); err != nil {
			f.Fatal(err)
		}
	}
	for _, c := range b.Columns {
		if _, err := f.Publish(f.ctx, b.CurveKey(c.Name), store.Published{Generation: 1, Data: []byte("x")}); err != nil {
			f.Fatal(err)
		}
		if _, err := f.SaveState(f.ctx, b.CurveKey(c.Name), make([]byte, 500_000)); err != nil {
			f.Fatal(err)
		}
		for _, on := range []store.Board{b, f.board} {
			f.archive(on.CurveKey(c.Name), noon, 1, "x")
			for _, size := range []int{10, 500_000} {
				if _, err := f.SaveState(f.ctx, beside(on.CurveKey(c.Name), size), make([]byte, size)); err != nil {
					f.Fatal(err)
				}
			}
		}
	}
	lease := func(on store.Board, holder string, now time.Time) (store.Lease, error) {
		return f.Acquire(f.ctx, on.CurveKey(b.Columns[0].Name).Lease(), holder, now, ttl)
	}
	late, err := lease(b, "late", weekExpiry)
	f.must(err)
	_, err = lease(f.board, "other", weekExpiry)
	f.must(err)
	if err := f.DropBoard(f.ctx, b.Name, weekExpiry); err != nil {
		f.Fatal(err)
	}
	for _, holders := range []int{0, 3} { // of a board that is made anew under the name
		for i := range holders {
			next, err := lease(b, fmt.Sprint("next-", i), weekExpiry.Add(time.Duration(i+1)*time.Hour))
			f.must(err)
			f.wantGrown(late, next)
		}
		_, err = f.Renew(f.ctx, late, weekExpiry, ttl)
		f.wantError(err, store.ErrLost)
	}
	_, err = lease(f.board, "third", weekExpiry)
	f.wantError(err, store.ErrHeld)
	_, err = f.Board(f.ctx, b.Name)
	f.wantError(err, store.ErrNotFound)
	for _, c := range b.Columns {
		_, _, err := f.Curve(f.ctx, b.CurveKey(c.Name))
		f.wantError(err, store.ErrNotFound)
		_, _, err = f.State(f.ctx, b.CurveKey(c.Name))
		f.wantError(err, store.ErrNotFound)
		for _, size := range []int{10, 500_000} {
			_, _, err := f.State(f.ctx, beside(b.CurveKey(c.Name), size))
			f.wantError(err, store.ErrNotFound)
			if _, _, err := f.State(f.ctx, beside(f.board.CurveKey(c.Name), size)); err != nil {
				f.Errorf("a state of the other board: %v", err)
			}
		}
		f.wantNoCurveAt(b.CurveKey(c.Name), weekExpiry)
		f.wantCurveAt(f.board.CurveKey(c.Name), noon, noon, 1, "x")
	}
	f.wantEntry(stored(e)) // of the other board
	f.eventually(func() error {
		rows, _, err := f.BoardsOf(f.ctx, "ann")
		if err == nil && (len(rows) != 1 || rows[0].Board.Name != f.board.Name) {
			err = fmt.Errorf("boards of ann: %+v", rows)
		}
		return err
	})
	f.wantError(f.DropBoard(f.ctx, b.Name, weekExpiry), store.ErrNotFound)
}

// beside is a key of what is kept beside a column's own state.
func beside(k store.CurveKey, size int) store.CurveKey {
	k.Column += fmt.Sprintf("/of-%d", size)
	return k
}

func boardNotDropped(f *fixture) {
	b := weekOf("missions")
	f.createBoard(b)
	f.wantError(f.DropBoard(f.ctx, b.Name, weekExpiry.Add(-time.Second)), store.ErrInvalid)
	f.wantError(f.DropBoard(f.ctx, f.board.Name, weekExpiry), store.ErrInvalid) // has no expiry
	f.wantBoard(b)
	f.wantBoard(f.board)
}

func (f *fixture) wantBoard(want store.Board) {
	f.Helper()
	got, err := f.Board(f.ctx, want.Name)
	if err != nil {
		f.Fatalf("board %q: %v", want.Name, err)
	}
	if got.Name != want.Name || got.ID != want.ID || got.Same(want) != nil || !got.Created.Equal(want.Created) {
		f.Errorf("board:\n got %+v\nwant %+v", got, want)
	}
}

func boardRegistered(f *fixture) {
	b := boardOf("weekly:2026-W47_x.y", store.MaxShards)
	f.createBoard(b)
	f.wantBoard(b)
	f.wantBoard(f.board)
	old := boardOf("before-ids", 2)
	old.ID = ""
	f.createBoard(old)
	f.wantBoard(old)
}

func boardInvalid(f *fixture) {
	for _, b := range []store.Board{{}, boardOf("a b", 1), boardOf("#a", 1), boardOf("none", 0), {Name: "bare", Shards: 1}} {
		f.wantError(f.CreateBoard(f.ctx, b), store.ErrInvalid)
	}
}

func boardAgain(f *fixture) {
	again := f.board
	again.Created, again.ID = again.Created.Add(time.Hour), "another"
	f.createBoard(again)
	f.wantBoard(f.board)
	again.ID = ""
	f.createBoard(again)
	f.wantBoard(f.board)
}

func boardMismatch(f *fixture) {
	shards, columns, order := boardOf(f.board.Name, 2), boardOf(f.board.Name, 1), boardOf(f.board.Name, 1)
	columns.Columns = columns.Columns[:1]
	order.Columns[0].Order = store.Asc
	for _, b := range []store.Board{shards, columns, order} {
		f.wantError(f.CreateBoard(f.ctx, b), store.ErrBoardMismatch)
	}
	f.wantBoard(f.board)
}

func boardRace(f *fixture) {
	var made atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			err := f.CreateBoard(f.ctx, boardOf("raced", i+1))
			if err == nil {
				made.Add(1)
			} else {
				f.wantError(err, store.ErrBoardMismatch)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		f.Errorf("%d of 8 different definitions were registered", made.Load())
	}
}

func boardList(f *fixture) {
	for _, name := range []string{"zeta", "Alpha", "missions:2026-W47", "beta-2"} {
		f.createBoard(boardOf(name, 3))
	}
	boards, err := f.Boards(f.ctx)
	if err != nil {
		f.Fatal(err)
	}
	names := make([]string, 0, len(boards))
	for _, b := range boards {
		names = append(names, b.Name)
		f.wantBoard(b)
	}
	if want := []string{"Alpha", "beta-2", "missions", "missions:2026-W47", "zeta"}; !slices.Equal(names, want) {
		f.Errorf("boards %v, want %v", names, want)
	}
}
