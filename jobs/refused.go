package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/rankcurve/rankcurve/store"
)

// A refusal is why a board of the registry is not taken as it is there.
type refusal struct {
	reason refusalReason
	why    string
}

// A refusalReason is what is wrong with a board, in few words that do not name it.
type refusalReason string

const (
	ofConfiguration refusalReason = "configuration" // the configuration contradicts the board
	ofDefinition    refusalReason = "definition"    // the board's definition cannot be read
)

var refusalReasons = []refusalReason{ofConfiguration, ofDefinition}

// text is what health says of a refused board.
func (r refusal) text(board string, isKnown bool) string {
	switch {
	case r.reason == ofConfiguration || !isKnown:
		return fmt.Sprintf("board %s is not refreshed: %s", board, r.why)
	default:
		return fmt.Sprintf("board %s is refreshed as it was known: %s", board, r.why)
	}
}

// damaged takes the boards whose definitions cannot be read out of the error of a list of
// the others, and leaves any other error.
func damaged(err error) (map[string]error, error) {
	var some *store.UnreadableError
	if errors.As(err, &some) {
		return some.Rows, nil
	}
	return nil, err
}

// refuse takes over which boards are refused, and tells of those that were not before, or
// for another reason, and of those that are not any more. The caller has the lock.
func (w *Worker) refuse(ctx context.Context, refused map[string]refusal) {
	counts := map[refusalReason]int{}
	for board, r := range refused {
		counts[r.reason]++
		if w.refused[board] == r {
			continue
		}
		text := "board is not refreshed"
		if r.reason == ofDefinition && w.knows(board) {
			text = "the definition of a board cannot be read; it is refreshed as it was known"
		}
		w.log.ErrorContext(ctx, text, "board", board, "reason", string(r.reason), "error", r.why)
	}
	for board := range w.refused {
		if _, still := refused[board]; !still {
			w.log.InfoContext(ctx, "board is not refused any more", "board", board)
		}
	}
	w.refused = refused
	for _, reason := range refusalReasons {
		w.metrics.refused.WithLabelValues(string(reason)).Set(float64(counts[reason]))
	}
}

// knows says that a board has columns here.
func (w *Worker) knows(board string) bool {
	for key := range w.columns {
		if key.Board == board {
			return true
		}
	}
	return false
}
