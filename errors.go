package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xrash/smetrics"

	"github.com/rankcurve/rankcurve/store"
)

// The errors of this package that a caller may branch on with errors.Is, beside
// those of package store. Their messages say what to run.
var (
	ErrNoCurve  = errors.New("no curve yet")     // no refresh has published one
	ErrBadCurve = errors.New("curve is damaged") // its bytes are not a whole curve, or another column's

	// ErrForgotten is a post of which its ID cannot tell any more whether it is stored: the
	// answer was lost, and since then so many others with ids came that the row may have
	// dropped it. Sent again it may be applied twice, so look at the row first. The error
	// is [store.ErrUnknown] too.
	ErrForgotten = errors.New("post cannot be found by its id any more")
)

// forgottenPost is the error of a post that must not be sent again blindly.
func forgottenPost() error {
	return advise(ErrForgotten, store.ErrUnknown, "whether it is stored cannot be told any more: the answer was lost, and %d or more other posts with ids came since; look at the row before it is sent again", store.MaxPosts)
}

func noCurve(key store.CurveKey) error {
	return advise(ErrNoCurve, nil, "no curve of %s yet: run `rankcurve rebuild %s`", key, key.Board)
}

func badCurve(key store.CurveKey, cause error) error {
	return advise(ErrBadCurve, cause, "the curve of %s is damaged: run `rankcurve rebuild %s`: %v", key, key.Board, cause)
}

// An advice is an error whose text says what to run, and which is one that a
// caller branches on without repeating its text.
type advice struct {
	text   string
	is     error
	causes error
}

func advise(is, cause error, format string, args ...any) error {
	return &advice{fmt.Sprintf(format, args...), is, cause}
}

// Error implements error.
func (a *advice) Error() string { return a.text }

// Unwrap lets errors.Is find both the sentinel and the cause.
func (a *advice) Unwrap() []error {
	if a.causes == nil {
		return []error{a.is}
	}
	return []error{a.is, a.causes}
}

// boardsNamed is how many boards an error lists.
const boardsNamed = 8

// unknownBoard says which boards there are, those spelt most alike first.
func unknownBoard(ctx context.Context, st store.Store, name string, now time.Time) error {
	boards, err := st.Boards(ctx)
	var some *store.UnreadableError // it is none of them: that would have been said
	if err != nil && !errors.As(err, &some) {
		return fmt.Errorf("open board %q: %w: what there is cannot be listed: %w", name, store.ErrNotFound, err)
	}
	if len(boards) == 0 {
		return fmt.Errorf("open board %q: %w: the store has no boards yet; run `rankcurve load %s FILE` to make this one, or `rankcurve demo` to see one", name, store.ErrNotFound, name)
	}
	if err := missingPeriod(boards, name, now); err != nil {
		return fmt.Errorf("open board: %w", err)
	}
	names := make([]string, len(boards))
	for i, b := range boards {
		names[i] = b.Name
	}
	slices.SortStableFunc(names, func(x, y string) int { return edits(name, x) - edits(name, y) })
	more := ""
	if rest := len(names) - boardsNamed; rest > 0 {
		names, more = names[:boardsNamed], fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Errorf("open board %q: %w: the boards are %s%s; run `rankcurve load %s FILE` to make this one", name, store.ErrNotFound, strings.Join(names, ", "), more, name)
}

// edits is the number of letters to insert, delete or replace to make b of a
// (Levenshtein's distance), whatever their case.
func edits(a, b string) int {
	return smetrics.WagnerFischer(strings.ToLower(a), strings.ToLower(b), 1, 1, 1)
}
