package rankcurve

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Posts that meet another writer are tried so often, with pauses that are drawn
// from 0 up to a bound that starts at firstPause and doubles: writers that collided
// once are unlikely to collide again.
const (
	postTries  = 10
	firstPause = time.Millisecond
)

// pause waits after a try, as long as the context lasts.
func (o options) pause(ctx context.Context, try int) error {
	if err := o.sleep(ctx, rand.N(firstPause<<(try-1))); err != nil {
		return fmt.Errorf("wait for another writer after %d tries: %w", try, err)
	}
	return nil
}

// sleep waits, as long as the context lasts.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func triedInVain(err error) error {
	return fmt.Errorf("tried %d times, each met another writer: %w", postTries, err)
}
