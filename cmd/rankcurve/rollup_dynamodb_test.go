package main

import (
	"context"
	"os"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store/dynamo"
	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// On DynamoDB a count is killed while some rows of a board are written and others are
// not, and answers are lost besides; the sums are exact in the end.
func TestBinaryIsKilledWhileItCountsOnDynamoDB(t *testing.T) {
	var writes, holdAt atomic.Int64
	proxy := shaky.New(t, servers.DynamoDB(t), func(r shaky.Request) shaky.Fault {
		if r.Operation != "UpdateItem" {
			return shaky.None
		}
		n := writes.Add(1)
		switch hold := holdAt.Load(); {
		case hold > 0 && n >= hold:
			return shaky.Slow
		case n%20 == 7:
			return shaky.Lost
		}
		return shaky.None
	})
	c, p, log := cloudAt(t, proxy.URL), newProcess(t), newViewsLog()
	c.bare("table", "create", "--column", "views", "--column", "bytes").ok()
	cfg := c.file("c.yaml", viewsConfig)
	words := []string{"--config", cfg, "load", "photos", c.folder + "/access.csv", "--count-by", "owner", "--sum", "bytes", "--type-column", "type"}
	for _, after := range []int64{30, 200, 700} {
		log.grow(rollupChunkDynamoDB + int(after))
		c.file("access.csv", log.text.String())
		holdAt.Store(writes.Load() + after)
		run := p.command(words...)
		run.Env = append(os.Environ(), c.environ...)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the write that is held", func() bool { return writes.Load() >= holdAt.Load() })
		if err := run.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = run.Wait()
		holdAt.Store(0)
		c.endLeases()
	}
	run := p.command(words...)
	run.Env = append(os.Environ(), c.environ...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	writes.Store(0)
	c.bare(words...).ok("nothing new: ")
	if writes.Load() != 0 {
		t.Errorf("counting again wrote %d rows", writes.Load())
	}
	st, err := dynamo.Open(context.Background(), c.client, c.table)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	log.check(t, st)
}

// endLeases does what time would: the next run need not wait for it.
func (c cloud) endLeases() {
	c.t.Helper()
	owner := ":o"
	out, err := c.client.Query(c.ctx, &dynamodb.QueryInput{
		TableName: &c.table, KeyConditionExpression: ptr("o = " + owner),
		ExpressionAttributeValues: map[string]types.AttributeValue{owner: &types.AttributeValueMemberS{Value: "#lease"}},
	})
	if err != nil || len(out.Items) == 0 {
		c.t.Fatalf("leases %v, %v", out, err)
	}
	for _, item := range out.Items {
		_, err := c.client.UpdateItem(c.ctx, &dynamodb.UpdateItemInput{
			TableName: &c.table, Key: map[string]types.AttributeValue{"o": item["o"], "b": item["b"]},
			UpdateExpression: ptr("SET e = :e"), ExpressionAttributeValues: map[string]types.AttributeValue{":e": &types.AttributeValueMemberN{Value: "1"}},
		})
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

func ptr[T any](v T) *T { return &v }
