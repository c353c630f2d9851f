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

// Curve is the process's copy of a column's published curve. The empty column is the
// first one. The first call waits for the store; later ones answer from the copy at
// once, and at most every [WithCurvePoll] one of them has the store asked for a newer
// curve in the background, so an answer may be that much older than what is
// published, and after a quiet time older still: its AsOf tells its age. A copy
// stays in use while the store cannot be reached or holds a damaged curve. A board
// that was made anew under its name, in a table that was, is noticed by the first poll
// after a minute, and the old one's curve is then dropped.
//
// The error is [ErrNoCurve] if none was published, [ErrBadCurve] if what was
// published cannot be used, and [ErrStaleCurve] if it is older than
// [WithMaxStaleness] allows. A poll costs a read unit per 4 KB of curve, and one a
// minute of them a read of the registry, which no usage tells; the others nothing.
func (b *Board) Curve(ctx context.Context, column string) (*predictor.Curve, error) {
	c, err := b.column(column)
	if err != nil {
		return nil, err
	}
	curve, _, err := b.curve(ctx, c)
	return curve, err
}

// curves is what the process knows of a column's published curve. It holds no
// resources: a poll is a goroutine that ends by itself.
type curves struct {
	held atomic.Pointer[polled]
	poll atomic.Pointer[poll] // the one under way; nil: none
}

func newCurves() *curves { return &curves{} }

// polled is what a poll found: a curve or why there is none. All but charged never
// changes.
type polled struct {
	curve      *predictor.Curve
	generation int64
	id         string // of the board whose curve was asked for
	err        error  // why there is no curve
	fault      error  // why the curve is one of an earlier poll
	at         time.Time
	usage      store.Usage
	charged    atomic.Bool // somebody was told the usage
}

// charge is the usage of the poll, once.
func (p *polled) charge() store.Usage {
	if p.charged.Load() || p.charged.Swap(true) {
		return store.Usage{}
	}
	return p.usage
}

func (p *polled) fresh(now time.Time, every time.Duration) bool {
	age := now.Sub(p.at)
	return age >= 0 && age < every // a clock that was set back polls
}

// curve answers from the process's copy, unless that is too old. The usage is that of a
// poll nobody was told of yet.
func (b *Board) curve(ctx context.Context, c *column) (*predictor.Curve, store.Usage, error) {
	tooOld := func(p *polled) error { return b.tooOld(c, p) }
	held, usage, err := b.copyOf(ctx, c, tooOld)
	if err != nil {
		return nil, usage, err
	}
	if err := tooOld(held); err != nil {
		return nil, usage, err
	}
	return held.curve, usage, nil
}

// copyOf is the process's copy. Who finds that a poll is due begins it, and waits for it
// only where the copy cannot answer: there is none, it is refused, or every call is to
// ask. A copy that is refused is answered with all the same if no better one is had.
func (b *Board) copyOf(ctx context.Context, c *column, refuse func(*polled) error) (*polled, store.Usage, error) {
	held := c.curves.held.Load()
	if held == nil || !held.fresh(b.options.clock(), b.options.curvePoll) {
		p := b.beginPoll(ctx, c)
		usable := held != nil && held.curve != nil && refuse(held) == nil
		if !usable || b.options.curvePoll <= 0 {
			found, err := p.wait(ctx)
			switch {
			case err == nil:
				held = found
			case !usable:
				return nil, store.Usage{}, fmt.Errorf("read curve %s: %w", b.curveKey(c), err)
			}
		}
	}
	usage := held.charge()
	return held, usage, held.err
}

// decode reads a published curve and checks that it is this column's.
func (b *Board) decode(c *column, p store.Published) (*predictor.Curve, error) {
	curve, err := b.decodeOwn(c, p.Data)
	if err != nil {
		return nil, badCurve(b.curveKey(c), err)
	}
	return curve, nil
}

func (b *Board) decodeOwn(c *column, data []byte) (*predictor.Curve, error) {
	curve, err := predictor.Decode(data)
	if err != nil {
		return nil, err
	}
	m := curve.Meta()
	if m.Board != b.def.Name || m.Column != c.Name || m.Decimals != c.Decimals || m.Ascending != (c.Order == store.Asc) {
		return nil, fmt.Errorf("it is of %s.%s with %d decimals, ascending %t", m.Board, m.Column, m.Decimals, m.Ascending)
	}
	return curve, nil
}

// unusable says that an error is about the curve, not about reading it: exact
// counts can do without.
func unusable(err error) bool {
	return errors.Is(err, ErrNoCurve) || errors.Is(err, ErrBadCurve) || errors.Is(err, ErrStaleCurve)
}

func (b *Board) curveKey(c *column) store.CurveKey {
	return store.CurveKey{Board: b.def.Name, Column: c.Name, ID: b.identity.known()}
}
