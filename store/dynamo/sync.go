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

// Synced is what [Table.Sync] did and found.
type Synced struct {
	Added    []string           // indexes that were missing
	Stale    []string           // indexes by_... of no column that was named; each makes every write dearer
	Wrong    []string           // indexes whose keys are not what they must be, in words
	Wide     []IndexDescription // indexes of the columns that hold more than the keys
	Warnings []string           // what the endpoint has not got, or what is not allowed
}

// Sync adds the indexes that the columns lack, one at a time as DynamoDB wants it,
// and waits for each: for a large table that takes long, and costs a write unit
// for every row that it takes in. It deletes nothing: stale, wrong and wide indexes are
// reported. The error is [store.ErrNoTable] where there is none, and
// [store.ErrNoDatabase] where the table is another's.
func (t *Table) Sync(ctx context.Context, columns []string) (Synced, error) {
	var done Synced
	d, err := t.describe(ctx)
	if err != nil {
		return done, fmt.Errorf("sync table: %w", err)
	}
	if err := checkKeys(d); err != nil {
		return done, fmt.Errorf("sync table %s: %w", t.name, err)
	}
	columns = sortedOnce(columns)
	done.Stale = stale(d, columns)
	for _, column := range columns {
		there := slices.IndexFunc(d.GlobalSecondaryIndexes, func(i types.GlobalSecondaryIndexDescription) bool {
			return deref(i.IndexName) == IndexName(column)
		})
		if there >= 0 {
			got := shapeOf(d.GlobalSecondaryIndexes[there].KeySchema, d.AttributeDefinitions)
			if want := indexShape(column); got != want {
				done.Wrong = append(done.Wrong, fmt.Sprintf("index %s has %s, not %s: delete it, then `rankcurve table sync` makes it anew", IndexName(column), got, want))
			} else if i := describeIndex(d.GlobalSecondaryIndexes[there], d.AttributeDefinitions); i.Wide() {
				done.Wide = append(done.Wide, i)
			}
			continue
		}
		err := t.addIndex(ctx, column)
		if errors.Is(err, errNoNewIndex) {
			err = noNewIndex(columns)
		}
		if err != nil {
			return done, fmt.Errorf("sync table %s: add index %s: %w", t.name, IndexName(column), err)
		}
		done.Added = append(done.Added, IndexName(column))
	}
	done.Warnings = t.ensureExtras(ctx)
	return done, nil
}

func stale(d *types.TableDescription, columns []string) (names []string) {
	for _, i := range d.GlobalSecondaryIndexes {
		name := deref(i.IndexName)
		if column, ours := columnOf(name); ours && !slices.Contains(columns, column) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// addIndex makes one index and waits until it can be used. While another change is
// under way the table refuses, and is asked again when that is done.
func (t *Table) addIndex(ctx context.Context, column string) error {
	what := "index " + IndexName(column)
	for try := 1; ; try++ {
		if err := t.await(ctx, what, tableActive); err != nil {
			return err
		}
		d, err := t.describe(ctx)
		if err != nil {
			return err
		}
		out, n, err := read(ctx, t.options, t.target(), t.api.UpdateTable, t.indexRequest(d, column))
		var busy *types.ResourceInUseException
		var limit *types.LimitExceededException
		switch {
		case err == nil && !hasIndex(out.TableDescription, IndexName(column)),
			err != nil && strings.Contains(err.Error(), "provisionedThroughput' failed to satisfy constraint"):
			return errNoNewIndex
		case err == nil, n.unsure && errors.Is(err, store.ErrInvalid): // it is there: an earlier attempt has made it
			return t.await(ctx, what, indexActive(IndexName(column)))
		case (errors.As(err, &busy) || errors.As(err, &limit)) && try < t.options.attempts:
			continue
		default:
			return err
		}
	}
}

// errNoNewIndex is what some stand-ins for DynamoDB do.
var errNoNewIndex = errors.New("this endpoint does not add indexes to a table that is there")

// noNewIndex says how to have the indexes all the same.
func noNewIndex(columns []string) error {
	return fmt.Errorf("%w: `rankcurve table delete`, then `rankcurve table create --column %s` makes it with all of them: %w",
		errNoNewIndex, strings.Join(columns, " --column "), store.ErrInvalid)
}

func (t *Table) indexRequest(d *types.TableDescription, column string) *dynamodb.UpdateTableInput {
	create := &types.CreateGlobalSecondaryIndexAction{
		IndexName:  aws.String(IndexName(column)),
		KeySchema:  schemaOf(attrPartition, column),
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
	}
	if p := d.ProvisionedThroughput; p != nil && deref(p.WriteCapacityUnits) > 0 { // a table that somebody else has made, or changed
		create.ProvisionedThroughput = &types.ProvisionedThroughput{ReadCapacityUnits: p.ReadCapacityUnits, WriteCapacityUnits: p.WriteCapacityUnits}
	}
	return &dynamodb.UpdateTableInput{
		TableName:                   &t.name,
		AttributeDefinitions:        definitionsOf([]string{column}),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: create}},
	}
}

func hasIndex(d *types.TableDescription, name string) bool {
	return d != nil && slices.ContainsFunc(d.GlobalSecondaryIndexes, func(i types.GlobalSecondaryIndexDescription) bool { return deref(i.IndexName) == name })
}

func indexActive(name string) func(*types.TableDescription) (string, bool) {
	return func(d *types.TableDescription) (string, bool) {
		if d == nil {
			return "UNKNOWN", false
		}
		for _, i := range d.GlobalSecondaryIndexes {
			if deref(i.IndexName) == name {
				return string(i.IndexStatus), i.IndexStatus == types.IndexStatusActive
			}
		}
		return string(types.IndexStatusCreating), false
	}
}
