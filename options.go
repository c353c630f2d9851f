package rankcurve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Option changes how a [Board] works. A negative number or time is [store.ErrInvalid]
// where the board is opened.
type Option func(*options)

type options struct {
	readBudget   float64
	exactTop     int64
	curvePoll    time.Duration
	maxStaleness time.Duration
	cursorKey    []byte
	cursorMaxAge time.Duration
	limits       map[string]store.Limit
	clock        func() time.Time
	sleep        func(ctx context.Context, d time.Duration) error
}

// What a Board does without options.
const (
	DefaultReadBudget = 1000.0 // read units
	DefaultExactTop   = 1000   // ranks
	DefaultCurvePoll  = 5 * time.Second
)

// optionsOf are the defaults with the options applied. One that is out of range is
// [store.ErrInvalid].
func optionsOf(opts []Option) (options, error) {
	o := options{
		readBudget: DefaultReadBudget,
		exactTop:   DefaultExactTop,
		curvePoll:  DefaultCurvePoll,
		clock:      time.Now,
		sleep:      sleep,
	}
	for _, option := range opts {
		option(&o)
	}
	return o, o.validate()
}

func (o options) validate() error {
	var faults []error
	for _, below := range []struct {
		is     bool
		option string
		value  any
	}{
		{!(o.readBudget >= 0), "WithReadBudget", o.readBudget}, // which is no number, perhaps
		{o.exactTop < 0, "WithExactTop", o.exactTop},
		{o.curvePoll < 0, "WithCurvePoll", o.curvePoll},
		{o.maxStaleness < 0, "WithMaxStaleness", o.maxStaleness},
		{o.cursorMaxAge < 0, "WithCursorMaxAge", o.cursorMaxAge},
	} {
		if below.is {
			faults = append(faults, fmt.Errorf("%s(%v) is not 0 or more: %w", below.option, below.value, store.ErrInvalid))
		}
	}
	return errors.Join(faults...)
}

// WithReadBudget allows the exact counts of one call so many read units. Defaults
// to [DefaultReadBudget].
func WithReadBudget(units float64) Option { return func(o *options) { o.readBudget = units } }

// WithExactTop makes [Auto] count ranks down to about this one, and estimate below
// it. Zero estimates all. Defaults to [DefaultExactTop].
func WithExactTop(rank int64) Option { return func(o *options) { o.exactTop = rank } }

// WithCurvePoll sets how long the curve in the process is used before the store is
// asked for a newer one, in the background: the calls of that time still answer from
// the old one. Zero asks in every call, and waits. Defaults to [DefaultCurvePoll].
func WithCurvePoll(d time.Duration) Option { return func(o *options) { o.curvePoll = d } }

// WithMaxStaleness refuses a curve whose as-of time is longer ago: what needs one is
// then [ErrStaleCurve], and ranks are counted where the mode and the read budget
// allow it. It should be several refreshes long. Zero, the default, takes any age.
func WithMaxStaleness(d time.Duration) Option { return func(o *options) { o.maxStaleness = d } }

// WithCursorKey signs the cursors of [Board.Page] with a key of [MinCursorKey] bytes at
// least, the same in all processes that answer each other's cursors; with a shorter one,
// to ask for a page is [store.ErrInvalid]. Defaults to a secret that the store keeps for
// all, which the first page makes: whoever may only read the store sets a key.
func WithCursorKey(key []byte) Option {
	key = bytes.Clone(key)
	return func(o *options) { o.cursorKey = key }
}

// WithCursorMaxAge refuses cursors that are older. Zero, the default, takes any age.
func WithCursorMaxAge(d time.Duration) Option { return func(o *options) { o.cursorMaxAge = d } }

// WithLimits refuses posts of scores that are not plausible, by column: a post is then
// [store.ErrInvalid] and changes nothing. What is held against a limit is the score that
// is posted, and where scores are added up the sum, on each board of a [Family] by itself:
// see the Limits of [FamilyDefinition]. A sum that comes back from beyond a limit is let
// through. Rows that are there stay as they are, and [store.Store.Load] knows of no
// limits. A limit of a column that the board has not is [store.ErrNoColumn] where the
// board is opened, one whose Min is above its Max [store.ErrInvalid].
func WithLimits(limits map[string]store.Limit) Option {
	limits = cloneLimits(limits)
	return func(o *options) { o.limits = limits }
}

// WithClock replaces the clock, which dates answers and posts and says when a
// curve is polled. Defaults to time.Now, which nil asks for too.
func WithClock(now func() time.Time) Option {
	if now == nil {
		now = time.Now
	}
	return func(o *options) { o.clock = now }
}
