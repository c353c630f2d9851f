package rankcurve

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// Hide takes owners off all boards of the family: off those that are there, with their
// rows kept as [Board.Hide] does, and off those to come, on which their rows are hidden
// from the first post on. An owner need not have a row yet: the answer's Rows are none, as
// those of one whose name is wrong. One who is hidden everywhere already is not changed.
// [Family.Hidden] lists them.
//
// The owners' rows are found by [store.Owners.BoardsOf] and, strongly consistent, on the
// boards of now. Posts that make a row at the same time look again when it is made, so
// that none is seen when both are done. An Err says that not all of an owner's rows are
// known to be hidden; calling again is safe. It costs a read of the registry for the
// call, and of each owner a write, half a read unit for each 4 KB begun of all the
// owner's rows, and what [Board.Hide] does for each row. Errors are else those of
// [Board.Hide].
//
// The first row of an owner on each board costs two reads more, to see whom the family
// hides.
func (f *Family) Hide(ctx context.Context, owners ...string) ([]Moderated, error) {
	return f.moderate(ctx, owners, familyAct{
		verb:  "hide",
		first: (*Board).enlisting,
		rows:  func(b *Board) act { return b.hiding("hide", true) },
		spare: true,
	})
}

// Unhide puts owners back on all boards of the family, also those that were hidden on
// one of them alone. One who was neither hidden ahead nor has a row is
// [store.ErrNotFound]. Answers, errors and costs are else those of [Family.Hide].
func (f *Family) Unhide(ctx context.Context, owners ...string) ([]Moderated, error) {
	return f.moderate(ctx, owners, familyAct{
		verb:  "unhide",
		first: (*Board).removal,
		rows:  func(b *Board) act { return b.hiding("unhide", false) },
	})
}

// Remove deletes the rows of owners on all boards of the family. A later post makes a
// new one, which is hidden if the family hides the owner: [Family.Unhide] ends that. An
// owner without a row is [store.ErrNotFound]. Answers, errors and costs are else those of
// [Family.Hide].
func (f *Family) Remove(ctx context.Context, owners ...string) ([]Moderated, error) {
	return f.moderate(ctx, owners, familyAct{verb: "remove", rows: (*Board).removal})
}

// A familyAct is what is done to owners on all boards.
type familyAct struct {
	verb  string
	first func(list *Board) act // to whom the family hides, before the rows; nil: nothing
	rows  func(b *Board) act
	spare bool // an owner may have no row
}

func (f *Family) moderate(ctx context.Context, owners []string, do familyAct) ([]Moderated, error) {
	done := make([]Moderated, len(owners))
	list := newBoard(f.store, hiddenOf(f.def.Name, f.def.Columns[0].Name), f.options)
	listed := make([]bool, len(owners)) // whether the family hid the owner, or does now
	if do.first != nil {
		each(owners, func(i int) {
			var err error
			done[i].Changed, err = list.moderateOne(ctx, owners[i], do.first(list))
			if listed[i] = err == nil; !errors.Is(err, store.ErrNotFound) {
				done[i].Err = err
			}
		})
	}
	boards, err := f.registered(ctx) // after the list: what is registered later is made by it
	if err != nil {
		return nil, fmt.Errorf("%s owners of family %q: %w", do.verb, f.def.Name, err)
	}
	each(owners, func(i int) {
		done[i].Owner = owners[i]
		if done[i].Err == nil {
			rows, changed, err := boards.moderate(ctx, owners[i], do.rows)
			done[i].Changed, done[i].Rows = done[i].Changed || changed, rows
			if done[i].Err = err; err == nil && rows == 0 && !listed[i] && !do.spare {
				done[i].Err = fmt.Errorf("owner %q is on no board of family %q: %w", owners[i], f.def.Name, store.ErrNotFound)
			}
		}
		if done[i].Err != nil {
			done[i].Err = fmt.Errorf("%s: %w", do.verb, done[i].Err)
		}
	})
	if err := ctx.Err(); err != nil {
		return done, fmt.Errorf("%s owners of family %q: %w", do.verb, f.def.Name, err)
	}
	return done, nil
}

// each calls for all owners, many at the same time.
func each(owners []string, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(moderators)
	for i := range owners {
		group.Go(func() error { do(i); return nil })
	}
	_ = group.Wait() // nothing fails
}

// registeredBoards are those of a family that are there.
type registeredBoards struct {
	store   store.Store
	named   map[string]*Board
	damaged map[string]error // why the definitions of others cannot be read, on which nothing can be done
	now     []string         // of both, those of the periods of now
}

func (f *Family) registered(ctx context.Context) (registeredBoards, error) {
	r := registeredBoards{store: f.store, named: map[string]*Board{}, damaged: map[string]error{}}
	all, err := f.store.Boards(ctx)
	var some *store.UnreadableError
	if err != nil && !errors.As(err, &some) {
		return r, err
	}
	now := f.options.clock()
	if some != nil {
		for name, why := range some.Rows {
			if store.FamilyOf(name) != f.def.Name {
				continue
			}
			r.damaged[name] = why
			if _, span, isPeriod := store.ParseBoardName(name); !isPeriod || span.Contains(now) {
				r.now = append(r.now, name)
			}
		}
	}
	for _, def := range all {
		span, _ := def.Span()
		if def.Family != f.def.Name { // nor is one that has expired: it says so itself
			continue
		}
		r.named[def.Name] = newBoard(f.store, def, f.options)
		if span.Contains(now) {
			r.now = append(r.now, def.Name)
		}
	}
	return r, nil
}

// moderate acts on all rows of one owner.
func (r registeredBoards) moderate(ctx context.Context, owner string, do func(*Board) act) (found int, changed bool, err error) {
	if err := store.ValidateOwner(owner); err != nil {
		return 0, false, err
	}
	rows, _, err := r.store.BoardsOf(ctx, owner)
	var some *store.UnreadableError // its boards are acted on too, and say what is wrong
	if err != nil && !errors.As(err, &some) {
		return 0, false, err
	}
	names := map[string]bool{}
	for _, name := range r.now {
		names[name] = true
	}
	for _, row := range rows {
		names[row.Board.Name] = true
	}
	if some != nil {
		for name := range some.Rows {
			names[name] = true
		}
	}
	var errs []error
	for name := range names {
		b := r.named[name]
		if b == nil {
			errs = append(errs, r.damaged[name]) // nil: it is none of the family's, or has expired
			continue
		}
		this, err := b.moderateOne(ctx, owner, do(b))
		changed = changed || this
		if err == nil {
			found++
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			errs = append(errs, fmt.Errorf("board %q: %w", name, err))
		}
	}
	return found, changed, errors.Join(errs...)
}
