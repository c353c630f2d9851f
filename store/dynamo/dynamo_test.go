package dynamo_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest"
	"github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

var bg = context.Background()

// TestMain takes fewer random runs of the model than bolt does: each is some
// hundreds of requests here.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks != nil && checks.Value.String() == checks.DefValue {
		_ = checks.Value.Set("10")
	}
	_ = flag.Set("rapid.nofailfile", "true") // a failure over a flaky line does not come again
	os.Exit(m.Run())
}

func TestContract(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		return open(t, admin, newTable(t, admin, "xp", "time"))
	}, storetest.IndexesLag())
}

// The contract holds where one request in twenty fails and one in ten is
// throttled. The tables are made past the proxy.
func TestContractUnderFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("the same suite again, slower")
	}
	endpoint := servers.DynamoDB(t)
	admin := client(endpoint)
	proxy := faults.New(t, endpoint, faults.Some(5, 10, 1))
	failing := client(proxy.URL)
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		// With 15 of 100 that fail, one call in four million fails eight times in a row: of the
		// ten thousand here, that would be one in every few hundred runs.
		return open(t, failing, newTable(t, admin, "xp", "time"), dynamo.Attempts(20))
	}, storetest.IndexesLag(), storetest.Flaky())
}

func TestContractBesideADamagedRow(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	storetest.RunDamaged(t, func(t *testing.T, b store.Board, rows []store.Entry, damaged string) store.Store {
		t.Helper()
		table := newTable(t, admin, "xp", "time")
		st := open(t, admin, table)
		if _, err := st.Load(bg, b, rows); err != nil {
			t.Fatal(err)
		}
		put(t, admin, table, map[string]types.AttributeValue{"o": s(damaged), "b": s(b.Name), "xp": n("2"), "u": s("yesterday")})
		return st
	})
}

func TestContractBesideADamagedBoard(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	storetest.RunDamagedBoard(t, func(t *testing.T, rows []store.Owned, damaged string) store.Store {
		t.Helper()
		table := newTable(t, admin, "xp", "time")
		st := open(t, admin, table)
		for _, r := range rows {
			if err := st.CreateBoard(bg, r.Board); err != nil {
				t.Fatal(err)
			}
			if _, err := st.Load(bg, r.Board, []store.Entry{r.Entry}); err != nil {
				t.Fatal(err)
			}
		}
		put(t, admin, table, map[string]types.AttributeValue{"o": s("#board"), "b": s(damaged), "j": s(`{"name": `)})
		return open(t, admin, table) // one that does not know the definitions
	})
}

// client is one for any endpoint: the keys are of no account, unless the
// environment has some.
func client(endpoint string) *dynamodb.Client {
	key, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if key == "" {
		key, secret = "test", "test"
	}
	region := os.Getenv("AWS_REGION")
	if region == "" {
		region = "eu-west-1"
	}
	whose := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret, SessionToken: os.Getenv("AWS_SESSION_TOKEN")}, nil
	})
	return dynamo.NewClient(aws.Config{Region: region, Credentials: whose}, func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(endpoint) })
}

var (
	tables   atomic.Int64
	tableRun = time.Now().UnixNano() // so that runs against a lasting endpoint do not meet
)

func tableName() string { return fmt.Sprintf("rankcurve-test-%d-%d", tableRun, tables.Add(1)) }

// newTable makes a table with indexes for the columns; it goes with the test.
func newTable(tb testing.TB, admin *dynamodb.Client, columns ...string) string {
	tb.Helper()
	name := tableName()
	table := dynamo.NewTable(admin, name, dynamo.PollEvery(15*time.Millisecond))
	if _, err := table.Create(bg, columns); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_, err := admin.DeleteTable(bg, &dynamodb.DeleteTableInput{TableName: &name})
		if err != nil && !strings.Contains(err.Error(), "ResourceNotFound") {
			tb.Errorf("delete table: %v", err)
		}
	})
	return name
}

func open(tb testing.TB, c dynamo.API, table string, opts ...dynamo.Option) *dynamo.Store {
	tb.Helper()
	s, err := dynamo.Open(bg, c, table, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}
