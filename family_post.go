package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// ahead is how far a post's time may be in the future: clocks differ.
const ahead = 5 * time.Minute

// FamilyPosted is what a post left behind on one board of a family.
type FamilyPosted struct {
	Board  store.Board
	Posted Posted
	Err    error // why it may not be in the row; nil: it is
}

// Post applies one post to the board of every period that a time falls into; the zero
// time is now. Boards are made when they are first needed, and written at the same
// time, each by a conditional write of its own as [Board.Post] says. The answer has
// them in the order of the periods, without those that have expired by now.
//
// A post is refused as a whole: all boards are there and all rows have been read and take
// the post before the first is written. What is refused by one of them is
// [store.ErrInvalid] once, with the board's name. (Where other posts to a row come between
// its reading and its writing, a limit may be reached on one board and not on another: a
// [FanOutError].)
//
// The post's ID is the same on each board. After a [FanOutError], or a crash, the same
// post with the same time and ID is sent again: it changes nothing where it is stored. The
// exception is one with Forgotten boards, which is [ErrForgotten]: there it may be applied twice.
// One without an ID would be applied twice there. So note the time with the ID before
// the first sending, rather than take the zero time: after midnight that is another day's.
//
// The error is [ErrLate] for a period that has ended, if the definition refuses such
// posts and none of the boards has the ID already, and for one whose boards have all
// expired; [store.ErrInvalid] for a time before 1970 or more than five minutes ahead and
// for a post with a Version, which would be of one board's row; [store.ErrBoardMismatch]
// where a board of another definition is in the way; and what [Board.Post] refuses, or the
// store fails with, before anything is written. Nothing is stored then. It costs, for each
// board, what [Board.Post] does, and two reads more for a late one with an ID.
func (f *Family) Post(ctx context.Context, at time.Time, p Post) ([]FamilyPosted, error) {
	if at.IsZero() {
		at = f.options.clock()
	}
	boards, rows, err := f.prepare(ctx, at, p)
	if err != nil {
		return nil, fmt.Errorf("post to family %q for owner %q: %w", f.def.Name, p.Owner, err)
	}
	posted := make([]FamilyPosted, len(boards))
	var writing sync.WaitGroup
	for i, b := range boards {
		writing.Go(func() {
			done, err := b.post(ctx, p, &rows[i])
			posted[i] = FamilyPosted{b.Definition(), done, err}
		})
	}
	writing.Wait()
	return posted, f.failure(at, p, posted)
}

// prepare does all of a post to a family that can refuse it: afterwards there are only
// writes to do.
func (f *Family) prepare(ctx context.Context, at time.Time, p Post) ([]*Board, []store.Entry, error) {
	if p.Version != nil {
		return nil, nil, fmt.Errorf("a version is of the row of one board: %w", store.ErrInvalid)
	}
	if err := f.checker.checkPost(p); err != nil {
		return nil, nil, err
	}
	spans, err := f.spansOf(ctx, at, p)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range spans {
		if err := f.checker.checkPlausible(p, f.limits(s.Period)); err != nil {
			return nil, nil, fmt.Errorf("board %q: %w", s.Board(f.def.Name), err)
		}
	}
	boards, err := f.makeAll(ctx, spans)
	if err != nil {
		return nil, nil, err
	}
	if len(boards) == 0 {
		return nil, nil, allExpired(at)
	}
	rows, err := rowsOn(ctx, boards, p.Owner)
	if err != nil {
		return nil, nil, err
	}
	return boards, rows, refusal(boards, rows, p)
}

// makeAll makes the boards of some spans, and leaves out those that have expired: by the
// registry, which need not say what the definition does.
func (f *Family) makeAll(ctx context.Context, spans []store.Span) ([]*Board, error) {
	boards := make([]*Board, len(spans))
	var making errgroup.Group
	for i, s := range spans {
		making.Go(func() (err error) {
			if boards[i], err = f.Make(ctx, s); errors.Is(err, errExpired) {
				boards[i], err = nil, nil
			}
			return err
		})
	}
	if err := making.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(boards, func(b *Board) bool { return b == nil }), nil
}

