package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// Curve is the process's copy of a column's published curve; the store is asked
// for a newer one at most every [WithCurvePoll]. The empty column is the first one.
// The error is [ErrNoCurve] if none was published and [ErrBadCurve] if what was
// published cannot be used. A copy that is already here stays in use while the store
// cannot be reached or holds a damaged curve: its AsOf tells its age. A poll costs
// a read unit per 4 KB of curve, the others nothing.
func (b *Board) Curve(ctx context.Context, column string) (*predictor.Curve, error) {
	c, err := b.column(column)
	if err != nil {
		return nil, err
	}
	curve, _, err := b.curve(ctx, c)
	return curve, err
}

// curves is what the process knows of a column's published curve.
type curves struct {
	held atomic.Pointer[polled]
	turn chan struct{} // whose place is taken polls
}

func newCurves() *curves { return &curves{turn: make(chan struct{}, 1)} }

// polled is what a poll found: a curve or why there is none. It never changes.
type polled struct {
	curve      *predictor.Curve
	generation int64
	err        error
	at         time.Time
}

func (p *polled) fresh(now time.Time, poll time.Duration) bool {
	age := now.Sub(p.at)
	return age >= 0 && age < poll // a clock that was set back polls
}

// curve answers from the process's copy, or polls. One caller polls at a time; the
// others go on with the copy that is there, or wait for the first.
func (b *Board) curve(ctx context.Context, c *column) (*predictor.Curve, store.Usage, error) {
	held := c.curves.held.Load()
	if held != nil && held.fresh(b.options.clock(), b.options.curvePoll) {
		return held.curve, store.Usage{}, held.err
	}
	select {
	case c.curves.turn <- struct{}{}:
	default:
		if held != nil && held.curve != nil {
			return held.curve, store.Usage{}, nil
		}
		if err := take(ctx, c.curves.turn); err != nil {
			return nil, store.Usage{}, fmt.Errorf("read curve %s: %w", b.curveKey(c), err)
		}
	}
	defer func() { <-c.curves.turn }()
	held = c.curves.held.Load() // another may have polled while this one waited
	if held != nil && held.fresh(b.options.clock(), b.options.curvePoll) {
		return held.curve, store.Usage{}, held.err
	}
	return b.poll(ctx, c, held)
}

// take waits for a turn, as long as the context lasts.
func take(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// poll asks the store. Its caller has the turn.
func (b *Board) poll(ctx context.Context, c *column, held *polled) (*predictor.Curve, store.Usage, error) {
	found := &polled{at: b.options.clock()}
	published, usage, err := b.store.Curve(ctx, b.curveKey(c))
	switch {
	case err == nil && held != nil && held.curve != nil && published.Generation <= held.generation:
		found.curve, found.generation = held.curve, held.generation
	case err == nil:
		found.curve, found.err = b.decode(c, published)
		found.generation = published.Generation
	case errors.Is(err, store.ErrNotFound):
		found.err = noCurve(b.curveKey(c))
	case errors.Is(err, store.ErrCorrupt):
		found.err = badCurve(b.curveKey(c), err)
	default:
		found.err = fmt.Errorf("read curve %s: %w", b.curveKey(c), err)
	}
	if found.err != nil && held != nil && held.curve != nil {
		found.curve, found.generation, found.err = held.curve, held.generation, nil
	}
	if ctx.Err() == nil && (found.err == nil || unusable(found.err)) {
		c.curves.held.Store(found)
	}
	return found.curve, usage, found.err
}

// decode reads a published curve and checks that it is this column's.
func (b *Board) decode(c *column, p store.Published) (*predictor.Curve, error) {
	curve, err := predictor.Decode(p.Data)
	if err != nil {
		return nil, badCurve(b.curveKey(c), err)
	}
	m := curve.Meta()
	if m.Board != b.def.Name || m.Column != c.Name || m.Decimals != c.Decimals || m.Ascending != (c.Order == store.Asc) {
		return nil, badCurve(b.curveKey(c), fmt.Errorf("it is of %s.%s with %d decimals, ascending %t", m.Board, m.Column, m.Decimals, m.Ascending))
	}
	return curve, nil
}

// unusable says that an error is about the curve, not about reading it: exact
// counts can do without.
func unusable(err error) bool { return errors.Is(err, ErrNoCurve) || errors.Is(err, ErrBadCurve) }

func (b *Board) curveKey(c *column) store.CurveKey {
	return store.CurveKey{Board: b.def.Name, Column: c.Name}
}
