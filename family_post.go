package rankcurve

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

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

// FanOutError is a post to a family that did not reach all of its boards. It wraps
// what each of the others failed with.
type FanOutError struct {
	Family string
	ID     string   // of the post
	Stored []string // names of the boards that have it
	Failed []string // names of the others
	Errs   []error  // why, in the same order
}

// Error implements error.
func (e *FanOutError) Error() string {
	stored := "stored on none"
	if len(e.Stored) > 0 {
		stored = "stored on " + strings.Join(e.Stored, ", ")
	}
	reasons := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		reasons[i] = e.Failed[i] + " (" + err.Error() + ")"
	}
	advice := "send it again with the same id, which changes nothing where it is stored"
	if e.ID == "" {
		advice = "it has no id, so post to those boards by their own names"
	}
	return fmt.Sprintf("post to family %q: %s, not on %s; %s", e.Family, stored, strings.Join(reasons, ", "), advice)
}

// Unwrap lets errors.Is and errors.As find the boards' errors.
func (e *FanOutError) Unwrap() []error { return e.Errs }

// Post applies one post to the board of every period that a time falls into; the zero
// time is now. Boards are made when they are first needed, and written at the same
// time, each by a conditional write of its own as [Board.Post] says. The answer has
// them in the order of the periods, without those that have expired by now.
//
// The post's ID is the same on each board. After a [FanOutError], or a crash, the same
// post with the same time and ID is sent again: it changes nothing where it is stored.
// One without an ID would be applied twice there.
//
// The error is [ErrLate] for a period that has ended, if the definition refuses such
// posts, and for one whose boards have all expired; [store.ErrInvalid] for a time
// before 1970 or more than five minutes ahead and for a post with a Version, which
// would be of one board's row; and what [Board.Post] refuses whatever the row holds.
// Nothing is written then. It costs, for each board, what [Board.Post] does.
func (f *Family) Post(ctx context.Context, at time.Time, p Post) ([]FamilyPosted, error) {
	spans, err := f.Spans(at)
	if err != nil {
		return nil, fmt.Errorf("post to family %q for owner %q: %w", f.def.Name, p.Owner, err)
	}
	if p.Version != nil {
		return nil, fmt.Errorf("post to family %q for owner %q: a version is of the row of one board: %w", f.def.Name, p.Owner, store.ErrInvalid)
	}
	if err := f.checker.refused(p, f.checker.checkPost(p)); err != nil {
		return nil, err
	}
	posted := make([]FamilyPosted, len(spans))
	var writing sync.WaitGroup
	for i, s := range spans {
		writing.Go(func() { posted[i] = f.postTo(ctx, s, p) })
	}
	writing.Wait()
	return posted, f.failure(p, posted)
}

func (f *Family) postTo(ctx context.Context, s store.Span, p Post) FamilyPosted {
	b, err := f.Make(ctx, s)
	if err != nil {
		return FamilyPosted{Board: f.def.Board(s), Err: err}
	}
	posted, err := b.Post(ctx, p)
	return FamilyPosted{b.Definition(), posted, err}
}

func (f *Family) failure(p Post, posted []FamilyPosted) error {
	e := &FanOutError{Family: f.def.Name, ID: p.ID}
	for _, one := range posted {
		if one.Err == nil {
			e.Stored = append(e.Stored, one.Board.Name)
			continue
		}
		e.Failed, e.Errs = append(e.Failed, one.Board.Name), append(e.Errs, one.Err)
	}
	if len(e.Failed) == 0 {
		return nil
	}
	return e
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
	spans := make([]store.Span, 0, len(f.def.Periods))
	for _, p := range f.def.Periods {
		s := p.At(at)
		if err := f.def.Takes(s, now); err != nil {
			return nil, fmt.Errorf("late post of %s: %w", at.UTC().Format(time.RFC3339), err)
		}
		if !f.def.Board(s).Expired(now) {
			spans = append(spans, s)
		}
	}
	if len(spans) == 0 {
		return nil, fmt.Errorf("late post of %s: all boards that it would go to have expired: %w", at.UTC().Format(time.RFC3339), ErrLate)
	}
	return spans, nil
}
