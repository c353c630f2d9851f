package jobs_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// named is a board of one column.
func named(name string) store.Board {
	return store.Board{Name: name, Shards: 2, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}}
}

// newBoards makes a store with boards of so many entries each.
func newBoards(t *testing.T, owners int, names ...string) store.Store {
	t.Helper()
	st, err := bolt.Open(filepath.Join(t.TempDir(), "boards.db"), bolt.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	for _, name := range names {
		addBoard(t, st, name, owners)
	}
	return st
}

func addBoard(t *testing.T, st store.Store, name string, owners int) {
	t.Helper()
	if err := st.CreateBoard(context.Background(), named(name)); err != nil {
		t.Fatal(err)
	}
	entries := make([]store.Entry, owners)
	for i := range entries {
		entries[i] = store.Entry{Owner: fmt.Sprintf("player-%d", i), Scores: map[string]int64{"xp": int64(i + 1)}}
	}
	if _, err := st.Load(context.Background(), named(name), entries); err != nil {
		t.Fatal(err)
	}
}

// publishedOf is the published curve of a board; nil if there is none.
func publishedOf(t *testing.T, st store.Store, board string) *predictor.Curve {
	t.Helper()
	p, _, err := st.Curve(context.Background(), store.CurveKey{Board: board, Column: "xp"})
	if err != nil {
		return nil
	}
	curve, err := predictor.Decode(p.Data)
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

// everyFive is a plan for all boards.
func everyFive(t *testing.T) jobs.Plan {
	t.Helper()
	return jobs.Plan{Schedule: schedule(t, "@every 5m")}
}

func schedule(t *testing.T, spec string) jobs.Schedule {
	t.Helper()
	s, err := jobs.ParseSchedule(spec, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// settled are settings by which all boards are refreshed alike.
func settled(p jobs.Plan) jobs.Settings {
	return jobs.Settings{Plan: func(store.Board) (jobs.Plan, error) { return p, nil }, Concurrent: 4, Jitter: 5 * time.Second}
}

// A hand is a worker at work, and what it said.
type hand struct {
	t        *testing.T
	worker   *jobs.Worker
	registry *prometheus.Registry
	end      context.CancelFunc
	ended    chan error
	log      *lines
}

// lines are a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// newHand makes a worker that is not at work yet.
func newHand(t *testing.T, st store.Store, s jobs.Settings) *hand {
	t.Helper()
	h := &hand{t: t, registry: prometheus.NewRegistry(), ended: make(chan error, 1), log: &lines{}}
	log := slog.New(slog.NewTextHandler(io.Writer(h.log), &slog.HandlerOptions{Level: slog.LevelDebug}))
	r := jobs.Refresher{Store: st, Holder: "hand", Log: log}
	h.worker = jobs.NewWorker(r, s, jobs.NewMetrics(h.registry))
	return h
}

// at starts it; the test's end, or stop, ends it.
func (h *hand) work() *hand {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h.end = cancel
	go func() { h.ended <- h.worker.Run(ctx, 10*time.Second) }()
	return h
}

func (h *hand) stop() {
	h.t.Helper()
	h.end()
	if err := <-h.ended; err != nil {
		h.t.Error(err)
	}
	synctest.Wait()
}

// count is how often ticks of all boards had an outcome.
func (h *hand) count(o jobs.Outcome) int { return h.countOf("", o) }

// countOf is how often ticks of a board had an outcome.
func (h *hand) countOf(board string, o jobs.Outcome) int {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	total := 0.0
	for _, family := range families {
		if family.GetName() != "rankcurve_ticks_total" {
			continue
		}
		for _, m := range family.Metric {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["outcome"] == string(o) && (board == "" || labels["board"] == board) {
				total += m.Counter.GetValue()
			}
		}
	}
	return int(total)
}

// newSkewedHand is a worker whose clock is wrong by so much.
func newSkewedHand(t *testing.T, st store.Store, s jobs.Settings, skew time.Duration) *hand {
	t.Helper()
	return newClockedHand(t, st, s, func() time.Time { return time.Now().Add(skew) })
}

// newClockedHand is a worker with a clock.
func newClockedHand(t *testing.T, st store.Store, s jobs.Settings, now func() time.Time) *hand {
	t.Helper()
	h := newHand(t, st, s)
	h.registry = prometheus.NewRegistry()
	log := slog.New(slog.NewTextHandler(io.Writer(h.log), &slog.HandlerOptions{Level: slog.LevelDebug}))
	h.worker = jobs.NewWorker(jobs.Refresher{Store: st, Holder: "hand", Log: log, Now: now}, s, jobs.NewMetrics(h.registry))
	return h
}

func itoa(i int) string { return strconv.Itoa(i) }

// addMore adds owners to a board.
func addMore(t *testing.T, st store.Store, board string, owners int) {
	t.Helper()
	entries := make([]store.Entry, owners)
	for i := range entries {
		entries[i] = store.Entry{Owner: "more-" + itoa(i), Scores: map[string]int64{"xp": int64(i % 5000)}}
	}
	if _, err := st.Load(context.Background(), named(board), entries); err != nil {
		t.Fatal(err)
	}
}
