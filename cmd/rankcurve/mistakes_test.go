package main

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestDynamoDBWithoutCredentials(t *testing.T) {
	s := newShell(t)
	credentialsOf(t, "")
	s.bare("--endpoint", "http://127.0.0.1:1", "top", "games").fails(exitUsage, "no AWS credentials are set", "any will do: export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local")
	s.bare("--region", "eu-west-1", "top", "games").fails(exitUsage, "no AWS credentials were found", "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	t.Setenv("AWS_PROFILE", "nobody")
	s.bare("--region", "eu-west-1", "top", "games").fails(exitUsage, "read the AWS configuration", "nobody", "correct AWS_PROFILE")
}

func TestDynamoDBWithoutARegion(t *testing.T) {
	s := newShell(t)
	credentialsOf(t, "local")
	s.bare("--store", "dynamodb", "top", "games").fails(exitUsage, "no AWS region is set", "--region or AWS_REGION")
}

func TestDynamoDBThatIsNotThere(t *testing.T) {
	s := newShell(t)
	credentialsOf(t, "local")
	const refused, noHost = "http://127.0.0.1:1", "http://dynamodb.eu-wset-1.invalid"
	s.bare("--table", "boards", "--endpoint", refused, "top", "games").fails(exitFailed, "connection refused", "is a server running at "+refused)
	s.bare("--table", "boards", "--endpoint", refused, "table", "describe").fails(exitFailed, "connection refused", "is a server running at "+refused)
	s.bare("--table", "boards", "--endpoint", noHost, "top", "games").fails(exitFailed, "there is no host dynamodb.eu-wset-1.invalid; check store.dynamodb.region and endpoint")
}

func TestDynamoDBWithoutTheTable(t *testing.T) {
	c := newCloud(t)
	for _, line := range []string{"top games", "rank games ann", "rebuild games", "load games " + c.players(1), "post games ann xp=1", "table describe", "table sync", "table delete --yes"} {
		c.bare(strings.Fields(line)...).fails(exitNotFound, "there is no table "+c.table, "`rankcurve table create` makes it", "it was looked for at "+c.endpoint+"; --table, --region and --endpoint name others")
	}
}

func TestTableOfSomebodyElse(t *testing.T) {
	c := newCloud(t)
	c.create("id:S", "", "")
	for _, line := range []string{"top games", "load games " + c.players(1), "table sync --column xp"} {
		c.bare(strings.Fields(line)...).fails(exitFailed, "its keys are HASH id (S)", "it belongs to something else")
	}
	for _, line := range []string{"table describe", "table describe --json"} {
		r := c.bare(strings.Fields(line)...).fails(exitFailed, "table "+c.table+" is none that rankcurve can use: its keys are HASH id (S)", "belongs to something else")
		r.has("output", r.out, []string{"HASH id (S)", "ACTIVE"})
	}
	c.bare("--endpoint", c.endpoint, "--table", c.table, "top", "games").fails(exitFailed, "`rankcurve --endpoint "+c.endpoint+" table create --table NAME` makes one")
	c.bare("table", "delete", "--yes").fails(exitFailed, "is not deleted: its keys are HASH id (S)")
	c.bare("table", "create", "--column", "xp").fails(exitFailed, "is there already", "its keys are HASH id (S)", "`rankcurve table create --table NAME` makes one")
}

func TestTableWithoutTheIndex(t *testing.T) {
	c := newCloud(t)
	c.create("o:S", "b:S", "")
	c.bare("load", "games", c.players(3)).ok("loaded 3 rows", "the table has no index of xp, without which there are no ranks\nnext: rankcurve table sync\nthen: rankcurve rebuild games\n")
	where := "--table " + c.table + " --endpoint " + c.endpoint
	said := []string{"--table", c.table, "--endpoint", c.endpoint}
	c.bare(append(said, "load", "games", c.players(3))...).ok("next: rankcurve " + where + " table sync\nthen: rankcurve " + where + " rebuild games\n")
	c.bare(append(said, "top", "games")...).fails(exitNotFound, "`rankcurve "+where+" table describe` shows it, `rankcurve "+where+" table sync` makes a missing one")
	c.bare("--table", "nowhere", "--endpoint", c.endpoint, "top", "games").fails(exitNotFound, "`rankcurve --table nowhere --endpoint "+c.endpoint+" table create` makes it")
	for _, line := range []string{"rebuild games", "top games", "rank games p1 --mode exact"} {
		c.bare(strings.Fields(line)...).fails(exitNotFound, "index by_xp of table "+c.table+" is missing", "`rankcurve table describe` shows it, `rankcurve table sync` makes a missing one")
	}
	c.bare("table", "describe").ok("warning: column xp has no index, and so no ranks; `rankcurve table sync` adds it")
}

func TestTableWithAnIndexOfTheWrongType(t *testing.T) {
	c := newCloud(t)
	c.create("o:S", "b:S", "S")
	c.bare("load", "games", c.players(3)).fails(exitFailed, "index by_xp of table "+c.table+" has HASH g (S), RANGE xp (S), and must have HASH g (S), RANGE xp (N)", "`aws dynamodb update-table --endpoint-url "+c.endpoint+" --region eu-west-1 --table-name "+c.table, "then `rankcurve table sync`")
	c.bare("top", "games").fails(exitNotFound, `board "games"`) // nothing was written
	where := "--table " + c.table + " --endpoint " + c.endpoint
	said := []string{"--table", c.table, "--endpoint", c.endpoint}
	c.bare(append(said, "load", "games", c.players(3))...).fails(exitFailed, "`aws dynamodb update-table --endpoint-url "+c.endpoint+" --region eu-west-1 --table-name "+c.table, "then `rankcurve "+where+" table sync` makes it anew")
	c.bare(append(said, "table", "describe")...).ok("warning: index by_xp", "then `rankcurve "+where+" table sync` makes it anew")
	c.bare("table", "sync", "--column", "xp").fails(exitFailed, "must have HASH g (S), RANGE xp (N)", `[{"Delete":{"IndexName":"by_xp"}}]`)
	c.bare("table", "describe", "--column", "xp").fails(exitUsage, "--column")
}

func TestItemWhoseScoreIsAText(t *testing.T) {
	c := newCloud(t)
	c.create("o:S", "b:S", "") // with the index, DynamoDB refuses such an item itself
	c.bare("load", "games", c.players(3)).ok()
	c.put("ann", &types.AttributeValueMemberS{Value: "many"})
	c.bare("rank", "games", "ann").fails(exitFailed, `owner "ann" on board "games": attribute xp is of type S and not N`, "`aws dynamodb update-item --endpoint-url "+c.endpoint+" --region eu-west-1 --table-name "+c.table)
}

// Who waits for a slow table can leave.
func TestStopWhileDynamoDBIsAsked(t *testing.T) {
	c := newCloud(t)
	c.games(3)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c.ctx = ctx
	c.bare("top", "games").fails(exitFailed, "stopped before it was done")
	c.bare("table", "sync").fails(exitFailed, "stopped")
}
