package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestTableDescribe(t *testing.T) {
	c := newCloud(t)
	c.games(3)
	c.bare("table", "describe").ok("table "+c.table+" at "+c.endpoint+": ACTIVE, PAY_PER_REQUEST", "keys HASH o (S), RANGE b (S)",
		"by_xp   ACTIVE", "HASH g (S), RANGE xp (N)", "warning: there is no point-in-time recovery")
	row := c.bare("table", "describe", "--json").ok().rows()[0]
	indexes := row["indexes"].([]any)
	if row["table"] != c.table || row["place"] != c.endpoint || row["status"] != "ACTIVE" || len(indexes) != 1 {
		t.Fatalf("got %v", row)
	}
	index := indexes[0].(map[string]any)
	delete(index, "items") // DynamoDB's own counts, of some time ago
	delete(index, "bytes")
	if want := map[string]any{"index": "by_xp", "column": "xp", "status": "ACTIVE", "keys": "HASH g (S), RANGE xp (N)"}; !reflect.DeepEqual(index, want) {
		t.Errorf("index is %v, want %v", index, want)
	}
	for _, warning := range row["warnings"].([]any) {
		if strings.Contains(warning.(string), "index") {
			t.Errorf("warned of an index that is in order: %s", warning)
		}
	}
	cfg := c.file("c.yaml", "boards: [{name: laps, columns: [{name: seconds}]}]")
	c.bare("--config", cfg, "table", "describe").ok("warning: column seconds has no index, and so no ranks; `rankcurve --config " + cfg + " table sync` adds it")
}
