package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// Entry implements [store.Entries].
func (s *Store) Entry(ctx context.Context, b store.Board, owner string) (store.Entry, store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Entry{}, store.Usage{}, err
	}
	defer s.work.Done()
	return s.entry(ctx, b, owner)
}

func (s *Store) entry(ctx context.Context, b store.Board, owner string) (store.Entry, store.Usage, error) {
	if store.ValidateOwner(owner) != nil { // nobody can be called so; it may be a system's item
		return store.Entry{}, store.Usage{}, notFound(b, owner)
	}
	i, u, err := s.item(ctx, keyOf(owner, b.Name))
	if err != nil {
		return store.Entry{}, u, fmt.Errorf("read owner %q on board %q: %w", owner, b.Name, err)
	}
	if i == nil {
		return store.Entry{}, u, notFound(b, owner)
	}
	e, err := decodeEntry(b, owner, i)
	return e, u, err
}

func notFound(b store.Board, owner string) error {
	return fmt.Errorf("owner %q on board %q: %w", owner, b.Name, store.ErrNotFound)
}

// item reads one item, strongly consistent; a missing one is nil.
func (s *Store) item(ctx context.Context, key item) (item, store.Usage, error) {
	out, n, err := read(ctx, s.options, target{table: s.table}, s.api.GetItem, &dynamodb.GetItemInput{
		TableName:              &s.table,
		Key:                    key,
		ConsistentRead:         aws.Bool(true),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	})
	if err != nil {
		return nil, store.Usage{Requests: n.requests}, err
	}
	return out.Item, readUsage(out.ConsumedCapacity, n), nil
}

// Put implements [store.Entries].
func (s *Store) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Usage{}, err
	}
	defer s.work.Done()
	return s.put(ctx, b, e)
}

func (s *Store) put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	if err := b.ValidateEntry(e); err != nil {
		return store.Usage{}, err
	}
	t := newToken()
	out, n, err := write(ctx, s, s.api.UpdateItem, s.putRequest(b, e, t))
	if err == nil {
		return writeUsage(out.ConsumedCapacity, n), nil
	}
	if !errors.Is(err, store.ErrConflict) {
		return store.Usage{Requests: n.requests}, fmt.Errorf("put owner %q on board %q: %w", e.Owner, b.Name, err)
	}
	there, u, err := s.refused(ctx, keyOf(e.Owner, b.Name), n, err)
	switch {
	case err != nil:
		return u, fmt.Errorf("put owner %q on board %q: %w", e.Owner, b.Name, err)
	case n.unsure && t.wrote(there):
		return u, nil
	}
	return u, conflict("put", b, e.Owner, there, e.Version)
}

// refused finds the item that a write's condition refused. The answer has it, but
// not from every endpoint, and it is needed only where an earlier attempt may have
// been carried out.
func (s *Store) refused(ctx context.Context, key item, n sent, cause error) (item, store.Usage, error) {
	var condition *types.ConditionalCheckFailedException
	if errors.As(cause, &condition) && condition.Item != nil || !n.unsure {
		there := item(nil)
		if condition != nil {
			there = condition.Item
		}
		return there, refusedUsage(there, n), nil
	}
	there, u, err := s.item(ctx, key)
	u.Add(refusedUsage(there, n))
	return there, u, err
}

func conflict(verb string, b store.Board, owner string, there item, expected int64) error {
	stored := "another version"
	if v, err := integerOf(there[attrVersion]); err == nil {
		stored = fmt.Sprintf("version %d", v)
	}
	return fmt.Errorf("%s owner %q on board %q: %s is stored, not %d: %w", verb, owner, b.Name, stored, expected, store.ErrConflict)
}

// Delete implements [store.Entries]. The row is read first, for a read unit per
// 4 KB begun: a row that is missing after a lost answer was then deleted by it, and
// one that never was is told apart.
func (s *Store) Delete(ctx context.Context, b store.Board, owner string, version int64) (store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Usage{}, err
	}
	defer s.work.Done()
	if store.ValidateOwner(owner) != nil {
		return store.Usage{}, notFound(b, owner)
	}
	there, u, err := s.item(ctx, keyOf(owner, b.Name))
	if err == nil && there != nil {
		var used store.Usage
		there, used, err = s.deleteItem(ctx, b, owner, version)
		u.Add(used)
		if err == nil {
			return u, nil
		}
	}
	switch {
	case errors.Is(err, store.ErrConflict) && there != nil:
		return u, conflict("delete", b, owner, there, version)
	case err == nil || errors.Is(err, store.ErrConflict): // it never was, or another was faster
		err = store.ErrNotFound
	}
	return u, fmt.Errorf("delete owner %q from board %q: %w", owner, b.Name, err)
}

// deleteItem deletes a row that was there. With ErrConflict it returns the row that
// is there now, nil when another has deleted it.
func (s *Store) deleteItem(ctx context.Context, b store.Board, owner string, version int64) (item, store.Usage, error) {
	out, n, err := write(ctx, s, s.api.DeleteItem, s.deleteRequest(b, owner, version))
	if err == nil {
		return nil, writeUsage(out.ConsumedCapacity, n), nil
	}
	if !errors.Is(err, store.ErrConflict) {
		return nil, store.Usage{Requests: n.requests}, err
	}
	unsure := n.unsure
	n.unsure = true // a missing row must be told from another version, whatever the answer says
	there, u, readErr := s.refused(ctx, keyOf(owner, b.Name), n, err)
	switch {
	case readErr != nil:
		return nil, u, readErr
	case there == nil && unsure: // an earlier attempt has done it
		return nil, u, nil
	}
	return there, u, err
}

func (s *Store) deleteRequest(b store.Board, owner string, version int64) *dynamodb.DeleteItemInput {
	x := newExpression()
	condition := x.name(attrVersion) + " = " + x.value(integer(version)) // 0 is no row's
	if version == unwritten {
		x = newExpression()
		condition = x.versionIs(version)
	}
	return &dynamodb.DeleteItemInput{
		TableName:                           &s.table,
		Key:                                 keyOf(owner, b.Name),
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnConsumedCapacity:              types.ReturnConsumedCapacityIndexes,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}
