package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

func newClient(endpoint string) *dynamodb.Client {
	return dynamo.NewClient(aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(endpoint),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
}

// openDynamo makes a table for the board on a DynamoDB endpoint.
func openDynamo(t *testing.T, endpoint string, board store.Board) (store.Store, *dynamodb.Client, string) {
	t.Helper()
	client := newClient(endpoint)
	table := fmt.Sprintf("rankcurve-jobs-%d", rand.Uint32())
	admin := dynamo.NewTable(client, table, dynamo.PollEvery(20*time.Millisecond))
	if _, err := admin.Create(context.Background(), []string{board.Columns[0].Name}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Delete(context.Background()) })
	st, err := dynamo.Open(context.Background(), client, table, dynamo.ShowThrottles())
	if err != nil {
		t.Fatal(err)
	}
	if err := st.CreateBoard(context.Background(), board); err != nil {
		t.Fatal(err)
	}
	return st, client, table
}

// putItems writes rows as any program with the SDK may, 25 at a time.
func putItems(t *testing.T, client *dynamodb.Client, table string, board store.Board, keys []int64) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	for from := 0; from < len(keys); from += 25 {
		group.Go(func() error {
			var writes []types.WriteRequest
			for i := from; i < min(from+25, len(keys)); i++ {
				owner := fmt.Sprintf("player-%06d", i)
				partition := board.Partition("score", store.ShardOf(owner, board.Shards))
				writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: map[string]types.AttributeValue{
					"o":     &types.AttributeValueMemberS{Value: owner},
					"b":     &types.AttributeValueMemberS{Value: board.Name},
					"g":     &types.AttributeValueMemberS{Value: partition.HashKey()},
					"score": &types.AttributeValueMemberN{Value: strconv.FormatInt(keys[i], 10)},
				}}})
			}
			_, err := client.BatchWriteItem(context.Background(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: writes}})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestRefreshOnDynamoDBCostsWhatItSays holds a counted refresh of a table to its
// price, and the plan and the top of the board to theirs.
func TestRefreshOnDynamoDBCostsWhatItSays(t *testing.T) {
	if testing.Short() {
		t.Skip("loads a table of 200,000 entries; run without -short")
	}
	board := store.Board{Name: "games", Shards: 16, Columns: []store.Column{{Name: "score", Order: store.Desc, Operator: store.Set}}}
	st, client, table := openDynamo(t, servers.DynamoDB(t), board)
	keys := datasets[3].generate(200_000)
	putItems(t, client, table, board, keys)
	var bytes int
	for i, key := range keys {
		bytes += store.IndexEntrySize(board.Partition("score", 0), key, fmt.Sprintf("player-%06d", i))
	}
	least := float64(bytes) / 8192

	r := jobs.Refresher{Store: st, Holder: "test"}
	options := jobs.Options{Method: sampler.Counted, Pace: sampler.Pace{Max: 3000}}
	planned, err := r.Plan(context.Background(), board, "", options)
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Refresh(context.Background(), board, "", options)
	if err != nil {
		t.Fatal(err)
	}
	units := report.Usage.ReadUnits()
	t.Logf("refresh: %s, %.2f times the bytes; planned %.0f read units", report.Usage, units/least, planned.ReadUnits)
	if report.Entries != int64(len(keys)) || report.Usage.Requests > 2000 || units > 1.4*least {
		t.Errorf("refresh of %d entries: %s, %.2f times the bytes", report.Entries, report.Usage, units/least)
	}
	if planned.ReadUnits < 0.9*units || planned.ReadUnits > 1.1*units {
		t.Errorf("planned %.0f read units, took %.0f", planned.ReadUnits, units)
	}

	options.Shards, options.Head = 2, 2000
	for _, refresh := range []struct {
		name   string
		walked int
	}{{"nothing to carry forward", 16}, {"two shards", 2}} {
		planned, err := r.Plan(context.Background(), board, "", options)
		if err != nil {
			t.Fatal(err)
		}
		report, err := r.Refresh(context.Background(), board, "", options)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d of %d shards, about %d entries, %s; planned %.0f read units", refresh.name, report.Walked, report.Shards, report.Entries, report.Usage, planned.ReadUnits)
		if off := math.Abs(planned.ReadUnits/report.Usage.ReadUnits() - 1); report.Walked != refresh.walked || off > 0.15 {
			t.Errorf("%s: %d shards, %s, planned %.0f read units", refresh.name, report.Walked, report.Usage, planned.ReadUnits)
		}
	}

	b, err := rankcurve.Open(context.Background(), st, "games")
	if err != nil {
		t.Fatal(err)
	}
	top, err := b.Top(context.Background(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("top 100: %s", top.Usage)
	if top.Usage.Requests > 20 || top.Usage.ReadUnits() > 12 {
		t.Errorf("a top 100 over 16 shards took %s", top.Usage)
	}
}

// TestRefreshKeepsWithinAPartitionsCapacity refreshes a table whose partitions give
// 100 read units a second and throttle above.
func TestRefreshKeepsWithinAPartitionsCapacity(t *testing.T) {
	if testing.Short() {
		t.Skip("paced for seconds; run without -short")
	}
	board := store.Board{Name: "games", Shards: 2, Columns: []store.Column{{Name: "score", Order: store.Desc, Operator: store.Set}}}
	endpoint := servers.DynamoDB(t)
	_, client, table := openDynamo(t, endpoint, board)
	keys := datasets[3].generate(80_000)
	putItems(t, client, table, board, keys)

	gate := newGate(t, endpoint, 100)
	st, err := dynamo.Open(context.Background(), newClient(gate.url), table, dynamo.ShowThrottles())
	if err != nil {
		t.Fatal(err)
	}
	report, err := jobs.Refresher{Store: st, Holder: "test"}.Refresh(context.Background(), board, "", jobs.Options{Method: sampler.Counted, Pace: sampler.DefaultPace})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s; %d of %d queries were throttled", report.Usage, gate.throttled.Load(), gate.queries.Load())
	if report.Entries != int64(len(keys)) {
		t.Errorf("%d entries of %d", report.Entries, len(keys))
	}
	if gate.throttled.Load()*100 > gate.queries.Load() {
		t.Errorf("%d of %d queries were throttled, more than 1 %%", gate.throttled.Load(), gate.queries.Load())
	}
	// Each partition is two pages. One unit a second, so that a server that is slow for
	// the machine is busy does not keep within it by itself.
	narrow, err := dynamo.Open(context.Background(), newClient(newGate(t, endpoint, 1).url), table, dynamo.ShowThrottles())
	if err != nil {
		t.Fatal(err)
	}
	_, err = jobs.Refresher{Store: narrow, Holder: "test"}.Refresh(context.Background(), board, "", jobs.Options{Method: sampler.Scores})
	if !errors.Is(err, store.ErrThrottled) {
		t.Errorf("without a pace the gate should have throttled the refresh: %v", err)
	}
}
