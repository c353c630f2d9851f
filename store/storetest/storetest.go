// Package storetest is the acceptance suite that every backend of store passes:
// one subtest for each sentence of the contract, named after it.
package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Trait says what a backend cannot promise.
type Trait func(*fixture)

// IndexesLag is of backends whose index entries follow their rows a moment later:
// an answer that is read meanwhile may have a row that moves at both of its
// places, or at neither.
func IndexesLag() Trait { return func(f *fixture) { f.lags = true } }

// Flaky is of a backend that is reached over a line which fails: it sends some
// requests again, and so counts more of them.
func Flaky() Trait { return func(f *fixture) { f.flaky = true } }

// Run checks a backend. Each subtest calls open once, gets a store that must be
// empty, and closes it; they run in parallel. Reads that follow a write and need
// not be strongly consistent are repeated until they are right.
func Run(t *testing.T, open func(t *testing.T) store.Store, traits ...Trait) {
	t.Helper()
	groups := []struct {
		name     string
		sentence []sentence
	}{
		{"Store", storeSentences},
		{"Entries", entrySentences},
		{"Load", loadSentences},
		{"Owners", ownerSentences},
		{"Partitions", partitionSentences},
		{"Paging", pagingSentences},
		{"Boards", boardSentences},
		{"Curves", curveSentences},
		{"History", historySentences},
		{"Leases", leaseSentences},
		{"Secrets", secretSentences},
		{"Model", modelSentences},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, s := range g.sentence {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					s.check(newFixture(t, open, traits))
				})
			}
		})
	}
}

// Sentence is one promise of the contract.
type sentence struct {
	name  string
	check func(f *fixture)
}

// Fixture is a fresh store with one board: a single shard, so that all rows share
// a partition, a desc and an asc column.
type fixture struct {
	*testing.T
	store.Store
	ctx   context.Context
	board store.Board
	lags  bool
	flaky bool
}

func newFixture(t *testing.T, open func(t *testing.T) store.Store, traits []Trait) *fixture {
	t.Helper()
	empty := func(t *testing.T, _ store.Board) store.Store { t.Helper(); return open(t) }
	f := newFixtureOn(t, boardOf("missions", 1), empty, traits)
	f.createBoard(f.board)
	return f
}

// newFixtureOn is a store of a board that open makes.
func newFixtureOn(t *testing.T, b store.Board, open func(t *testing.T, b store.Board) store.Store, traits []Trait) *fixture {
	t.Helper()
	f := &fixture{T: t, Store: open(t, b), ctx: context.Background(), board: b}
	for _, trait := range traits {
		trait(f)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return f
}

func boardOf(name string, shards int) store.Board {
	return store.Board{
		ID:     "id-of-" + strings.Map(letters, name),
		Name:   name,
		Shards: shards,
		Columns: []store.Column{
			{Name: "xp", Order: store.Desc, Operator: store.Sum},
			{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2},
		},
		Created: time.UnixMilli(1795219200000).UTC(),
	}
}

// letters drops what an ID may not have.
func letters(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

func (f *fixture) createBoard(b store.Board) {
	f.Helper()
	if err := f.CreateBoard(f.ctx, b); err != nil {
		f.Fatalf("create board %q: %v", b.Name, err)
	}
}

// Eventually polls until the check passes; it returns at once when it does.
func (f *fixture) eventually(check func() error) {
	f.Helper()
	if err := eventually(check); err != nil {
		f.Fatal(err)
	}
}

func eventually(check func() error) error {
	const patience = 10 * time.Second
	deadline, pause := time.Now().Add(patience), time.Millisecond
	for {
		err := check()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("still wrong after %s: %w", patience, err)
		}
		time.Sleep(pause)
		pause = min(2*pause, 200*time.Millisecond)
	}
}

// Call is one use of each method, for what all of them promise alike.
type call struct {
	name string
	run  func(ctx context.Context) error
}

func (f *fixture) calls() []call {
	key := f.board.CurveKey("xp")
	q := store.Query{Partition: f.board.Partition("xp", 0), From: store.MaxScore, To: -store.MaxScore}
	row := store.Entry{Owner: "called", Scores: map[string]int64{"xp": 1}}
	now := time.UnixMilli(1795219200000)
	return []call{
		{"Entry", func(ctx context.Context) error { _, _, err := f.Entry(ctx, f.board, "called"); return err }},
		{"EntriesOf", func(ctx context.Context) error {
			_, _, err := f.EntriesOf(ctx, f.board, []string{"called"})
			return err
		}},
		{"Put", func(ctx context.Context) error { _, err := f.Put(ctx, f.board, row); return err }},
		{"PutAll", func(ctx context.Context) error {
			_, _, err := f.PutAll(ctx, f.board, []store.Entry{row})
			return err
		}},
		{"Load", func(ctx context.Context) error { _, err := f.Load(ctx, f.board, []store.Entry{row}); return err }},
		{"Delete", func(ctx context.Context) error { _, err := f.Delete(ctx, f.board, "called", 1); return err }},
		{"BoardsOf", func(ctx context.Context) error { _, _, err := f.BoardsOf(ctx, "called"); return err }},
		{"Secret", func(ctx context.Context) error { _, _, err := f.Secret(ctx, "called"); return err }},
		{"Rows", func(ctx context.Context) error { _, err := f.Rows(ctx, q); return err }},
		{"Count", func(ctx context.Context) error { _, err := f.Count(ctx, q); return err }},
		{"CreateBoard", func(ctx context.Context) error { return f.CreateBoard(ctx, boardOf("called", 2)) }},
		{"Board", func(ctx context.Context) error { _, err := f.Board(ctx, f.board.Name); return err }},
		{"Boards", func(ctx context.Context) error { _, err := f.Boards(ctx); return err }},
		{"DropBoard", func(ctx context.Context) error { return f.DropBoard(ctx, "dropped", now) }},
		{"Curve", func(ctx context.Context) error { _, _, err := f.Curve(ctx, key); return err }},
		{"Publish", func(ctx context.Context) error {
			_, err := f.Publish(ctx, key, store.Published{Generation: 1, Data: []byte("x")})
			return err
		}},
		{"State", func(ctx context.Context) error { _, _, err := f.State(ctx, key); return err }},
		{"SaveState", func(ctx context.Context) error { _, err := f.SaveState(ctx, key, []byte("x")); return err }},
		{"Archive", func(ctx context.Context) error {
			_, err := f.Archive(ctx, key, store.Archived{AsOf: now, Generation: 1, Data: []byte("x")})
			return err
		}},
		{"CurveAt", func(ctx context.Context) error { _, _, err := f.CurveAt(ctx, key, now); return err }},
		{"CurvesBetween", func(ctx context.Context) error { _, _, err := f.CurvesBetween(ctx, key, now, now, 1); return err }},
		{"PruneArchive", func(ctx context.Context) error { _, _, err := f.PruneArchive(ctx, key, now); return err }},
		{"Acquire", func(ctx context.Context) error {
			_, err := f.Acquire(ctx, "called", "h", now, time.Minute)
			return err
		}},
		{"Renew", func(ctx context.Context) error {
			_, err := f.Renew(ctx, store.Lease{Name: "called", Holder: "h", Fence: 1}, now, time.Minute)
			return err
		}},
		{"Release", func(ctx context.Context) error {
			return f.Release(ctx, store.Lease{Name: "called", Holder: "h", Fence: 1})
		}},
	}
}
