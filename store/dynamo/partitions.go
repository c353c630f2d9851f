package dynamo

import (
	"context"
	"fmt"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// Rows implements [store.Partitions]. Eventually consistent, as all reads of an
// index are.
func (s *Store) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	var rows []store.Position
	var left leftOut
	p, err := s.page(ctx, q, types.SelectAllProjectedAttributes, func(c store.Column, out *dynamodb.QueryOutput) (kept int) {
		rows = make([]store.Position, 0, len(out.Items))
		for _, i := range out.Items {
			score, err := scoreOf(i[c.Name], c)
			if err != nil {
				left.note(s.table, q.Partition, i, err)
				continue
			}
			rows = append(rows, store.Position{Key: c.Key(score), Owner: textOf(i[attrOwner])})
		}
		return len(rows)
	})
	p.Usage.Skipped, p.Usage.SkippedRow = left.rows, left.example
	if err != nil {
		return store.Page{Usage: p.Usage}, err
	}
	return store.Page{Rows: rows, Last: p.Last, Usage: p.Usage}, nil
}

// Count implements [store.Partitions]. Eventually consistent.
func (s *Store) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	return s.page(ctx, q, types.SelectCount, func(_ store.Column, out *dynamodb.QueryOutput) int { return int(out.Count) })
}

// page asks for a page and passes it to see, which says how many rows it keeps.
// DynamoDB may answer an empty page that is not the end, and all rows of one may be
// left out; it is followed, so that an empty answer is the end.
func (s *Store) page(ctx context.Context, q store.Query, what types.Select, see func(store.Column, *dynamodb.QueryOutput) (kept int)) (store.CountPage, error) {
	if err := checkQuery(q); err != nil {
		return store.CountPage{}, err
	}
	if err := s.begin(ctx); err != nil {
		return store.CountPage{}, err
	}
	defer s.work.Done()
	var page store.CountPage
	c, u, err := s.column(ctx, q.Partition)
	page.Usage = u
	if err != nil {
		return page, fmt.Errorf("read partition %s: %w", q.Partition, err)
	}
	request, exhausted := s.pageRequest(q, c, what)
	if exhausted {
		return page, nil
	}
	for {
		out, n, err := read(ctx, s.options, target{s.table, *request.IndexName}, s.api.Query, request)
		if err != nil {
			page.Usage.Requests += n.requests
			return page, fmt.Errorf("read partition %s: %w", q.Partition, err)
		}
		page.Usage.Add(readUsage(out.ConsumedCapacity, n))
		kept := see(c, out)
		if kept == 0 && len(out.LastEvaluatedKey) > 0 {
			request.ExclusiveStartKey = out.LastEvaluatedKey
			continue
		}
		page.Count = int64(kept)
		if len(out.LastEvaluatedKey) > 0 {
			page.Last, err = endOf(q, c, out.LastEvaluatedKey)
		}
		return page, err
	}
}

func checkQuery(q store.Query) error {
	if q.From < q.To || q.Limit < 0 || q.Partition.Shard < 0 || q.Partition.Shard >= store.MaxShards {
		return fmt.Errorf("read partition %s from key %d to %d, limit %d: %w", q.Partition, q.From, q.To, q.Limit, store.ErrInvalid)
	}
	return nil
}

// pageRequest says in scores what the query says in keys. The selection is
// exhausted when the page before ended behind it.
func (s *Store) pageRequest(q store.Query, c store.Column, what types.Select) (in *dynamodb.QueryInput, exhausted bool) {
	if q.After != nil && q.After.Owner == "" {
		if q, exhausted = behind(q); exhausted {
			return nil, true
		}
	}
	low, high := c.Score(q.To), c.Score(q.From)
	if low > high {
		low, high = high, low
	}
	in = &dynamodb.QueryInput{
		TableName:                &s.table,
		IndexName:                aws.String(IndexName(c.Name)),
		KeyConditionExpression:   aws.String("#g = :g AND #c BETWEEN :low AND :high"),
		ExpressionAttributeNames: map[string]string{"#g": attrPartition, "#c": c.Name},
		ExpressionAttributeValues: item{
			":g":    text(q.Partition.HashKey()),
			":low":  number(store.FormatScore(low, c.Decimals)),
			":high": number(store.FormatScore(high, c.Decimals)),
		},
		// The index is sorted by score: best first is from the top of a desc column
		// and from the bottom of an asc one.
		ScanIndexForward:       aws.Bool((c.Order == store.Asc) != q.Reverse),
		Select:                 what,
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	}
	if q.Limit > 0 {
		in.Limit = aws.Int32(int32(min(q.Limit, math.MaxInt32)))
	}
	if q.After == nil {
		return in, false
	}
	begin, end := q.From, q.To
	key := q.After.Key
	if q.Reverse {
		begin, end, key = -end, -begin, -key
	}
	if key < end {
		return nil, true
	}
	if key <= begin { // a place outside of the selection is refused as a start
		in.ExclusiveStartKey = placeKey(q.Partition, store.FormatScore(c.Score(q.After.Key), c.Decimals), q.After.Owner)
	}
	return in, false
}
