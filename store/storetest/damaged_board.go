package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// RunDamagedBoard checks what a backend answers beside a board whose definition cannot be
// read back. Each subtest calls open once: it makes a store of the rows and their boards,
// of which the damaged one's definition is one that nobody can decode.
func RunDamagedBoard(t *testing.T, open func(t *testing.T, rows []store.Owned, damaged string) store.Store) {
	t.Helper()
	rows := make([]store.Owned, 0, 3)
	for _, name := range []string{"daily", damagedBoard, "weekly"} {
		rows = append(rows, store.Owned{Board: boardOf(name, 1), Entry: entry("ann", 7, 7)})
	}
	for _, s := range damagedBoardSentences {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.check(newFixtureOn(t, rows[1].Board, func(t *testing.T, _ store.Board) store.Store {
				t.Helper()
				return open(t, rows, damagedBoard)
			}, nil))
		})
	}
}

const damagedBoard = "missions"

var damagedBoardSentences = []sentence{
	{"Boards lists the others, and says why one cannot be read", damagedBoardListed},
	{"Board, CreateBoard and DropBoard of one that cannot be read are ErrCorrupt", damagedBoardNamed},
	{"BoardsOf answers the rows on other boards, and says why one cannot be read", damagedBoardOwned},
}

func damagedBoardListed(f *fixture) {
	boards, err := f.Boards(f.ctx)
	if len(boards) != 2 || boards[0].Name != "daily" || boards[1].Name != "weekly" {
		f.Errorf("listed %v", boards)
	}
	f.wantUnreadableBoard(err)
}

func damagedBoardNamed(f *fixture) {
	_, err := f.Board(f.ctx, damagedBoard)
	for _, err := range []error{err, f.CreateBoard(f.ctx, f.board), f.DropBoard(f.ctx, damagedBoard, time.Now())} {
		f.wantBoardNamed(err)
	}
	if _, err := f.Board(f.ctx, "daily"); err != nil {
		f.Error(err)
	}
}

func damagedBoardOwned(f *fixture) {
	rows, _, err := f.BoardsOf(f.ctx, "ann")
	if len(rows) != 2 || rows[0].Board.Name != "daily" || rows[1].Board.Name != "weekly" {
		f.Errorf("rows %v", rows)
	}
	f.wantUnreadableBoard(err)
}

// wantUnreadableBoard wants an error that is of the damaged board alone.
func (f *fixture) wantUnreadableBoard(err error) {
	f.Helper()
	var some *store.UnreadableError
	if !errors.As(err, &some) || len(some.Rows) != 1 {
		f.Fatalf("%v, want an UnreadableError of one board", err)
	}
	f.wantBoardNamed(some.Rows[damagedBoard])
}

// wantBoardNamed wants an error that names the damaged board, and says what to do.
func (f *fixture) wantBoardNamed(err error) {
	f.Helper()
	if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), `"`+damagedBoard+`"`) || !strings.Contains(err.Error(), "put back") {
		f.Errorf("%v, want ErrCorrupt naming the board", err)
	}
}
