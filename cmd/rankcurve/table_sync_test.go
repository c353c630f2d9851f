package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

func TestTableSync(t *testing.T) {
	c := newCloud(t)
	c.bare("table", "create", "--column", "xp", "--column", "old").ok()
	c.bare("load", "games", c.players(3)).ok()
	c.bare("table", "sync").ok("stale: index by_old is of no column that is known here", "`aws dynamodb update-table --endpoint-url "+c.endpoint+" --region eu-west-1 --table-name "+c.table, `[{"Delete":{"IndexName":"by_old"}}]`, "table "+c.table+" at "+c.endpoint+" lacks no index")
	r := c.bare("table", "sync", "--column", "old").ok("lacks no index")
	if strings.Contains(r.out, "stale") {
		t.Error("an index of a named column is called stale")
	}
}

// Dynalite adds no index to a table that is there; the builder stands in for that.
func TestTableSyncAddsIndexes(t *testing.T) {
	b := newBuilder(t, servers.DynamoDB(t))
	c := cloudAt(t, b.url)
	c.games(3)
	c.terminal = true
	r := c.bare("table", "sync", "--column", "gold", "--column", "coins")
	if want := "added index by_coins\nadded index by_gold\n"; r.code != exitDone || !strings.HasPrefix(r.out, want) {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	r.has("error", r.err, []string{"index by_coins: CREATING", "index by_coins: ACTIVE", "index by_gold: ACTIVE"})
	if b.atOnce {
		t.Error("two indexes were made at once")
	}
	c.terminal = false
	c.bare("table", "sync", "--column", "gold", "--column", "coins").ok("lacks no index")
}

// A builder is a proxy that makes indexes as DynamoDB does: one at a time, each
// seen as CREATING once. Everything else goes through.
type builder struct {
	url    string
	target string

	mu     sync.Mutex
	made   []map[string]any // index descriptions
	atOnce bool
}

func newBuilder(t *testing.T, target string) *builder {
	t.Helper()
	b := &builder{target: target}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *builder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if operation == "UpdateTable" {
		b.make(body)
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.DescribeTable")
		body = []byte(`{"TableName":` + string(tableOf(body)) + `}`)
	}
	request, err := http.NewRequestWithContext(r.Context(), r.Method, b.target, bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	request.Header = r.Header.Clone()
	request.Header.Del("Accept-Encoding")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	w.WriteHeader(response.StatusCode)
	if operation == "DescribeTable" || operation == "UpdateTable" {
		answer = b.withIndexes(answer, operation)
	}
	_, _ = w.Write(answer)
}

func tableOf(body []byte) json.RawMessage {
	var in struct{ TableName json.RawMessage }
	_ = json.Unmarshal(body, &in)
	return in.TableName
}

// make notes the indexes that are asked for.
func (b *builder) make(body []byte) {
	var in struct {
		AttributeDefinitions        []any
		GlobalSecondaryIndexUpdates []struct{ Create map[string]any }
	}
	_ = json.Unmarshal(body, &in)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, update := range in.GlobalSecondaryIndexUpdates {
		for _, other := range b.made {
			b.atOnce = b.atOnce || other["IndexStatus"] == "CREATING"
		}
		update.Create["IndexStatus"], update.Create["definitions"] = "CREATING", in.AttributeDefinitions
		b.made = append(b.made, update.Create)
	}
}

// withIndexes adds them to a table's description; after the next they are ACTIVE.
func (b *builder) withIndexes(answer []byte, operation string) []byte {
	var out map[string]map[string]any
	if json.Unmarshal(answer, &out) != nil || out["Table"] == nil {
		return answer
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	table := out["Table"]
	for _, index := range b.made {
		table["AttributeDefinitions"] = append(table["AttributeDefinitions"].([]any), index["definitions"].([]any)...)
		shown := map[string]any{}
		for name, value := range index {
			if name != "definitions" {
				shown[name] = value
			}
		}
		if operation == "DescribeTable" {
			index["IndexStatus"] = "ACTIVE"
		}
		indexes, _ := table["GlobalSecondaryIndexes"].([]any)
		table["GlobalSecondaryIndexes"] = append(indexes, shown)
	}
	if operation == "UpdateTable" {
		out = map[string]map[string]any{"TableDescription": table}
	}
	changed, _ := json.Marshal(out)
	return changed
}
