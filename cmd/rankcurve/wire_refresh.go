package main

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/rankcurve/rankcurve/store"
)

// A refreshStore walks the partitions by a client that shows each throttle to the
// pacer, which gives way to the players, and does all else by a patient one.
type refreshStore struct {
	store.Store
	walked store.Partitions
}

// Skew implements store.Clocked, as far as the store inside does.
func (s refreshStore) Skew() (ahead time.Duration, known bool) { return store.SkewOf(s.Store) }

func (s refreshStore) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	return s.walked.Rows(ctx, q)
}

func (s refreshStore) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	return s.walked.Count(ctx, q)
}

// A describedTable is a client that asks once what the table is like: the second
// store on it opens without a request, and so without a throttle that it would show.
type describedTable struct {
	*dynamodb.Client
	known *dynamodb.DescribeTableOutput
}

func (d *describedTable) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, opts ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	if d.known != nil {
		return d.known, nil
	}
	out, err := d.Client.DescribeTable(ctx, in, opts...)
	if err == nil {
		d.known = out
	}
	return out, err
}
