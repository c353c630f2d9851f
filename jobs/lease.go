package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// leaseTTL is how long a column stays locked after its refresher died. A living
// one renews three times as often.
const leaseTTL = time.Minute

// holding runs work under the column's lease. The context of work ends when the
// lease is lost.
func (r Refresher) holding(ctx context.Context, key store.CurveKey, work func(ctx context.Context) error) error {
	// A holder may take its own lease again, so each refresh is one of its own.
	holder := fmt.Sprintf("%s#%s", r.Holder, rand.Text()[:8])
	lease, err := r.Store.Acquire(ctx, "refresh/"+key.String(), holder, r.now(), leaseTTL)
	if err != nil {
		return err // which names the lease
	}
	ctx, cancel := context.WithCancelCause(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		r.renew(ctx, lease, cancel)
	}()
	err = work(ctx)
	cause := context.Cause(ctx)
	cancel(nil)
	<-renewed
	if err != nil && errors.Is(cause, store.ErrLost) {
		err = cause
	}
	return errors.Join(err, r.release(context.WithoutCancel(ctx), lease))
}

// renew prolongs the lease until the context ends, and ends it when the lease is
// lost. Other faults may pass: the next renewal tries again.
func (r Refresher) renew(ctx context.Context, lease store.Lease, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(leaseTTL / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_, err := r.Store.Renew(ctx, lease, r.now(), leaseTTL)
			if errors.Is(err, store.ErrLost) {
				cancel(err)
				return
			}
		}
	}
}

// release gives the lease up, also when the work was interrupted, so that the
// next refresh need not wait for it to expire.
func (r Refresher) release(ctx context.Context, lease store.Lease) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := r.Store.Release(ctx, lease); err != nil && !errors.Is(err, store.ErrLost) {
		return fmt.Errorf("release the lease: %w", err)
	}
	return nil
}
