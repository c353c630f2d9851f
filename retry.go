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
func pause(ctx context.Context, try int) error {
	timer := time.NewTimer(rand.N(firstPause << (try - 1)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for another writer after %d tries: %w", try, ctx.Err())
	}
}

func triedInVain(err error) error {
	return fmt.Errorf("tried %d times, each met another writer: %w", postTries, err)
}
