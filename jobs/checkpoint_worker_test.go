package jobs_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// A crew is workers of one store, each in a process of its own.
type crew struct {
	t     *testing.T
	store store.Store
	plan  jobs.Plan
	clock *atomic.Int64 // of the board
	key   store.CurveKey
	start time.Time
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	c := &crew{t: t, clock: new(atomic.Int64), key: store.CurveKey{Board: "large", Column: "xp"}, start: time.Now()}
	c.store = large(t, c.clock)
	c.plan = jobs.Plan{Schedule: schedule(t, "@every 5m"), Options: countAll}
	return c
}

// hire starts a worker whose pages take so long.
func (c *crew) hire(wait time.Duration) (*hand, *pod) {
	c.t.Helper()
	p := &pod{Store: c.store, wait: wait}
	s := settled(c.plan)
	s.Jitter = 0
	return newHand(c.t, p, s).work(), p
}

// die kills a worker's process, and waits until it is gone.
func (c *crew) die(h *hand, p *pod) {
	c.t.Helper()
	p.dead.Store(true)
	h.stop()
}

// until sleeps until so long after the start.
func (c *crew) until(d time.Duration) { time.Sleep(time.Until(c.start.Add(d))) }

// ages are the as-of times of what was published, since the start.
func (c *crew) ages(p *pod) (ages []time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, asOf := range p.published {
		ages = append(ages, asOf.Sub(c.start).Truncate(time.Second))
	}
	return ages
}

// wantAges fails unless a worker has published curves as of so long after the start.
func (c *crew) wantAges(h *hand, p *pod, want ...time.Duration) {
	c.t.Helper()
	got := c.ages(p)
	same := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		same = same && got[i] == want[i]
	}
	if !same {
		c.t.Errorf("published curves as of %v, want %v\n%s", got, want, h.log)
	}
}

// slowly makes a walk of the board last about three minutes.
const slowly = 1500 * time.Millisecond

// A walk that is gone on with within its tick is that tick's, and the next begins at its
// time.
func TestATickThatIsGoneOnWithInTimeIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		first, p := c.hire(slowly)
		c.until(100 * time.Second)
		c.die(first, p)
		second, p := c.hire(0)
		c.until(9 * time.Minute)
		second.stop()
		c.wantAges(second, p, 0, 5*time.Minute)
		if !strings.Contains(second.log.String(), "outcome=refreshed due=2000-01-01T00:00:00.000Z") || strings.Contains(second.log.String(), "level=WARN") {
			t.Errorf("log:\n%s", second.log)
		}
	})
}

// A walk that is gone on with after its tick is over is finished, for a curve of then is
// better than none; the tick of now follows at once, and is done once.
func TestALateWalkIsFinishedAndItsSuccessorFollowsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		c.until(2 * time.Minute)
		first, p := c.hire(slowly)
		c.until(4 * time.Minute)
		c.die(first, p)
		c.until(5*time.Minute + 30*time.Second)
		second, p := c.hire(0)
		third, q := c.hire(0)
		c.until(9 * time.Minute)
		for _, age := range c.ages(q) { // whichever of the two it was
			p.published = append(p.published, c.start.Add(age))
		}
		second.stop()
		third.stop()
		c.wantAges(second, p, 2*time.Minute, 5*time.Minute+30*time.Second)
		log := second.log.String() + third.log.String()
		if n := strings.Count(log, "outcome=refreshed due=2000-01-01T00:05:00.000Z"); n != 2 {
			t.Errorf("%d refreshes for the tick at five minutes:\n%s", n, log)
		}
		if n := resumedTotal(second) + resumedTotal(third); n != 1 {
			t.Errorf("%d refreshes were gone on with, by the metrics", n)
		}
		if g := publishedOf(t, c.store, "large").Meta().Generation; g != 2 {
			t.Errorf("generation %d", g)
		}
	})
}

// The same for a round of --once.
func TestOnceFinishesALateWalkAndDoesTheTickOfNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		c.until(2 * time.Minute)
		first, p := c.hire(slowly)
		c.until(4 * time.Minute)
		c.die(first, p)
		c.until(5*time.Minute + 30*time.Second)
		p = &pod{Store: c.store}
		h := newHand(t, p, settled(c.plan))
		if s, err := h.worker.Once(t.Context()); err != nil || s.Outcomes[jobs.Refreshed] != 1 || len(s.Failed) > 0 {
			t.Errorf("%+v, %v", s, err)
		}
		c.wantAges(h, p, 2*time.Minute, 5*time.Minute+30*time.Second)
	})
}

