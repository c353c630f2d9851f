package dynamo

import (
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// sweepParts deletes the parts of a state that are beyond so many, in both slots.
// Nothing may name them. Listing costs a read unit per 4 KB of all parts there are,
// deleting a write unit per KB. To one who has saved a state its error is no fault: the
// next save sweeps again.
func (s *Store) sweepParts(ctx context.Context, k store.CurveKey, keep int64, u *store.Usage) error {
	return s.sweep(ctx, k.String()+"#", keep, u)
}

// all is no number of a part: whatever has the prefix is swept.
const all = -1

// sweep deletes the items of states whose names have a prefix, but for parts before so
// many.
func (s *Store) sweep(ctx context.Context, prefix string, keep int64, u *store.Usage) error {
	request := &dynamodb.QueryInput{
		TableName:                 &s.table,
		KeyConditionExpression:    aws.String("#o = :o AND begins_with(#b, :b)"),
		ProjectionExpression:      aws.String("#b"),
		ExpressionAttributeNames:  map[string]string{"#o": attrOwner, "#b": attrBoard},
		ExpressionAttributeValues: item{":o": text(ownerStates), ":b": text(prefix)},
		ConsistentRead:            aws.Bool(true),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityIndexes,
	}
	for {
		out, n, err := read(ctx, s.options, target{table: s.table}, s.api.Query, request)
		if err != nil {
			u.Requests += n.requests
			return err
		}
		u.Add(readUsage(out.ConsumedCapacity, n))
		for _, i := range out.Items {
			name := textOf(i[attrBoard])
			if partOf(name) < keep {
				continue
			}
			if err := s.deletePart(ctx, name, u); err != nil {
				return err
			}
		}
		if request.ExclusiveStartKey = out.LastEvaluatedKey; len(out.LastEvaluatedKey) == 0 {
			return nil
		}
	}
}

// partOf is a part's number, from the end of its name.
func partOf(name string) int64 {
	part, err := strconv.ParseInt(name[strings.LastIndexByte(name, '#')+1:], 10, 64)
	if err != nil {
		return -1 // none of ours
	}
	return part
}

func (s *Store) deletePart(ctx context.Context, name string, u *store.Usage) error {
	out, n, err := write(ctx, s, s.api.DeleteItem, &dynamodb.DeleteItemInput{
		TableName:              &s.table,
		Key:                    keyOf(ownerStates, name),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	})
	if err != nil {
		u.Requests += n.requests
		return err
	}
	u.Add(writeUsage(out.ConsumedCapacity, n))
	return nil
}
