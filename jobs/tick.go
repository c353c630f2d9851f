package jobs

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// A Tick is one time at which a column is due.
type Tick struct {
	Due      time.Time     // a curve as of then, or later, is the tick done
	Interval time.Duration // to the next one
	IdleMax  time.Duration // how far apart the looks at a quiet board may get; 0: no looks, every tick is a refresh
	Failures int           // in a row that this process knows of, should the store not tell
}

// Outcome is what became of a tick.
type Outcome string

// The outcomes.
const (
	Refreshed Outcome = "refreshed"
	Unchanged Outcome = "unchanged" // a look found no change: the curve is published again, as of now
	Done      Outcome = "done"      // by another worker or a rebuild, before this one came to it
	Held      Outcome = "held"      // another is at it
	Lost      Outcome = "lost"      // another took the lease under way, or published first: nothing was published
	Quiet     Outcome = "quiet"     // the board has not changed for a while, and the next look is later
	Backoff   Outcome = "backoff"   // the refreshes before have failed, and the next try is later
	Running   Outcome = "running"   // this worker is still at the tick before
	Stopped   Outcome = "stopped"   // the worker ends
	Failed    Outcome = "failed"
)

// Outcomes are all of them.
func Outcomes() []Outcome {
	return []Outcome{Refreshed, Unchanged, Done, Held, Lost, Quiet, Backoff, Running, Stopped, Failed}
}

// A TickReport is what became of a tick, and how the column stands after it.
type TickReport struct {
	Report
	Outcome Outcome
	Retry   time.Time // when another try makes sense before the next tick; zero: none does. At once, if what was finished is an earlier tick's walk
	Curve   *predictor.Curve
	Size    int // of the curve, encoded
	note    note
}

// clockSlack is how far ahead of ours another worker's clock may be. A curve from further
// in the future than that is no proof that a tick is done.
const clockSlack = time.Minute

// Tick refreshes a column if it is still due: many workers may call it for the same tick,
// and one of them does the work. The others return Done, or Held while it goes on. Failed
// and Lost come with an error, and Stopped with the context's.
//
// Before the lease is asked for, the curve is looked at as readers see it, which in most
// cases costs a read of a cache; under the lease it is read again from the store.
func (r Refresher) Tick(ctx context.Context, b store.Board, column string, t Tick, o Options) (TickReport, error) {
	c, err := b.Column(column)
	if err != nil {
		return TickReport{Outcome: Failed}, err
	}
	if o.ResumeWithin == 0 {
		o.ResumeWithin = r.resumeWithin(t.Interval)
	}
	started := r.now().Truncate(time.Millisecond) // as curves keep it
	k := ticking{Refresher: r, board: b, column: c, key: b.CurveKey(c.Name), tick: t, options: o}
	k.report.Board, k.report.Column, k.report.Shards, k.report.AsOf = b.Name, c.Name, b.Shards, started
	err = k.run(ctx)
	k.report.Duration = r.now().Sub(started)
	k.conclude(ctx, err)
	switch k.report.Outcome {
	case Failed, Lost, Stopped:
		return k.report, fmt.Errorf("refresh %s: %w", k.key, err)
	}
	return k.report, nil
}

// A ticking is one tick under way.
type ticking struct {
	Refresher
	board   store.Board
	column  store.Column
	key     store.CurveKey
	tick    Tick
	options Options
	report  TickReport
}

