package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A running event prints on DynamoDB what its page says of the embedded store, typed word
// for word behind a table of its column.
func TestBinaryDoesAWalkthroughOnDynamoDB(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this machine has no bash")
	}
	endpoint, table := servers.DynamoDB(t), fmt.Sprintf("rankcurve-walk-%d", rand.Uint64())
	credentialsOf(t, "local")
	for name, value := range map[string]string{"KIND": "dynamodb", "DYNAMODB_TABLE": table, "DYNAMODB_REGION": "eu-west-1", "DYNAMODB_ENDPOINT": endpoint} {
		t.Setenv("RANKCURVE_STORE_"+name, value)
	}
	t.Cleanup(func() {
		_, _ = clientOf(endpoint).DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &table})
	})
	r := reader{process: newProcess(t), address: strings.NewReplacer()}
	r.types("rankcurve table create --column time").ok("made table " + table)
	for _, s := range walkthrough(t, "walkthrough-event.md") {
		got := r.types(s.commands).ok()
		if lasting(got.out) != lasting(s.prints) {
			t.Errorf("%s\nprints on DynamoDB\n%s\nand not\n%s", s.commands, got.out, s.prints)
		}
	}
}
