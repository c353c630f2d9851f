package storetest

import (
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
