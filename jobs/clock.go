package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/rankcurve/rankcurve/store"
)

// machine is what the machine's clock shows. It goes on evenly when that is set.
func (r Refresher) machine() time.Time {
	if r.Now != nil {
		return r.Now().UTC()
	}
	return time.Now().UTC()
}

// wrongBy is how far the machine's clock is ahead of the store's; 0 if it is right.
func (r Refresher) wrongBy() time.Duration { return store.WrongBy(r.Store) }

// now is the time that leases and ticks go by: the machine's, or where that is wrong the
// store's, which all workers have in common. By a wrong one a worker would do again what the
// others have done, and would lock a column for hours if it died. The store's time
// has no monotonic part, so that from before a clock was set to after it is as long as it was.
func (r Refresher) now() time.Time {
	if wrong := r.wrongBy(); wrong != 0 {
		return r.machine().Round(0).Add(-wrong)
	}
	return r.machine()
}

// surely is the earlier of the two times: what is over by it is over by either clock.
func (r Refresher) surely() time.Time {
	now, machine := r.now(), r.machine()
	if machine.Before(now) {
		return machine
	}
	return now
}

// ahead is how far now is ahead of the clock that cron goes by.
func (r Refresher) ahead() (ahead time.Duration) {
	if r.Now != nil {
		ahead = time.Until(r.Now()).Round(time.Millisecond)
	}
	return ahead - r.wrongBy()
}

// clockText says that the machine's clock is wrong.
func clockText(wrong time.Duration) string {
	side := "ahead of"
	if wrong < 0 {
		side = "behind"
	}
	return fmt.Sprintf("this machine's clock is %s %s the store's, whose time is gone by instead; have NTP set it (`timedatectl set-ntp true`)", wrong.Abs().Round(time.Second), side)
}

// watchClock tells when the machine's clock is wrong, and when it is right again, and has
// columns come at other times where it was set.
func (w *Worker) watchClock(ctx context.Context) {
	skew, _ := store.SkewOf(w.refresher.Store)
	w.metrics.skew.Set(skew.Seconds())
	wrong := w.refresher.wrongBy()
	switch {
	case wrong != 0 && !w.clockIsWrong:
		w.log.WarnContext(ctx, clockText(wrong))
	case wrong == 0 && w.clockIsWrong:
		w.log.InfoContext(ctx, "this machine's clock is right again")
	}
	w.clockIsWrong = wrong != 0
	late, passed := w.thrown()
	n := len(late) + len(passed)
	if n == 0 {
		return
	}
	w.log.WarnContext(ctx, "the clock was set, or the machine slept: what is due by it now is done now", "columns", n)
	w.schedule(late, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range passed {
		w.start(c)
	}
}

// overdue is how long a time that was due is past, and nobody has come: cron waits on, for as
// long as it was to be before the clock was set forward, or the machine slept.
const overdue = registryEvery / 2

// thrown are the columns that cron, which works out when a time is due and then waits, does not
// bring in time: those that would come too late, for the clock was set back, and those for
// which a time has passed, for it was set forward. However many have, a column comes once.
func (w *Worker) thrown() (late, passed []*workedColumn) {
	next := map[cron.EntryID]time.Time{}
	for _, e := range w.cron.Entries() {
		next[e.ID] = e.Next
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now, onTheWall := time.Now(), w.refresher.now() // after that look, or what has come meanwhile would seem to be late
	for _, c := range w.columns {
		_, plan := c.planned()
		is, want := next[c.entry], times{plan, w.refresher.ahead}.Next(now)
		due, _ := plan.due(onTheWall)
		switch {
		case !want.IsZero() && (is.IsZero() || is.After(want.Add(time.Second))):
			late = append(late, c)
		case c.waitedFor(due) && onTheWall.Sub(due) > overdue:
			passed = append(passed, c)
		}
	}
	return late, passed
}

// waitedFor says that no job has come for a time that was due, though one came before.
func (c *workedColumn) waitedFor(due time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.lastDue.IsZero() && c.lastDue.Before(due) && (!c.over || !c.plan.over(due))
}
