package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

func TestAWorkerRefreshesAtItsStartAndThenBySchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 100, "a", "b")
		time.Sleep(time.Minute) // not at a due time: a bubble begins at midnight
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(10 * time.Second)
		for _, board := range []string{"a", "b"} {
			if c := publishedOf(t, st, board); c == nil || c.Total() != 100 {
				t.Fatalf("no curve of %s at the start: %v", board, h.log)
			}
		}
		addBoard(t, st, "new", 7)
		time.Sleep(time.Minute + 10*time.Second)
		if c := publishedOf(t, st, "new"); c == nil || c.Total() != 7 {
			t.Errorf("a new board has no curve after a minute: %v", c)
		}
		time.Sleep(time.Hour)
		h.stop()
		if got := h.count(jobs.Refreshed); got < 3*12 || got > 3*13 {
			t.Errorf("%d refreshes of 3 boards in an hour, of one every 5 minutes", got)
		}
		if failed := h.count(jobs.Failed) + h.count(jobs.Running); failed > 0 {
			t.Errorf("%d failed:\n%s", failed, h.log)
		}
		for _, want := range []string{"level=INFO msg=refreshed board=a column=xp generation=1", "outcome=refreshed due=", "read_units="} {
			if !strings.Contains(h.log.String(), want) {
				t.Errorf("no %q in the log", want)
			}
		}
	})
}

// Each tick is done once, whichever worker does it, also by clocks that differ.
func TestManyWorkersDoEachTickOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := make([]string, 10)
		for i := range names {
			names[i] = fmt.Sprintf("board-%d", i)
		}
		st := newBoards(t, 20, names...)
		time.Sleep(time.Minute)
		skews := []time.Duration{0, 4 * time.Second, -4 * time.Second}
		s := settled(everyFive(t))
		s.Jitter = 20 * time.Second // so that the one whose clock is behind is the first now and then
		hands := make([]*hand, len(skews))
		for i, skew := range skews {
			hands[i] = newSkewedHand(t, st, s, skew).work()
		}
		time.Sleep(3*time.Hour + time.Minute)
		total := 0
		for i, h := range hands {
			h.stop()
			n := h.count(jobs.Refreshed)
			total += n
			if n == 0 || h.count(jobs.Done) == 0 || h.count(jobs.Failed) > 0 {
				t.Errorf("worker %d: %d refreshed, %d done by others, %d failed", i, n, h.count(jobs.Done), h.count(jobs.Failed))
			}
		}
		want := 10 * (3*12 + 1)
		if total != want {
			t.Errorf("%d refreshes of 10 boards in 3 hours, want %d", total, want)
		}
		for _, name := range names {
			if g := publishedOf(t, st, name).Meta().Generation; g != int64(want/10) {
				t.Errorf("%s has generation %d", name, g)
			}
		}
	})
}

// A faulty store does something to the reads of one board's partitions.
type faulty struct {
	store.Store
	board string
	do    func(ctx context.Context) error
}

func (f faulty) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if q.Partition.Board == f.board {
		if err := f.do(ctx); err != nil {
			return store.Page{}, err
		}
	}
	return f.Store.Rows(ctx, q)
}

func TestAPanicStopsNeitherItsScheduleNorTheOthers(t *testing.T) {
	var broken atomic.Bool
	disorder := func(context.Context) error {
		if broken.Load() {
			panic("out of order")
		}
		return nil
	}
	for name, wrap := range map[string]func(store.Store) store.Store{
		"in the refresh":             func(st store.Store) store.Store { return panicking{faulty{st, "bad", disorder}} },
		"in a goroutine of a walk's": func(st store.Store) store.Store { return faulty{st, "bad", disorder} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				broken.Store(true)
				st := wrap(newBoards(t, 50, "good", "bad"))
				time.Sleep(time.Minute)
				h := newHand(t, st, settled(everyFive(t))).work()
				for deadline := time.Now().Add(time.Hour); h.countOf("bad", jobs.Failed) < 3 && time.Now().Before(deadline); {
					time.Sleep(time.Second)
				}
				broken.Store(false)
				if health := h.worker.Health(); !health.Ready || !strings.Contains(strings.Join(health.Reasons, "\n"), "bad.xp has failed 3 times in a row: ") || !strings.Contains(strings.Join(health.Reasons, "\n"), "internal error: out of order") {
					t.Errorf("health: %+v", health)
				}
				time.Sleep(10 * time.Minute)
				if health := h.worker.Health(); !health.Ready || !health.Alive || len(health.Reasons) > 0 || health.Columns != 2 {
					t.Errorf("health after it has passed: %+v", health)
				}
				h.stop()
				if h.countOf("bad", jobs.Failed) != 3 || h.countOf("bad", jobs.Refreshed) < 1 || h.countOf("good", jobs.Refreshed) < 2 {
					t.Errorf("bad: %d failed, %d refreshed; good: %d refreshed\n%s", h.countOf("bad", jobs.Failed), h.countOf("bad", jobs.Refreshed), h.countOf("good", jobs.Refreshed), h.log)
				}
				if !strings.Contains(h.log.String(), "worker_test.go") {
					t.Errorf("the log has no stack: %s", h.log)
				}
			})
		})
	}
}

