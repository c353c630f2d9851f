package rankcurve_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A tester is a test, or one of rapid's.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A backend is a kind of store that the views must be the same on. Only one that is
// sorted has the rows of one score in the order of their owners.
type backend struct {
	store.Store
	sorted bool
}

// onBackends runs a test on the embedded store and on DynamoDB.
func onBackends(t *testing.T, test func(t *testing.T, on backend)) {
	t.Helper()
	t.Run("bolt", func(t *testing.T) { test(t, backend{newStore(t), true}) })
	t.Run("dynamodb", func(t *testing.T) { test(t, backend{newTable(t, "xp", "time"), false}) })
}

// checksInAHundred has rapid draw so many in place of a hundred: of what -rapid.checks
// says, in proportion. It is for what takes requests.
func checksInAHundred(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value
	was := checks.String()
	all, err := strconv.Atoi(was)
	if err == nil {
		err = checks.Set(strconv.Itoa(max(1, all*n/100)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Set(was) })
}

// newTable makes a table of a DynamoDB endpoint that goes with the test.
func newTable(tb testing.TB, columns ...string) store.Store {
	tb.Helper()
	ctx := context.Background()
	client := dynamo.NewClient(aws.Config{
		Region: "eu-west-1", BaseEndpoint: aws.String(servers.DynamoDB(tb)),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	name := fmt.Sprintf("rankcurve-views-%d", rand.Uint64())
	table := dynamo.NewTable(client, name, dynamo.PollEvery(15*time.Millisecond))
	if _, err := table.Create(ctx, columns); err != nil {
		tb.Fatal(err)
	}
	st, err := dynamo.Open(ctx, client, name)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = st.Close()
		_ = table.Delete(ctx)
	})
	return st
}

// wantRows compares rows with those of sorting. Where a backend has an order of
// equals of its own, they may be other ones than sorting by owner gives, but the
// scores and ranks are the same, each owner is one that has the score, and none comes
// twice.
func (on backend) wantRows(tb tester, what string, scores map[string]int64, got, want []rankcurve.Row) {
	tb.Helper()
	if len(got) != len(want) {
		tb.Fatalf("%s: %d rows %v, want %d: %v", what, len(got), got, len(want), want)
	}
	seen := map[string]bool{}
	for i, row := range got {
		score, there := scores[row.Owner]
		same := row == want[i] || !on.sorted && row.Rank == want[i].Rank && row.Score == want[i].Score && there && score == row.Score
		if !same || seen[row.Owner] {
			tb.Fatalf("%s: row %d is %v, want %v\n got %v\nwant %v", what, i, row, want[i], got, want)
		}
		seen[row.Owner] = true
	}
}

// window is the part of a sorted board around an owner.
func window(rows []rankcurve.Row, owner string, k int) (better []rankcurve.Row, pivot rankcurve.Row, worse []rankcurve.Row) {
	at := slices.IndexFunc(rows, func(row rankcurve.Row) bool { return row.Owner == owner })
	return rows[max(0, at-k):at], rows[at], rows[at+1 : min(len(rows), at+1+k)]
}

func rowsOf(ranks []rankcurve.Rank) []rankcurve.Row {
	rows := make([]rankcurve.Row, len(ranks))
	for i, r := range ranks {
		rows[i] = rankcurve.Row{Rank: r.Rank, Owner: r.Owner, Score: r.Score}
	}
	return rows
}

// wantConsistent checks that no two ranks of an answer contradict each other, nor what
// is known of the number of entries.
func wantConsistent(tb tester, c store.Column, ranks []rankcurve.Rank) {
	tb.Helper()
	for i, r := range ranks {
		if r.Low > r.Rank || r.Rank > r.High || r.Low < 1 || r.High > r.Of || r.Exact && r.Low != r.High {
			tb.Errorf("%s: rank %d in %d..%d of %d, exact %t", r.Owner, r.Rank, r.Low, r.High, r.Of, r.Exact)
		}
		if r.Rank < int64(1) || r.Of != ranks[0].Of || r.Percent <= 0 || r.Percent > 100 {
			tb.Errorf("%s: rank %d of %d, %v %%; others of %d", r.Owner, r.Rank, r.Of, r.Percent, ranks[0].Of)
		}
		if i == 0 {
			continue
		}
		before := ranks[i-1]
		switch {
		case c.Key(r.Score) > c.Key(before.Score):
			tb.Errorf("%s with %d comes behind %s with %d", r.Owner, r.Score, before.Owner, before.Score)
		case r.Score == before.Score && (r.Rank != before.Rank || r.Low != before.Low || r.High != before.High):
			tb.Errorf("equals have ranks %d and %d", before.Rank, r.Rank)
		case r.Score != before.Score && r.Rank <= before.Rank:
			tb.Errorf("%s with %d has rank %d, and %s with %d rank %d", before.Owner, before.Score, before.Rank, r.Owner, r.Score, r.Rank)
		}
	}
}
