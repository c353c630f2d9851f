package synthetic_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

func size(t *testing.T, st *synthetic.Store) int64 {
	t.Helper()
	n, err := st.Size()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func better(t *testing.T, st *synthetic.Store, key int64) int64 {
	t.Helper()
	n, err := st.Better("xp", key)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOptionsReportEveryFault(t *testing.T) {
	board := boardOf(0, column)
	_, err := synthetic.New(board, synthetic.Options{
		Entries: -1, Columns: map[string]synthetic.Model{"gold": {}},
		Model: synthetic.Model{Scale: -1, Spread: 99, Step: 0.5, Atom: synthetic.Atom{Share: 1, Score: math.NaN()}},
		Churn: synthetic.Churn{Rescored: -1, Replaced: math.Inf(1), Newcomers: 2, Gain: math.NaN(), Shift: 1e13},
	})
	if !errors.Is(err, store.ErrInvalid) {
		t.Fatalf("error %v, want ErrInvalid", err)
	}
	for _, field := range []string{
		"shards: 0", "entries: -1", `"gold"`, `column "xp": scale: -1`, "spread: 99", "step: 0.5", "atom.share: 1", "atom.score: NaN",
		"churn.rescored: -1", "churn.replaced: +Inf", "churn.newcomers: 2", "churn.gain: NaN", "churn.shift: 1e+13",
	} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("the error does not say %s:\n%v", field, err)
		}
	}
	for want, m := range map[string]synthetic.Model{
		`shape: "gauss" is none of elo, exponential, lognormal, uniform, zipf`: {Shape: "gauss"},
		"the shape uniform has none": {Shape: synthetic.Uniform, Spread: 1},
	} {
		if _, err := synthetic.New(boardOf(1, column), synthetic.Options{Model: m}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %s", err, want)
		}
	}
	if _, err := synthetic.New(boardOf(1, column), synthetic.Options{Entries: synthetic.MaxEntries + 1}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("too many entries: %v", err)
	}
}