// A panicking store panics where its refresher itself is at work, not a goroutine of the
// walk's: at the read of the state.
type panicking struct{ faulty }

func (p panicking) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	return p.Store.Rows(ctx, q)
}

func (p panicking) State(ctx context.Context, k store.CurveKey) ([]byte, store.Usage, error) {
	if k.Board == p.board && k.Column == "xp" {
		if err := p.do(ctx); err != nil {
			return nil, store.Usage{}, err
		}
	}
	return p.Store.State(ctx, k)
}

func TestFailuresBackOffAndAreForgottenAtASuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		var tries atomic.Int32
		broken.Store(true)
		st := faulty{newBoards(t, 50, "good", "bad"), "bad", func(context.Context) error {
			if broken.Load() {
				tries.Add(1)
				return errors.New("disk on fire")
			}
			return nil
		}}
		time.Sleep(time.Minute)
		first, second := newHand(t, st, settled(everyFive(t))).work(), newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(6 * time.Hour)
		// 15 s, 30 s, ... 16 min, then every 30 min: of both workers together. A try reads
		// each of two shards twice.
		if n := tries.Load(); n < 12 || n > 4*24 {
			t.Errorf("%d reads in six hours of failures", n)
		}
		if failures := first.count(jobs.Failed) + second.count(jobs.Failed); failures < 12 || failures > 30 || first.count(jobs.Backoff) == 0 {
			t.Errorf("%d failures, %d ticks waited", failures, first.count(jobs.Backoff))
		}
		if h := first.worker.Health(); len(h.Reasons)+len(second.worker.Health().Reasons) == 0 || !h.Ready {
			t.Errorf("neither tells of the board, or the other one does not count: %+v", h)
		}
		broken.Store(false)
		time.Sleep(45 * time.Minute)
		if c := publishedOf(t, st, "bad"); c == nil {
			t.Errorf("no curve after the fault: %s", first.log)
		}
		before := publishedOf(t, st, "bad").Meta().Generation
		time.Sleep(time.Hour)
		if after := publishedOf(t, st, "bad").Meta().Generation; after < before+12 {
			t.Errorf("generation %d an hour after %d: the schedule did not come back", after, before)
		}
		for _, h := range []*hand{first, second} {
			if health := h.worker.Health(); !health.Ready || len(health.Reasons) > 0 {
				t.Errorf("not well after the fault: %+v", health)
			}
			h.stop()
		}
	})
}

// A column whose refresh takes longer than its interval is never refreshed twice at once,
// and what it leaves out is counted and explained.
func TestTicksDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		st := faulty{newBoards(t, 50, "slow", "fast"), "slow", func(ctx context.Context) error {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			return sleeping(ctx, 6*time.Minute)
		}}
		time.Sleep(time.Minute)
		plan := everyFive(t)
		h := newHand(t, st, settled(plan)).work()
		time.Sleep(3 * time.Hour)
		h.stop()
		if most.Load() > 2 { // the two shards of one walk
			t.Errorf("%d reads of the slow board at once", most.Load())
		}
		if h.countOf("slow", jobs.Running) < 10 || h.countOf("fast", jobs.Refreshed) < 36 || h.countOf("slow", jobs.Refreshed) < 10 {
			t.Errorf("slow: %d refreshed, %d skipped; fast: %d refreshed", h.countOf("slow", jobs.Refreshed), h.countOf("slow", jobs.Running), h.countOf("fast", jobs.Refreshed))
		}
		if !strings.Contains(h.log.String(), "tick is skipped: the one before is still under way") {
			t.Error("the log does not say why ticks were skipped")
		}
	})
}

func sleeping(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Ending gives up what is under way, within seconds, and leaves nothing locked.
func TestTheEndGivesUpRefreshesAndTheirLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := faulty{newBoards(t, 50, "slow"), "slow", func(ctx context.Context) error { return sleeping(ctx, time.Hour) }}
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(20 * time.Second)
		began := time.Now()
		h.stop()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
		if h.count(jobs.Stopped) != 1 || h.count(jobs.Failed) != 0 {
			t.Errorf("%d stopped, %d failed: %s", h.count(jobs.Stopped), h.count(jobs.Failed), h.log)
		}
		if _, err := st.Acquire(context.Background(), "refresh/slow.xp", "other", time.Now(), time.Minute); err != nil {
			t.Errorf("the lease is still held: %v", err)
		}
	})
}

