package jobs

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/time/rate"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// A spending is the read units a second that all refreshes of a process may take
// together. It counts what pages are found to have consumed: a page that took more than
// there was makes the next one wait. It is safe for concurrent use.
type spending struct{ limiter *rate.Limiter }

// The limiter's tokens are half read units, the least that a page takes.
const spendingBurst = 512 // a page of 1 MB takes 256 of them

func newSpending(unitsPerSecond float64) *spending {
	s := &spending{rate.NewLimiter(rate.Inf, spendingBurst)}
	s.set(unitsPerSecond)
	return s
}

// set changes the rate; 0 is no limit.
func (s *spending) set(unitsPerSecond float64) {
	if unitsPerSecond <= 0 {
		s.limiter.SetLimit(rate.Inf)
		return
	}
	s.limiter.SetLimit(rate.Limit(2 * unitsPerSecond))
}

// wait returns when a page may be read.
func (s *spending) wait(ctx context.Context) error { return sampler.Await(ctx, s.limiter) }

// spend takes what a page consumed beyond the token it waited for. It does not wait: the
// next page does.
func (s *spending) spend(units float64) {
	for tokens := int(2*units+0.5) - 1; tokens > 0; tokens -= spendingBurst {
		s.limiter.ReserveN(time.Now(), min(tokens, spendingBurst))
	}
}

// A boundedStore reads partitions at their pace, within a spending. The pace lies inside:
// it gives a page so long to answer, and waiting for the others is not the page's fault.
type boundedStore struct {
	store.Store
	paced    store.Partitions
	spending *spending
	leased   func(held bool) // is told when the lease of a refresh is had, and given up; nil: nobody
}

// noPace is of walks whose store is paced already.
var noPace sampler.Pace

func bounded(st store.Store, pace sampler.Pace, s *spending) boundedStore {
	return boundedStore{Store: st, paced: sampler.Paced(st, pace), spending: s}
}

// Rows implements store.Partitions.
func (b boundedStore) Rows(ctx context.Context, q store.Query) (page store.Page, err error) {
	defer recovered(&err)
	if err := b.spending.wait(ctx); err != nil {
		return page, fmt.Errorf("wait for the read units of all refreshes: %w", err)
	}
	page, err = b.paced.Rows(ctx, q)
	b.spending.spend(page.Usage.ReadUnits())
	return page, err
}

// Count implements store.Partitions.
func (b boundedStore) Count(ctx context.Context, q store.Query) (page store.CountPage, err error) {
	defer recovered(&err)
	if err := b.spending.wait(ctx); err != nil {
		return page, fmt.Errorf("wait for the read units of all refreshes: %w", err)
	}
	page, err = b.paced.Count(ctx, q)
	b.spending.spend(page.Usage.ReadUnits())
	return page, err
}

// Acquire implements store.Leases.
func (b boundedStore) Acquire(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (store.Lease, error) {
	lease, err := b.Store.Acquire(ctx, name, holder, now, ttl)
	if err == nil && b.leased != nil {
		b.leased(true)
	}
	return lease, err
}

// Release implements store.Leases.
func (b boundedStore) Release(ctx context.Context, l store.Lease) error {
	if b.leased != nil {
		defer b.leased(false)
	}
	return b.Store.Release(ctx, l)
}

// recovered makes an error of a panic. Partitions are read in goroutines of a walk, where a
// panic would end the process and all its other refreshes.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("internal error: %v; please report it\n%s", r, debug.Stack())
	}
}

// Durable implements store.Cached, whether or not there is a cache inside.
func (b boundedStore) Durable() store.Store {
	if cached, ok := b.Store.(store.Cached); ok {
		return cached.Durable()
	}
	return b.Store
}
