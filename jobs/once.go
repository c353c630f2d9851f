package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A Summary is what one round over all columns did.
type Summary struct {
	Outcomes map[Outcome]int
	Dropped  []store.Board // that had expired
	Failed   []error       // of columns, also of those that are not tried again yet, and of boards that have no plan or cannot be read
}

// Once does every tick that is due, each column's once, drops boards that have expired if
// the worker is to, and returns. The error is that
// the boards cannot be listed, or that the context has ended; what failed of the columns
// is in the summary.
func (w *Worker) Once(ctx context.Context) (Summary, error) {
	w.context = ctx
	boards, err := w.refresher.Store.Boards(ctx)
	unreadable, err := damaged(err)
	if err != nil {
		return Summary{}, err
	}
	w.watchClock(ctx)
	s := Summary{Outcomes: map[Outcome]int{}}
	var mu sync.Mutex
	add := func(o Outcome, err error) {
		mu.Lock()
		defer mu.Unlock()
		s.Outcomes[o]++
		if o == Failed || o == Backoff {
			s.Failed = append(s.Failed, err)
		}
	}
	for _, err := range unreadable {
		add(Failed, err)
	}
	var columns []*workedColumn
	for _, b := range boards {
		if b.Expired(w.refresher.now()) {
			continue
		}
		plan, err := w.settings.Plan(b)
		if err != nil {
			add(Failed, fmt.Errorf("board %s: %w", b.Name, err))
			continue
		}
		for _, column := range b.Columns {
			columns = append(columns, &workedColumn{key: b.CurveKey(column.Name), board: b, plan: plan})
		}
	}
	w.mu.Lock()
	w.atOnce = len(columns)
	w.mu.Unlock()
	for _, c := range columns {
		w.work.Go(func() { add(w.once(ctx, c)) })
	}
	w.work.Wait()
	if old := prunable(boards, w.refresher.surely()); len(old) > 0 && w.settings.PruneEvery > 0 && ctx.Err() == nil {
		if s.Dropped, _, err = w.dropExpired(ctx, old); err != nil {
			s.Failed = append(s.Failed, err)
		}
	}
	return s, ctx.Err()
}

// once is a tick of Once: a panic is the failure of its column alone.
func (w *Worker) once(ctx context.Context, c *workedColumn) (outcome Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			outcome, err = Failed, fmt.Errorf("refresh %s: internal error: %v; please report it", c.key, r)
		}
	}()
	due, interval := c.plan.due(w.refresher.now())
	w.sound(ctx, c)
	report, err := w.tick(ctx, c, due, interval)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return Stopped, nil
	}
	if report.Outcome == Backoff {
		err = fmt.Errorf("%s has failed %s and is not tried again before %s: %s", c.key, inWords(report.Failures()), report.Retry.Format(time.RFC3339), report.note.Error)
	}
	return report.Outcome, err
}

func inWords(times int) string {
	if times == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times in a row", times)
}
