package sampler

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// Await takes a token of a limiter when there is one, or returns the context's error when
// the context ends, and leaves the token to others. A limiter that is told of a deadline
// refuses at once, while the context still lasts: that looks like a failure of what was
// to be read, and not like time that is over.
func Await(ctx context.Context, l *rate.Limiter) error { return l.Wait(undated{ctx}) }

// An undated context does not tell when it will end.
type undated struct{ context.Context }

// Deadline implements context.Context.
func (undated) Deadline() (time.Time, bool) { return time.Time{}, false }
