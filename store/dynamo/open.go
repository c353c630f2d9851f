package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// Open opens a table that is there; it makes none. The client stays the caller's;
// [NewClient] makes one that suits.
//
// The error is [store.ErrNoTable] when there is no such table in the client's
// region and account, [store.ErrNoDatabase] when the table has other keys,
// [store.ErrDenied] and [store.ErrUnavailable]. It does not look at the indexes: a
// missing one is found by the query that wants it, or by [Table.Describe].
func Open(ctx context.Context, client API, table string, opts ...Option) (*Store, error) {
	s := &Store{api: client, table: table, options: optionsOf(opts)}
	out, _, err := read(ctx, s.options, target{table: table}, client.DescribeTable, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return nil, fmt.Errorf("open table: %w", err)
	}
	if err := checkKeys(out.Table); err != nil {
		return nil, fmt.Errorf("open table %s: %w", table, err)
	}
	return s, nil
}

// checkKeys says how a table's keys differ from ours.
func checkKeys(t *types.TableDescription) error {
	if t.TableStatus == types.TableStatusDeleting {
		return fmt.Errorf("it is being deleted: %w", store.ErrNoTable)
	}
	want := keyShape{attrOwner, types.ScalarAttributeTypeS, attrBoard, types.ScalarAttributeTypeS}
	if got := shapeOf(t.KeySchema, t.AttributeDefinitions); got != want {
		return fmt.Errorf("its keys are %s, and a table of rankcurve has %s: it belongs to something else; name another with --table or store.dynamodb.table; `rankcurve table create --table NAME` makes one: %w", got, want, store.ErrNoDatabase)
	}
	return nil
}

// keyShape is what a table or an index is sorted by.
type keyShape struct {
	hash      string
	hashType  types.ScalarAttributeType
	sort      string
	rangeType types.ScalarAttributeType
}

func (k keyShape) String() string {
	if k.sort == "" {
		return fmt.Sprintf("HASH %s (%s)", k.hash, k.hashType)
	}
	return fmt.Sprintf("HASH %s (%s), RANGE %s (%s)", k.hash, k.hashType, k.sort, k.rangeType)
}

func shapeOf(keys []types.KeySchemaElement, definitions []types.AttributeDefinition) (k keyShape) {
	kinds := map[string]types.ScalarAttributeType{}
	for _, d := range definitions {
		kinds[deref(d.AttributeName)] = d.AttributeType
	}
	for _, key := range keys {
		name := deref(key.AttributeName)
		if key.KeyType == types.KeyTypeHash {
			k.hash, k.hashType = name, kinds[name]
		} else {
			k.sort, k.rangeType = name, kinds[name]
		}
	}
	return k
}

func indexShape(column string) keyShape {
	return keyShape{attrPartition, types.ScalarAttributeTypeS, column, types.ScalarAttributeTypeN}
}
