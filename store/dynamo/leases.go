package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/rankcurve/rankcurve/store"
)

// leaseTries bounds how often Acquire looks again after another was faster.
const leaseTries = 8

// Acquire implements [store.Leases].
func (s *Store) Acquire(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (store.Lease, error) {
	if name == "" || holder == "" {
		return store.Lease{}, fmt.Errorf("acquire lease %q for holder %q: a lease needs both names: %w", name, holder, store.ErrInvalid)
	}
	if err := s.begin(ctx); err != nil {
		return store.Lease{}, err
	}
	defer s.work.Done()
	for try := 1; ; try++ {
		there, err := s.lease(ctx, name)
		if err != nil {
			return store.Lease{}, fmt.Errorf("acquire lease %q: %w", name, err)
		}
		if there.Holder != "" && there.Holder != holder && now.Before(there.Expires) {
			return store.Lease{}, fmt.Errorf("acquire lease %q: held by %q until %s: %w", name, there.Holder, there.Expires.Format(time.RFC3339), store.ErrHeld)
		}
		next := store.Lease{Name: name, Holder: holder, Fence: store.NextFence(there.Fence, now), Expires: expiry(now, ttl)}
		err = s.writeLease(ctx, next, there.Fence)
		if err == nil {
			return next, nil
		}
		if !errors.Is(err, store.ErrConflict) || try == leaseTries {
			return store.Lease{}, fmt.Errorf("acquire lease %q: %w", name, err)
		}
	}
}

// Renew implements [store.Leases].
func (s *Store) Renew(ctx context.Context, l store.Lease, now time.Time, ttl time.Duration) (store.Lease, error) {
	l.Expires = expiry(now, ttl)
	if err := s.keepLease(ctx, "renew", l); err != nil {
		return store.Lease{}, err
	}
	return l, nil
}

// Release implements [store.Leases]. The item stays without a holder, so that the
// fence goes on growing.
func (s *Store) Release(ctx context.Context, l store.Lease) error {
	l.Holder = ""
	return s.keepLease(ctx, "release", l)
}

// keepLease changes a lease that no other took since. Doing it twice is the same
// as once, so a lost answer does no harm.
func (s *Store) keepLease(ctx context.Context, verb string, l store.Lease) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.work.Done()
	err := error(nil)
	if l.Fence > 0 && l.Name != "" {
		if err = s.writeLease(ctx, l, l.Fence); err == nil {
			return nil
		}
	}
	if err != nil && !errors.Is(err, store.ErrConflict) {
		return fmt.Errorf("%s lease %q: %w", verb, l.Name, err)
	}
	return fmt.Errorf("%s lease %q: another has taken it since fence %d: %w", verb, l.Name, l.Fence, store.ErrLost)
}

func (s *Store) lease(ctx context.Context, name string) (store.Lease, error) {
	l := store.Lease{Name: name}
	i, _, err := s.item(ctx, keyOf(ownerLeases, name))
	if err != nil || i == nil {
		return l, err
	}
	l.Holder = textOf(i[attrHolder])
	if l.Fence, err = integerOf(i[attrFence]); err != nil {
		return l, fmt.Errorf("attribute %s %w: %w", attrFence, err, store.ErrCorrupt)
	}
	if value, there := i[attrExpires]; there {
		ms, err := integerOf(value)
		if err != nil {
			return l, fmt.Errorf("attribute %s %w: %w", attrExpires, err, store.ErrCorrupt)
		}
		l.Expires = fromMillis(ms)
	}
	return l, nil
}

// writeLease replaces a lease that still has the fence; 0 is one that never was.
func (s *Store) writeLease(ctx context.Context, l store.Lease, fence int64) error {
	x := newExpression()
	condition := x.name(attrFence) + " = " + x.value(integer(fence))
	if fence == 0 {
		x = newExpression()
		condition = "attribute_not_exists(" + x.name(attrFence) + ")"
	}
	i := keyOf(ownerLeases, l.Name)
	i[attrFence] = integer(l.Fence)
	if l.Holder != "" {
		i[attrHolder], i[attrExpires] = text(l.Holder), integer(l.Expires.UnixMilli())
	}
	request := &dynamodb.PutItemInput{
		TableName:                &s.table,
		Item:                     i,
		ConditionExpression:      &condition,
		ExpressionAttributeNames: x.names,
	}
	if len(x.values) > 0 {
		request.ExpressionAttributeValues = x.values
	}
	_, _, err := write(ctx, s, s.api.PutItem, request)
	return err
}

// expiry is to the millisecond, which is what is kept.
func expiry(now time.Time, ttl time.Duration) time.Time {
	return now.Add(ttl).UTC().Truncate(time.Millisecond)
}
