package rankcurve

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// moderators is how many owners one call moderates at the same time.
const moderators = 32

// Moderated is what became of one owner.
type Moderated struct {
	Owner   string
	Changed bool  // false: it was so already, or Err
	Rows    int   // on how many boards it has rows, or had, which are as wanted now
	Err     error // why it was not done
}

// Remove deletes owners' rows, with their scores, attributes and post ids: a later post
// makes a new one. It is answered in the order asked. The rows are read strongly
// consistent, and deleted on the condition that they did not change meanwhile, up to ten
// times each. One's failure does not touch another: an Err is [store.ErrNotFound] for an
// owner who is not on the board, of whom there is nothing to remove, [store.ErrInvalid] for
// what cannot be an owner, and [store.ErrConflict] when all tries met another writer.
// After an error of the call, which says that the context has ended, the others are not
// known to be done; calling again is safe. It costs a read unit of each owner, and what
// deleting the row costs: a write unit, and one for each column that it is ranked in.
func (b *Board) Remove(ctx context.Context, owners ...string) ([]Moderated, error) {
	return b.moderate(ctx, owners, b.removal())
}

// Hide takes owners off every view and out of the next curve, and keeps their rows:
// posts go on changing them. One who is hidden already is not changed. Answers, errors
// and costs are else those of [Board.Remove].
func (b *Board) Hide(ctx context.Context, owners ...string) ([]Moderated, error) {
	return b.moderate(ctx, owners, b.hiding("hide", true))
}

// Unhide puts owners who are hidden back. One who is not hidden is not changed. Answers,
// errors and costs are else those of [Board.Remove].
func (b *Board) Unhide(ctx context.Context, owners ...string) ([]Moderated, error) {
	return b.moderate(ctx, owners, b.hiding("unhide", false))
}

// An act is what is done to a row that is there.
type act struct {
	verb    string
	removes bool
	makes   bool // a row that is not there too: it is made
	to      func(ctx context.Context, row store.Entry) (changed bool, err error)
}

func (b *Board) removal() act {
	return act{verb: "remove", removes: true, to: func(ctx context.Context, row store.Entry) (changed bool, err error) {
		_, err = b.store.Delete(ctx, b.def, row.Owner, row.Version)
		return err == nil, err
	}}
}

func (b *Board) hiding(verb string, hidden bool) act {
	return act{verb: verb, to: func(ctx context.Context, row store.Entry) (changed bool, err error) {
		if row.Hidden == hidden {
			return false, nil
		}
		row.Hidden = hidden
		_, err = b.store.Put(ctx, b.def, row)
		return err == nil, err
	}}
}

func (b *Board) moderate(ctx context.Context, owners []string, do act) ([]Moderated, error) {
	done := make([]Moderated, len(owners))
	var group errgroup.Group
	group.SetLimit(moderators)
	for i, owner := range owners {
		done[i].Owner = owner
		group.Go(func() error {
			var err error
			if done[i].Changed, err = b.moderateOne(ctx, owner, do); err != nil {
				done[i].Err = fmt.Errorf("%s: %w", do.verb, err) // the store's name owner and board
				return nil
			}
			done[i].Rows = 1
			return nil
		})
	}
	_ = group.Wait() // is in done
	if err := ctx.Err(); err != nil {
		return done, fmt.Errorf("%s owners of board %q: %w", do.verb, b.def.Name, err)
	}
	return done, nil
}

// moderateOne tries until no other writer comes between. A write of which the store does
// not know whether it was carried out is tried again too: what is wanted is a state of
// the row, and the next try finds it or makes it.
func (b *Board) moderateOne(ctx context.Context, owner string, do act) (changed bool, err error) {
	if err := b.gone(); err != nil {
		return false, err
	}
	if err := store.ValidateOwner(owner); err != nil {
		return false, err
	}
	unsure := false
	for try := 1; ; try++ {
		changed, err := b.act(ctx, owner, do)
		switch {
		case err == nil:
			return changed || unsure, nil
		case errors.Is(err, store.ErrNotFound) && unsure && do.removes: // an earlier try has done it
			return true, nil
		case errors.Is(err, store.ErrNotFound):
			return false, fmt.Errorf("owner %q is not on board %q: %w", owner, b.def.Name, store.ErrNotFound)
		case !errors.Is(err, store.ErrConflict):
			return false, err
		case try == postTries:
			return false, triedInVain(err)
		}
		unsure = unsure || errors.Is(err, store.ErrUnknown)
		if err := b.options.pause(ctx, try); err != nil {
			return false, err
		}
	}
}

// act reads the row and acts on it, once.
func (b *Board) act(ctx context.Context, owner string, do act) (changed bool, err error) {
	row, _, err := b.store.Entry(ctx, b.def, owner)
	if do.makes && errors.Is(err, store.ErrNotFound) {
		row, err = store.Entry{Owner: owner}, nil
	}
	if err != nil {
		return false, err
	}
	return do.to(ctx, row)
}
