package jobs

import (
	"context"
	"log/slog"
	"math"
	"slices"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// What makes a new curve look like the worse one: it has lost many of the entries, or its
// bands are much wider.
const (
	worseEntries = 0.25  // a part of the old one's entries
	worseLeast   = 100   // entries, before: fewer come and go by chance
	worseWidth   = 2     // times the old one's typical width,
	noticedWidth = 0.002 // and this part of the rank: nobody minds less
	roundedWidth = 2     // entries that bands are wider by, for they are rounded outward
	widthDepths  = 32
)

// Worse is what makes a curve look worse than the one that it replaces.
type Worse string

// Why it does.
const (
	NotWorse     Worse = ""
	FewerEntries Worse = "entries"
	WiderBand    Worse = "band"
)

// compare warns when a curve takes the place of one that looks better: an index that was
// made anew and is not filled yet looks like a board that everybody has left. It is
// published all the same, for a season does begin with an empty board.
func (r Refresher) compare(ctx context.Context, key store.CurveKey, before, after *predictor.Curve) Worse {
	if before == nil || before.Total() < worseLeast {
		return NotWorse
	}
	lost := 1 - float64(after.Total())/float64(before.Total())
	old, width := typicalWidth(before), typicalWidth(after)
	var why Worse
	var text string
	switch {
	case lost > 0.5:
		why, text = FewerEntries, "curve has lost most of its entries"
	case lost >= worseEntries:
		why, text = FewerEntries, "curve has lost many of its entries"
	case width >= noticedWidth && width >= worseWidth*old:
		why, text = WiderBand, "curve is much less exact than the one before"
	default:
		return NotWorse
	}
	if r.Log != nil {
		r.Log.LogAttrs(ctx, slog.LevelWarn, text,
			slog.String("curve", key.String()), slog.Int64("entries_before", before.Total()), slog.Int64("entries", after.Total()),
			slog.Float64("width_before", old), slog.Float64("width", width),
			slog.Int64("generation_before", before.Meta().Generation), slog.Int64("generation", after.Meta().Generation))
	}
	return why
}

// typicalWidth is the median width of a curve's bands at its as-of time, as a part of the
// rank, at depths that grow by the same factor.
func typicalWidth(c *predictor.Curve) float64 {
	if c.Total() < 1 {
		return 0
	}
	widths := make([]float64, widthDepths)
	for i := range widths {
		rank := math.Pow(float64(c.Total()), float64(i+1)/widthDepths)
		e := c.Held(c.KeyAt(int64(rank), 0), 0)
		widths[i] = max(0, float64(e.High-e.Low-roundedWidth)) / rank
	}
	slices.Sort(widths)
	return quantile(widths, 0.5)
}
