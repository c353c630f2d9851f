package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/rankcurve/rankcurve/store"
)

// Settings are what a worker can change while it runs.
type Settings struct {
	// Plan says how a board is refreshed. It is asked again for every board, each
	// minute. An error leaves that board alone, and is told in the log and in health.
	Plan func(b store.Board) (Plan, error)

	Concurrent         int           // refreshes at once; at least 1
	ReadUnitsPerSecond float64       // of all refreshes together; 0: no limit
	Jitter             time.Duration // ticks begin up to so long after they are due
	PruneEvery         time.Duration // boards are dropped at most so often that expired an hour ago or longer; 0: never
}

// A Worker refreshes the columns of all boards of a store by their schedules. Several,
// in one process or in many, share the boards of one store. Make one with NewWorker.
type Worker struct {
	refresher Refresher
	metrics   *Metrics
	log       *slog.Logger
	admission *admission
	spending  *spending
	cron      *cron.Cron
	work      sync.WaitGroup
	context   context.Context //nolint:containedctx // cron's jobs take none: it is Run's

	clockIsWrong bool // and that is told; Run's alone

	mu       sync.Mutex
	settings Settings
	columns  map[store.CurveKey]*workedColumn
	refused  map[string]refusal // by board
	listed   time.Time          // when the registry was last read
	unlisted error              // why it was not, since then
	listing  time.Time          // since when it is being read; zero: it is not
	tried    time.Time          // when that last came to an end, well or not, or Run began
	pruning  pruning
	stopping bool
	atOnce   int           // columns of a round of Once
	changed  chan struct{} // the settings are others
}

const (
	registryEvery   = time.Minute // a worker looks for new boards so often,
	registryTimeout = 2 * registryEvery
)

// NewWorker makes a worker. The refresher's Log has a line for every tick.
func NewWorker(r Refresher, s Settings, m *Metrics) *Worker {
	w := &Worker{
		refresher: r, metrics: m, log: r.Log, settings: s,
		admission: newAdmission(s.Concurrent), spending: newSpending(s.ReadUnitsPerSecond),
		cron:    cron.New(cron.WithLocation(time.UTC)),
		columns: map[store.CurveKey]*workedColumn{}, refused: map[string]refusal{},
		changed: make(chan struct{}, 1),
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	return w
}

// Run works until the context ends. Refreshes under way are given up then and their
// leases with them; it waits for that for as long as grace, and says what it did not wait
// for. A registry that cannot be read is no error: it is tried again.
func (w *Worker) Run(ctx context.Context, grace time.Duration) error {
	w.context = ctx
	w.mu.Lock()
	w.tried = time.Now()
	w.pruning.begin(w.refresher.now(), w.settings.PruneEvery)
	w.mu.Unlock()
	every := time.NewTicker(registryEvery)
	defer every.Stop()
	w.sync(ctx)
	w.watchClock(ctx)
	for {
		select {
		case <-every.C:
		case <-w.changed:
		case <-ctx.Done():
			return w.stop(grace)
		}
		w.sync(ctx)
		w.watchClock(ctx)
	}
}

// stop waits for the ticks under way to end.
func (w *Worker) stop(grace time.Duration) error {
	w.mu.Lock()
	w.stopping = true
	for _, c := range w.columns {
		c.stop()
	}
	w.mu.Unlock()
	scheduled := w.cron.Stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-scheduled.Done()
		w.work.Wait()
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		return fmt.Errorf("refreshes were still under way after %s; their leases expire within %s", grace, w.refresher.leaseTTL())
	}
}

// Reload changes the settings. Refreshes under way end with the old ones.
func (w *Worker) Reload(s Settings) {
	w.mu.Lock()
	w.settings = s
	w.mu.Unlock()
	w.admission.resize(s.Concurrent)
	w.spending.set(s.ReadUnitsPerSecond)
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// start runs a column's job now, unless the worker ends. The caller has the lock: what is
// started is waited for.
func (w *Worker) start(c *workedColumn) {
	if !w.stopping {
		w.work.Go(func() { w.run(c, false) })
	}
}

// run is a column's job. There is one at a time: if another is at it, a time that is due is
// skipped.
func (w *Worker) run(c *workedColumn, isDue bool) {
	if other := c.occupy(); other != resting {
		if isDue {
			w.skip(c, other)
		}
		return
	}
	defer func() {
		w.caught(c, recover())
		c.free()
		w.mu.Lock()
		defer w.mu.Unlock()
		if _, there := w.columns[c.key]; !there { // it was dropped meanwhile
			w.forget(c)
		}
	}()
	w.scheduled(c)
}

// scheduled is a column's job, when it has begun.
func (w *Worker) scheduled(c *workedColumn) {
	ctx := w.context
	b, plan := c.planned()
	now := w.refresher.now()
	due, interval := plan.due(now)
	if ctx.Err() != nil || c.isGone() || due.IsZero() || b.Expired(now) {
		return
	}
	if _, _, over := c.state(); over && plan.over(due) {
		return
	}
	w.missed(c, due)
	w.sound(ctx, c)
	timer := time.NewTimer(jitter(w.jitter(), interval))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	report, _ := w.tick(ctx, c, due, interval)
	w.tryAgain(c, plan, report)
}

// skip leaves out a time that is due, for the one before.
func (w *Worker) skip(c *workedColumn, other activity) {
	_, plan := c.planned()
	due, _ := plan.due(w.refresher.now())
	w.missed(c, due)
	w.metrics.outcome(c, Running, 1)
	what := "refresh less often, or raise the pace or the budget"
	if other != atWork {
		what = "raise worker.concurrent, or refresh less often"
	}
	w.log.Warn(fmt.Sprintf("tick is skipped: the one before %s; %s", other, what),
		"board", c.key.Board, "column", c.key.Column, "outcome", string(Running), "due", due)
}

// missed notes a time that is due, and counts those before it that nobody was there for.
func (w *Worker) missed(c *workedColumn, due time.Time) {
	if n := c.comes(due); n > 0 {
		w.metrics.outcome(c, missedOutcome, n)
		w.log.Warn("ticks were missed: the worker was stopped meanwhile, or its clock set forward",
			"board", c.key.Board, "column", c.key.Column, "outcome", string(missedOutcome), "ticks", n, "due", due)
	}
}

// missedOutcome is of ticks that passed while nobody looked.
const missedOutcome Outcome = "missed"

// isCrowded says that not all columns have a place at once.
func (w *Worker) isCrowded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(len(w.columns), w.atOnce) > w.settings.Concurrent
}

