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

// wideIndex says what an index costs whose entries hold more than their keys.
func wideIndex(table string, i dynamo.IndexDescription) string {
	size := ""
	if i.Items > 0 {
		size = fmt.Sprintf(", %s each as DynamoDB last counted", counting(i.Bytes/i.Items, "byte"))
	}
	return fmt.Sprintf("index %s of table %s projects %s, and ranks need KEYS_ONLY: refreshes and counted ranks pay read units for all that its entries hold%s, and each change of what is projected is a write of the index too; DynamoDB changes no projection: delete the index: %s, then `rankcurve table sync` makes it anew, and until that is done column %s has no exact ranks and no refreshes",
		i.Name, table, i.Projection, size, deleteIndex(table, i.Name), i.Column)
}

// deleteIndex is the command that deletes an index: rankcurve itself deletes none.
func deleteIndex(table, index string) string {
	return fmt.Sprintf("`aws dynamodb update-table --table-name %s --global-secondary-index-updates '[{\"Delete\":{\"IndexName\":%q}}]'`", table, index)
}
