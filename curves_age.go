package rankcurve

import (
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
)

// ErrStaleCurve says that the curve is older than [WithMaxStaleness] allows. Its
// message tells the age and what to run. Callers branch on it with errors.Is.
var ErrStaleCurve = errors.New("curve is too old")

// age is how old a curve is by the board's clock; what is asked of it is asked so long
// after its as-of time.
func (b *Board) age(curve *predictor.Curve) time.Duration {
	return b.options.clock().Sub(curve.Meta().AsOf)
}

// tooOld says why a copy may not be answered from any more, or nil.
func (b *Board) tooOld(c *column, p *polled) error {
	if b.options.maxStaleness <= 0 || p.curve == nil {
		return nil
	}
	age := b.age(p.curve)
	if age <= b.options.maxStaleness {
		return nil
	}
	key := b.curveKey(c)
	text := fmt.Sprintf("the curve of %s is %s old, and %s is allowed: run `rankcurve rebuild %s`, or see why the worker does not",
		key, age.Round(time.Second), b.options.maxStaleness, key.Board)
	if p.fault != nil {
		text += fmt.Sprintf("; a newer one could not be had: %v", p.fault)
	}
	return advise(ErrStaleCurve, p.fault, "%s", text)
}
