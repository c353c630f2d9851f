package dynamo

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// historyDigits is the length of a kept curve's RANGE: its as-of time in milliseconds,
// with zeroes in front so that it sorts as the times do.
const historyDigits = 15

func historyTime(ms int64) string { return fmt.Sprintf("%0*d", historyDigits, ms) }

func historyOwner(k store.CurveKey) string { return historyPrefix + k.String() }

// Archive implements [store.History]. The item carries its expiry, so that the history
// of a board which is refreshed no more goes by itself.
func (s *Store) Archive(ctx context.Context, k store.CurveKey, a store.Archived) (store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Usage{}, err
	}
	defer s.work.Done()
	if err := a.Validate(); err != nil {
		return store.Usage{}, fmt.Errorf("archive curve %s: %w", k, err)
	}
	i := keyOf(historyOwner(k), historyTime(a.AsOf.UnixMilli()))
	i[attrGeneration], i[attrBytes] = integer(a.Generation), binary(a.Data)
	if !a.Expires.IsZero() {
		i[attrExpiry] = integer(a.Expires.Add(time.Second - 1).Unix()) // no earlier than it may go
	}
	out, n, err := write(ctx, s, s.api.PutItem, &dynamodb.PutItemInput{
		TableName: &s.table, Item: i, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	})
	if err != nil {
		return store.Usage{Requests: n.requests}, fmt.Errorf("archive curve %s: %w", k, err)
	}
	return writeUsage(out.ConsumedCapacity, n), nil
}

// CurveAt implements [store.History]. Strongly consistent.
func (s *Store) CurveAt(ctx context.Context, k store.CurveKey, at time.Time) (store.Archived, store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Archived{}, store.Usage{}, err
	}
	defer s.work.Done()
	missing := fmt.Errorf("curve %s as of %s or before: %w", k, store.Moment(at), store.ErrNotFound)
	if at.UnixMilli() < 0 {
		return store.Archived{}, store.Usage{}, missing
	}
	request := s.historyRequest(k, time.UnixMilli(0), store.ArchiveMillis(at))
	request.ScanIndexForward, request.Limit, request.ConsistentRead = aws.Bool(false), aws.Int32(1), aws.Bool(true)
	items, u, err := s.historyItems(ctx, request, 1)
	switch {
	case err != nil:
		return store.Archived{}, u, fmt.Errorf("read the history of curve %s: %w", k, err)
	case len(items) == 0:
		return store.Archived{}, u, missing
	}
	a, err := decodeArchived(k, items[0])
	return a, u, err
}

// CurvesBetween implements [store.History]. Eventually consistent.
func (s *Store) CurvesBetween(ctx context.Context, k store.CurveKey, from, to time.Time, limit int) ([]store.Archived, store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return nil, store.Usage{}, err
	}
	defer s.work.Done()
	if to.UnixMilli() < 0 || to.Before(from) { // which DynamoDB would refuse
		return nil, store.Usage{}, nil
	}
	items, u, err := s.historyItems(ctx, s.historyRequest(k, from, store.ArchiveMillis(to)), limit)
	if err != nil {
		return nil, u, fmt.Errorf("read the history of curve %s: %w", k, err)
	}
	found := make([]store.Archived, len(items))
	for j, i := range items {
		if found[j], err = decodeArchived(k, i); err != nil {
			return nil, u, err
		}
	}
	return found, u, nil
}

// PruneArchive implements [store.History].
func (s *Store) PruneArchive(ctx context.Context, k store.CurveKey, before time.Time) (deleted int, u store.Usage, err error) {
	if err := s.begin(ctx); err != nil {
		return 0, store.Usage{}, err
	}
	defer s.work.Done()
	if before.UnixMilli() <= 0 {
		return 0, store.Usage{}, nil
	}
	deleted, u, err = s.prune(ctx, k, min(before.UnixMilli()-1, store.MaxArchived))
	if err != nil {
		return deleted, u, fmt.Errorf("prune the history of curve %s: %w", k, err)
	}
	return deleted, u, nil
}

// prune deletes the oldest curves up to a time.
func (s *Store) prune(ctx context.Context, k store.CurveKey, to int64) (deleted int, u store.Usage, err error) {
	request := s.historyRequest(k, time.UnixMilli(0), to)
	request.ProjectionExpression, request.ConsistentRead = aws.String("#b"), aws.Bool(true)
	items, u, err := s.historyItems(ctx, request, store.PruneMost)
	if err != nil {
		return 0, u, err
	}
	for _, i := range items {
		out, n, err := write(ctx, s, s.api.DeleteItem, &dynamodb.DeleteItemInput{
			TableName: &s.table, Key: keyOf(historyOwner(k), textOf(i[attrBoard])),
			ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		})
		if err != nil {
			u.Requests += n.requests
			return deleted, u, err
		}
		u.Add(writeUsage(out.ConsumedCapacity, n))
		deleted++
	}
	return deleted, u, nil
}

// dropHistory deletes all that is kept of a curve.
func (s *Store) dropHistory(ctx context.Context, k store.CurveKey) error {
	for {
		if deleted, _, err := s.prune(ctx, k, store.MaxArchived); err != nil || deleted < store.PruneMost {
			return err
		}
	}
}

// historyRequest asks for what is kept of a curve, oldest first.
func (s *Store) historyRequest(k store.CurveKey, from time.Time, to int64) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                &s.table,
		KeyConditionExpression:   aws.String("#o = :o AND #b BETWEEN :from AND :to"),
		ExpressionAttributeNames: map[string]string{"#o": attrOwner, "#b": attrBoard},
		ExpressionAttributeValues: item{
			":o": text(historyOwner(k)), ":from": text(historyTime(store.ArchiveMillis(from))), ":to": text(historyTime(to)),
		},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	}
}

// historyItems follows a request to its end, or to so many items.
func (s *Store) historyItems(ctx context.Context, request *dynamodb.QueryInput, limit int) (items []item, u store.Usage, err error) {
	for {
		if limit > 0 {
			request.Limit = aws.Int32(int32(min(limit-len(items), math.MaxInt32)))
		}
		out, n, err := read(ctx, s.options, target{table: s.table}, s.api.Query, request)
		if err != nil {
			u.Requests += n.requests
			return nil, u, err
		}
		u.Add(readUsage(out.ConsumedCapacity, n))
		items = append(items, out.Items...)
		request.ExclusiveStartKey = out.LastEvaluatedKey
		if len(out.LastEvaluatedKey) == 0 || limit > 0 && len(items) >= limit {
			return items, u, nil
		}
	}
}

func decodeArchived(k store.CurveKey, i item) (store.Archived, error) {
	ms, err := strconv.ParseInt(textOf(i[attrBoard]), 10, 64)
	if err != nil {
		return store.Archived{}, fmt.Errorf("decode a kept curve of %s: attribute %s is no time: %w", k, attrBoard, store.ErrCorrupt)
	}
	generation, err := integerOf(i[attrGeneration])
	if err != nil {
		return store.Archived{}, fmt.Errorf("decode a kept curve of %s: attribute %s %w: %w", k, attrGeneration, err, store.ErrCorrupt)
	}
	return store.Archived{AsOf: fromMillis(ms), Generation: generation, Data: bytesOf(i[attrBytes])}, nil
}
