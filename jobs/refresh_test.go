package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

var (
	games    = store.Board{Name: "games", Shards: 4, Columns: []store.Column{{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2}}}
	gamesKey = store.CurveKey{Board: "games", Column: "time"}
)

// newGames makes a board where owner i has the time i+1, the smallest the best.
func newGames(t *testing.T, owners int) store.Store {
	t.Helper()
	st, err := bolt.Open(filepath.Join(t.TempDir(), "games.db"), bolt.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if err := st.CreateBoard(context.Background(), games); err != nil {
		t.Fatal(err)
	}
	entries := make([]store.Entry, owners)
	for i := range entries {
		entries[i] = store.Entry{Owner: fmt.Sprintf("player-%d", i), Scores: map[string]int64{"time": int64(i + 1)}}
	}
	if _, err := st.Load(context.Background(), games, entries); err != nil {
		t.Fatal(err)
	}
	return st
}

func published(t *testing.T, st store.Store) *predictor.Curve {
	t.Helper()
	p, _, err := st.Curve(context.Background(), gamesKey)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := predictor.Decode(p.Data)
	if err != nil {
		t.Fatal(err)
	}
	if curve.Meta().Generation != p.Generation {
		t.Fatalf("generation %d inside, %d outside", curve.Meta().Generation, p.Generation)
	}
	return curve
}

func TestRefreshPublishesTheNextGeneration(t *testing.T) {
	st := newGames(t, 3000)
	now := time.UnixMilli(1_700_000_000_000).UTC()
	r := jobs.Refresher{Store: st, Holder: "a", Now: func() time.Time { return now }}
	for generation := int64(1); generation <= 3; generation++ {
		report, err := r.Refresh(context.Background(), games, "", jobs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		curve := published(t, st)
		want := predictor.Meta{Board: "games", Column: "time", Decimals: 2, Ascending: true, Generation: generation, AsOf: now}
		if generation > 1 { // how the board changes is known from two walks on
			want.Horizon = time.Minute
		}
		if curve.Meta() != want || report.Generation != generation || report.Entries != 3000 || report.Usage.Requests == 0 {
			t.Fatalf("published %+v, report %+v", curve.Meta(), report)
		}
		if e := curve.Held(-700, 0); e.Low > 699 || e.High < 699 { // the 700th best time, as a key
			t.Errorf("time 7.00 has %+v better", e)
		}
		now = now.Add(time.Minute)
	}
}

func TestRefreshOfAnEmptyBoard(t *testing.T) {
	st := newGames(t, 0)
	for _, method := range []sampler.Method{sampler.Auto, sampler.Counted, sampler.Scores} {
		if _, err := (jobs.Refresher{Store: st, Holder: "a"}).Refresh(context.Background(), games, "time", jobs.Options{Method: method}); err != nil {
			t.Fatal(err)
		}
		if total := published(t, st).Total(); total != 0 {
			t.Errorf("%d entries", total)
		}
	}
}

func TestRefreshWhileAnotherRuns(t *testing.T) {
	st := newGames(t, 100)
	if _, err := st.Acquire(context.Background(), "refresh/games.time", "other", time.Now(), time.Hour); err != nil {
		t.Fatal(err)
	}
	_, err := jobs.Refresher{Store: st, Holder: "a"}.Refresh(context.Background(), games, "", jobs.Options{})
	if !errors.Is(err, store.ErrHeld) || !strings.Contains(err.Error(), "other") {
		t.Errorf("%v", err)
	}
}

func TestAnInterruptedRefreshLeavesTheOldCurve(t *testing.T) {
	st := newGames(t, 3000)
	r := jobs.Refresher{Store: st, Holder: "a"}
	if _, err := r.Refresh(context.Background(), games, "", jobs.Options{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err := r.Refresh(ctx, games, "", jobs.Options{Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if generation := published(t, st).Meta().Generation; generation != 1 {
		t.Errorf("generation %d after an interrupted refresh", generation)
	}
	if _, err := r.Refresh(context.Background(), games, "", jobs.Options{}); err != nil {
		t.Errorf("the lease was not given up: %v", err)
	}
}

func TestARefreshThatLostItsTurnDoesNotPublish(t *testing.T) {
	st := newGames(t, 3000)
	overtake := func(int, int) {
		_, _ = st.Publish(context.Background(), gamesKey, store.Published{Generation: 9, Data: []byte("newer")})
	}
	_, err := jobs.Refresher{Store: st, Holder: "a"}.Refresh(context.Background(), games, "", jobs.Options{Progress: overtake})
	if !errors.Is(err, store.ErrStale) {
		t.Fatalf("%v", err)
	}
	if p, _, _ := st.Curve(context.Background(), gamesKey); p.Generation != 9 {
		t.Errorf("generation %d over a newer one", p.Generation)
	}
}

func TestADamagedStateIsAColdStart(t *testing.T) {
	st := newGames(t, 30_000)
	if _, err := st.SaveState(context.Background(), gamesKey, []byte("damaged")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	r := jobs.Refresher{Store: st, Holder: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}
	if _, err := r.Refresh(context.Background(), games, "", jobs.Options{Method: sampler.Counted, Head: 500}); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); !strings.Contains(text, "starting cold") || !strings.Contains(text, "generation=1 method=counted") {
		t.Errorf("log: %s", text)
	}
}

func TestRefreshesOfOneProcessExcludeEachOther(t *testing.T) {
	st := newGames(t, 3000)
	r := jobs.Refresher{Store: st, Holder: "a"}
	var once sync.Once
	_, err := r.Refresh(context.Background(), games, "", jobs.Options{Progress: func(int, int) {
		once.Do(func() {
			if _, err := r.Refresh(context.Background(), games, "", jobs.Options{}); !errors.Is(err, store.ErrHeld) {
				t.Errorf("a second refresh meanwhile: %v", err)
			}
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// damaged is a store whose published curve cannot be read.
type damaged struct{ store.Store }

func (d damaged) Curve(context.Context, store.CurveKey) (store.Published, store.Usage, error) {
	return store.Published{}, store.Usage{}, store.ErrCorrupt
}

// behind is a store with a cache that never heard of the last refreshes.
type behind struct{ store.Store }

func (b behind) Curve(context.Context, store.CurveKey) (store.Published, store.Usage, error) {
	return store.Published{Generation: 1}, store.Usage{}, nil
}

func (b behind) Durable() store.Store { return b.Store }

func TestGenerationsCountOnFromTheDurableCurve(t *testing.T) {
	st := newGames(t, 100)
	for generation := int64(1); generation <= 3; generation++ {
		report, err := jobs.Refresher{Store: behind{st}, Holder: "a"}.Refresh(context.Background(), games, "", jobs.Options{})
		if err != nil || report.Generation != generation {
			t.Fatalf("generation %d, want %d: %v", report.Generation, generation, err)
		}
	}
}

func TestADamagedCurveIsReplacedByALaterGeneration(t *testing.T) {
	st := newGames(t, 100)
	for range 3 {
		if _, err := (jobs.Refresher{Store: st, Holder: "a"}).Refresh(context.Background(), games, "", jobs.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (jobs.Refresher{Store: damaged{st}, Holder: "a"}).Refresh(context.Background(), games, "", jobs.Options{}); err != nil {
		t.Fatal(err)
	}
	if generation := published(t, st).Meta().Generation; generation <= 3 {
		t.Errorf("generation %d after 3", generation)
	}
}

func TestOverBudgetPublishesNothing(t *testing.T) {
	st := newGames(t, 30_000)
	r := jobs.Refresher{Store: st, Holder: "a"}
	if _, err := r.Refresh(context.Background(), games, "", jobs.Options{ReadBudget: 20}); !errors.Is(err, store.ErrTooExpensive) {
		t.Fatalf("%v", err)
	}
	if _, _, err := st.Curve(context.Background(), gamesKey); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestPlanWritesNothing(t *testing.T) {
	st := newGames(t, 30_000)
	r := jobs.Refresher{Store: st, Holder: "a"}
	plan, err := r.Plan(context.Background(), games, "", jobs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Refresh(context.Background(), games, "", jobs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Generation != 1 {
		t.Errorf("generation %d: the plan published", report.Generation)
	}
	if took := report.Usage.ReadUnits(); plan.ReadUnits < 0.9*took || plan.ReadUnits > 1.1*took {
		t.Errorf("planned %.0f read units, took %.0f", plan.ReadUnits, took)
	}
}

func TestUnknownColumn(t *testing.T) {
	st := newGames(t, 1)
	if _, err := (jobs.Refresher{Store: st}).Refresh(context.Background(), games, "xp", jobs.Options{}); !errors.Is(err, store.ErrNoColumn) {
		t.Errorf("%v", err)
	}
}

// BenchmarkRefresh is a full refresh of a million entries on the embedded store.
func BenchmarkRefresh(b *testing.B) {
	st, err := bolt.Open(filepath.Join(b.TempDir(), "bench.db"), bolt.NoSync())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	board := store.Board{Name: "bench", Shards: 16, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}}
	put(b, st, board, datasets[3].generate(1_000_000))
	for _, method := range []sampler.Method{sampler.Scores, sampler.Counted} {
		b.Run(string(method), func(b *testing.B) {
			for b.Loop() {
				if _, err := (jobs.Refresher{Store: st, Holder: "bench"}).Refresh(context.Background(), board, "", jobs.Options{Method: method}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
