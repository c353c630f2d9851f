package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// errExpired tells a board that has expired from others that are not there.
var errExpired = errors.New("expired")

// gone is an error once the board has expired: [store.ErrNotFound], which names when.
func (b *Board) gone() error { return expiredBoard(b.def, b.options.clock()) }

func expiredBoard(def store.Board, now time.Time) error {
	if !def.Expired(now) {
		return nil
	}
	return expiredAt(def.Name, def.Expires)
}

func expiredAt(name string, expires time.Time) error {
	return advise(store.ErrNotFound, errExpired, "board %q expired at %s and is gone: %v", name, expires.UTC().Format(time.RFC3339), store.ErrNotFound)
}

// missingPeriod says why a board of a family that is there is not: it has expired and
// was dropped, or nobody has posted to it. It is nil for a name of no such family.
// How long boards are kept is read from one of the same period that is still there.
func missingPeriod(boards []store.Board, name string, now time.Time) error {
	family, s, ok := store.ParseBoardName(name)
	if !ok {
		return nil
	}
	known := false
	for _, b := range boards {
		if b.Family != family {
			continue
		}
		known = true
		sibling, _ := b.Span()
		if b.Period != s.Period || b.Expires.IsZero() {
			continue
		}
		if expires := s.End.Add(b.Expires.Sub(sibling.End)); !now.Before(expires) {
			return expiredAt(name, expires)
		}
	}
	switch {
	case known && s.Start.After(now):
		return fmt.Errorf("board %q begins at %s: %w", name, s.Start.Format(time.RFC3339), store.ErrNotFound)
	case known:
		return advise(store.ErrNotFound, nil, "board %q is not there: nobody has posted to it, or it has expired; `rankcurve boards %s` lists those that are: %v", name, family, store.ErrNotFound)
	}
	return nil
}

// Prune drops the boards of a store that have expired, with their curves; of one
// family, or of all if family is empty. Now is what the machine's clock shows: where the
// store has a clock too and that is far from it, the store's counts. It answers with those
// that it dropped, also beside an error, such as that of boards whose definitions cannot be
// read, which is a *[store.UnreadableError] and stops nothing. The embedded store deletes
// their rows with them, DynamoDB has deleted them or will. It costs a read of the registry
// and a few writes for each board.
func Prune(ctx context.Context, st store.Store, family string, now time.Time) ([]store.Board, error) {
	expired, unreadable := Expired(ctx, st, family, now)
	dropped, err := store.DropExpired(ctx, st, expired, now.Add(-store.WrongBy(st)))
	if err == nil {
		return dropped, unreadable
	}
	return dropped, errors.Join(err, unreadable)
}

// Expired are the boards that [Prune] would drop, by name; of a family that is not there,
// none. Those whose definitions can be read are answered beside an error of the others. It
// costs a read of the registry, and its other errors are the store's.
func Expired(ctx context.Context, st store.Store, family string, now time.Time) ([]store.Board, error) {
	boards, err := st.Boards(ctx)
	if some := (*store.UnreadableError)(nil); errors.As(err, &some) && family != "" {
		err = some.Of(func(name string) bool { return store.FamilyOf(name) == family })
	}
	if err != nil {
		err = fmt.Errorf("list the boards that have expired: %w", err)
	}
	now = now.Add(-store.WrongBy(st)) // which the answer has told
	var expired []store.Board
	for _, b := range boards {
		if b.Expired(now) && (family == "" || b.Family == family) {
			expired = append(expired, b)
		}
	}
	return expired, err
}
