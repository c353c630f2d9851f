package jobs_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// A halted store runs something else at its n-th call, before that is carried out: what
// the world does while the process that makes the call is stopped.
type halted struct {
	store.Store
	mu        sync.Mutex
	calls     []string
	at        int // from 1
	meanwhile func()
}

func (h *halted) call(name string) {
	h.mu.Lock()
	h.calls = append(h.calls, name)
	now := len(h.calls) == h.at
	h.mu.Unlock()
	if now {
		h.meanwhile()
	}
}

func (h *halted) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	h.call("Rows")
	return h.Store.Rows(ctx, q)
}

func (h *halted) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	h.call("Count")
	return h.Store.Count(ctx, q)
}

func (h *halted) Curve(ctx context.Context, k store.CurveKey) (store.Published, store.Usage, error) {
	h.call("Curve")
	return h.Store.Curve(ctx, k)
}

func (h *halted) Publish(ctx context.Context, k store.CurveKey, p store.Published) (store.Usage, error) {
	h.call("Publish")
	return h.Store.Publish(ctx, k, p)
}

func (h *halted) State(ctx context.Context, k store.CurveKey) ([]byte, store.Usage, error) {
	h.call("State")
	return h.Store.State(ctx, k)
}

func (h *halted) SaveState(ctx context.Context, k store.CurveKey, data []byte) (store.Usage, error) {
	h.call("SaveState")
	return h.Store.SaveState(ctx, k, data)
}

func (h *halted) Acquire(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (store.Lease, error) {
	h.call("Acquire")
	return h.Store.Acquire(ctx, name, holder, now, ttl)
}

func (h *halted) Renew(ctx context.Context, l store.Lease, now time.Time, ttl time.Duration) (store.Lease, error) {
	h.call("Renew")
	return h.Store.Renew(ctx, l, now, ttl)
}

func (h *halted) Release(ctx context.Context, l store.Lease) error {
	h.call("Release")
	return h.Store.Release(ctx, l)
}

// A worker is stopped at each call of a refresh in turn, for longer than its lease, and
// another refreshes the board meanwhile. What is published never goes backwards, in its
// generation nor in its time, and the successor's curve is the last one unless the late
// worker's is younger.
//
// Two guards do that. The lease is renewed right before the curve is published, which
// finds a late worker that has read the successor's generation but would publish what it
// knows of an earlier time. And a curve is published on condition of its generation, which
// finds one that was stopped after that renewal.
func TestAWorkerThatIsStoppedAtAnyCallPublishesNothingOld(t *testing.T) {
	for _, walk := range []int{0, 1} {
		t.Run(fmt.Sprintf("walk %d", walk), func(t *testing.T) {
			stops := map[string]int{}
			for at := 1; ; at++ {
				calls := stoppedAt(t, at, walk)
				if at > len(calls) {
					break // it ended before
				}
				stops[calls[at-1]]++
			}
			for _, call := range []string{"Curve", "State", "Acquire", "Rows", "Renew", "Publish", "SaveState", "Release"} {
				if stops[call] == 0 {
					t.Errorf("no refresh was stopped at %s: %v", call, stops)
				}
			}
		})
	}
}

// stoppedAt stops a worker at one call, and tells those that it made.
func stoppedAt(t *testing.T, at, walk int) []string {
	t.Helper()
	ctx := context.Background()
	b := named("games")
	st := newBoards(t, 500, b.Name)
	now := time.Date(2026, 11, 21, 12, 0, 1, 0, time.UTC)
	clock := func() time.Time { now = now.Add(time.Millisecond); return now }
	var mu sync.Mutex // the renewing of a lease asks for the time too
	safe := func() time.Time { mu.Lock(); defer mu.Unlock(); return clock() }
	options := jobs.Options{Shards: walk}
	if walk > 0 {
		options.Method = "counted"
	}
	tick := func(due time.Time) jobs.Tick { return jobs.Tick{Due: due, Interval: 5 * time.Minute} }
	first := jobs.Refresher{Store: st, Holder: "first", Now: safe}
	if _, err := first.Tick(ctx, b, "xp", tick(now.Truncate(time.Minute)), options); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	now = now.Add(5 * time.Minute)
	due := now.Truncate(time.Minute)
	mu.Unlock()

	var successors *predictor.Curve
	h := &halted{Store: st, at: at}
	h.meanwhile = func() {
		mu.Lock()
		now = now.Add(2 * time.Minute)
		mu.Unlock()
		successor := jobs.Refresher{Store: st, Holder: "successor", Now: safe}
		if report, err := successor.Tick(ctx, b, "xp", tick(due), options); err != nil || report.Outcome != jobs.Refreshed && report.Outcome != jobs.Done {
			t.Errorf("stopped at call %d: the successor's tick is %s: %v", at, report.Outcome, err)
		}
		successors = publishedOf(t, st, b.Name)
		mu.Lock()
		now = now.Add(2 * time.Minute)
		mu.Unlock()
	}
	late := jobs.Refresher{Store: h, Holder: "late", Now: safe}
	report, err := late.Tick(ctx, b, "xp", tick(due), options)
	if successors == nil { // it was not stopped: there is no such call
		if err != nil || report.Outcome != jobs.Refreshed {
			t.Fatalf("%s, %v", report.Outcome, err)
		}
		return h.calls
	}
	c := publishedOf(t, st, b.Name)
	where := fmt.Sprintf("stopped at call %d of %s", at, strings.Join(h.calls, " "))
	if c.Meta().Generation < successors.Meta().Generation || c.Meta().AsOf.Before(successors.Meta().AsOf) {
		t.Errorf("%s: generation %d as of %s is over %d as of %s", where, c.Meta().Generation, c.Meta().AsOf, successors.Meta().Generation, successors.Meta().AsOf)
	}
	if c.Meta().Generation != 2 {
		t.Errorf("%s: the tick was done %d times", where, c.Meta().Generation-1)
	}
	if report.Outcome == jobs.Refreshed && c.Meta().Generation != report.Generation {
		t.Errorf("%s: it says it has published generation %d", where, report.Generation)
	}
	if report.Outcome == jobs.Failed {
		t.Errorf("%s: a failure, which counts and is told: %v", where, err)
	}
	if next, err := late.Tick(ctx, b, "xp", tick(due.Add(5*time.Minute)), options); err != nil || next.Generation != 3 {
		t.Errorf("%s: the next tick is %s of generation %d: %v", where, next.Outcome, next.Generation, err)
	}
	return h.calls
}
