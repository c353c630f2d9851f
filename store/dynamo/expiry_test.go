package dynamo_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// The rows of a board that ends carry its expiry, by whatever way they are written,
// and those of other boards none.
func TestRowsCarryTheirBoardsExpiry(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	table := newTable(t, admin, "xp", "time")
	st := open(t, admin, table)
	ends := board(1)
	ends.Name, ends.Family, ends.Period = "missions:2026-11-21", "missions", store.Daily
	ends.Expires = time.Date(2026, 12, 22, 0, 0, 0, 0, time.UTC)
	for _, b := range []store.Board{board(1), ends} {
		if err := st.CreateBoard(bg, b); err != nil {
			t.Fatal(err)
		}
		row := func(owner string) store.Entry { return store.Entry{Owner: owner, Scores: map[string]int64{"xp": 1}} }
		if _, err := st.Put(bg, b, row("put")); err != nil {
			t.Fatal(err)
		}
		if errs, _, err := st.PutAll(bg, b, []store.Entry{row("all")}); err != nil || errs[0] != nil {
			t.Fatal(err, errs)
		}
		if _, err := st.Load(bg, b, []store.Entry{row("loaded")}); err != nil {
			t.Fatal(err)
		}
		for _, owner := range []string{"put", "all", "loaded"} {
			out, err := admin.GetItem(bg, &dynamodb.GetItemInput{TableName: &table, Key: map[string]types.AttributeValue{"o": s(owner), "b": s(b.Name)}, ConsistentRead: aws.Bool(true)})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if x, ok := out.Item["x"].(*types.AttributeValueMemberN); ok {
				got = x.Value
			}
			want := ""
			if !b.Expires.IsZero() {
				want = "1797897600"
			}
			if got != want {
				t.Errorf("%s on %s expires at %q, want %q", owner, b.Name, got, want)
			}
		}
	}
}

// TTL knows seconds alone: a kept curve may go in the one that its expiry is in the end of,
// and no earlier.
func TestKeptCurvesCarryTheirExpiry(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	table := newTable(t, admin, "xp")
	st := open(t, admin, table)
	at := time.Unix(1_797_897_600, 0)
	k := store.CurveKey{Board: "missions", Column: "xp"}
	for _, c := range []struct {
		expires time.Time
		want    string
	}{{at, "1797897600"}, {at.Add(time.Millisecond), "1797897601"}, {at.Add(time.Second), "1797897601"}, {time.Time{}, ""}} {
		if _, err := st.Archive(bg, k, store.Archived{AsOf: at, Generation: 1, Data: []byte("x"), Expires: c.expires}); err != nil {
			t.Fatal(err)
		}
		out, err := admin.Query(bg, &dynamodb.QueryInput{
			TableName: &table, KeyConditionExpression: aws.String("o = :o"), ConsistentRead: aws.Bool(true),
			ExpressionAttributeValues: map[string]types.AttributeValue{":o": s("#history/missions.xp")},
		})
		if err != nil || len(out.Items) != 1 {
			t.Fatal(err, out)
		}
		x, _ := out.Items[0]["x"].(*types.AttributeValueMemberN)
		if got := aws.ToString(valueOf(x)); got != c.want {
			t.Errorf("expires %s: x is %q, want %q", c.expires, got, c.want)
		}
	}
}

func valueOf(n *types.AttributeValueMemberN) *string {
	if n == nil {
		return nil
	}
	return &n.Value
}
