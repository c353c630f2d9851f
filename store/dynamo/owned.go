package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// BoardsOf implements [store.Owners]: one Query on the table's HASH. Eventually
// consistent.
func (s *Store) BoardsOf(ctx context.Context, owner string) ([]store.Owned, store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return nil, store.Usage{}, err
	}
	defer s.work.Done()
	if store.ValidateOwner(owner) != nil { // it may be a system's item
		return nil, store.Usage{}, nil
	}
	items, u, err := s.itemsOf(ctx, owner)
	if err != nil {
		return nil, u, fmt.Errorf("read the boards of owner %q: %w", owner, err)
	}
	rows := make([]store.Owned, 0, len(items))
	unreadable := map[string]error{}
	for _, i := range items {
		name := textOf(i[attrBoard])
		b, used, err := s.definition(ctx, name)
		u.Add(used)
		var e store.Entry
		if err == nil {
			e, err = decodeEntry(s.table, b, owner, i)
		}
		switch {
		case err == nil:
			rows = append(rows, store.Owned{Board: b, Entry: e})
		case errors.Is(err, store.ErrNotFound):
		case errors.Is(err, store.ErrCorrupt):
			unreadable[name] = err
		default:
			return nil, u, fmt.Errorf("read the boards of owner %q: %w", owner, err)
		}
	}
	slices.SortFunc(rows, func(x, y store.Owned) int { return strings.Compare(x.Board.Name, y.Board.Name) })
	return rows, u, store.Unreadable(unreadable)
}

// itemsOf reads all items of an owner.
func (s *Store) itemsOf(ctx context.Context, owner string) (items []item, u store.Usage, err error) {
	request := &dynamodb.QueryInput{
		TableName:                 &s.table,
		KeyConditionExpression:    aws.String("#o = :o"),
		ExpressionAttributeNames:  map[string]string{"#o": attrOwner},
		ExpressionAttributeValues: item{":o": text(owner)},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityIndexes,
	}
	for {
		out, n, err := read(ctx, s.options, target{table: s.table}, s.api.Query, request)
		if err != nil {
			u.Requests += n.requests
			return nil, u, err
		}
		u.Add(readUsage(out.ConsumedCapacity, n))
		items = append(items, out.Items...)
		if request.ExclusiveStartKey = out.LastEvaluatedKey; len(out.LastEvaluatedKey) == 0 {
			return items, u, nil
		}
	}
}

// definition is a board's, read once.
func (s *Store) definition(ctx context.Context, name string) (store.Board, store.Usage, error) {
	if known, there := s.boards.Load(name); there {
		return known.(store.Board), store.Usage{}, nil
	}
	return s.lookUp(ctx, name)
}