// A refresh that does not heed its context is not waited for without end.
func TestTheEndDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := faulty{newBoards(t, 50, "stuck"), "stuck", func(context.Context) error { time.Sleep(time.Minute); return nil }}
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(10 * time.Second)
		h.end()
		if err := <-h.ended; err == nil || !strings.Contains(err.Error(), "still under way after 10s") {
			t.Errorf("ended with %v", err)
		}
		time.Sleep(2 * time.Minute)
	})
}

// A worker that holds a lease and dies is followed once its lease has expired, long before
// the next tick.
func TestADeadWorkersColumnIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "a")
		if _, err := st.Acquire(context.Background(), "refresh/a.xp", "dead", time.Now(), time.Minute); err != nil {
			t.Fatal(err)
		}
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@daily")})).work()
		time.Sleep(50 * time.Second)
		if h.count(jobs.Held) == 0 || publishedOf(t, st, "a") != nil {
			t.Errorf("held: %d; %v", h.count(jobs.Held), publishedOf(t, st, "a"))
		}
		time.Sleep(2 * time.Minute)
		if publishedOf(t, st, "a") == nil {
			t.Errorf("not taken over: %s", h.log)
		}
		h.stop()
	})
}

// After its end a board is refreshed once more, and then left alone.
func TestABoardThatHasEndedIsRefreshedOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "week")
		end := time.Now().Add(time.Hour + 2*time.Minute)
		plan := everyFive(t)
		plan.Ends = end
		h := newHand(t, st, settled(plan)).work()
		time.Sleep(3 * time.Hour)
		c := publishedOf(t, st, "week")
		if c.Meta().AsOf.Before(end) || c.Meta().AsOf.After(end.Add(10*time.Minute)) {
			t.Errorf("the last refresh is as of %s, the board ended at %s", c.Meta().AsOf, end)
		}
		refreshed := h.count(jobs.Refreshed)
		if refreshed != 14 {
			t.Errorf("%d refreshes of an hour and the last one", refreshed)
		}
		h.stop()
		again := newHand(t, st, settled(plan)).work()
		time.Sleep(time.Hour)
		again.stop()
		if again.count(jobs.Refreshed) != 0 || again.count(jobs.Done) != 1 {
			t.Errorf("after a restart: %d refreshed, %d done", again.count(jobs.Refreshed), again.count(jobs.Done))
		}
	})
}

func TestReloadChangesSchedulesAndRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "a", "b")
		time.Sleep(time.Minute)
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@daily")})).work()
		time.Sleep(time.Hour)
		if n := h.count(jobs.Refreshed); n != 2 {
			t.Errorf("%d refreshes", n)
		}
		s := settled(everyFive(t))
		s.Plan = func(b store.Board) (jobs.Plan, error) {
			if b.Name == "b" {
				return jobs.Plan{}, errors.New("contradicts the registry")
			}
			return everyFive(t), nil
		}
		h.worker.Reload(s)
		time.Sleep(time.Hour)
		if a, b := h.countOf("a", jobs.Refreshed), h.countOf("b", jobs.Refreshed); a < 12 || b != 0 {
			t.Errorf("a was refreshed %d times, b %d", a, b)
		}
		if health := h.worker.Health(); !health.Ready || !strings.Contains(fmt.Sprint(health.Reasons), "board b is not refreshed: contradicts the registry") {
			t.Errorf("health: %+v", health)
		}
		h.stop()
	})
}

func TestOnceRefreshesWhatIsDueAndSaysWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := faulty{newBoards(t, 50, "a", "b", "bad"), "bad", func(context.Context) error { return errors.New("disk on fire") }}
		s, err := newHand(t, st, settled(everyFive(t))).worker.Once(t.Context())
		if err != nil || s.Outcomes[jobs.Refreshed] != 2 || len(s.Failed) != 1 || !strings.Contains(s.Failed[0].Error(), "disk on fire") {
			t.Errorf("%+v, %v", s, err)
		}
		s, err = newHand(t, st, settled(everyFive(t))).worker.Once(t.Context())
		if err != nil || s.Outcomes[jobs.Done] != 2 || s.Outcomes[jobs.Backoff] != 1 {
			t.Errorf("again: %+v, %v", s, err)
		}
	})
}
