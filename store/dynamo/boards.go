package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// CreateBoard implements [store.Boards].
func (s *Store) CreateBoard(ctx context.Context, b store.Board) error {
	if err := b.Validate(); err != nil {
		return fmt.Errorf("create board %q: %w: %w", b.Name, store.ErrInvalid, err)
	}
	data, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("create board %q: %w: %w", b.Name, store.ErrInvalid, err)
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.work.Done()
	i := keyOf(ownerBoards, b.Name)
	i[attrJSON] = text(string(data))
	_, _, err = write(ctx, s, s.api.PutItem, &dynamodb.PutItemInput{
		TableName:                &s.table,
		Item:                     i,
		ConditionExpression:      aws.String("attribute_not_exists(#o)"),
		ExpressionAttributeNames: map[string]string{"#o": attrOwner},
	})
	switch {
	case errors.Is(err, store.ErrConflict): // it is there; also if an attempt of ours made it
		there, _, err := s.board(ctx, b.Name)
		if err != nil {
			return err
		}
		return there.Same(b)
	case err != nil:
		return fmt.Errorf("create board %q: %w", b.Name, err)
	}
	s.boards.Store(b.Name, b)
	return nil
}

// Board implements [store.Boards].
func (s *Store) Board(ctx context.Context, name string) (store.Board, error) {
	if err := s.begin(ctx); err != nil {
		return store.Board{}, err
	}
	defer s.work.Done()
	b, _, err := s.board(ctx, name)
	return b, err
}

func (s *Store) board(ctx context.Context, name string) (store.Board, store.Usage, error) {
	if name == "" {
		return store.Board{}, store.Usage{}, fmt.Errorf("board %q: %w", name, store.ErrNotFound)
	}
	i, u, err := s.item(ctx, keyOf(ownerBoards, name))
	switch {
	case err != nil:
		return store.Board{}, u, fmt.Errorf("read board %q: %w", name, err)
	case i == nil:
		return store.Board{}, u, fmt.Errorf("board %q: %w", name, store.ErrNotFound)
	}
	b, err := s.decodeBoard(name, i)
	if err == nil {
		s.boards.Store(name, b)
	}
	return b, u, err
}

func (s *Store) decodeBoard(name string, i item) (store.Board, error) {
	b, err := store.DecodeBoard(name, []byte(textOf(i[attrJSON])))
	if err != nil {
		return b, fmt.Errorf("%w; put back the item as it was, or delete it with `aws dynamodb delete-item %s` and make the board anew with the shards and columns that it had, as a load or a post does",
			err, itemOf(s.table, ownerBoards, name))
	}
	return b, nil
}

// Boards implements [store.Boards].
func (s *Store) Boards(ctx context.Context) ([]store.Board, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.work.Done()
	request := &dynamodb.QueryInput{
		TableName:                 &s.table,
		KeyConditionExpression:    aws.String("#o = :o"),
		ExpressionAttributeNames:  map[string]string{"#o": attrOwner},
		ExpressionAttributeValues: item{":o": text(ownerBoards)},
		ConsistentRead:            aws.Bool(true),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityIndexes,
	}
	var boards []store.Board
	unreadable := map[string]error{}
	for {
		out, n, err := read(ctx, s.options, target{table: s.table}, s.api.Query, request)
		if err != nil {
			return nil, fmt.Errorf("list boards: %w", err)
		}
		if s.options.onList != nil {
			s.options.onList(readUsage(out.ConsumedCapacity, n).ReadUnits())
		}
		for _, i := range out.Items {
			name := textOf(i[attrBoard])
			b, err := s.decodeBoard(name, i)
			if err != nil {
				unreadable[name] = err
				continue
			}
			boards = append(boards, b)
		}
		if request.ExclusiveStartKey = out.LastEvaluatedKey; len(out.LastEvaluatedKey) == 0 {
			break
		}
	}
	slices.SortFunc(boards, func(a, b store.Board) int { return strings.Compare(a.Name, b.Name) })
	return boards, store.Unreadable(unreadable)
}

// column finds the order and the decimals of a partition's column. Definitions
// never change, so one that was read serves from then on; many who miss the same
// one read it once.
func (s *Store) column(ctx context.Context, p store.Partition) (store.Column, store.Usage, error) {
	known, there := s.boards.Load(p.Board)
	if !there {
		found, u, err := s.lookUp(ctx, p.Board)
		if errors.Is(err, store.ErrNotFound) { // a board that was never made is empty
			return store.Column{Name: p.Column, Order: store.Desc}, u, nil
		}
		if err != nil {
			return store.Column{}, u, err
		}
		c, err := found.Column(p.Column)
		return c, u, err
	}
	c, err := known.(store.Board).Column(p.Column)
	return c, store.Usage{}, err
}

// lookUp reads a definition for all who ask at the same time; the read is charged
// to one of them. It does not end with the context of that one.
func (s *Store) lookUp(ctx context.Context, name string) (store.Board, store.Usage, error) {
	var u store.Usage
	s.work.Add(1)
	answer := s.lookups.DoChan(name, func() (any, error) {
		b, used, err := s.board(context.WithoutCancel(ctx), name)
		u = used
		return b, err
	})
	done := func() { s.work.Done() }
	select {
	case a := <-answer:
		defer done()
		if a.Err != nil {
			return store.Board{}, u, a.Err
		}
		return a.Val.(store.Board), u, nil
	case <-ctx.Done():
		go func() { <-answer; done() }()
		return store.Board{}, store.Usage{}, ctx.Err()
	}
}
