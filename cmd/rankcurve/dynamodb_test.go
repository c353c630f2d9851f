package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A cloud is a shell whose boards are in a table of a real DynamoDB endpoint. The
// table is there once a test has made it, and is deleted at the test's end.
type cloud struct {
	*shell
	endpoint, table string
	client          *dynamodb.Client
}

func newCloud(t *testing.T) cloud {
	t.Helper()
	// Dynalite dies of a request that is cut off; the proxy passes on whole ones alone.
	whole := shaky.New(t, servers.DynamoDB(t), func(shaky.Request) shaky.Fault { return shaky.None })
	return cloudAt(t, whole.URL)
}

func cloudAt(t *testing.T, endpoint string) cloud {
	t.Helper()
	credentialsOf(t, "local")
	s := newShell(t)
	c := cloud{shell: s, endpoint: endpoint, table: fmt.Sprintf("rankcurve-test-%p", s)}
	s.environ = []string{
		"RANKCURVE_STORE_KIND=dynamodb", "RANKCURVE_STORE_DYNAMODB_TABLE=" + c.table,
		"RANKCURVE_STORE_DYNAMODB_REGION=eu-west-1", "RANKCURVE_STORE_DYNAMODB_ENDPOINT=" + c.endpoint,
	}
	c.client = clientOf(endpoint)
	t.Cleanup(func() {
		_, _ = c.client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &c.table})
	})
	return c
}

// clientOf is the SDK's client as another program has it.
func clientOf(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "eu-west-1", BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

// credentialsOf keeps a developer's own away from the tests; "" leaves none.
func credentialsOf(t *testing.T, key string) {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": key, "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "",
		"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "", "AWS_WEB_IDENTITY_TOKEN_FILE": "",
	} {
		t.Setenv(name, value) // what it was comes back at the test's end
		if value == "" {
			os.Unsetenv(name)
		}
	}
}

// games makes the table, loads n players on the board "games" and makes its curve.
func (c cloud) games(n int) {
	c.t.Helper()
	c.bare("table", "create", "--column", "xp").ok()
	c.bare("load", "games", c.players(n)).ok()
	c.bare("rebuild", "games").ok()
}

// put writes an item as another program would.
func (c cloud) put(owner string, score types.AttributeValue) {
	c.t.Helper()
	partition := store.Partition{Board: "games", Column: "xp", Shard: store.ShardOf(owner, 16)}
	item := map[string]types.AttributeValue{"xp": score}
	for name, value := range map[string]string{"o": owner, "b": "games", "g": partition.HashKey()} {
		item[name] = &types.AttributeValueMemberS{Value: value}
	}
	if _, err := c.client.PutItem(c.ctx, &dynamodb.PutItemInput{TableName: &c.table, Item: item}); err != nil {
		c.t.Fatal(err)
	}
}

// create makes the table with the SDK alone. Keys are NAME:TYPE; index, if any,
// adds by_xp over g and the column xp of a type, that projects the keys, or other
// attributes as well.
func (c cloud) create(hash, sort, index string, others ...string) {
	c.t.Helper()
	projection := types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	if len(others) > 0 {
		projection = types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: others}
	}
	in := &dynamodb.CreateTableInput{TableName: &c.table, BillingMode: types.BillingModePayPerRequest}
	key := func(text string, kind types.KeyType) types.KeySchemaElement {
		name, scalar, _ := strings.Cut(text, ":")
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeType(scalar)})
		return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
	}
	in.KeySchema = []types.KeySchemaElement{key(hash, types.KeyTypeHash)}
	if sort != "" {
		in.KeySchema = append(in.KeySchema, key(sort, types.KeyTypeRange))
	}
	if index != "" {
		in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("by_xp"),
			KeySchema:  []types.KeySchemaElement{key("g:S", types.KeyTypeHash), key("xp:"+index, types.KeyTypeRange)},
			Projection: &projection,
		}}
	}
	if _, err := c.client.CreateTable(c.ctx, in); err != nil {
		c.t.Fatal(err)
	}
	waiter := dynamodb.NewTableExistsWaiter(c.client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = o.MaxDelay / 1000 })
	if err := waiter.Wait(c.ctx, &dynamodb.DescribeTableInput{TableName: &c.table}, patience); err != nil {
		c.t.Fatal(err)
	}
}