// A board's last refresh is one as of its end, and not one of before that was gone on with;
// also if it fails at first.
func TestTheLastRefreshOfABoardIsAsOfItsEnd(t *testing.T) {
	for name, fails := range map[string]bool{"at once": false, "at the second try": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrew(t)
				c.plan.Ends = c.start.Add(8 * time.Minute) // and a minute more for posts under way
				c.until(7 * time.Minute)
				first, p := c.hire(slowly)
				c.until(8*time.Minute + 50*time.Second)
				c.die(first, p)
				c.until(10 * time.Minute)
				p = &pod{Store: c.store}
				next := fails
				p.onPublish = func() { p.broken.Store(next); next = false }
				second := newHand(t, p, settled(c.plan)).work()
				c.until(10*time.Minute + 7*time.Second)
				p.broken.Store(false)
				c.until(time.Hour)
				second.stop()
				got := c.ages(p)
				if len(got) != 2 || got[0] != 7*time.Minute || got[1] < 9*time.Minute || got[1] > 12*time.Minute || (second.count(jobs.Failed) > 0) != fails {
					t.Errorf("published curves as of %v\n%s", got, second.log)
				}
			})
		})
	}
}

// A worker that is stopped in the middle of a walk has saved it within its ten seconds, and
// given up the lease: the next goes on at once.
func TestAWorkerThatEndsLeavesItsWalkToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		first, p := c.hire(slowly)
		c.until(99 * time.Second)
		before := len(p.saved())
		first.stop()
		if took := time.Since(c.start.Add(99 * time.Second)); took > 10*time.Second {
			t.Errorf("it took %v to end", took)
		}
		if len(p.saved()) != before+1 || first.count(jobs.Stopped) != 1 {
			t.Errorf("saved %d times, and %d before the end\n%s", len(p.saved()), before, first.log)
		}
		second, q := c.hire(0)
		time.Sleep(time.Second)
		second.stop()
		c.wantAges(second, q, 0)
		if resumedTotal(second) != 1 {
			t.Errorf("nothing was resumed:\n%s", second.log)
		}
	})
}

// A refresh that fails in the middle of its walk goes on at its next try.
func TestARefreshThatFailsGoesOnAtItsNextTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		h, p := c.hire(slowly)
		c.until(98 * time.Second) // the pages that end at 99 s fail, and at 100.5 s those of the shards that are asked then whether they answer
		p.broken.Store(true)
		c.until(101 * time.Second)
		p.broken.Store(false)
		c.until(299 * time.Second)
		h.stop()
		c.wantAges(h, p, 0)
		if h.count(jobs.Failed) != 1 || h.count(jobs.Refreshed) != 1 || resumedTotal(h) != 1 {
			t.Errorf("%d failed, %d refreshed, %d of them resumed\n%s", h.count(jobs.Failed), h.count(jobs.Refreshed), resumedTotal(h), h.log)
		}
	})
}

// What a look saw before the rest of a walk was walked is not what its curve shows: the next
// tick walks, also if nothing has changed since the look.
func TestACurveWithCountsOfBeforeIsNotTakenForWhatALookSaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		c.plan.IdleMax = 20 * time.Minute
		zeroth, p := c.hire(0)
		c.until(9 * time.Minute) // two walks: the second has been looked at before
		zeroth.stop()
		c.wantAges(zeroth, p, 0, 5*time.Minute)
		c.clock.Add(1)
		c.until(10 * time.Minute)
		first, p := c.hire(slowly)
		c.until(12*time.Minute + 20*time.Second) // it has looked for 48 seconds
		c.die(first, p)
		if len(p.saved()) == 0 {
			t.Fatal("nothing was saved")
		}
		c.clock.Add(1) // and then never again
		c.until(14 * time.Minute)
		second, p := c.hire(0)
		time.Sleep(time.Second)
		c.wantAges(second, p, 10*time.Minute+48*time.Second)
		c.until(19 * time.Minute)
		if n := second.count(jobs.Refreshed); n != 2 {
			t.Errorf("%d walks, want one that is gone on with and one more\n%s", n, second.log)
		}
		c.until(39 * time.Minute)
		second.stop()
		if n := second.count(jobs.Unchanged); n == 0 {
			t.Errorf("the board is never found quiet\n%s", second.log)
		}
	})
}

// resumedTotal is the metric of refreshes that were gone on with.
func resumedTotal(h *hand) int {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	total := 0.0
	for _, family := range families {
		if family.GetName() == "rankcurve_refresh_resumed_total" {
			for _, m := range family.Metric {
				total += m.Counter.GetValue()
			}
		}
	}
	return int(total)
}
