package synthetic

import (
	"context"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Acquire implements [store.Leases].
func (s *Store) Acquire(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (store.Lease, error) {
	if name == "" || holder == "" {
		return store.Lease{}, fmt.Errorf("acquire lease %q for holder %q: a lease needs both names: %w", name, holder, store.ErrInvalid)
	}
	return s.changeLease(ctx, name, func(there store.Lease) (store.Lease, error) {
		if there.Holder != "" && there.Holder != holder && now.Before(there.Expires) {
			return there, fmt.Errorf("acquire lease %q: held by %q until %s: %w", name, there.Holder, there.Expires.Format(time.RFC3339), store.ErrHeld)
		}
		return store.Lease{Name: name, Holder: holder, Fence: store.NextFence(there.Fence, now), Expires: expiry(now, ttl)}, nil
	})
}

// Renew implements [store.Leases].
func (s *Store) Renew(ctx context.Context, l store.Lease, now time.Time, ttl time.Duration) (store.Lease, error) {
	return s.changeLease(ctx, l.Name, func(there store.Lease) (store.Lease, error) {
		l.Expires = expiry(now, ttl)
		return l, lost(l, there)
	})
}

// Release implements [store.Leases]. The record stays without a holder, so that
// the fence goes on growing.
func (s *Store) Release(ctx context.Context, l store.Lease) error {
	_, err := s.changeLease(ctx, l.Name, func(there store.Lease) (store.Lease, error) {
		return store.Lease{Name: l.Name, Fence: l.Fence}, lost(l, there)
	})
	return err
}

func lost(l, there store.Lease) error {
	if there.Fence == l.Fence && l.Fence > 0 {
		return nil
	}
	return fmt.Errorf("lease %q with fence %d: holder %q has fence %d: %w", l.Name, l.Fence, there.Holder, there.Fence, store.ErrLost)
}

// changeLease replaces the lease that is there (the zero one if none is) by what
// next makes of it.
func (s *Store) changeLease(ctx context.Context, name string, next func(there store.Lease) (store.Lease, error)) (made store.Lease, err error) {
	err = s.change(ctx, func() error {
		if made, err = next(s.leases[name]); err != nil {
			made = store.Lease{}
			return err
		}
		s.leases[name] = made
		return nil
	})
	return made, err
}

// expiry is to the millisecond, as what other backends can keep.
func expiry(now time.Time, ttl time.Duration) time.Time {
	return now.Add(ttl).UTC().Truncate(time.Millisecond)
}
