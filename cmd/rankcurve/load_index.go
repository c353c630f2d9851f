package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
)

// checkIndexes notes which columns the table has no index of: their rows can be
// stored, and rank once there is one. An index of another shape is an error, for
// DynamoDB would refuse every row.
func (l *loading) checkIndexes(ctx context.Context) error {
	table, client, err := dynamoTable(ctx, l.config.Store.DynamoDB, func(dynamo.Progress) {})
	if err != nil {
		return err
	}
	d, err := table.Describe(ctx)
	if err != nil {
		return dynamoFault(err, l.config.Store.DynamoDB, client)
	}
	for _, c := range l.board.Columns {
		i := slices.IndexFunc(d.Indexes, func(i dynamo.IndexDescription) bool { return i.Column == c.Name })
		switch {
		case i < 0:
			l.noIndex = append(l.noIndex, c.Name)
		case d.Indexes[i].Fault != "":
			return wrongIndex(d.Name, d.Indexes[i])
		}
	}
	return nil
}

// wrongIndex says how to be rid of an index that no column can use.
func wrongIndex(table string, i dynamo.IndexDescription) error {
	return fmt.Errorf("index %s of table %s has %s, and %s; delete it: %s, then `rankcurve table sync` makes it anew: %w",
		i.Name, table, i.Keys, i.Fault, deleteIndex(table, i.Name), store.ErrInvalid)
}

// deleteIndex is the command that deletes an index: rankcurve itself deletes none.
func deleteIndex(table, index string) string {
	return fmt.Sprintf("`aws dynamodb update-table --table-name %s --global-secondary-index-updates '[{\"Delete\":{\"IndexName\":%q}}]'`", table, index)
}
