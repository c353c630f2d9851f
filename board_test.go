package rankcurve_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

func TestNewRegistersOnce(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	def := boardOf("games", 3)
	first := newBoard(t, st, def, rankcurve.WithClock(newClock().Now))
	again := newBoard(t, st, def)
	if got, want := again.Definition().Created, first.Definition().Created; !got.Equal(want) || !want.Equal(newClock().Now()) {
		t.Errorf("created %v, then %v: not when it was first made", want, got)
	}
	other := boardOf("games", 4)
	if _, err := rankcurve.New(ctx, st, other); !errors.Is(err, store.ErrBoardMismatch) {
		t.Errorf("other shards: %v, want ErrBoardMismatch", err)
	}
	if _, err := rankcurve.New(ctx, st, boardOf("no good", 0)); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("no shards: %v, want ErrInvalid", err)
	}
	opened, err := rankcurve.Open(ctx, st, "games")
	if err != nil || opened.Definition().Shards != 3 {
		t.Errorf("open: %+v, %v", opened, err)
	}
}

// A board that is there is not written again, which would be refused and paid for; one
// that many make at once is made once.
func TestNewWritesABoardOnce(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		st, ids := &writes{Store: on.Store}, make([]string, 8)
		var making sync.WaitGroup
		for i := range ids {
			making.Go(func() { ids[i] = newBoard(t, st, boardOf("games", 3)).Definition().ID })
		}
		making.Wait()
		if slices.Sort(ids); ids[0] == "" || len(slices.Compact(ids)) != 1 {
			t.Errorf("the board has the ids %v", ids)
		}
		st.created = 0
		newBoard(t, st, boardOf("games", 3))
		if _, err := rankcurve.New(context.Background(), st, boardOf("games", 4)); !errors.Is(err, store.ErrBoardMismatch) {
			t.Errorf("other shards: %v", err)
		}
		if st.created > 0 {
			t.Errorf("written %d times", st.created)
		}
	})
}

func TestDefinitionIsACopy(t *testing.T) {
	b := newBoard(t, newStore(t), boardOf("games", 1))
	b.Definition().Columns[0].Name = "changed"
	if got := b.Definition().Columns[0].Name; got != "xp" {
		t.Errorf("the board's column is now %q", got)
	}
}

func TestOpenUnknownBoardSaysWhatThereIs(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	_, err := rankcurve.Open(ctx, st, "mision")
	if !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "no boards yet; run `rankcurve load mision FILE`") {
		t.Errorf("empty store: %v", err)
	}
	for _, name := range []string{"aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "Missions", "zz"} {
		newBoard(t, st, boardOf(name, 1))
	}
	_, err = rankcurve.Open(ctx, st, "mision")
	if !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "the boards are Missions, aa, ") || !strings.Contains(err.Error(), "and 2 more; run `rankcurve load") {
		t.Errorf("ten boards: %v", err)
	}
}

func TestUnknownColumn(t *testing.T) {
	ctx, b := context.Background(), newBoard(t, newStore(t), boardOf("games", 2))
	calls := map[string]func() error{
		"Top":            func() error { _, err := b.Top(ctx, "gold", 1); return err },
		"Rank":           func() error { _, _, err := b.Rank(ctx, "gold", rankcurve.Exact, "ann"); return err },
		"RankOfScore":    func() error { _, _, err := b.RankOfScore(ctx, "gold", rankcurve.Exact, 1); return err },
		"ScoreAtRank":    func() error { _, err := b.ScoreAtRank(ctx, "gold", 1); return err },
		"ScoreAtPercent": func() error { _, err := b.ScoreAtPercent(ctx, "gold", 1); return err },
		"Curve":          func() error { _, err := b.Curve(ctx, "gold"); return err },
		"Post": func() error {
			_, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: map[string]int64{"gold": 1}})
			return err
		},
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, store.ErrNoColumn) || !strings.Contains(err.Error(), "it has: xp") {
			t.Errorf("%s: %v, want ErrNoColumn that lists xp", name, err)
		}
	}
}