func (k *ticking) run(ctx context.Context) error {
	seen, _, err := k.Store.Curve(ctx, k.key)
	if err == nil && k.isDone(seen) {
		return nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	n, usage, err := readNote(ctx, k.Store, k.key)
	k.report.Usage.Add(usage)
	if err != nil {
		return err
	}
	if k.report.Curve != nil && n.isOver(k.report.Curve.Meta().AsOf) {
		n, k.tick.Failures = n.forgiven(), 0 // a rebuild has succeeded since
	}
	k.report.note = n
	switch {
	case k.now().Before(n.RetryAt) && n.RetryAt.Sub(k.now()) <= maxBackoff:
		k.report.Outcome, k.report.Retry = Backoff, n.RetryAt
		return nil
	case n.passes(k.tick.Due, k.tick.IdleMax):
		k.report.Outcome = Quiet
		return nil
	}
	return k.holding(ctx, k.key, k.work)
}

// isDone says that a published curve is this tick's, or a later one, and notes it.
func (k *ticking) isDone(p store.Published) bool {
	curve, err := predictor.Decode(p.Data)
	if err != nil {
		return false
	}
	k.report.Curve, k.report.Size, k.report.Generation = curve, len(p.Data), p.Generation
	asOf := curve.Meta().AsOf
	if asOf.Before(k.tick.Due) || asOf.After(k.now().Add(clockSlack)) {
		return false
	}
	k.report.Outcome = Done
	return true
}

// work is what is done under the lease.
func (k *ticking) work(ctx context.Context, held holding) error {
	seen := k.report.Generation
	before, err := k.published(ctx, k.key)
	if err == nil && k.isDone(before) {
		if before.Generation > seen {
			k.mend(ctx, before)
		}
		return nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	now, unchanged, err := k.look(ctx)
	if err != nil {
		return err
	}
	if unchanged {
		return k.restamp(ctx, held, before)
	}
	spent, began, replaced := k.report.Usage, k.report.AsOf, k.report.Curve
	report, err := k.refresh(ctx, k.board, k.column, k.options, held)
	walked := report.Usage.ReadUnits()
	report.Usage.Add(spent)
	k.report.Report = report
	if err != nil {
		return err
	}
	k.report.Outcome = Refreshed
	k.report.Curve, k.report.Size = report.curve, report.Bytes
	old := report.AsOf.Before(began)
	if old || report.Resumed > 0 {
		now = nil // it has counts of before this look
	}
	if old && report.AsOf.Before(k.tick.Due) {
		k.report.Retry = k.now() // it was an earlier tick's walk, and this one is still due
	}
	k.save(ctx, k.afterWalk(now, walked, replaced))
	return nil
}

// save writes the note if it says something new. It is of help and no more: that it cannot
// be written is no reason to call a refresh failed.
func (k *ticking) save(ctx context.Context, n note) {
	if n.empty() && k.report.note.empty() || reflect.DeepEqual(n, k.report.note) {
		return
	}
	k.report.note = n
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	usage, err := writeNote(ctx, k.Store, k.key, n)
	k.report.Usage.Add(usage)
	if err != nil {
		k.warn(ctx, "note for the other workers is not kept", k.key, err)
	}
}

const noteTimeout = 3 * time.Second

// conclude decides what became of the tick, and when to try again.
func (k *ticking) conclude(ctx context.Context, err error) {
	r := &k.report
	switch {
	case err == nil:
	case r.Outcome != "": // the work is done, and only the lease was not given up
		k.warn(ctx, "lease is not given up, and will expire", k.key, err)
	case ctx.Err() != nil:
		r.Outcome = Stopped
	case errors.Is(err, store.ErrHeld):
		r.Outcome, r.Retry = Held, k.now().Add(k.leaseTTL())
	case errors.Is(err, store.ErrLost), errors.Is(err, store.ErrStale):
		r.Outcome, r.Retry = Lost, k.now().Add(k.leaseTTL())
	default:
		r.Outcome = Failed
		n := r.note
		n.Failures = max(n.Failures, k.tick.Failures) + 1
		n.FailedAt, n.Error = k.now(), err.Error()
		n.RetryAt = n.FailedAt.Add(backoff(n.Failures, k.tick.Interval, err))
		r.Retry = n.RetryAt
		k.save(ctx, n)
	}
}

// Failures are how many refreshes of the column have failed in a row, on all workers.
func (t TickReport) Failures() int { return t.note.Failures }
