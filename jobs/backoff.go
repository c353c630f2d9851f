package jobs

import (
	"errors"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

const (
	minBackoff = 15 * time.Second
	maxBackoff = 30 * time.Minute

	hiccups     = 8               // failures in a row that a store may have before it is taken to be away
	firstHiccup = 5 * time.Second // after the first
	hiccupPart  = 16              // of an interval, at most, after the others
)

// backoff is how long after so many failures in a row the next try is. A store that cannot
// be reached for a moment is tried again soon, so often and within such a time that a tick
// is still done within its interval; all else doubles from the start.
func backoff(failures int, interval time.Duration, err error) time.Duration {
	passes := errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrThrottled)
	switch {
	case passes && failures <= hiccups:
		return min(firstHiccup<<(failures-1), max(minBackoff, interval/hiccupPart))
	case passes:
		failures -= hiccups
	}
	return min(maxBackoff, minBackoff<<min(failures-1, 10))
}
