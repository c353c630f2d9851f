package rankcurve

import (
	"context"
	"time"
)

// WithSleep replaces the pauses between tries.
func WithSleep(sleep func(ctx context.Context, d time.Duration) error) Option {
	return func(o *options) { o.sleep = sleep }
}