func TestParseShape(t *testing.T) {
	for name, want := range map[string]synthetic.Shape{"": synthetic.Lognormal, "elo": synthetic.Elo} {
		if got, err := synthetic.ParseShape(name); err != nil || got != want {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
	if _, err := synthetic.ParseShape("normal"); err == nil || !strings.Contains(err.Error(), "elo, exponential") {
		t.Errorf("error %v, want the names there are", err)
	}
}

func TestSameOptionsMakeTheSameBoard(t *testing.T) {
	board := boardOf(3, column)
	o := synthetic.Options{Entries: 5000, Seed: 9, Churn: synthetic.Churn{Rescored: 0.1, Replaced: 0.1, Newcomers: 0.01}}
	a, b := made(t, board, o).At(12.5), made(t, board, o)
	_, _ = b.At(3).Size() // what was asked before does not matter
	b = b.At(12.5)
	o.Seed = 10
	other := made(t, board, o).At(12.5)
	differ := false
	for shard := range board.Shards {
		q := store.Query{Partition: board.Partition("xp", shard), From: store.MaxScore, To: -store.MaxScore}
		pages := make([]store.Page, 3)
		for i, st := range []*synthetic.Store{a, b, other} {
			page, err := st.Rows(bg, q)
			if err != nil {
				t.Fatal(err)
			}
			pages[i] = page
		}
		if len(pages[0].Rows) != len(pages[1].Rows) {
			t.Fatalf("shard %d: %d rows and %d", shard, len(pages[0].Rows), len(pages[1].Rows))
		}
		for i, r := range pages[0].Rows {
			if pages[1].Rows[i] != r {
				t.Fatalf("shard %d, row %d: %v and %v", shard, i, r, pages[1].Rows[i])
			}
		}
		differ = differ || len(pages[2].Rows) != len(pages[0].Rows) || pages[2].Rows[0] != pages[0].Rows[0]
	}
	if !differ {
		t.Error("another seed makes the same board")
	}
}

// The board as a whole gains and grows, and every entry keeps its quantile.
func TestBoardDrifts(t *testing.T) {
	const entries = 3_000_000
	board := boardOf(16, column)
	o := synthetic.Options{Entries: entries, Seed: 2, Model: synthetic.Model{Scale: 1e12}, Churn: synthetic.Churn{Gain: 0.001, Shift: 1e6, Newcomers: 0.001}}
	st := made(t, board, o)
	for _, tick := range []float64{0, 1, 250.5, 1000} {
		now := st.At(tick)
		drifted := func(key float64) int64 { return int64(key*math.Exp(0.001*tick) + 1e6*tick) }
		for _, key := range []float64{1e10, 1e12, 7e12, 1e14} {
			// A key that no entry has, or one of a rounding error's width.
			was, is := better(t, st.At(0), int64(key)), better(t, now, drifted(key))
			if math.Abs(float64(was-is)) > 1 {
				t.Errorf("tick %v: %d better than %v once, now %d", tick, was, key, is)
			}
		}
		come := float64(size(t, now) - entries)
		if want := 0.001 * tick * entries; math.Abs(come-want) > 4*math.Sqrt(want)+1e-9 {
			t.Errorf("tick %v: %.0f newcomers, want about %.0f", tick, come, want)
		}
	}
}

// Shards lose and gain entries, the board does not.
func TestReplacementKeepsTheSize(t *testing.T) {
	st := made(t, boardOf(100, column), synthetic.Options{Entries: 1_000_003, Churn: synthetic.Churn{Replaced: 0.05}})
	for _, tick := range []float64{0, 1, 2.5, 333} {
		if n := size(t, st.At(tick)); n != 1_000_003 {
			t.Errorf("tick %v: %d entries", tick, n)
		}
	}
}

func TestNewcomersStandOnTheWorstScore(t *testing.T) {
	board := boardOf(4, column)
	st := made(t, board, synthetic.Options{Entries: 4000, Churn: synthetic.Churn{Newcomers: 0.01}}).At(100)
	n := size(t, st)
	var worst int64
	for number := int64(0); number < n; number++ {
		owner, err := st.Owner(number)
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := st.Entry(bg, board, owner)
		if err != nil {
			t.Fatalf("entry of %s, number %d of %d: %v", owner, number, n, err)
		}
		if owner[0] == 'n' {
			worst++
			if e.Scores["xp"] != 0 {
				t.Fatalf("newcomer %s has %d points", owner, e.Scores["xp"])
			}
		}
	}
	if worst != n-4000 {
		t.Errorf("%d newcomers among %d owners", worst, n)
	}
	if _, err := st.Owner(n); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an owner beyond the last: %v", err)
	}
	if _, err := st.Owner(-1); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("owner number -1: %v", err)
	}
}

func TestAtomIsThere(t *testing.T) {
	const entries = 1_000_000
	for _, shape := range []synthetic.Shape{synthetic.Lognormal, synthetic.Elo, synthetic.Zipf, synthetic.Exponential, synthetic.Uniform} {
		st := made(t, boardOf(8, column), synthetic.Options{Entries: entries, Model: synthetic.Model{
			Shape: shape, Atom: synthetic.Atom{Share: 0.3, Score: 1000},
		}, Churn: synthetic.Churn{Gain: 0.01}})
		for _, tick := range []float64{0, 40} {
			on := better(t, st.At(tick), 999) - better(t, st.At(tick), 1000)
			if on < 0.297*entries || on > 0.31*entries {
				t.Errorf("%s, tick %v: %d of %d entries share 1000 points, want 30 %%", shape, tick, on, entries)
			}
		}
	}
}

func TestTicksOutOfRange(t *testing.T) {
	board := boardOf(2, column)
	q := store.Query{Partition: board.Partition("xp", 0), From: 1}
	st := made(t, board, synthetic.Options{Entries: 1e9, Churn: synthetic.Churn{Newcomers: 0.01}})
	for _, tick := range []float64{-1, math.NaN(), synthetic.MaxTick + 1, 1000} {
		if _, err := st.At(tick).Count(bg, q); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "tick") {
			t.Errorf("tick %v: %v, want ErrInvalid", tick, err)
		}
	}
	still := made(t, board, synthetic.Options{Entries: 1e9, Churn: synthetic.Churn{Replaced: 1e-7}})
	if n := size(t, still.At(synthetic.MaxTick)); n != 1e9 {
		t.Errorf("%d entries at the last tick", n)
	}
}

