package dynamo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// says fails the test unless an error is of a kind and has these words in it.
func says(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v, want %v", err, kind)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

func anyone(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
}

func TestOpenWithoutTable(t *testing.T) {
	_, err := dynamo.Open(bg, client(servers.DynamoDB(t)), "nowhere")
	says(t, err, store.ErrNoTable, "nowhere", "rankcurve table create", "region")
	var sdk *types.ResourceNotFoundException
	if !errors.As(err, &sdk) {
		t.Errorf("the SDK's error is not behind %v", err)
	}
}

func TestOpenOfAnothersTable(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	name := tableName()
	_, err := admin.CreateTable(bg, &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeN}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = admin.DeleteTable(bg, &dynamodb.DeleteTableInput{TableName: &name}) })
	_, err = dynamo.Open(bg, admin, name)
	says(t, err, store.ErrNoDatabase, name, "HASH pk (N)", "HASH o (S), RANGE b (S)", "rankcurve table create", "store.dynamodb.table")
	_, err = dynamo.NewTable(admin, name).Sync(bg, []string{"xp"})
	says(t, err, store.ErrNoDatabase, name)
}

func TestOpenWithoutCredentialsOrRegion(t *testing.T) {
	none := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("no EC2 IMDS role found")
	})
	_, err := dynamo.Open(bg, dynamo.NewClient(aws.Config{Region: "eu-west-1", Credentials: none}), "t")
	says(t, err, store.ErrDenied, "no AWS credentials", "AWS_PROFILE", "no EC2 IMDS role found")
	_, err = dynamo.Open(bg, dynamo.NewClient(aws.Config{Credentials: aws.CredentialsProviderFunc(anyone)}), "t")
	says(t, err, store.ErrInvalid, "AWS_REGION")
}

func TestOpenWithoutServer(t *testing.T) {
	_, err := dynamo.Open(bg, client("http://127.0.0.1:1"), "t", dynamo.Attempts(2))
	says(t, err, store.ErrUnavailable, "127.0.0.1:1", "refused")
	_, err = dynamo.Open(bg, client("http://dynamodb.eu-wast-1.invalid"), "t", dynamo.Attempts(1))
	says(t, err, store.ErrUnavailable, "dynamodb.eu-wast-1.invalid")
}

// refusing answers everything with one error of the service.
type refusing struct {
	dynamo.API
	err error
}

func (r refusing) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return nil, &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "DescribeTable", Err: r.err}
}

func TestAccessDenied(t *testing.T) {
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "User: arn:aws:iam::1:user/ann is not authorized to perform: dynamodb:DescribeTable"}
	_, err := dynamo.Open(bg, refusing{err: denied}, "scores")
	says(t, err, store.ErrDenied, "scores", "not authorized to perform: dynamodb:DescribeTable", "aws sts get-caller-identity")
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "AccessDeniedException" {
		t.Errorf("the SDK's error is not behind %v", err)
	}
}

func TestMissingIndex(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	s := open(t, admin, newTable(t, admin, "xp"))
	if err := s.CreateBoard(bg, board(1)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Count(bg, store.Query{Partition: board(1).Partition("time", 0), From: 1, To: 0})
	says(t, err, store.ErrNoTable, "by_time", s.Table(), "rankcurve table sync", "missions.time shard 0")
}

func keys(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}}
}

// await waits until a table can be used.
func await(t *testing.T, c *dynamodb.Client, table string) {
	t.Helper()
	for {
		out, err := c.DescribeTable(bg, &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			t.Fatal(err)
		}
		if out.Table.TableStatus == types.TableStatusActive {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestIndexOfAnotherType(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	name := tableName()
	text := types.ScalarAttributeTypeS
	_, err := admin.CreateTable(bg, &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keys("o", "b"),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("o"), AttributeType: text},
			{AttributeName: aws.String("b"), AttributeType: text},
			{AttributeName: aws.String("g"), AttributeType: text},
			{AttributeName: aws.String("xp"), AttributeType: text},
		},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("by_xp"),
			KeySchema:  keys("g", "xp"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = admin.DeleteTable(bg, &dynamodb.DeleteTableInput{TableName: &name}) })
	await(t, admin, name)
	table := dynamo.NewTable(admin, name, dynamo.PollEvery(10*time.Millisecond))
	done, err := table.Sync(bg, []string{"xp"})
	if err != nil || len(done.Wrong) != 1 || !strings.Contains(done.Wrong[0], "RANGE xp (S), not HASH g (S), RANGE xp (N)") {
		t.Errorf("sync: %+v, %v", done, err)
	}
	s := open(t, admin, name)
	_, err = s.Rows(bg, store.Query{Partition: board(1).Partition("xp", 0), From: 1, To: 0})
	says(t, err, store.ErrNoTable, "by_xp", "rankcurve table describe")
	_, err = s.Put(bg, board(1), ann(1))
	says(t, err, store.ErrNoTable, `"ann"`, name, "rankcurve table describe", "rankcurve table sync")
}

// put writes an item as another program would.
func put(t *testing.T, c *dynamodb.Client, table string, item map[string]types.AttributeValue) {
	t.Helper()
	if _, err := c.PutItem(bg, &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		t.Fatal(err)
	}
}

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func n(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }

func TestItemsOfAnotherShape(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	table := newTable(t, admin) // without indexes, which refuse a score that is a text
	st := open(t, admin, table)
	for attribute, value := range map[string]types.AttributeValue{
		"xp":   s("12"),
		"time": n("82.345"), // more decimals than the column has
		"v":    n("0"),
		"d":    s("clan"),
		"p":    n("1"),
		"u":    s("yesterday"),
	} {
		put(t, admin, table, map[string]types.AttributeValue{"o": s("ann"), "b": s("missions"), attribute: value})
		_, _, one := st.Entry(bg, board(1), "ann")
		_, _, many := st.EntriesOf(bg, board(1), []string{"ann"})
		_, load := st.Load(bg, board(1), []store.Entry{ann(1)})
		for _, err := range []error{one, many, load} {
			row := "--table-name " + table + ` --key '{"b":{"S":"missions"},"o":{"S":"ann"}}'`
			says(t, err, store.ErrCorrupt, `"ann"`, `"missions"`, "attribute "+attribute, "docs/schema.md",
				"`aws dynamodb update-item "+row+" --update-expression 'REMOVE #a' --expression-attribute-names '{\"#a\":\""+attribute+"\"}'`", "`aws dynamodb delete-item "+row+"`")
		}
	}
}
