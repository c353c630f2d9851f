package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/rankcurve/rankcurve/store"
)

// DropBoard implements [store.Boards]. Rows are left to DynamoDB, which deletes those
// of a board that expires, some days later at most and for nothing, once the table's
// expiry is on: they carry the time. Leases go first, so that a refresh under way finds out
// before it publishes; the definition goes last, so that a drop which was stopped can go on.
func (s *Store) DropBoard(ctx context.Context, name string, now time.Time) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.work.Done()
	b, _, err := s.board(ctx, name)
	if err != nil {
		return err
	}
	if err := b.Droppable(now); err != nil {
		return err
	}
	if err := s.deleteAll(ctx, leaseKeys(b)); err != nil {
		return fmt.Errorf("drop board %q: %w", name, err)
	}
	keys := make([]item, 0, 2*len(b.Columns)+1)
	for _, c := range b.Columns {
		curve := b.CurveKey(c.Name)
		keys = append(keys, keyOf(ownerStates, curve.String()), keyOf(ownerCurves, curve.String()))
		err := s.sweepParts(ctx, curve, 0, &store.Usage{})
		if err == nil {
			err = s.sweep(ctx, curve.String()+"/", all, &store.Usage{})
		}
		if err != nil {
			return fmt.Errorf("drop board %q: not all states of %s could be deleted; try again: %w", name, curve, err)
		}
	}
	for _, c := range b.Columns {
		if err := s.dropHistory(ctx, b.CurveKey(c.Name)); err != nil {
			return fmt.Errorf("drop board %q: %w", name, err)
		}
	}
	if err := s.deleteAll(ctx, append(keys, keyOf(ownerBoards, name))); err != nil {
		return fmt.Errorf("drop board %q: %w", name, err)
	}
	s.boards.Delete(name)
	return nil
}

// leaseKeys are the items of the leases of a board's columns.
func leaseKeys(b store.Board) []item {
	keys := make([]item, len(b.Columns))
	for i, c := range b.Columns {
		keys[i] = keyOf(ownerLeases, b.CurveKey(c.Name).Lease())
	}
	return keys
}

// deleteAll deletes items one after the other, up to the first that cannot be.
func (s *Store) deleteAll(ctx context.Context, keys []item) error {
	for _, key := range keys {
		if _, _, err := write(ctx, s, s.api.DeleteItem, &dynamodb.DeleteItemInput{TableName: &s.table, Key: key}); err != nil {
			return err
		}
	}
	return nil
}