func TestEmptyBoard(t *testing.T) {
	board := boardOf(5, column)
	st := made(t, board, synthetic.Options{})
	if n := size(t, st); n != 0 {
		t.Errorf("%d entries", n)
	}
	page, err := st.Rows(bg, store.Query{Partition: board.Partition("xp", 0), From: store.MaxScore, To: -store.MaxScore})
	if err != nil || len(page.Rows) != 0 || page.Usage.IndexReads != 0.5 {
		t.Errorf("an empty board answers %+v, %v", page, err)
	}
}

// A clock that goes on while pages are read: what is read stays in order, comes to
// an end, and is nearly the board.
func TestPagesOfAMovingBoard(t *testing.T) {
	const entries = 20_000
	var mu sync.Mutex
	tick := 0.0
	board := boardOf(1, column)
	st := made(t, board, synthetic.Options{
		Entries: entries,
		Model:   synthetic.Model{Scale: 200, Atom: synthetic.Atom{Share: 0.3, Score: 150}},
		Churn:   synthetic.Churn{Rescored: 0.01},
		Clock: func() float64 {
			mu.Lock()
			defer mu.Unlock()
			tick += 0.25
			return tick
		},
	})
	for _, reverse := range []bool{false, true} {
		q := store.Query{Partition: board.Partition("xp", 0), From: store.MaxScore, To: -store.MaxScore, Reverse: reverse, Limit: 97}
		var rows []store.Position
		for q.After == nil || len(rows) < 2*entries {
			page, err := st.Rows(bg, q)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, page.Rows...)
			if q.After = page.Last; page.Last == nil {
				break
			}
		}
		for i := 1; i < len(rows); i++ {
			if (rows[i].Key > rows[i-1].Key) != reverse && rows[i].Key != rows[i-1].Key {
				t.Fatalf("reversed %t: key %d after %d", reverse, rows[i].Key, rows[i-1].Key)
			}
		}
		if math.Abs(float64(len(rows)-entries)) > 0.05*entries {
			t.Errorf("reversed %t: %d rows of %d", reverse, len(rows), entries)
		}
	}
}

// A page goes on behind a row that has gone, or is an error where no page ended.
func TestAfterRowsThatAreNotThere(t *testing.T) {
	board := boardOf(2, column)
	st := made(t, board, synthetic.Options{Entries: 1000, Model: synthetic.Model{Scale: 20}})
	q := store.Query{Partition: board.Partition("xp", 1), From: store.MaxScore, To: -store.MaxScore}
	all, err := st.Rows(bg, q)
	if err != nil {
		t.Fatal(err)
	}
	gone := store.Position{Key: all.Rows[250].Key, Owner: "p01-0000009999"}
	q.After = &gone
	for _, reverse := range []bool{false, true} {
		q.Reverse = reverse
		page, err := st.Rows(bg, q)
		if err != nil || len(page.Rows) == 0 || page.Rows[0].Key != gone.Key || len(page.Rows) < 200 {
			t.Errorf("reversed %t, behind a row that has gone: %d rows, %v; want those of key %d first", reverse, len(page.Rows), err, gone.Key)
		}
	}
	for _, owner := range []string{"ann", "", all.Rows[0].Owner[:1] + "00" + all.Rows[0].Owner[3:]} {
		q.After = &store.Position{Key: 5, Owner: owner}
		if _, err := st.Count(bg, q); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("behind owner %q: %v, want ErrInvalid", owner, err)
		}
	}
}

func TestTicksShareWhatIsWritten(t *testing.T) {
	board := boardOf(2, column)
	st := made(t, board, synthetic.Options{Entries: 10})
	if _, err := st.At(3).Publish(bg, board.CurveKey("xp"), store.Published{Generation: 1, Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if p, _, err := st.At(4).Curve(bg, board.CurveKey("xp")); err != nil || p.Generation != 1 {
		t.Errorf("curve %+v, %v", p, err)
	}
	other := board.CurveKey("xp")
	other.ID = "another" // a store has one board of a name
	if _, _, err := st.Curve(bg, other); err != nil {
		t.Errorf("the curve under another ID of the board: %v", err)
	}
	if err := st.At(5).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Size(); !errors.Is(err, store.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
}
