package jobs

import (
	"context"
	"log/slog"
	"math/rand/v2"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// StatedCoverage is what the bands of curves promise: the rank of so many of the
// owners asked, of a hundred percent as 1, lies inside.
const StatedCoverage = 0.95

// Audit is what became of the owners whose ranks a refresh counted after it had
// published. The zero Audit is none.
type Audit struct {
	Owners   int     // asked; 0: there was no audit, or it failed
	Median   float64 // error, as a part of the rank
	Max      float64
	Inside   int     // of the owners those whose rank was in the band,
	Coverage float64 // and which part of them that is
	DownTo   int64   // the deepest rank that the budget paid for; 0: all of the board
	Usage    store.Usage
}

// audit holds a curve that was just published against the board. It has no error: the
// refresh is done, and what is wrong with its audit is no reason to call it failed.
func (r Refresher) audit(ctx context.Context, b store.Board, curve *predictor.Curve, o Options) Audit {
	if o.Audit <= 0 {
		return Audit{}
	}
	key := b.CurveKey(curve.Meta().Column)
	v, err := Verifier{Store: r.Store, Pace: o.Pace, Now: r.now}.Verify(ctx, b, curve, VerifyOptions{
		Sample: o.Audit, Seed: rand.Uint64(), ReadBudget: o.AuditBudget, Fit: true,
	})
	if err != nil {
		r.warn(ctx, "audit failed; the curve is published all the same", key, err)
		return Audit{Usage: v.Usage}
	}
	for _, what := range v.Broken(Promise{Coverage: StatedCoverage}) {
		r.warn(ctx, "audit found the curve's band too narrow", key, brokenError(what))
	}
	total := v.Total()
	return Audit{Owners: total.Owners, Median: total.Median, Max: total.Max, Inside: total.Inside, Coverage: total.Coverage(), DownTo: v.DownTo, Usage: v.Usage}
}

// brokenError is a broken promise, as a log has it.
type brokenError string

// Error implements error.
func (e brokenError) Error() string { return string(e) }

// attributes are the audit's part of a refresh's log line, empty without one.
func (a Audit) attributes() []slog.Attr {
	if a.Owners == 0 {
		return nil
	}
	return []slog.Attr{
		slog.Int("audit_owners", a.Owners), slog.Float64("audit_error_median", a.Median), slog.Float64("audit_error_max", a.Max),
		slog.Float64("audit_coverage", a.Coverage), slog.Int64("audit_down_to", a.DownTo), slog.Float64("audit_read_units", a.Usage.ReadUnits()),
	}
}
