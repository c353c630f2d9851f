package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

var stateKey = store.CurveKey{Board: "missions", Column: "xp"}

// partsOf lists the parts there are of the state of missions.xp, as SLOT#PART.
func partsOf(t *testing.T, admin *dynamodb.Client, table string) (parts []string) {
	t.Helper()
	pages := dynamodb.NewScanPaginator(admin, &dynamodb.ScanInput{
		TableName: &table, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("b"),
		FilterExpression: aws.String("begins_with(b, :b)"), ExpressionAttributeValues: map[string]types.AttributeValue{":b": s("missions.xp#")},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(bg)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Items {
			parts = append(parts, strings.TrimPrefix(i["b"].(*types.AttributeValueMemberS).Value, "missions.xp#"))
		}
	}
	slices.Sort(parts)
	return parts
}

func stateOf(parts int) []byte { return bytes.Repeat([]byte{byte(parts)}, parts*380_000-1) }

func wantState(t *testing.T, st *dynamo.Store, want []byte) {
	t.Helper()
	got, _, err := st.State(bg, stateKey)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("state of %d bytes, %v; want %d", len(got), err, len(want))
	}
}

// A state that shrinks leaves nothing behind but what the next of its size is written
// over.
func TestStatesThatShrinkLeaveNoParts(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	table := newTable(t, admin, "xp")
	st := open(t, admin, table)
	other := stateKey
	other.Board = "missions2"
	if _, err := st.SaveState(bg, other, stateOf(2)); err != nil { // no part of ours
		t.Fatal(err)
	}
	for _, step := range []struct {
		parts int
		left  string
	}{
		{4, "1#0 1#1 1#2 1#3"},
		{3, "0#0 0#1 0#2 1#0 1#1 1#2"},
		{2, "0#0 0#1 1#0 1#1"},
		{1, ""},
		{1, ""},
		{3, "1#0 1#1 1#2"},
		{1, ""},
		{2, "0#0 0#1"},
	} {
		state := stateOf(step.parts)
		if _, err := st.SaveState(bg, stateKey, state); err != nil {
			t.Fatal(err)
		}
		wantState(t, st, state)
		if left := strings.Join(partsOf(t, admin, table), " "); left != step.left {
			t.Errorf("after %d parts there are %s, want %s", step.parts, left, step.left)
		}
	}
	if got, _, err := st.State(bg, other); err != nil || !bytes.Equal(got, stateOf(2)) {
		t.Errorf("the other board's state: %d bytes, %v", len(got), err)
	}
}

// A save that ends after any of its requests leaves a state that can be read, the old
// one or the new, and the next saves clear up behind it.
func TestASaveThatIsCutShortLeavesAState(t *testing.T) {
	endpoint := servers.DynamoDB(t)
	for _, sizes := range [][2]int{{3, 2}, {3, 1}, {2, 3}} {
		before, after := stateOf(sizes[0]), stateOf(sizes[1])
		for requests := 0; ; requests++ {
			faulty, sound, choose := behind(t, endpoint, dynamo.Attempts(1))
			admin := client(endpoint)
			if _, err := sound.SaveState(bg, stateKey, before); err != nil {
				t.Fatal(err)
			}
			ctx, crash := context.WithCancel(bg)
			sent := 0
			crashing := func(faults.Request) faults.Fault {
				if sent++; sent > requests {
					crash()
					return faults.Refused
				}
				return faults.None
			}
			choose.Store(&crashing)
			_, err := faulty.SaveState(ctx, stateKey, after)
			crash()
			name := fmt.Sprintf("%d to %d parts, cut after %d requests", sizes[0], sizes[1], requests)
			got, _, readErr := sound.State(bg, stateKey)
			switch {
			case readErr != nil:
				t.Errorf("%s: %v", name, readErr)
			case err == nil && !bytes.Equal(got, after), err != nil && !bytes.Equal(got, before) && !bytes.Equal(got, after):
				t.Errorf("%s: %v, then a state of %d bytes", name, err, len(got))
			}
			for range 2 { // the second finds what the first had to leave
				if _, err := sound.SaveState(bg, stateKey, []byte("small")); err != nil {
					t.Fatal(err)
				}
			}
			wantState(t, sound, []byte("small"))
			if left := partsOf(t, admin, sound.Table()); len(left) > 0 {
				t.Errorf("%s: %v are left", name, left)
			}
			if sent <= requests {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
