package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// DefaultLeaseTTL outlasts a slow answer of the store, and a long pause of a process.
const DefaultLeaseTTL = time.Minute

// A holding is a lease that is held while work is done under it.
type holding struct {
	refresher Refresher
	lease     store.Lease
}

// confirm renews the lease: store.ErrLost if another has taken it meanwhile. A process
// that was stopped for longer than its lease would otherwise publish what it saw before.
func (h holding) confirm(ctx context.Context) error {
	_, err := h.refresher.Store.Renew(ctx, h.lease, h.refresher.now(), h.refresher.leaseTTL())
	return err // which names the lease
}

func (r Refresher) leaseTTL() time.Duration {
	if r.LeaseTTL > 0 {
		return r.LeaseTTL
	}
	return DefaultLeaseTTL
}

// holding runs work under the column's lease, see leased.
func (r Refresher) holding(ctx context.Context, key store.CurveKey, work func(ctx context.Context, held holding) error) error {
	return r.leased(ctx, key.Lease(), work)
}

// leased runs work under a lease. The context of work ends when the lease is lost. The
// lease is given up however work ends, in a panic too.
func (r Refresher) leased(ctx context.Context, name string, work func(ctx context.Context, held holding) error) (err error) {
	// A holder may take its own lease again, so each refresh is one of its own.
	holder := fmt.Sprintf("%s#%s", r.Holder, rand.Text()[:8])
	lease, err := r.acquire(ctx, name, holder)
	if err != nil {
		return err // which names the lease
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		r.renew(ctx, lease, cancel)
	}()
	defer func() {
		cause := context.Cause(ctx)
		cancel(nil)
		<-renewed
		if err != nil && errors.Is(cause, store.ErrLost) {
			err = cause
		}
		err = errors.Join(err, r.release(context.WithoutCancel(outer), lease))
	}()
	return work(ctx, holding{r, lease})
}

// lastAnswer is how long the answer about a lease is waited for when the context has ended.
const lastAnswer = 3 * time.Second

// acquire asks for a lease, and when the context ends meanwhile, waits for the answer all
// the same: a lease that was given would stay until it expires.
func (r Refresher) acquire(ctx context.Context, name, holder string) (store.Lease, error) {
	asking, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastAnswer, cancel) })()
	lease, err := r.Store.Acquire(asking, name, holder, r.now(), r.leaseTTL())
	if ctx.Err() == nil {
		return lease, err
	}
	if err == nil {
		err = r.release(context.WithoutCancel(ctx), lease)
	}
	return store.Lease{}, errors.Join(ctx.Err(), err)
}

// renew prolongs the lease until the context ends, and ends it when the lease is
// lost. Other faults may pass: the next renewal tries again.
func (r Refresher) renew(ctx context.Context, lease store.Lease, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(r.leaseTTL() / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_, err := r.Store.Renew(ctx, lease, r.now(), r.leaseTTL())
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
