package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// Secret implements [store.Secrets]. Strongly consistent.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, store.Usage, error) {
	if err := store.ValidateSecret(name); err != nil {
		return nil, store.Usage{}, err
	}
	if err := s.begin(ctx); err != nil {
		return nil, store.Usage{}, err
	}
	defer s.work.Done()
	there, u, err := s.item(ctx, keyOf(ownerSecrets, name))
	if err == nil && there == nil {
		var used store.Usage
		used, err = s.makeSecret(ctx, name)
		u.Add(used)
		if err == nil || errors.Is(err, store.ErrConflict) { // whoever was first has made the one that holds
			there, used, err = s.item(ctx, keyOf(ownerSecrets, name))
			u.Add(used)
		}
	}
	if err != nil {
		return nil, u, fmt.Errorf("read secret %q: %w", name, err)
	}
	secret := bytesOf(there[attrBytes])
	if len(secret) != store.SecretBytes {
		return nil, u, fmt.Errorf("secret %q has %d bytes, not %d: %w", name, len(secret), store.SecretBytes, store.ErrCorrupt)
	}
	return secret, u, nil
}

func (s *Store) makeSecret(ctx context.Context, name string) (store.Usage, error) {
	secret := make([]byte, store.SecretBytes)
	rand.Read(secret) // never fails
	i := keyOf(ownerSecrets, name)
	i[attrBytes] = binary(secret)
	out, n, err := write(ctx, s, s.api.PutItem, &dynamodb.PutItemInput{
		TableName:                &s.table,
		Item:                     i,
		ConditionExpression:      aws.String("attribute_not_exists(#o)"),
		ExpressionAttributeNames: map[string]string{"#o": attrOwner},
		ReturnConsumedCapacity:   types.ReturnConsumedCapacityIndexes,
	})
	if err != nil {
		return store.Usage{Requests: n.requests}, err
	}
	return writeUsage(out.ConsumedCapacity, n), nil
}
