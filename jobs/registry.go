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
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listing, w.tried = time.Time{}, w.refresher.now()
	if w.unlisted = err; err != nil {
		w.log.WarnContext(ctx, "boards cannot be listed; those known are refreshed all the same", "error", err)
		return
	}
	w.listed = w.tried
	w.metrics.registry.Set(float64(w.listed.Unix()))
	there := map[store.CurveKey]bool{}
	refused := map[string]refusal{}
	for name, why := range unreadable {
		refused[name] = refusal{ofDefinition, why.Error()}
	}
	for _, b := range boards {
		if expired(b, w.listed) {
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
			w.place(key, b, plan)
		}
	}
	w.refuse(ctx, refused)
	for key, c := range w.columns {
		if known := unreadable[key.Board] != nil && !expired(c.board, w.listed); !there[key] && !known {
			w.remove(c)
		}
	}
	w.metrics.columns.Set(float64(len(w.columns)))
}

// list reads the registry, and gives up in time to try again.
func (w *Worker) list(ctx context.Context) ([]store.Board, error) {
	w.mu.Lock()
	w.listing = w.refresher.now()
	w.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, registryTimeout, fmt.Errorf("no answer within %s", registryTimeout))
	defer cancel()
	boards, err := w.refresher.Store.Boards(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("list boards: %w", context.Cause(ctx))
	}
	return boards, err
}

// expired says that a board is gone, though it may still be listed.
func expired(b store.Board, now time.Time) bool {
	return !b.Expires.IsZero() && !now.Before(b.Expires)
}

// place schedules a column, anew if it has other times than before.
func (w *Worker) place(key store.CurveKey, b store.Board, plan Plan) {
	c, known := w.columns[key]
	switch {
	case !known:
		c = &workedColumn{key: key, board: b, plan: plan}
		w.columns[key] = c
	case c.take(b, plan):
		w.cron.Remove(c.entry)
	default:
		return
	}
	w.metrics.places(key, plan)
	c.entry = w.cron.Schedule(times{plan, w.refresher.now}, cron.FuncJob(func() { w.run(c, true) }))
	w.start(c) // what is due already is not made to wait for the next time
}

func (w *Worker) remove(c *workedColumn) {
	w.cron.Remove(c.entry)
	c.stop()
	delete(w.columns, c.key)
	w.forget(c)
}

// forget takes a column that is gone out of what is kept of columns.
func (w *Worker) forget(c *workedColumn) {
	w.admission.forget(c.key)
	w.metrics.forget(c)
}
