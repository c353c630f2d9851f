package dynamo

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// Curve implements [store.Curves]. Strongly consistent.
func (s *Store) Curve(ctx context.Context, k store.CurveKey) (store.Published, store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Published{}, store.Usage{}, err
	}
	defer s.work.Done()
	i, u, err := s.item(ctx, keyOf(ownerCurves, k.String()))
	switch {
	case err != nil:
		return store.Published{}, u, fmt.Errorf("read curve %s: %w", k, err)
	case i == nil:
		return store.Published{}, u, fmt.Errorf("curve %s: %w", k, store.ErrNotFound)
	}
	p, err := decodeCurve(k, i)
	return p, u, err
}

func decodeCurve(k store.CurveKey, i item) (store.Published, error) {
	generation, err := integerOf(i[attrGeneration])
	if err != nil {
		return store.Published{}, fmt.Errorf("decode curve %s: attribute %s %w: %w", k, attrGeneration, err, store.ErrCorrupt)
	}
	return store.Published{Generation: generation, Data: bytesOf(i[attrBytes])}, nil
}

func bytesOf(value types.AttributeValue) []byte {
	if b, ok := value.(*types.AttributeValueMemberB); ok {
		return b.Value
	}
	return nil
}

// Publish implements [store.Curves].
func (s *Store) Publish(ctx context.Context, k store.CurveKey, p store.Published) (store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Usage{}, err
	}
	defer s.work.Done()
	key := keyOf(ownerCurves, k.String())
	i := keyOf(ownerCurves, k.String())
	i[attrGeneration], i[attrBytes] = integer(p.Generation), binary(p.Data)
	out, n, err := write(ctx, s, s.api.PutItem, &dynamodb.PutItemInput{
		TableName:                           &s.table,
		Item:                                i,
		ConditionExpression:                 aws.String("attribute_not_exists(#n) OR #n < :n"),
		ExpressionAttributeNames:            map[string]string{"#n": attrGeneration},
		ExpressionAttributeValues:           item{":n": integer(p.Generation)},
		ReturnConsumedCapacity:              types.ReturnConsumedCapacityIndexes,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if err == nil {
		return writeUsage(out.ConsumedCapacity, n), nil
	}
	if !errors.Is(err, store.ErrConflict) {
		return store.Usage{Requests: n.requests}, fmt.Errorf("publish curve %s: %w", k, err)
	}
	refused, u, err := s.refused(ctx, key, n, err)
	if err != nil {
		return u, fmt.Errorf("publish curve %s: %w", k, err)
	}
	there, err := decodeCurve(k, refused)
	if n.unsure && err == nil && there.Generation == p.Generation && bytes.Equal(there.Data, p.Data) {
		return u, nil // an earlier attempt has done it
	}
	if err != nil {
		return u, fmt.Errorf("publish curve %s of generation %d: %w", k, p.Generation, store.ErrStale)
	}
	return u, fmt.Errorf("publish curve %s of generation %d over %d: %w", k, p.Generation, there.Generation, store.ErrStale)
}
