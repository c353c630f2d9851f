package bolt

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	bbolt "go.etcd.io/bbolt"

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
		if err := lost(l, there); err != nil {
			return there, err
		}
		l.Expires = expiry(now, ttl)
		return l, nil
	})
}

// Release implements [store.Leases]. The record stays without a holder, so that
// the fence goes on growing.
func (s *Store) Release(ctx context.Context, l store.Lease) error {
	_, err := s.changeLease(ctx, l.Name, func(there store.Lease) (store.Lease, error) {
		if err := lost(l, there); err != nil {
			return there, err
		}
		return store.Lease{Name: l.Name, Fence: l.Fence}, nil
	})
	return err
}

func lost(l, there store.Lease) error {
	if there.Fence == l.Fence && l.Fence > 0 {
		return nil
	}
	return fmt.Errorf("lease %q with fence %d: holder %q has fence %d: %w", l.Name, l.Fence, there.Holder, there.Fence, store.ErrLost)
}

// ChangeLease replaces the lease that is there (the zero one if none is) by what
// next makes of it.
func (s *Store) changeLease(ctx context.Context, name string, next func(there store.Lease) (store.Lease, error)) (store.Lease, error) {
	var made store.Lease
	err := s.write(ctx, &write{
		check: func(tx *bbolt.Tx) error {
			var there store.Lease
			if data := tx.Bucket(bucketLeases).Get([]byte(name)); data != nil {
				if err := json.Unmarshal(data, &there); err != nil {
					return fmt.Errorf("decode lease %q: %w: %w", name, store.ErrCorrupt, err)
				}
			}
			var err error
			made, err = next(there)
			return err
		},
		apply: func(tx *bbolt.Tx) error {
			data, err := json.Marshal(made)
			if err != nil {
				return fmt.Errorf("encode lease %q: %w", name, err)
			}
			return tx.Bucket(bucketLeases).Put([]byte(name), data)
		},
	})
	if err != nil {
		return store.Lease{}, err
	}
	return made, nil
}

// Expiry is to the millisecond, as what other backends can keep.
func expiry(now time.Time, ttl time.Duration) time.Time {
	return now.Add(ttl).UTC().Truncate(time.Millisecond)
}