// Every command says on DynamoDB what it says on the embedded store.
func TestCommandsAreTheSameOnDynamoDB(t *testing.T) {
	c, embedded := newCloud(t), newShell(t).stopClock()
	c.stopClock()
	c.bare("table", "create", "--column", "xp").ok("made table "+c.table+" at "+c.endpoint+", with by_xp", "warning: point-in-time recovery is off", "next: rankcurve load BOARD FILE")
	for _, line := range []string{
		"load games " + c.players(300), "rebuild games", "rank games p1 p200 --json", "rank games p7 --mode exact --json", "rank games p299 --mode estimate --json",
		"top games -n 20", "top games --json -n 3", "score games --percent 1 --json", "post games p300 xp=100000", "rank games p300",
		"rebuild games --dry-run --json", "curve show games --json",
		"rank games nobody", "top nothing", "rank games p1 --column gold", "load games missing.csv",
	} {
		words := strings.Fields(line)
		got, want := c.bare(words...), embedded.run(words...)
		if got.code != want.code || steady(got.out) != steady(want.out) || steady(got.err) != steady(want.err) {
			t.Errorf("%s:\nexit code %d\n%s%s\non the embedded store: exit code %d\n%s%s", line, got.code, got.out, got.err, want.code, want.out, want.err)
		}
	}
	c.put("other", &types.AttributeValueMemberN{Value: "2995"})
	c.bare("rank", "games", "other", "--mode", "exact").ok("2,995      3   exact")
	if embedded.bare("demo", "--entries", "1000").code != exitDone {
		t.Error("the demo fails")
	}
	c.bare("demo", "--entries", "1000").ok("rankcurve demo")
}

// A table that throttles and fails now and then costs time alone: the walk is
// paced, and a question is asked again.
func TestCommandsOnAShakyDynamoDB(t *testing.T) {
	var mu sync.Mutex
	failed := map[string]bool{}
	again := func(r shaky.Request) bool { // a request that has failed is let through: one that fails each of three times is an error
		mu.Lock()
		defer mu.Unlock()
		key := r.Operation + string(r.Body)
		failed[key] = !failed[key]
		return !failed[key]
	}
	proxy := shaky.New(t, servers.DynamoDB(t), func(r shaky.Request) shaky.Fault {
		switch {
		case r.Operation == "DeleteTable" || r.Operation == "CreateTable":
			return shaky.None // not what is tested
		case r.Number%10 != 7 && r.Number%20 != 3, again(r):
			return shaky.None
		case r.Number%10 == 7:
			return shaky.Throttled
		}
		return shaky.Refused
	})
	c := cloudAt(t, proxy.URL)
	c.games(200)
	c.bare("rebuild", "games", "--full").ok("generation 2 of 200 entries")
	c.bare("rank", "games", "p150", "--mode", "exact").ok("150   exact")
	if proxy.Requests("") < 300 {
		t.Errorf("only %d requests came through the proxy", proxy.Requests(""))
	}
}

// steady leaves out what differs between two runs: times, and how a store shares
// its work out in requests.
func steady(text string) string {
	for _, f := range []string{`"(as_of|updated|board_id)":"[^"]*"`, `"(seconds|requests|read_units|dollars|age_seconds)":[0-9.e-]+`, `in [0-9.,]+ m?s\b`, `[0-9,]+ rows/s`, `[0-9,.]+ read units? in [0-9,]+ requests?`, `next: .*`, ` --db \S+`} {
		text = regexp.MustCompile(f).ReplaceAllString(text, "")
	}
	return text
}