// rowsOn reads an owner's rows, strongly consistent.
func rowsOn(ctx context.Context, boards []*Board, owner string) ([]store.Entry, error) {
	rows := make([]store.Entry, len(boards))
	var reading errgroup.Group
	for i, b := range boards {
		reading.Go(func() (err error) {
			if rows[i], err = rowOf(ctx, b.store, b.def, owner); err != nil {
				return fmt.Errorf("board %q: %w", b.def.Name, err)
			}
			return nil
		})
	}
	return rows, reading.Wait()
}

// refusal is why one of the boards does not take a post. One that is on some of them
// already was taken once, and is carried on to those that can take it now.
func refusal(boards []*Board, rows []store.Entry, p Post) error {
	if p.ID != "" && slices.ContainsFunc(rows, func(row store.Entry) bool { return slices.Contains(row.Posts, p.ID) }) {
		return nil
	}
	for i, b := range boards {
		err := b.checkPost(p)
		if err == nil {
			_, err = newDraft(rows[i]).apply(b, p)
		}
		if err != nil {
			return fmt.Errorf("board %q: %w", b.def.Name, err)
		}
	}
	return nil
}

// Spans are those whose boards a post of this time goes to, one for each period; the
// zero time is now. The boards need not be there yet. The errors are those that
// [Family.Post] names of a time.
func (f *Family) Spans(at time.Time) ([]store.Span, error) {
	now := f.options.clock()
	if at.IsZero() {
		at = now
	}
	if at.Unix() < 0 || at.After(now.Add(ahead)) {
		return nil, fmt.Errorf("the time %s is before 1970 or in the future: %w", at.UTC().Format(time.RFC3339), store.ErrInvalid)
	}
	for _, p := range f.def.Periods {
		if err := f.def.Takes(p.At(at), now); err != nil {
			return nil, fmt.Errorf("late post of %s: %w", at.UTC().Format(time.RFC3339), err)
		}
	}
	spans := f.unexpired(at, now)
	if len(spans) == 0 {
		return nil, allExpired(at)
	}
	return spans, nil
}

// unexpired are the spans of a time whose boards have not expired, by the definition.
func (f *Family) unexpired(at, now time.Time) []store.Span {
	spans := make([]store.Span, 0, len(f.def.Periods))
	for _, p := range f.def.Periods {
		if s := p.At(at); !f.def.Board(s).Expired(now) {
			spans = append(spans, s)
		}
	}
	return spans
}

// spansOf are the Spans of a post. One that is late, and was cut short when it was not, is
// known by its ID, and reaches the boards that have it not.
func (f *Family) spansOf(ctx context.Context, at time.Time, p Post) ([]store.Span, error) {
	spans, late := f.Spans(at)
	if !errors.Is(late, ErrLate) || p.ID == "" {
		return spans, late
	}
	spans = f.unexpired(at, f.options.clock())
	for _, s := range spans {
		begun, err := f.has(ctx, s, p)
		if err != nil {
			return nil, err
		}
		if begun {
			return spans, nil
		}
	}
	return nil, late
}

// has says whether the board of a span is there and has a post, by its ID.
func (f *Family) has(ctx context.Context, s store.Span, p Post) (bool, error) {
	def, err := f.store.Board(ctx, s.Board(f.def.Name))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case def.Expired(f.options.clock()):
		return false, nil
	}
	row, err := rowOf(ctx, f.store, def, p.Owner)
	if err != nil {
		return false, fmt.Errorf("board %q: %w", def.Name, err)
	}
	return slices.Contains(row.Posts, p.ID), nil
}

func allExpired(at time.Time) error {
	return fmt.Errorf("late post of %s: all boards that it would go to have expired: %w", at.UTC().Format(time.RFC3339), ErrLate)
}
