package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// DropExpired drops those of some boards that have expired at now, and answers with those
// that it has dropped, also beside an error. One that another drops first is left out. One
// that cannot be dropped keeps no other from it, unless the store cannot be reached, refuses
// or throttles, or the context has ended.
func DropExpired(ctx context.Context, st Boards, boards []Board, now time.Time) (dropped []Board, err error) {
	var faults []error
	for _, b := range boards {
		if !b.Expired(now) {
			continue
		}
		err := st.DropBoard(ctx, b.Name, now)
		switch {
		case err == nil:
			dropped = append(dropped, b)
		case errors.Is(err, ErrNotFound):
		case ctx.Err() != nil, errors.Is(err, ErrUnavailable), errors.Is(err, ErrThrottled), errors.Is(err, ErrDenied):
			return dropped, errors.Join(append(faults, err)...)
		default:
			faults = append(faults, fmt.Errorf("board %s: %w", b.Name, err))
		}
	}
	return dropped, errors.Join(faults...)
}
