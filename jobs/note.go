package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A note is what workers tell each other of a column beside its curve: that its refreshes
// fail and are to wait, and what a quiet board looked like. It is kept as the walk state
// of a column with a name that no column can have. Losing it costs one refresh.
type note struct {
	Failures int       `json:"failures,omitempty"` // in a row
	RetryAt  time.Time `json:"retry_at,omitzero"`  // no refresh before, after a failure
	Error    string    `json:"error,omitempty"`    // of the last one
	FailedAt time.Time `json:"failed_at,omitzero"` // and when that was

	Quiet  int       `json:"quiet,omitempty"`  // looks in a row that have found no change
	LookAt time.Time `json:"look_at,omitzero"` // ticks due before need no look
	Walked time.Time `json:"walked,omitzero"`  // as-of time of the last real walk
	Print  *imprint  `json:"print,omitempty"`  // of the board, as it was before that walk
	Price  float64   `json:"price,omitempty"`  // of the last look, in read units

	LooksFrom time.Time `json:"looks_from,omitzero"` // ticks due before are walks: the board has changed at each look
}

// noteKey is where the note of a column is kept.
func noteKey(key store.CurveKey) store.CurveKey {
	key.Column += "/worker"
	return key
}

// readNote reads a note; one that is not there, or damaged, is empty.
func readNote(ctx context.Context, st store.Curves, key store.CurveKey) (note, store.Usage, error) {
	var n note
	data, usage, err := st.State(ctx, noteKey(key))
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrCorrupt):
		return n, usage, nil
	case err != nil:
		return n, usage, err
	}
	if json.Unmarshal(data, &n) != nil {
		return note{}, usage, nil //nolint:nilerr // a note that cannot be read is no note
	}
	return n, usage, nil
}

func writeNote(ctx context.Context, st store.Curves, key store.CurveKey, n note) (store.Usage, error) {
	data, err := json.Marshal(n)
	if err != nil {
		return store.Usage{}, fmt.Errorf("encode the note of %s: %w", key, err)
	}
	return st.SaveState(ctx, noteKey(key), data)
}

// passes says that the board has been quiet for so long that a tick needs no look.
func (n note) passes(due time.Time, idleMax time.Duration) bool {
	return idleMax > 0 && n.Quiet > 0 && due.Before(n.LookAt) && n.LookAt.Sub(due) <= idleMax
}

// empty says that there is nothing to tell.
func (n note) empty() bool {
	return n.Failures == 0 && n.Print == nil && n.Quiet == 0 && n.LooksFrom.IsZero()
}

// forgiven is the note without its failures.
func (n note) forgiven() note {
	n.Failures, n.RetryAt, n.Error, n.FailedAt = 0, time.Time{}, "", time.Time{}
	return n
}

// isOver says that a curve is of after the failures that the note tells of.
func (n note) isOver(asOf time.Time) bool {
	return n.Failures > 0 && !n.FailedAt.IsZero() && asOf.After(n.FailedAt)
}
