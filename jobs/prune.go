package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

const (
	// pruneGrace is how long a board stays after it has expired: the clocks of those who
	// still show it may be behind, and a refresh that had begun be under way.
	pruneGrace = time.Hour

	// pruneAgain is when to try again what has failed, or what another was at.
	pruneAgain = 15 * time.Minute

	pruneLease = "prune"
	pruneNames = 10 // of boards in the log
)

// A pruning is when a worker drops boards that have expired. The worker's lock guards it.
type pruning struct {
	underWay bool
	next     time.Time // not before
}

// begin has a worker that has just started wait: what drops rows should not go by a clock
// that the machine may not have set yet.
func (p *pruning) begin(now time.Time, every time.Duration) {
	p.next = now.Add(min(pruneGrace, every))
}

// comes says whether it is time, and takes it then.
func (p *pruning) comes(now time.Time, every time.Duration) bool {
	wait := p.next.Sub(now)
	if every <= 0 || p.underWay || wait > 0 && wait <= every { // a next that is further off is of a clock that was set back
		return false
	}
	p.underWay = true
	return true
}

func (p *pruning) ended(now time.Time, every time.Duration, done bool) {
	if !done {
		every = min(every, pruneAgain)
	}
	p.underWay, p.next = false, now.Add(every)
}

// prune drops boards of a list in the background, if some have expired and it is time. The
// caller has the lock.
func (w *Worker) prune(boards []store.Board) {
	every, now := w.settings.PruneEvery, w.refresher.now()
	boards = prunable(boards, w.refresher.surely())
	if len(boards) == 0 || w.stopping || !w.pruning.comes(now, every) {
		return
	}
	w.work.Go(func() {
		_, done, _ := w.dropExpired(w.context, boards)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.pruning.ended(w.refresher.now(), every, done)
	})
}

// prunable are the boards that a worker may drop.
func prunable(boards []store.Board, now time.Time) (some []store.Board) {
	for _, b := range boards {
		if b.Expired(now.Add(-pruneGrace)) {
			some = append(some, b)
		}
	}
	return some
}

// dropExpired drops boards, tells of it, and says whether it came to its end. One worker
// does at a time; that another is at it is no error.
func (w *Worker) dropExpired(ctx context.Context, boards []store.Board) (dropped []store.Board, done bool, err error) {
	r, began := w.refresher, w.refresher.now()
	err = r.leased(ctx, pruneLease, func(ctx context.Context, _ holding) (err error) {
		defer func() {
			if panicked := recover(); panicked != nil {
				err = fmt.Errorf("internal error: %v; please report it", panicked)
			}
		}()
		dropped, err = store.DropExpired(ctx, r.Store, boards, r.surely().Add(-pruneGrace))
		return err
	})
	w.metrics.pruned.Add(float64(len(dropped)))
	if len(dropped) > 0 {
		w.log.InfoContext(ctx, "boards that had expired are dropped", "boards", len(dropped), "names", namesOf(dropped), "duration", r.now().Sub(began))
	}
	outcome := outcomeOf(ctx, err)
	if outcome == Failed {
		w.metrics.pruneFailures.Inc()
		w.log.ErrorContext(ctx, "boards that have expired cannot be dropped; it is tried again", "error", err)
		return dropped, false, fmt.Errorf("drop the boards that have expired: %w", err)
	}
	w.log.LogAttrs(ctx, slog.LevelDebug, "pruning has ended", slog.String("outcome", string(outcome)))
	return dropped, outcome == Done, nil
}

// namesOf are those of some boards, the first few.
func namesOf(boards []store.Board) string {
	names := make([]string, 0, pruneNames+1)
	for i, b := range boards {
		if i == pruneNames {
			names = append(names, fmt.Sprintf("and %d more", len(boards)-i))
			break
		}
		names = append(names, b.Name)
	}
	return strings.Join(names, ", ")
}

// outcomeOf is what became of work under a lease.
func outcomeOf(ctx context.Context, err error) Outcome {
	switch {
	case err == nil:
		return Done
	case ctx.Err() != nil:
		return Stopped
	case errors.Is(err, store.ErrHeld):
		return Held
	case errors.Is(err, store.ErrLost):
		return Lost
	}
	return Failed
}
