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
		"by_xp   ACTIVE", "HASH g (S), RANGE xp (N)   KEYS_ONLY", "warning: there is no point-in-time recovery")
	row := c.bare("table", "describe", "--json").ok().rows()[0]
	indexes := row["indexes"].([]any)
	if row["table"] != c.table || row["place"] != c.endpoint || row["status"] != "ACTIVE" || len(indexes) != 1 {
		t.Fatalf("got %v", row)
	}
	index := indexes[0].(map[string]any)
	delete(index, "items") // DynamoDB's own counts, of some time ago
	delete(index, "bytes")
	if want := map[string]any{"index": "by_xp", "column": "xp", "status": "ACTIVE", "keys": "HASH g (S), RANGE xp (N)", "projection": "KEYS_ONLY"}; !reflect.DeepEqual(index, want) {
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

// An index that holds more than its keys works, and costs more: describe and sync say so,
// and how to have the other.
func TestTableWithAWideIndex(t *testing.T) {
	c := newCloud(t)
	c.create("o:S", "b:S", "N", "d", "u")
	c.bare("load", "games", c.players(3)).ok()
	want := []string{
		"warning: index by_xp of table " + c.table + " projects INCLUDE d, u, and ranks need KEYS_ONLY: refreshes and counted ranks pay read units for all that its entries hold",
		"delete the index: `aws dynamodb update-table --endpoint-url " + c.endpoint + " --region eu-west-1 --table-name " + c.table, `[{"Delete":{"IndexName":"by_xp"}}]`, " table sync` makes it anew",
	}
	c.bare("table", "describe").ok(append(want, "RANGE xp (N)   INCLUDE d, u\n")...)
	c.bare("table", "sync").ok(append(want, "lacks no index")...)
	row := c.bare("table", "describe", "--json").ok().rows()[0]
	if p := row["indexes"].([]any)[0].(map[string]any)["projection"]; p != "INCLUDE d, u" {
		t.Errorf("the projection is %v", p)
	}
	c.bare("rank", "games", "p2", "--mode", "exact").ok("p2      20      2   exact")
}
