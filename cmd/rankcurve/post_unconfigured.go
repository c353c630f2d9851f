package main

import (
	"context"
	"errors"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// wholeFamily refuses to change the board for all times alone, where it was made with
// boards of other periods and the configuration does not know it: the others would miss
// what it gets, for ever, and its limits would not hold.
func wholeFamily(ctx context.Context, st store.Store, name string, now time.Time) error {
	b, err := st.Board(ctx, name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil // it is said when it is opened
	case err != nil:
		return err
	case b.Family == "":
		return nil
	}
	refuse := func(board string, of store.Period) error {
		return usagef("board %s was made for a family with %s boards, and none is configured under the name %s: set its periods in the configuration, or name it with --config; --period all takes this board alone", board, of, name)
	}
	boards, err := st.Boards(ctx)
	unreadable, err := unreadableOf(err, name)
	if err != nil {
		return err
	}
	for one := range unreadable { // whether it has expired cannot be read
		if family, span, ok := store.ParseBoardName(one); ok && family == name {
			return refuse(one, span.Period)
		}
	}
	for _, one := range boards {
		if one.Family == name && one.Period != store.Always && !one.Expired(now) {
			return refuse(one.Name, one.Period)
		}
	}
	return nil
}