func (w *Worker) jitter() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.settings.Jitter
}

// tryAgain runs the job once more before its next tick, if the report asks for it.
func (w *Worker) tryAgain(c *workedColumn, plan Plan, t TickReport) {
	now := w.refresher.now()
	if t.Retry.IsZero() || !t.Retry.Before(plan.Schedule.Next(now)) {
		return
	}
	wait := max(t.Retry.Sub(now), 0)
	c.tryAt(wait+jitter(wait, 10*wait), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.columns[c.key] == c {
			w.start(c)
		}
	})
}

// tick does one tick of a column, and does it again if it only finished the walk of an
// earlier one.
func (w *Worker) tick(ctx context.Context, c *workedColumn, due time.Time, interval time.Duration) (TickReport, error) {
	report, err := w.refresh(ctx, c, due, interval)
	if report.Outcome == Refreshed && !report.Retry.IsZero() {
		return w.refresh(ctx, c, due, interval)
	}
	return report, err
}

// refresh does one tick of a column, once it is its turn.
func (w *Worker) refresh(ctx context.Context, c *workedColumn, due time.Time, interval time.Duration) (TickReport, error) {
	if c.isQuiet(due) {
		w.metrics.outcome(c, Quiet, 1)
		return TickReport{Outcome: Quiet}, nil
	}
	waited := time.Now()
	c.goesOn(inLine)
	w.metrics.waiting.Inc()
	leave, err := w.admission.enter(ctx, c.key)
	w.metrics.waiting.Dec()
	if err != nil {
		w.metrics.outcome(c, Stopped, 1)
		return TickReport{Outcome: Stopped}, err
	}
	c.goesOn(atWork)
	w.late(ctx, c, time.Since(waited), interval)
	report, err := w.inTurn(ctx, c, Tick{Due: due, Interval: interval}, leave)
	if errors.Is(err, errTooLong) {
		return w.refresh(ctx, c, due, interval)
	}
	return report, err
}

// inTurn does one tick of a column that has its place, and gives that up.
func (w *Worker) inTurn(ctx context.Context, c *workedColumn, t Tick, leave func(units float64)) (TickReport, error) {
	units := -1.0
	defer func() { leave(units) }()
	w.metrics.running.Inc()
	defer w.metrics.running.Dec()
	b, plan := c.planned()
	t.IdleMax = plan.idle(t.Due)
	t.Failures, _, _ = c.state()
	r, options := w.refresher, plan.Options
	st := bounded(r.Store, options.Pace, w.spending)
	lease := w.metrics.lease.WithLabelValues(c.key.Board, c.key.Column)
	lease.Set(0)
	st.leased = func(held bool) { lease.Set(oneIf(held)) }
	defer lease.Set(0)
	r.Store, options.Pace = st, noPace
	brief, end := w.briefly(ctx, c.key)
	defer end()
	report, err := r.Tick(brief, b, c.key.Column, t, options)
	if report.Outcome == Stopped && ctx.Err() == nil {
		units = math.Inf(1)
		w.metrics.spent(c, report)
		w.log.InfoContext(ctx, "refresh gives up its place for now: the board is larger than was thought; it goes on from there", "board", b.Name, "column", c.key.Column)
		return report, errTooLong
	}
	if report.Outcome == Refreshed {
		units = report.Usage.ReadUnits()
	}
	c.ended(t.Due, report, err)
	w.metrics.ticked(c, report, effective(t.Interval, report))
	if _, _, over := c.state(); over {
		w.metrics.ends(c)
	}
	w.tell(ctx, c, t.Due, report, err)
	return report, err
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// effective is how often a column is due, a quiet board's less often.
func effective(interval time.Duration, t TickReport) time.Duration {
	if t.note.Quiet > 0 {
		return max(interval, t.note.LookAt.Sub(t.AsOf))
	}
	return interval
}

// caught takes what a job has panicked with for a failure of its column.
func (w *Worker) caught(c *workedColumn, panicked any) {
	if panicked == nil {
		return
	}
	failures := c.fail(fmt.Sprintf("internal error: %v", panicked))
	w.metrics.outcome(c, Failed, 1)
	w.metrics.failures.WithLabelValues(c.key.Board, c.key.Column).Set(float64(failures))
	w.log.Error("internal error in a refresh; please report it. The schedule goes on",
		"board", c.key.Board, "column", c.key.Column, "outcome", string(Failed), "error", panicked, "stack", string(debug.Stack()))
}
