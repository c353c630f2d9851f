package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// archivePatience ends an archiving that hangs: the curve is published without it.
const archivePatience = 30 * time.Second

// outgoing is the curve that a refresh replaces; without a curve there is none, or a
// damaged one.
type outgoing struct {
	store.Published
	curve *predictor.Curve
}

// archive keeps the curve that one as of a time has replaced, and deletes those that were
// replaced for long enough; all of them, where none are to be kept. A failure is no
// failure of the refresh: what is asked of the past is then answered by an older curve.
func (r Refresher) archive(ctx context.Context, key store.CurveKey, replaced outgoing, asOf time.Time, o Options) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), archivePatience)
	defer cancel()
	if o.Keep > 0 && replaced.curve != nil {
		if err := r.keep(ctx, key, replaced, asOf, o); err != nil {
			r.warn(ctx, "curve that was replaced is not kept for questions about the past", key, err)
		}
	}
	if err := r.forget(ctx, key, replaced.believed(asOf, o.Keep), o.Keep); err != nil {
		r.warn(ctx, "curves that were kept for long enough are not deleted", key, err)
	}
}

// farJump is the part of the time that curves are kept for that two refreshes are hardly ever
// apart.
const farJump = 10

// believed is the time that the age of what is kept is counted back from: a curve's, or where it
// is that far from the one that it replaces, the older one's. A clock that is far ahead for
// one refresh deletes nothing then.
func (o outgoing) believed(asOf time.Time, keep time.Duration) time.Time {
	if keep <= 0 || o.curve == nil {
		return asOf
	}
	if before := o.curve.Meta().AsOf; asOf.Sub(before) > keep/farJump {
		return before
	}
	return asOf
}

// keep archives the last curve of a stretch of time, which is known to be it once a curve
// of a later stretch replaces it; and the very first, so that there is a past from then on.
// It is in force until the next kept one, which is of the stretch that begins now, and so
// it expires when the end of that is long enough ago.
func (r Refresher) keep(ctx context.Context, key store.CurveKey, replaced outgoing, asOf time.Time, o Options) error {
	from := replaced.curve.Meta().AsOf
	if o.stretch(from).Equal(o.stretch(asOf)) {
		_, _, err := r.Store.CurveAt(ctx, key, asOf)
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	expires := o.stretch(asOf).Add(o.KeepEvery + o.Keep)
	_, err := r.Store.Archive(ctx, key, store.Archived{AsOf: from, Generation: replaced.Generation, Data: replaced.Data, Expires: expires})
	return err
}

// forget deletes what was kept before the curve that was in force so long ago.
func (r Refresher) forget(ctx context.Context, key store.CurveKey, asOf time.Time, keep time.Duration) error {
	since := asOf.Add(-keep)
	if keep > 0 {
		inForce, _, err := r.Store.CurveAt(ctx, key, since)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		since = inForce.AsOf
	}
	_, _, err := r.Store.PruneArchive(ctx, key, since)
	return err
}

// stretch is when the stretch of time began of which one curve is kept.
func (o Options) stretch(asOf time.Time) time.Time {
	asOf = asOf.Truncate(time.Millisecond) // as a published curve tells it
	if o.KeepEvery <= 0 {
		return asOf
	}
	return asOf.Truncate(o.KeepEvery)
}
