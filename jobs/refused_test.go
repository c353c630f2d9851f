package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// A damagedRegistry is a store in which the definition of a board cannot be read while it
// is told so.
type damagedRegistry struct {
	store.Store
	board  string
	broken atomic.Bool
}

func (d *damagedRegistry) Boards(ctx context.Context) ([]store.Board, error) {
	boards, err := d.Store.Boards(ctx)
	if err != nil || !d.broken.Load() {
		return boards, err
	}
	boards = slices.DeleteFunc(boards, func(b store.Board) bool { return b.Name == d.board })
	return boards, store.Unreadable(map[string]error{d.board: fmt.Errorf("decode board %q: %w; put back the item", d.board, store.ErrCorrupt)})
}

// refusedFor is how many boards the page of metrics says are refused; -1: it does not.
func refusedFor(h *hand, reason string) float64 {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.Metric {
			if family.GetName() == "rankcurve_boards_refused" && m.Label[0].GetValue() == reason {
				return m.GetGauge().GetValue()
			}
		}
	}
	return -1
}

// A board whose definition cannot be read keeps no other from being refreshed by a worker
// that starts, and is told in the log once, in health and on the page of metrics, until it
// can be read.
func TestADamagedBoardStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &damagedRegistry{Store: newBoards(t, 50, "good", "bad"), board: "bad"}
		st.broken.Store(true)
		time.Sleep(time.Minute)
		if s, err := newHand(t, st, settled(everyFive(t))).worker.Once(t.Context()); err != nil || s.Outcomes[jobs.Refreshed] != 1 || len(s.Failed) != 1 || !errors.Is(s.Failed[0], store.ErrCorrupt) {
			t.Errorf("--once: %+v, %v", s, err)
		}
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(time.Hour)
		if n := h.countOf("good", jobs.Refreshed) + h.countOf("good", jobs.Unchanged); n < 11 {
			t.Errorf("the other was refreshed %d times: %s", n, h.log)
		}
		health := h.worker.Health()
		if !health.Ready || health.Columns != 1 || !strings.Contains(fmt.Sprint(health.Reasons), `board bad is not refreshed: decode board "bad"`) || !strings.Contains(fmt.Sprint(health.Reasons), "put back the item") {
			t.Errorf("health: %+v", health)
		}
		if n := strings.Count(h.log.String(), "board=bad"); n != 1 {
			t.Errorf("told %d times: %s", n, h.log)
		}
		if of, by := refusedFor(h, "definition"), refusedFor(h, "configuration"); of != 1 || by != 0 {
			t.Errorf("%g boards of a bad definition, %g refused by the configuration", of, by)
		}
		st.broken.Store(false)
		time.Sleep(10 * time.Minute)
		if h.countOf("bad", jobs.Refreshed) == 0 || len(h.worker.Health().Reasons) > 0 || refusedFor(h, "definition") != 0 {
			t.Errorf("when it can be read: %+v", h.worker.Health())
		}
		h.stop()
	})
}

// A worker that knew a board before its definition was damaged goes on with it as it was.
func TestABoardThatIsKnownIsRefreshedWhenItsDefinitionIsDamaged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &damagedRegistry{Store: newBoards(t, 50, "bad"), board: "bad"}
		time.Sleep(time.Minute)
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(10 * time.Minute)
		before := h.countOf("bad", jobs.Refreshed) + h.countOf("bad", jobs.Unchanged)
		st.broken.Store(true)
		time.Sleep(time.Hour)
		if n := h.countOf("bad", jobs.Refreshed) + h.countOf("bad", jobs.Unchanged) - before; n < 11 {
			t.Errorf("refreshed %d times", n)
		}
		if health := h.worker.Health(); !health.Ready || health.Columns != 1 || !strings.Contains(fmt.Sprint(health.Reasons), "board bad is refreshed as it was known: ") {
			t.Errorf("health: %+v", health)
		}
		h.stop()
	})
}

// A worker with which nothing works is not ready: what a bad configuration or program
// keeps from working should not take the place of one that works.
func TestAWorkerWithWhichNothingWorksIsNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		broken.Store(true)
		st := faulty{newBoards(t, 50, "bad", "refused"), "bad", func(context.Context) error {
			if broken.Load() {
				return errors.New("disk on fire")
			}
			return nil
		}}
		s := settled(everyFive(t))
		s.Plan = func(b store.Board) (jobs.Plan, error) {
			if b.Name == "refused" {
				return jobs.Plan{}, errors.New("contradicts the registry")
			}
			return everyFive(t), nil
		}
		time.Sleep(time.Minute)
		h := newHand(t, st, s).work()
		time.Sleep(10 * time.Second)
		if health := h.worker.Health(); !health.Ready || len(health.Reasons) != 1 {
			t.Errorf("before it has failed again and again: %+v", health)
		}
		time.Sleep(time.Hour)
		if health := h.worker.Health(); health.Ready || !health.Alive || len(health.Reasons) != 2 {
			t.Errorf("with nothing that works: %+v", health)
		}
		broken.Store(false)
		time.Sleep(time.Hour)
		if health := h.worker.Health(); !health.Ready || len(health.Reasons) != 1 || refusedFor(h, "configuration") != 1 {
			t.Errorf("with one that works: %+v", health)
		}
		h.stop()
	})
}
