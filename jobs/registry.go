package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/rankcurve/rankcurve/store"
)

// sync reads the registry and brings the columns in line with it.
func (w *Worker) sync(ctx context.Context) {
	boards, err := w.list(ctx)
	unreadable, err := damaged(err)
	if ctx.Err() != nil {
		return
	}
	w.schedule(w.take(ctx, boards, unreadable, err))
}

// take brings the columns in line with what was read, and says which are to be scheduled, for
// they are new or have other times, and which no more.
func (w *Worker) take(ctx context.Context, boards []store.Board, unreadable map[string]error, err error) (anew, gone []*workedColumn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listing, w.tried = time.Time{}, time.Now()
	if w.unlisted = err; err != nil {
		w.log.WarnContext(ctx, "boards cannot be listed; those known are refreshed all the same", "error", err)
		return nil, nil
	}
	w.listed = w.tried
	now := w.refresher.now()
	w.metrics.registry.Set(float64(now.Unix()))
	there := map[store.CurveKey]bool{}
	refused := map[string]refusal{}
	for name, why := range unreadable {
		refused[name] = refusal{ofDefinition, why.Error()}
	}
	for _, b := range boards {
		if b.Expired(now) {
			continue
		}
		plan, err := w.settings.Plan(b)
		if err != nil {
			refused[b.Name] = refusal{ofConfiguration, err.Error()}
			continue
		}
		for _, column := range b.Columns {
			key := b.CurveKey(column.Name)
			there[key] = true
			if c, changed := w.place(key, b, plan); changed {
				anew = append(anew, c)
			}
		}
	}
	w.refuse(ctx, refused)
	for key, c := range w.columns {
		if known := unreadable[key.Board] != nil && !c.board.Expired(now); !there[key] && !known {
			gone = append(gone, c)
			w.remove(c)
		}
	}
	w.metrics.columns.Set(float64(len(w.columns)))
	w.prune(boards)
	return anew, gone
}

// schedule has columns refreshed at their times, and at once where something is due already,
// or no more. Cron sorts all entries for each that comes or goes while it runs, so it begins
// when those of the first round are there, and nobody else has to wait for the lock meanwhile.
func (w *Worker) schedule(anew, gone []*workedColumn) {
	for _, c := range gone {
		w.cron.Remove(c.entry)
	}
	for _, c := range anew {
		if c.entry != 0 {
			w.cron.Remove(c.entry)
		}
		_, plan := c.planned()
		w.metrics.places(c.key, plan)
		c.entry = w.cron.Schedule(times{plan, w.refresher.ahead}, cron.FuncJob(func() { w.run(c, true) }))
	}
	w.cron.Start()
	for _, c := range anew {
		w.mu.Lock()
		w.start(c) // what is due already is not made to wait for the next time
		w.mu.Unlock()
	}
}

// list reads the registry, and gives up in time to try again.
func (w *Worker) list(ctx context.Context) ([]store.Board, error) {
	w.mu.Lock()
	w.listing = time.Now()
	w.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, registryTimeout, fmt.Errorf("no answer within %s", registryTimeout))
	defer cancel()
	boards, err := w.refresher.Store.Boards(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("list boards: %w", context.Cause(ctx))
	}
	return boards, err
}

// place takes over what is said of a column, and whether that is new or has other times than
// before.
func (w *Worker) place(key store.CurveKey, b store.Board, plan Plan) (c *workedColumn, changed bool) {
	c, known := w.columns[key]
	if known {
		return c, c.take(b, plan)
	}
	c = &workedColumn{key: key, board: b, plan: plan}
	w.columns[key] = c
	return c, true
}

func (w *Worker) remove(c *workedColumn) {
	c.stop()
	delete(w.columns, c.key)
	w.forget(c)
}

// forget takes a column that is gone out of what is kept of columns.
func (w *Worker) forget(c *workedColumn) {
	w.admission.forget(c.key)
	w.metrics.forget(c)
}
