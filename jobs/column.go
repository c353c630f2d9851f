package jobs

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/rankcurve/rankcurve/store"
)

// Plan says when and how the columns of a board are refreshed.
type Plan struct {
	Schedule Schedule
	Ends     time.Time     // the board takes no posts any more from then on; zero: never
	IdleMax  time.Duration // see Tick
	Options  Options
}

// endGrace is how long after a board's end its last refresh is due: posts that were under
// way have arrived by then, in the indexes too.
const endGrace = time.Minute

// due is the latest time at or before now at which the column is due, and how long it is
// from there to the next. After its end a board is due once more.
func (p Plan) due(now time.Time) (due time.Time, interval time.Duration) {
	if last := p.Ends.Add(endGrace); !p.Ends.IsZero() && !now.Before(last) {
		return last, p.Schedule.Interval(now)
	}
	return p.Schedule.Last(now), p.Schedule.Interval(now)
}

// over says that a refresh that was due then is the last one.
func (p Plan) over(due time.Time) bool {
	return !p.Ends.IsZero() && !due.Before(p.Ends.Add(endGrace))
}

// idle is how far apart the looks at a quiet board may get, for a tick that was due then.
// The last refresh is a walk: no look may put it off, nor take the board for unchanged.
func (p Plan) idle(due time.Time) time.Duration {
	if p.over(due) {
		return 0
	}
	return p.IdleMax
}

// times are when a plan's column is due, by a clock that may differ from cron's.
type times struct {
	plan  Plan
	ahead func() time.Duration // of that clock
}

// Next implements cron.Schedule.
func (s times) Next(t time.Time) time.Time {
	ahead := s.ahead()
	t = t.Add(ahead)
	next, last := s.plan.Schedule.Next(t), s.plan.Ends.Add(endGrace)
	if !s.plan.Ends.IsZero() && t.Before(last) && (next.IsZero() || last.Before(next)) {
		next = last
	}
	if next.IsZero() {
		return next
	}
	return next.Add(-ahead)
}

// What a column's job is at.
type activity string

const (
	resting activity = ""
	jittery activity = "has not begun yet"
	inLine  activity = "still waits for its turn"
	atWork  activity = "is still under way"
)

// A workedColumn is one column that a worker refreshes.
type workedColumn struct {
	key   store.CurveKey
	entry cron.EntryID // 0: none yet; Run's alone

	mu       sync.Mutex
	doing    activity
	board    store.Board
	plan     Plan
	quiet    note      // of the last tick
	lastDue  time.Time // of the last tick
	failures int       // in a row
	failed   string    // the last failure
	over     bool      // the board has ended, and had its last refresh
	retry    *time.Timer
	gone     bool
}

// planned is what to refresh, and how.
func (c *workedColumn) planned() (store.Board, Plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.board, c.plan
}

// take replaces the plan, and says whether its times are others now.
func (c *workedColumn) take(b store.Board, p Plan) (rescheduled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rescheduled = !c.plan.Schedule.Same(p.Schedule) || !p.Ends.Equal(c.plan.Ends)
	if rescheduled {
		c.over, c.lastDue = false, time.Time{}
	}
	c.board, c.plan = b, p
	return rescheduled
}

// occupy is for the column's job: there is one at a time. If it says that another is at
// something, that one is to be left alone; else free is to be called.
func (c *workedColumn) occupy() (other activity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.doing == resting {
		c.doing = jittery
		return resting
	}
	return c.doing
}

// goesOn notes what the job has come to.
func (c *workedColumn) goesOn(a activity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doing = a
}

func (c *workedColumn) free() { c.goesOn(resting) }

// comes notes that a tick is due, and says how many have passed unseen since the last.
func (c *workedColumn) comes(due time.Time) (missed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 1000
	if last := c.lastDue; !last.IsZero() {
		for at := c.plan.Schedule.Next(last); at.Before(due) && !at.IsZero() && missed < most; at = c.plan.Schedule.Next(at) {
			missed++
		}
	}
	c.lastDue = due
	return missed
}

// isQuiet says, from the last tick alone, that this one needs no look.
func (c *workedColumn) isQuiet(due time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.quiet.passes(due, c.plan.idle(due))
}

// ended takes over what became of a tick.
func (c *workedColumn) ended(due time.Time, t TickReport, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch t.Outcome {
	case Refreshed, Unchanged, Done:
		c.failures, c.failed = 0, ""
		c.over = c.plan.over(due) && t.Retry.IsZero()
		c.quiet = t.note
	case Quiet:
		c.quiet = t.note
	case Failed:
		c.failures, c.failed = max(c.failures+1, t.Failures()), err.Error()
		c.quiet = note{}
	}
}

// fail counts a failure that no report tells of.
func (c *workedColumn) fail(why string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures++
	c.failed = why
	return c.failures
}

// tryAt runs the job once more at a time, and not at an earlier such one.
func (c *workedColumn) tryAt(wait time.Duration, run func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retry != nil {
		c.retry.Stop()
	}
	if !c.gone {
		c.retry = time.AfterFunc(wait, run)
	}
}

// stop ends what waits to be tried again.
func (c *workedColumn) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	if c.retry != nil {
		c.retry.Stop()
	}
}

// isGone says that the column is refreshed no more.
func (c *workedColumn) isGone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// state is what health tells.
func (c *workedColumn) state() (failures int, failed string, over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failures, c.failed, c.over
}

// jitter draws how long after it is due a tick begins: workers that all wake at the same
// second take different columns.
func jitter(most, interval time.Duration) time.Duration {
	most = min(most, interval/10)
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}
