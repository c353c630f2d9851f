package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// A state may be larger than the 400 KB that an item holds. Then it is kept in
// parts beside an item that says how many, and in which of two slots: the parts
// of a new state are written to the other slot, so that the old one holds until
// the item that names them changes. A part costs a write unit per KB as it would
// in one piece. The old parts stay to be written over, which costs no more than new
// ones do; those that the next state of the same size would not reach are deleted.
const statePartBytes = 380_000

// State implements [store.Curves]. Strongly consistent.
func (s *Store) State(ctx context.Context, k store.CurveKey) ([]byte, store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return nil, store.Usage{}, err
	}
	defer s.work.Done()
	head, u, err := s.item(ctx, keyOf(ownerStates, k.String()))
	switch {
	case err != nil:
		return nil, u, fmt.Errorf("read state of curve %s: %w", k, err)
	case head == nil:
		return nil, u, fmt.Errorf("state of curve %s: %w", k, store.ErrNotFound)
	}
	slot, parts := layoutOf(head)
	state := bytesOf(head[attrBytes])
	for part := range parts {
		i, used, err := s.item(ctx, statePart(k, slot, part))
		u.Add(used)
		if err != nil {
			return nil, u, fmt.Errorf("read part %d of the state of curve %s: %w", part, k, err)
		}
		if i == nil {
			return nil, u, fmt.Errorf("read state of curve %s: part %d of %d is missing: %w", k, part, parts, store.ErrCorrupt)
		}
		state = append(state, bytesOf(i[attrBytes])...)
	}
	return state, u, nil
}

// layoutOf reads where the parts are; a state in one piece has none.
func layoutOf(head item) (slot, parts int64) {
	slot, _ = integerOf(head[attrSlot])
	parts, _ = integerOf(head[attrParts])
	return slot, parts
}

func statePart(k store.CurveKey, slot, part int64) item {
	return keyOf(ownerStates, k.String()+"#"+strconv.FormatInt(slot, 10)+"#"+strconv.FormatInt(part, 10))
}

// SaveState implements [store.Curves].
func (s *Store) SaveState(ctx context.Context, k store.CurveKey, state []byte) (store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return store.Usage{}, err
	}
	defer s.work.Done()
	u, err := s.saveState(ctx, k, state)
	if err != nil {
		return u, fmt.Errorf("save state of curve %s: %w", k, err)
	}
	return u, nil
}

func (s *Store) saveState(ctx context.Context, k store.CurveKey, state []byte) (store.Usage, error) {
	if len(state) <= statePartBytes {
		return s.saveWhole(ctx, k, state)
	}
	head := keyOf(ownerStates, k.String())
	there, u, err := s.item(ctx, keyOf(ownerStates, k.String()))
	if err != nil {
		return u, err
	}
	slot, _ := layoutOf(there)
	slot = 1 - slot
	parts := int64(0)
	for chunk := range slices.Chunk(state, statePartBytes) {
		i := statePart(k, slot, parts)
		i[attrBytes] = binary(chunk)
		used, err := s.replace(ctx, i)
		u.Add(used)
		if err != nil {
			return u, err
		}
		parts++
	}
	head[attrSlot], head[attrParts] = integer(slot), integer(parts)
	used, err := s.replace(ctx, head)
	u.Add(used)
	if err == nil {
		_ = s.sweepParts(ctx, k, parts, &u)
	}
	return u, err
}

// saveWhole saves a state in one piece. A slot in the item that is there says that
// there may be parts: of that state, which are deleted once nothing names them any
// more, or of an earlier one, if deleting them was cut short; so the slot stays until
// they are known to be gone. A state that never had parts costs no look at what is
// there.
func (s *Store) saveWhole(ctx context.Context, k store.CurveKey, state []byte) (store.Usage, error) {
	head := keyOf(ownerStates, k.String())
	head[attrBytes] = binary(state)
	u, err := s.replaceWithout(ctx, head, attrSlot)
	if !errors.Is(err, store.ErrConflict) {
		return u, err
	}
	there, used, err := s.item(ctx, keyOf(ownerStates, k.String()))
	u.Add(used)
	if err != nil {
		return u, err
	}
	slot, parts := layoutOf(there)
	if parts > 0 || s.sweepParts(ctx, k, 0, &u) != nil {
		head[attrSlot] = integer(slot)
	}
	used, err = s.replace(ctx, head)
	u.Add(used)
	if err == nil && parts > 0 {
		_ = s.sweepParts(ctx, k, 0, &u)
	}
	return u, err
}

func (s *Store) replace(ctx context.Context, i item) (store.Usage, error) {
	return s.putState(ctx, &dynamodb.PutItemInput{Item: i})
}

// replaceWithout is replace if the item that is there lacks an attribute, and else
// store.ErrConflict.
func (s *Store) replaceWithout(ctx context.Context, i item, attribute string) (store.Usage, error) {
	return s.putState(ctx, &dynamodb.PutItemInput{
		Item:                     i,
		ConditionExpression:      aws.String("attribute_not_exists(#a)"),
		ExpressionAttributeNames: map[string]string{"#a": attribute},
	})
}

func (s *Store) putState(ctx context.Context, in *dynamodb.PutItemInput) (store.Usage, error) {
	in.TableName, in.ReturnConsumedCapacity = &s.table, types.ReturnConsumedCapacityIndexes
	out, n, err := write(ctx, s, s.api.PutItem, in)
	if err != nil {
		return store.Usage{Requests: n.requests}, err
	}
	return writeUsage(out.ConsumedCapacity, n), nil
}
