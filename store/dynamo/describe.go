package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Description is what a table is like. Items and Bytes are DynamoDB's own counts,
// some hours old.
type Description struct {
	Name     string
	Status   string
	Keys     string
	Fault    error // why no Store can work on it, or nil
	Billing  string
	Items    int64
	Bytes    int64
	Indexes  []IndexDescription
	Expiry   string // "on x", "off", or why it is not known
	Recovery string // "on", "off", or why it is not known
}

// IndexDescription is what an index is like.
type IndexDescription struct {
	Name   string
	Column string // of an index that is named as ours are
	Status string
	Keys   string
	Fault  string // how the keys differ from what a column needs, or empty
	Items  int64
	Bytes  int64

	// Projection is what else its entries hold: KEYS_ONLY, ALL, or INCLUDE with the
	// attributes; empty if the endpoint does not say.
	Projection string
}

// Wide says that the entries hold more than the keys, and so cost more to read than they
// need to.
func (i IndexDescription) Wide() bool {
	return i.Projection != "" && i.Projection != string(types.ProjectionTypeKeysOnly)
}

// Describe looks at the table. A missing one is [store.ErrNoTable].
func (t *Table) Describe(ctx context.Context) (Description, error) {
	d, err := t.describe(ctx)
	if err != nil {
		return Description{}, fmt.Errorf("describe table: %w", err)
	}
	out := Description{
		Name:     t.name,
		Status:   string(d.TableStatus),
		Keys:     shapeOf(d.KeySchema, d.AttributeDefinitions).String(),
		Fault:    checkKeys(d),
		Billing:  string(types.BillingModeProvisioned),
		Items:    deref(d.ItemCount),
		Bytes:    deref(d.TableSizeBytes),
		Expiry:   t.expiry(ctx),
		Recovery: t.recovery(ctx),
	}
	if d.BillingModeSummary != nil {
		out.Billing = string(d.BillingModeSummary.BillingMode)
	}
	for _, i := range d.GlobalSecondaryIndexes {
		out.Indexes = append(out.Indexes, describeIndex(i, d.AttributeDefinitions))
	}
	return out, nil
}

func describeIndex(i types.GlobalSecondaryIndexDescription, definitions []types.AttributeDefinition) IndexDescription {
	shape := shapeOf(i.KeySchema, definitions)
	out := IndexDescription{
		Name:   deref(i.IndexName),
		Status: string(i.IndexStatus),
		Keys:   shape.String(),
		Items:  deref(i.ItemCount),
		Bytes:  deref(i.IndexSizeBytes),

		Projection: projectionOf(i.Projection),
	}
	column, ours := columnOf(out.Name)
	if !ours {
		return out
	}
	out.Column = column
	if want := indexShape(column); shape != want {
		out.Fault = fmt.Sprintf("must have %s", want)
	}
	return out
}

func projectionOf(p *types.Projection) string {
	if p == nil {
		return ""
	}
	if p.ProjectionType == types.ProjectionTypeInclude {
		return string(p.ProjectionType) + " " + strings.Join(p.NonKeyAttributes, ", ")
	}
	return string(p.ProjectionType)
}

func (t *Table) expiry(ctx context.Context) string {
	out, _, err := read(ctx, t.options, t.target(), t.api.DescribeTimeToLive, &dynamodb.DescribeTimeToLiveInput{TableName: &t.name})
	if err != nil {
		return unknownHere(err)
	}
	d := out.TimeToLiveDescription
	if d == nil || d.TimeToLiveStatus != types.TimeToLiveStatusEnabled && d.TimeToLiveStatus != types.TimeToLiveStatusEnabling {
		return "off"
	}
	return "on " + deref(d.AttributeName)
}

func (t *Table) recovery(ctx context.Context) string {
	out, _, err := read(ctx, t.options, t.target(), t.api.DescribeContinuousBackups, &dynamodb.DescribeContinuousBackupsInput{TableName: &t.name})
	if err != nil {
		return unknownHere(err)
	}
	d := out.ContinuousBackupsDescription
	if d == nil || d.PointInTimeRecoveryDescription == nil || d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		return "off"
	}
	return "on"
}

// ensureExtras switches on what a table should have but works without, and says in
// words what it could not.
func (t *Table) ensureExtras(ctx context.Context) (warnings []string) {
	if state := t.expiry(ctx); state != "on "+attrExpiry {
		if strings.HasPrefix(state, "on ") {
			warnings = append(warnings, fmt.Sprintf("expiry is %s, not on %s: DynamoDB changes it only by off and on again", state, attrExpiry))
		} else if err := t.enableExpiry(ctx); err != nil {
			warnings = append(warnings, "expiry of ended boards is off, their rows stay until they are removed: "+unknownHere(err))
		}
	}
	if t.recovery(ctx) != "on" {
		if err := t.enableRecovery(ctx); err != nil {
			warnings = append(warnings, "point-in-time recovery is off, the table cannot be restored: "+unknownHere(err))
		}
	}
	return warnings
}

func (t *Table) enableExpiry(ctx context.Context) error {
	_, _, err := read(ctx, t.options, t.target(), t.api.UpdateTimeToLive, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &t.name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(attrExpiry), Enabled: aws.Bool(true)},
	})
	return err
}

func (t *Table) enableRecovery(ctx context.Context) error {
	_, _, err := read(ctx, t.options, t.target(), t.api.UpdateContinuousBackups, &dynamodb.UpdateContinuousBackupsInput{
		TableName:                        &t.name,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	})
	return err
}

// unknownHere tells an endpoint that lacks a call from one that refuses it.
func unknownHere(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) && (api.ErrorCode() == "UnknownOperationException" || api.ErrorCode() == "UnknownOperation") {
		return "this endpoint does not have it"
	}
	return err.Error()
}
