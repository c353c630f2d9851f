package jobs

import (
	"context"
	"log/slog"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// What makes a new curve look like the worse one: it has lost most of the entries, or
// may be wrong by many times more.
const (
	worseEntries   = 10 // the old one has so many times more
	worseTolerance = 10 // the new one's is so many times larger
	worseLeast     = 100
)

// compare warns when a curve takes the place of one that looks better: an index that was
// made anew and is not filled yet looks like a board that everybody has left. It is
// published all the same, for a season does begin with an empty board.
func (r Refresher) compare(ctx context.Context, key store.CurveKey, before, after *predictor.Curve) {
	if r.Log == nil || before == nil {
		return
	}
	old, _ := before.Tolerance()
	tolerance, _ := after.Tolerance()
	attributes := []slog.Attr{
		slog.String("curve", key.String()), slog.Int64("entries_before", before.Total()), slog.Int64("entries", after.Total()),
		slog.Float64("tolerance_before", old), slog.Float64("tolerance", tolerance),
		slog.Int64("generation_before", before.Meta().Generation), slog.Int64("generation", after.Meta().Generation),
	}
	switch {
	case before.Total() >= worseLeast && after.Total() < before.Total()/worseEntries:
		r.Log.LogAttrs(ctx, slog.LevelWarn, "curve has lost most of its entries", attributes...)
	case before.Total() >= worseLeast && tolerance > 1 && tolerance > worseTolerance*max(old, 1):
		r.Log.LogAttrs(ctx, slog.LevelWarn, "curve is much less exact than the one before", attributes...)
	}
}
