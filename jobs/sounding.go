package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

const (
	unitsPerEntry = 0.004 // of a walk, about: an index has some 120 rows in a block of 4 KB
	unitsPerShard = 0.5   // at least
	soundTime     = 10 * time.Second
)

// sound finds out about what a column's refresh will cost, from its curve. It takes a place
// for that, and before all others: who is let in for long is decided when all are known, or
// else huge boards that come first would have all places. Where there is a place for each
// of the worker's columns, nobody needs to know.
func (w *Worker) sound(ctx context.Context, c *workedColumn) {
	if !w.isCrowded() || w.admission.knows(c.key) {
		return
	}
	leave, err := w.admission.enter(ctx, c.key)
	if err != nil {
		return
	}
	units := -1.0
	defer func() { leave(units) }()
	ctx, cancel := context.WithTimeout(ctx, soundTime)
	defer cancel()
	p, _, err := w.refresher.Store.Curve(ctx, c.key)
	if err != nil {
		return
	}
	if curve, err := predictor.Decode(p.Data); err == nil {
		b, plan := c.planned()
		units = plan.units(b, float64(curve.Total()))
	}
}

// units are about what a refresh of so many entries takes.
func (p Plan) units(b store.Board, entries float64) float64 {
	units := max(entries*unitsPerEntry, unitsPerShard*float64(b.Shards))
	if walked := p.Options.Shards; walked > 0 && walked < b.Shards {
		units *= float64(walked) / float64(b.Shards)
	}
	if budget := p.Options.ReadBudget; budget > 0 {
		units = min(units, budget)
	}
	return units
}

// errTooLong ends the walk of a board that was taken for a small one, for nothing was known
// of it. It goes on from there as a heavy one.
var errTooLong = errors.New("the board is larger than was thought")

// briefly is a context for the refresh of a column whose cost is not known, such as a board's
// that has no curve yet: it gets a place as small boards do, but not for long.
func (w *Worker) briefly(ctx context.Context, key store.CurveKey) (context.Context, context.CancelFunc) {
	if !w.isCrowded() || w.admission.knows(key) {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, waitsLong, errTooLong)
}
