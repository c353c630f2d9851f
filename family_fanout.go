package rankcurve

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// FanOutError is a post to a family that did not reach all of its boards. It wraps
// what each of the others failed with.
type FanOutError struct {
	Family  string
	ID      string    // of the post
	At      time.Time // which said to what boards it goes
	Stored  []string  // names of the boards that have it
	Failed  []string  // names of those that have it not
	Unknown []string  // names of those that may have it: it was lost what became of the write
	Errs    []error   // why, of Failed and then of Unknown

	// Forgotten are those of Unknown that would not know the post by its ID if it were sent
	// again: their errors are [ErrForgotten].
	Forgotten []string
}

// Error implements error.
func (e *FanOutError) Error() string {
	return fmt.Sprintf("post to family %q: %s%s", e.Family, e.Outcome(), e.advice())
}

// Outcome says which boards have the post, and why the others have it not.
func (e *FanOutError) Outcome() string {
	text := "stored on none"
	if len(e.Stored) > 0 {
		text = "stored on " + strings.Join(e.Stored, ", ")
	}
	failed := len(e.Failed)
	if failed > 0 {
		text += ", not on " + withReasons(e.Failed, e.Errs[:failed])
	}
	if len(e.Unknown) > 0 {
		text += ", perhaps on " + withReasons(e.Unknown, e.Errs[failed:])
	}
	return text
}

func withReasons(boards []string, errs []error) string {
	parts := make([]string, len(boards))
	for i, err := range errs {
		parts[i] = boards[i] + " (" + err.Error() + ")"
	}
	return strings.Join(parts, ", ")
}

// Final says that every board which has not the post refused it, so that sending it again
// does not help.
func (e *FanOutError) Final() bool {
	for _, err := range e.Errs {
		if !errors.Is(err, store.ErrInvalid) {
			return false
		}
	}
	return true
}

func (e *FanOutError) advice() string {
	switch {
	case e.Final():
		return ""
	case len(e.Forgotten) > 0:
		return fmt.Sprintf("; do not send it again, for its id would not be known on %s: look there first, and post with the same id to the other boards that have it not by their own names", strings.Join(e.Forgotten, ", "))
	case e.ID != "":
		return fmt.Sprintf("; send it again with the same id and the same time, %s, which changes nothing where it is stored", e.At.UTC().Format(time.RFC3339))
	case len(e.Unknown) > 0:
		return "; it has no id, so look first where it may be stored, and post to the boards that have it not by their own names"
	case len(e.Stored) == 0:
		return "; send it again"
	}
	return "; it has no id, so post to those boards by their own names"
}

// Unwrap lets errors.Is and errors.As find the boards' errors.
func (e *FanOutError) Unwrap() []error { return e.Errs }

// failure is what the boards answered as one error, nil if all of them have the post.
func (f *Family) failure(at time.Time, p Post, posted []FamilyPosted) error {
	e := &FanOutError{Family: f.def.Name, ID: p.ID, At: at}
	var unknown []error
	for _, one := range posted {
		switch {
		case one.Err == nil:
			e.Stored = append(e.Stored, one.Board.Name)
		case errors.Is(one.Err, store.ErrUnknown):
			if errors.Is(one.Err, ErrForgotten) {
				e.Forgotten = append(e.Forgotten, one.Board.Name)
			}
			e.Unknown, unknown = append(e.Unknown, one.Board.Name), append(unknown, one.Err)
		default:
			e.Failed, e.Errs = append(e.Failed, one.Board.Name), append(e.Errs, one.Err)
		}
	}
	e.Errs = append(e.Errs, unknown...)
	if len(e.Errs) == 0 {
		return nil
	}
	return e
}
