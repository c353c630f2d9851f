package plan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

func TestPlannedCostsOnDynamoDB(t *testing.T) {
	endpoint := servers.DynamoDB(t)
	client := dynamo.NewClient(aws.Config{
		Region: "us-east-1", BaseEndpoint: &endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	table := fmt.Sprintf("rankcurve-plan-%d", rand.Uint32())
	admin := dynamo.NewTable(client, table, dynamo.PollEvery(20*time.Millisecond))
	if _, err := admin.Create(context.Background(), []string{"xp"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Delete(context.Background()) })
	st, err := dynamo.Open(context.Background(), client, table)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	board := boardOf(8)
	put := func(rows []store.Entry) error { return putItems(client, table, board, rows) }
	churningIn(t, st, board, 50_000, put).costs(8, 1)
}

// putItems writes rows as any program with the SDK may.
func putItems(client *dynamodb.Client, table string, board store.Board, rows []store.Entry) error {
	var group errgroup.Group
	group.SetLimit(8)
	for part := range slices.Chunk(rows, 25) {
		group.Go(func() error {
			writes := make([]types.WriteRequest, 0, len(part))
			for _, row := range part {
				partition := board.Partition("xp", store.ShardOf(row.Owner, board.Shards))
				writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: map[string]types.AttributeValue{
					"o":  &types.AttributeValueMemberS{Value: row.Owner},
					"b":  &types.AttributeValueMemberS{Value: board.Name},
					"g":  &types.AttributeValueMemberS{Value: partition.HashKey()},
					"xp": &types.AttributeValueMemberN{Value: strconv.FormatInt(row.Scores["xp"], 10)},
				}}})
			}
			_, err := client.BatchWriteItem(context.Background(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: writes}})
			return err
		})
	}
	return group.Wait()
}
