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
	e, err := decodeEntry(s.table, b, owner, i)
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

func (s *Store) put(ctx context.Context, b store.Board, e store.Entry) (u store.Usage, err error) {
	if err := b.ValidateEntry(e); err != nil {
		return store.Usage{}, err
	}
	mine, err := s.queues.wait(ctx, b, e.Owner)
	if err != nil {
		return store.Usage{}, fmt.Errorf("put owner %q on board %q: wait for other writes of the row: %w", e.Owner, b.Name, err)
	}
	made := int64(0)
	defer func() { mine.leave(made) }()
	if mine.missed(e.Version) {
		return store.Usage{}, conflict("put", b, e.Owner, nil, e.Version)
	}
	if u, err = s.putFirst(ctx, b, e); err == nil {
		made = e.Version + 1
	}
	return u, err
}

func (s *Store) putFirst(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	t := newToken()
	out, n, err := write(ctx, s, s.api.UpdateItem, s.putRequest(b, e, t))
	if err == nil {
		return writeUsage(out.ConsumedCapacity, n), nil
	}
	if !errors.Is(err, store.ErrConflict) {
		return store.Usage{Requests: n.requests}, fmt.Errorf("put owner %q on board %q: %w", e.Owner, b.Name, uncertain(n, err))
	}
	there, u, err := s.refused(ctx, keyOf(e.Owner, b.Name), n, err)
	if err != nil {
		return u, fmt.Errorf("put owner %q on board %q: %w", e.Owner, b.Name, uncertain(n, err))
	}
	met := conflict("put", b, e.Owner, there, e.Version)
	if !n.unsure {
		return u, met
	}
	switch t.outcome(there, e.Version+1) {
	case done:
		return u, nil
	case unknown:
		return u, uncertain(n, met)
	}
	return u, met
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
// 4 KB begun: a row that is missing after a lost answer was then deleted by it, one
// that never was is told apart, and so is one that was made anew meanwhile, which is
// not to be deleted by a second attempt.
func (s *Store) Delete(ctx context.Context, b store.Board, owner string, version int64) (store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Usage{}, err
	}
	defer s.work.Done()
	if store.ValidateOwner(owner) != nil {
		return store.Usage{}, notFound(b, owner)
	}
	mine, err := s.queues.wait(ctx, b, owner)
	if err != nil {
		return store.Usage{}, fmt.Errorf("delete owner %q from board %q: wait for other writes of the row: %w", owner, b.Name, err)
	}
	defer mine.leave(0)
	there, u, err := s.item(ctx, keyOf(owner, b.Name))
	if err == nil && there != nil {
		d := deletion{board: b, owner: owner, version: version, row: there}
		there, err = d.run(ctx, s)
		u.Add(d.usage)
		if err == nil {
			return u, nil
		}
	}
	switch {
	case errors.Is(err, store.ErrConflict) && there != nil:
		met := conflict("delete", b, owner, there, version)
		if errors.Is(err, store.ErrUnknown) {
			met = fmt.Errorf("%w; an earlier attempt may have deleted it before: %w", met, store.ErrUnknown)
		}
		return u, met
	case err == nil || errors.Is(err, store.ErrConflict): // it never was, or another was faster
		err = store.ErrNotFound
	}
	return u, fmt.Errorf("delete owner %q from board %q: %w", owner, b.Name, err)
}

// A deletion is one of a row that was read before.
type deletion struct {
	board   store.Board
	owner   string
	version int64
	row     item
	usage   store.Usage
}

// run deletes the row. With ErrConflict it returns the row that is there now, nil
// when another has deleted it, and with ErrUnknown too one that may or may not be
// the row that was read.
func (d *deletion) run(ctx context.Context, s *Store) (item, error) {
	out, n, err := write(ctx, s, s.api.DeleteItem, d.request(s))
	if err == nil {
		d.usage = writeUsage(out.ConsumedCapacity, n)
		return nil, nil
	}
	if !errors.Is(err, store.ErrConflict) {
		d.usage = store.Usage{Requests: n.requests}
		return nil, uncertain(n, err)
	}
	unsure := n.unsure
	n.unsure = true // a missing row must be told from another version, whatever the answer says
	there, u, readErr := s.refused(ctx, keyOf(d.owner, d.board.Name), n, err)
	d.usage = u
	switch {
	case readErr != nil:
		return nil, readErr
	case unsure && d.gone(there) == done: // an earlier attempt has done it
		return nil, nil
	case unsure && d.gone(there) == unknown:
		return there, uncertain(n, err)
	}
	return there, err
}

// gone says whether the row that was read has been deleted, by the one that is
// there now. Who deleted it is then the same to the caller.
func (d *deletion) gone(there item) outcome {
	if there == nil {
		return done
	}
	mark := witness(d.row)
	if mark == nil {
		return unknown
	}
	switch mark.outcome(there, d.version) {
	case done:
		return undone // the very row, changed meanwhile
	case undone:
		return done
	}
	return unknown
}

// request deletes the row at its version, and only if it is the one that was read
// and not another that was made since and has come to the same version.
func (d *deletion) request(s *Store) *dynamodb.DeleteItemInput {
	x := newExpression()
	condition := x.name(attrVersion) + " = " + x.value(integer(d.version)) // 0 is no row's
	if d.version == unwritten {
		x = newExpression()
		condition = x.versionIs(d.version)
	}
	if mark := witness(d.row); mark != nil {
		attribute, _ := journalOf(d.version)
		condition = "(" + condition + ") AND contains(" + x.name(attribute) + ", " + x.value(binary(mark)) + ")"
	}
	return &dynamodb.DeleteItemInput{
		TableName:                           &s.table,
		Key:                                 keyOf(d.owner, d.board.Name),
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnConsumedCapacity:              types.ReturnConsumedCapacityIndexes,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}
