package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// readmeBlocks are the console blocks of a section of the README, as they stand.
func readmeBlocks(t *testing.T, heading string) (blocks []string) {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(data), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("README.md has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for _, after := range strings.Split(section, "\n```console\n")[1:] {
		block, _, _ := strings.Cut(after, "\n```\n")
		blocks = append(blocks, block+"\n")
	}
	return blocks
}

// A reader types the README's blocks into a shell, beside servers that listen on
// other ports than those it names.
type reader struct {
	process
	exports string // of the blocks so far
	address *strings.Replacer
}

func (r *reader) types(block string) result {
	r.t.Helper()
	script := r.exports + r.address.Replace(block)
	for line := range strings.Lines(r.address.Replace(block)) {
		if strings.HasPrefix(line, "export ") {
			r.exports += line
		}
	}
	c := exec.Command("bash", "-euo", "pipefail", "-c", script)
	c.Dir, c.Env = r.folder, append(os.Environ(), "PATH="+filepath.Dir(r.path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	return result{r.t, block, exitStatus(r.t, c.Run()), out.String(), errs.String()}
}

// The README's DynamoDB section, word for word, against real servers.
func TestBinaryDoesTheReadmesDynamoDBSection(t *testing.T) {
	if os.Getenv(servers.EndpointVariable) != "" {
		t.Skip("the section makes a table called rankcurve, which is not for any endpoint")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this machine has no bash")
	}
	blocks := readmeBlocks(t, "On DynamoDB, with memcached")
	if len(blocks) != 3 || !strings.HasPrefix(blocks[2], "aws ") {
		t.Fatalf("the section has %d blocks and not 3: servers, rankcurve, aws", len(blocks))
	}
	endpoint := servers.DynamoDB(t)
	memcached := servers.NewMemcached(t).Addr
	bePatient(t)
	credentialsOf(t, "")
	c := newProcess(t)
	r := reader{process: c, address: strings.NewReplacer("http://127.0.0.1:4567", endpoint, "127.0.0.1:11211", memcached)}
	r.types(blocks[1]).ok("made table rankcurve at "+endpoint+", with by_score", "loaded 3 rows", "games.score: generation 1 of 3 entries",
		"   1   ann     1,500", "OWNER   SCORE   RANK   BAND ", "bob     1,200      2   exact")

	t.Run("an item of another program", func(t *testing.T) {
		client, table := clientOf(endpoint), "rankcurve"
		partition := store.Partition{Board: "games", Column: "score", Shard: store.ShardOf("dora", 16)}
		item := map[string]types.AttributeValue{
			"o": &types.AttributeValueMemberS{Value: "dora"}, "b": &types.AttributeValueMemberS{Value: "games"},
			"g": &types.AttributeValueMemberS{Value: partition.HashKey()}, "score": &types.AttributeValueMemberN{Value: "1300"},
		}
		if _, err := client.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
			t.Fatal(err)
		}
		r.types("rankcurve rank games dora bob\n").ok("dora    1,300      2   exact", "bob     1,200      3   exact")
	})
	t.Run("the aws command line", func(t *testing.T) {
		if _, err := exec.LookPath("aws"); err != nil {
			t.Skip("aws is not installed (Debian: apt-get install awscli)")
		}
		r.process.t = t
		r.types(blocks[2]).ok("zoe     1,300      2   exact")
	})
}
