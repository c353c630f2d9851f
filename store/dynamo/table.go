package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// Table makes, changes, describes and deletes the table that a [Store] works on.
type Table struct {
	api     TableAPI
	name    string
	options options
	poll    time.Duration
	say     func(Progress)
}

// Progress is one look at something that takes its time: making a table is done
// in seconds, an index over many rows may take hours.
type Progress struct {
	What    string // "table rankcurve", "index by_xp"
	Status  string // as DynamoDB says it: CREATING, UPDATING, ACTIVE, DELETING, GONE
	Elapsed time.Duration
}

// TableOption changes how a [Table] works.
type TableOption func(*Table)

// OnProgress is called with each look at what is waited for. Defaults to silence.
func OnProgress(say func(Progress)) TableOption { return func(t *Table) { t.say = say } }

// PollEvery sets the time between two looks. Defaults to two seconds.
func PollEvery(d time.Duration) TableOption { return func(t *Table) { t.poll = d } }

// NewTable names a table, which need not be there. No request is made.
func NewTable(client TableAPI, name string, opts ...TableOption) *Table {
	t := &Table{api: client, name: name, options: optionsOf(nil), poll: 2 * time.Second, say: func(Progress) {}}
	for _, option := range opts {
		option(t)
	}
	return t
}

func (t *Table) target() target { return target{table: t.name} }

// Create makes the table, with an index for each column, on demand, and waits
// until it can be used. Then it switches on expiry by the attribute x and
// point-in-time recovery; where the endpoint has not got them, or it is not
// allowed, the warnings say so and the table is made all the same. A table that is
// there is an error, [store.ErrInUse]. More than twenty columns are over
// DynamoDB's default limit of indexes.
func (t *Table) Create(ctx context.Context, columns []string) (warnings []string, err error) {
	columns = sortedOnce(columns)
	request := &dynamodb.CreateTableInput{
		TableName:            &t.name,
		KeySchema:            schemaOf(attrOwner, attrBoard),
		AttributeDefinitions: definitionsOf(columns),
		BillingMode:          types.BillingModePayPerRequest,
	}
	for _, column := range columns {
		request.GlobalSecondaryIndexes = append(request.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName:  aws.String(IndexName(column)),
			KeySchema:  schemaOf(attrPartition, column),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		})
	}
	_, n, err := read(ctx, t.options, t.target(), t.api.CreateTable, request)
	var there *types.ResourceInUseException
	switch {
	case errors.As(err, &there) && !n.unsure:
		return nil, fmt.Errorf("create table %s: it is there already; `rankcurve table sync` adds what it lacks: %w", t.name, store.ErrInUse)
	case err != nil && !errors.As(err, &there): // else an earlier attempt has made it
		return nil, fmt.Errorf("create table: %w", err)
	}
	if err := t.await(ctx, "table "+t.name, tableActive); err != nil {
		return nil, fmt.Errorf("create table %s: %w", t.name, err)
	}
	return t.ensureExtras(ctx), nil
}

func tableActive(d *types.TableDescription) (status string, done bool) {
	if d == nil {
		return string(types.TableStatusCreating), false // not seen yet
	}
	return string(d.TableStatus), d.TableStatus == types.TableStatusActive && !slices.ContainsFunc(d.GlobalSecondaryIndexes, indexBusy)
}

func indexBusy(i types.GlobalSecondaryIndexDescription) bool {
	return i.IndexStatus != types.IndexStatusActive
}

// Delete deletes the table with all that is in it, and waits until it is gone. A
// missing one is [store.ErrNoTable]. It asks nobody: that is for the caller.
func (t *Table) Delete(ctx context.Context) error {
	_, n, err := read(ctx, t.options, t.target(), t.api.DeleteTable, &dynamodb.DeleteTableInput{TableName: &t.name})
	if err != nil && (!n.unsure || !errors.Is(err, store.ErrNoTable)) {
		return fmt.Errorf("delete table: %w", err)
	}
	return t.await(ctx, "table "+t.name, func(d *types.TableDescription) (string, bool) {
		if d == nil {
			return "GONE", true
		}
		return string(d.TableStatus), false
	})
}

// await looks at the table, nil when it is not there, until done.
func (t *Table) await(ctx context.Context, what string, done func(*types.TableDescription) (status string, done bool)) error {
	began := time.Now()
	for {
		d, err := t.describe(ctx)
		if err != nil && !errors.Is(err, store.ErrNoTable) {
			return err
		}
		status, ready := done(d)
		t.say(Progress{What: what, Status: status, Elapsed: time.Since(began)})
		if ready {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s, now %s: %w", what, status, ctx.Err())
		case <-time.After(t.poll):
		}
	}
}

func (t *Table) describe(ctx context.Context) (*types.TableDescription, error) {
	out, _, err := read(ctx, t.options, t.target(), t.api.DescribeTable, &dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return nil, err
	}
	return out.Table, nil
}

func schemaOf(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &hash, KeyType: types.KeyTypeHash},
		{AttributeName: &sort, KeyType: types.KeyTypeRange},
	}
}

// definitionsOf declares the keys' types; DynamoDB refuses to hear of others.
func definitionsOf(columns []string) []types.AttributeDefinition {
	d := []types.AttributeDefinition{defined(attrOwner, types.ScalarAttributeTypeS), defined(attrBoard, types.ScalarAttributeTypeS)}
	if len(columns) > 0 {
		d = append(d, defined(attrPartition, types.ScalarAttributeTypeS))
	}
	for _, column := range columns {
		d = append(d, defined(column, types.ScalarAttributeTypeN))
	}
	return d
}

func defined(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
}

func sortedOnce(columns []string) []string {
	sorted := slices.Clone(columns)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
