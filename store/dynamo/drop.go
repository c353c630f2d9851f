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
// expiry is on: they carry the time. The definition goes last, so that a drop which
// was stopped can go on.
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
	keys := make([]item, 0, 2*len(b.Columns)+1)
	for _, c := range b.Columns {
		curve := b.CurveKey(c.Name)
		keys = append(keys, keyOf(ownerStates, curve.String()), keyOf(ownerCurves, curve.String()))
		if !s.sweepParts(ctx, curve, 0, &store.Usage{}) || !s.sweep(ctx, curve.String()+"/", all, &store.Usage{}) {
			return fmt.Errorf("drop board %q: not all states of %s could be deleted; try again: %w", name, curve, store.ErrUnavailable)
		}
	}
	for _, c := range b.Columns {
		if err := s.dropHistory(ctx, b.CurveKey(c.Name)); err != nil {
			return fmt.Errorf("drop board %q: %w", name, err)
		}
	}
	for _, key := range append(keys, keyOf(ownerBoards, name)) {
		if _, _, err := write(ctx, s, s.api.DeleteItem, &dynamodb.DeleteItemInput{TableName: &s.table, Key: key}); err != nil {
			return fmt.Errorf("drop board %q: %w", name, err)
		}
	}
	s.boards.Delete(name)
	return nil
}
