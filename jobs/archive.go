package jobs

import (
	"context"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// archivePatience ends an archiving that hangs: the curve is published without it.
const archivePatience = 30 * time.Second

// archive keeps a published curve, and deletes those that were kept for long enough; all
// of them, where none are to be kept. The curve that it replaced says whether it is the
// first of its stretch of time, so that nothing has to be read for that. A failure is no
// failure of the refresh: what is asked of the past is then answered by an older curve.
func (r Refresher) archive(ctx context.Context, key store.CurveKey, before *predictor.Curve, p store.Archived, o Options) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), archivePatience)
	defer cancel()
	if o.Keep > 0 && (before == nil || o.stretch(before.Meta().AsOf) != o.stretch(p.AsOf)) {
		p.Expires = p.AsOf.Add(o.Keep)
		if _, err := r.Store.Archive(ctx, key, p); err != nil {
			r.warn(ctx, "curve is published, and not kept for questions about the past", key, err)
		}
	}
	if _, _, err := r.Store.PruneArchive(ctx, key, p.AsOf.Add(-o.Keep)); err != nil {
		r.warn(ctx, "curves that were kept for long enough are not deleted", key, err)
	}
}

// stretch is when the stretch of time began of which one curve is kept.
func (o Options) stretch(asOf time.Time) time.Time {
	asOf = asOf.Truncate(time.Millisecond) // as a published curve tells it
	if o.KeepEvery <= 0 {
		return asOf
	}
	return asOf.Truncate(o.KeepEvery)
}
