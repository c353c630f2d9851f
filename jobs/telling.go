package jobs

import (
	"context"
	"log/slog"
	"time"
)

func (w *Worker) late(ctx context.Context, c *workedColumn, waited, interval time.Duration) {
	if waited <= interval/4 {
		return
	}
	w.metrics.late.WithLabelValues(c.key.Board, c.key.Column).Inc()
	w.log.WarnContext(ctx, "tick is late: it had to wait for its turn; raise worker.concurrent, or refresh less often",
		"board", c.key.Board, "column", c.key.Column, "waited", waited, "interval", interval)
}

// outcomeTexts are what the log says of ticks.
var outcomeTexts = map[Outcome]string{
	Refreshed: "refreshed",
	Unchanged: "nothing has changed; the curve is published again as of now",
	Done:      "done already, by another worker or a rebuild",
	Held:      "another worker is at it",
	Lost:      "another worker has taken over; nothing was published",
	Quiet:     "nothing has changed for a while; the next look is later",
	Backoff:   "not tried: the refreshes before have failed",
	Stopped:   "given up: the worker ends",
	Failed:    "refresh failed",
}

// tell writes the tick's line in the log.
func (w *Worker) tell(ctx context.Context, c *workedColumn, due time.Time, t TickReport, err error) {
	level := slog.LevelDebug
	switch t.Outcome {
	case Refreshed, Unchanged, Backoff, Stopped:
		level = slog.LevelInfo
	case Lost:
		level = slog.LevelWarn
	case Failed:
		level = slog.LevelError
	}
	attributes := append(t.attributes(c.key), slog.String("outcome", string(t.Outcome)), slog.Time("due", due))
	if t.Outcome == Failed || t.Outcome == Backoff {
		attributes = append(attributes, slog.Int("failures", t.Failures()), slog.Time("retry", t.Retry))
	}
	switch {
	case err != nil:
		attributes = append(attributes, slog.String("error", err.Error()))
	case t.Outcome == Backoff:
		attributes = append(attributes, slog.String("error", t.note.Error))
	}
	w.log.LogAttrs(ctx, level, outcomeTexts[t.Outcome], attributes...)
}
