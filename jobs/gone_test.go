package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// A registry hides its boards, or does not answer, when it is told to.
type registry struct {
	store.Store
	hidden, silent atomic.Bool
	asked          atomic.Int32
}

func (r *registry) Boards(ctx context.Context) ([]store.Board, error) {
	r.asked.Add(1)
	if r.silent.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	boards, err := r.Store.Boards(ctx)
	if r.hidden.Load() {
		boards = nil
	}
	return boards, err
}

// seriesOf counts the metrics that a board has.
func seriesOf(h *hand, board string) (n int) {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.Metric {
			for _, l := range m.Label {
				if l.GetName() == "board" && l.GetValue() == board {
					n++
				}
			}
		}
	}
	return n
}

// A board that is dropped while its refresh is under way leaves nothing behind, however
// that ends, and is due no more.
func TestABoardThatIsDroppedUnderWayIsForgotten(t *testing.T) {
	for name, fault := range map[string]error{"and it succeeds": nil, "and it fails": errors.New("no such board")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reads atomic.Int32
				boards := &registry{Store: faulty{newBoards(t, 50, "gone"), "gone", func(ctx context.Context) error {
					reads.Add(1)
					return errors.Join(sleeping(ctx, 7*time.Minute), fault)
				}}}
				time.Sleep(time.Minute)
				h := newHand(t, boards, settled(everyFive(t))).work()
				time.Sleep(30 * time.Second)
				if seriesOf(h, "gone") == 0 {
					t.Error("it has no series while it is there")
				}
				boards.hidden.Store(true)
				time.Sleep(20 * time.Minute)
				before := reads.Load()
				time.Sleep(24 * time.Hour)
				if n := seriesOf(h, "gone"); n != 0 || h.worker.Health().Columns != 0 {
					t.Errorf("a day later it has %d series; %+v", n, h.worker.Health())
				}
				if n := reads.Load() - before; n != 0 {
					t.Errorf("it was read %d times more", n)
				}
				h.stop()
			})
		})
	}
}

// A board that is dropped between two of its times is not read again.
func TestABoardThatIsDroppedIsDueNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int32
		boards := &registry{Store: faulty{newBoards(t, 50, "gone", "there"), "gone", func(context.Context) error { reads.Add(1); return nil }}}
		time.Sleep(time.Minute)
		h := newHand(t, boards, settled(everyFive(t))).work()
		time.Sleep(time.Minute)
		boards.hidden.Store(true)
		time.Sleep(2 * time.Minute)
		before := reads.Load()
		time.Sleep(time.Hour)
		if reads.Load() != before || seriesOf(h, "gone")+seriesOf(h, "there") != 0 || h.count(jobs.Failed) != 0 {
			t.Errorf("read %d times more; %d and %d series", reads.Load()-before, seriesOf(h, "gone"), seriesOf(h, "there"))
		}
		h.stop()
	})
}

// The boards of a day are due no more once they have expired, though they are still listed
// and their rows are still there.
func TestABoardThatHasExpiredIsLeftAloneWhereItIsStillListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50)
		b := named("day")
		b.Expires = time.Now().Add(time.Hour)
		if err := st.CreateBoard(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		reads := &atomic.Int32{}
		listed := frozen{faulty{st, "day", func(context.Context) error { reads.Add(1); return nil }}, b}
		h := newHand(t, listed, settled(everyFive(t))).work()
		time.Sleep(2 * time.Hour)
		if reads.Load() == 0 || h.worker.Health().Columns != 0 || seriesOf(h, "day") != 0 {
			t.Errorf("%d reads, %d columns, %d series", reads.Load(), h.worker.Health().Columns, seriesOf(h, "day"))
		}
		h.stop()
		before := reads.Load()
		if s, err := newHand(t, listed, settled(everyFive(t))).worker.Once(t.Context()); err != nil || len(s.Outcomes) != 0 || reads.Load() != before {
			t.Errorf("--once: %+v, %v, %d reads", s, err, reads.Load()-before)
		}
	})
}

// A frozen registry lists a board whatever its age.
type frozen struct {
	store.Store
	board store.Board
}

func (s frozen) Boards(context.Context) ([]store.Board, error) { return []store.Board{s.board}, nil }
