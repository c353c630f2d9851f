package dynamo_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// scripted answers queries and batches as DynamoDB may, and dynalite does not.
type scripted struct {
	dynamo.API
	query func(*dynamodb.QueryInput) *dynamodb.QueryOutput // nil: as the API does
	batch func(*dynamodb.BatchGetItemInput)
}

func (c scripted) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if out := c.query(in); out != nil {
		return out, nil
	}
	return c.API.Query(ctx, in, opts...)
}

func (c scripted) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	c.batch(in)
	return c.API.BatchGetItem(ctx, in, opts...)
}

func place(score, owner string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"g": s("missions#00"), "xp": n(score), "o": s(owner), "b": s("missions")}
}

// An empty page with a last key is not the end: the answer is the page behind it,
// at the price of both.
func TestEmptyPagesAreNotTheEnd(t *testing.T) {
	half := &types.ConsumedCapacity{GlobalSecondaryIndexes: map[string]types.Capacity{"by_xp": {CapacityUnits: aws.Float64(0.5)}}, Table: &types.Capacity{CapacityUnits: aws.Float64(0)}, CapacityUnits: aws.Float64(0.5)}
	asked := 0
	fake := scripted{API: client(servers.DynamoDB(t)), query: func(in *dynamodb.QueryInput) *dynamodb.QueryOutput {
		switch asked++; asked {
		case 1, 2:
			if (len(in.ExclusiveStartKey) > 0) != (asked == 2) {
				t.Errorf("query %d starts at %v", asked, in.ExclusiveStartKey)
			}
			return &dynamodb.QueryOutput{LastEvaluatedKey: place("9", "ann"), ConsumedCapacity: half}
		case 3:
			return &dynamodb.QueryOutput{Count: 1, Items: []map[string]types.AttributeValue{place("7", "bob")}, LastEvaluatedKey: place("7", "bob"), ConsumedCapacity: half}
		}
		return &dynamodb.QueryOutput{ConsumedCapacity: half} // a last key at an exact end
	}}
	st := open(t, fake, newTable(t, fake.API.(*dynamodb.Client), "xp"))
	if err := st.CreateBoard(bg, board(1)); err != nil {
		t.Fatal(err)
	}
	q := store.Query{Partition: board(1).Partition("xp", 0), From: 10, To: 0}
	page, err := st.Rows(bg, q)
	if err != nil || len(page.Rows) != 1 || *page.Last != page.Rows[0] || page.Usage != (store.Usage{IndexReads: 1.5, Requests: 3}) {
		t.Errorf("page %+v, %v", page, err)
	}
	q.After = page.Last
	if page, err = st.Rows(bg, q); err != nil || len(page.Rows) != 0 || page.Last != nil {
		t.Errorf("after the exact end: %+v, %v", page, err)
	}
}

// Exclusive start keys are places that DynamoDB has named, inside of the selection:
// all others are refused by it.
func TestAfterOutsideOfTheSelection(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	st := open(t, admin, newTable(t, admin, "xp", "time"))
	if err := st.CreateBoard(bg, board(1)); err != nil {
		t.Fatal(err)
	}
	for i := range int64(5) {
		e := store.Entry{Owner: fmt.Sprint("o", i), Scores: map[string]int64{"xp": i, "time": -i}}
		if _, err := st.Put(bg, board(1), e); err != nil {
			t.Fatal(err)
		}
	}
	for _, column := range []string{"xp", "time"} {
		for _, reverse := range []bool{false, true} {
			for after, want := range map[int64]int{4: 3, 0: 0} { // above the selection, below it
				q := store.Query{Partition: board(1).Partition(column, 0), From: 3, To: 1, Reverse: reverse, After: &store.Position{Key: after, Owner: fmt.Sprint("o", after)}}
				if reverse {
					want = 3 - want
				}
				if page, err := st.Rows(bg, q); err != nil || len(page.Rows) != want {
					t.Errorf("%s, reversed %t, after %d: %d rows, %v; want %d", column, reverse, after, len(page.Rows), err, want)
				}
			}
		}
	}
}

// 120 rows of 40 KB are more than a batch answers: it leaves keys out, which are
// asked for again, in batches of at most a hundred different ones.
func TestUnprocessedKeys(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	var mu sync.Mutex
	batches, keys := 0, 0
	fake := scripted{API: admin, batch: func(in *dynamodb.BatchGetItemInput) {
		mu.Lock()
		defer mu.Unlock()
		for _, k := range in.RequestItems {
			batches++
			keys += len(k.Keys)
			if len(k.Keys) > 100 {
				t.Errorf("%d keys in a batch", len(k.Keys))
			}
		}
	}}
	table := newTable(t, admin, "xp", "time")
	rows, owners := make([]store.Entry, 0, 120), append(make([]string, 0, 242), "#board", "")
	for i := range 120 {
		owner := fmt.Sprint("owner", i)
		rows = append(rows, store.Entry{Owner: owner, Attributes: map[string]string{"text": strings.Repeat("x", 40_000)}})
		owners = append(owners, owner, owner)
	}
	if _, err := open(t, admin, table).Load(bg, board(4), rows); err != nil {
		t.Fatal(err)
	}
	got, u, err := open(t, fake, table, dynamo.Writers(1)).EntriesOf(bg, board(4), owners)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range got {
		if e.Owner != owners[i] || (e.Version == 1) != (i > 1) {
			t.Errorf("entry %d is %s with version %d", i, e.Owner, e.Version)
		}
	}
	if batches < 3 || u.Requests != batches || keys <= 120 {
		t.Errorf("%d batches of %d keys in all, usage %v", batches, keys, u)
	}
}
