package dynamo_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// An item as docs/schema.md shows it is ranked, read and posted to like any other,
// and what is not ours in it stays.
func TestItemOfAnotherProgram(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	table := newTable(t, admin, "xp", "time")
	st := open(t, admin, table)
	if err := st.CreateBoard(bg, board(1)); err != nil {
		t.Fatal(err)
	}
	put(t, admin, table, map[string]types.AttributeValue{
		"o": s("ann"), "b": s("missions"), "g": s("missions#00"), "xp": n("1200"), "time": n("8.23e1"),
		"d": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"clan": s("owls"), "level": n("7"), "pro": &types.AttributeValueMemberBOOL{Value: true}}},
		"x": n("1999999999"), "email": s("ann@example.org"),
	})
	page, err := st.Rows(bg, store.Query{Partition: board(1).Partition("time", 0), From: store.MaxScore, To: -store.MaxScore})
	if err != nil || !slices.Equal(page.Rows, []store.Position{{Key: -8230, Owner: "ann"}}) {
		t.Errorf("rows %v, %v", page.Rows, err)
	}
	e, _, err := st.Entry(bg, board(1), "ann")
	want := map[string]string{"clan": "owls", "level": "7", "pro": "true"}
	if err != nil || e.Version != 1 || e.Scores["xp"] != 1200 || e.Scores["time"] != 8230 || !maps.Equal(e.Attributes, want) || e.Hidden || !e.Updated.IsZero() {
		t.Fatalf("entry %+v, %v", e, err)
	}
	e.Scores["xp"] = 1300
	if _, err := st.Put(bg, board(1), e); err != nil {
		t.Fatal(err)
	}
	out, err := admin.GetItem(bg, &dynamodb.GetItemInput{TableName: &table, Key: map[string]types.AttributeValue{"o": s("ann"), "b": s("missions")}, ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"x": "1999999999", "xp": "1300", "time": "82.3", "v": "2"} {
		if got, ok := out.Item[name].(*types.AttributeValueMemberN); !ok || got.Value != want {
			t.Errorf("attribute %s is %v, want %s", name, out.Item[name], want)
		}
	}
	if got, ok := out.Item["email"].(*types.AttributeValueMemberS); !ok || got.Value != "ann@example.org" {
		t.Errorf("email is %v", out.Item["email"])
	}
}

// documented reads the item that docs/schema.md puts with the AWS command line.
func documented(t *testing.T) map[string]types.AttributeValue {
	t.Helper()
	page, err := os.ReadFile("../../docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "put-item --table-name rankcurve --item '")
	text, _, _ := strings.Cut(rest, "'")
	var raw map[string]map[string]any
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatalf("the page's item %q: %v", text, err)
	}
	item := map[string]types.AttributeValue{}
	for name, value := range raw {
		switch {
		case value["S"] != nil:
			item[name] = s(value["S"].(string))
		case value["N"] != nil:
			item[name] = n(value["N"].(string))
		case value["M"] != nil:
			clan := value["M"].(map[string]any)["clan"].(map[string]any)["S"].(string)
			item[name] = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"clan": s(clan)}}
		}
	}
	return item
}

func TestDocumentedItemIsRanked(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	table := newTable(t, admin, "xp", "time")
	st := open(t, admin, table)
	if err := st.CreateBoard(bg, board(16)); err != nil {
		t.Fatal(err)
	}
	put(t, admin, table, documented(t))
	q := store.Query{Partition: board(16).Partition("xp", store.ShardOf("ann", 16)), From: store.MaxScore, To: -store.MaxScore}
	page, err := st.Rows(bg, q)
	if err != nil || !slices.Equal(page.Rows, []store.Position{{Key: 1200, Owner: "ann"}}) {
		t.Errorf("rows %v, %v", page.Rows, err)
	}
	e, _, err := st.Entry(bg, board(16), "ann")
	if err != nil || e.Scores["time"] != 8230 || e.Attributes["clan"] != "owls" || e.Hidden {
		t.Errorf("entry %+v, %v", e, err)
	}
}

// A row that another program made has no version: of two who put over it, one wins.
func TestRowWithoutVersionIsPutOnce(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	table := newTable(t, admin, "xp", "time")
	st := open(t, admin, table)
	put(t, admin, table, map[string]types.AttributeValue{"o": s("ann"), "b": s("missions"), "xp": n("1")})
	fresh := ann(1)
	_, err := st.Put(bg, board(1), fresh)
	says(t, err, store.ErrConflict, `"ann"`)
	fresh.Version = 1
	if _, err := st.Put(bg, board(1), fresh); err != nil {
		t.Error(err)
	}
	_, err = st.Put(bg, board(1), fresh)
	says(t, err, store.ErrConflict)
	put(t, admin, table, map[string]types.AttributeValue{"o": s("bob"), "b": s("missions"), "xp": n("1")})
	if _, err := st.Delete(bg, board(1), "bob", 1); err != nil {
		t.Error(err)
	}
}

// The system's items are no entries, whatever is asked.
func TestSystemsItemsAreNoEntries(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	st := open(t, admin, newTable(t, admin, "xp", "time"))
	if err := st.CreateBoard(bg, board(1)); err != nil {
		t.Fatal(err)
	}
	_, _, err := st.Entry(bg, board(1), "#board")
	says(t, err, store.ErrNotFound)
	_, err = st.Delete(bg, board(1), "#board", 1)
	says(t, err, store.ErrNotFound)
	if _, err := st.Board(bg, "missions"); err != nil {
		t.Error(err)
	}
}

// A state of many shards is larger than an item can be.
func TestLargeStates(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	st := open(t, admin, newTable(t, admin, "xp"))
	key := store.CurveKey{Board: "missions", Column: "xp"}
	random := rand.NewChaCha8([32]byte{})
	for _, size := range []int{1_000_000, 400_000, 10, 380_000, 380_001, 2_500_000} {
		state := make([]byte, size)
		_, _ = random.Read(state)
		u, err := st.SaveState(bg, key, state)
		if err != nil || u.TableWrites < float64(size/1024) {
			t.Errorf("save %d bytes: %v, %v", size, u, err)
		}
		got, _, err := st.State(bg, key)
		if err != nil || !bytes.Equal(got, state) {
			t.Errorf("state of %d bytes came back as %d, %v", size, len(got), err)
		}
	}
}
