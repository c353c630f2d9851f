package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// Each case lists all that must be said, in any order and nothing else; DIR/ is
// cut from the file's name.
func TestFaults(t *testing.T) {
	const board = "boards:\n- name: one\n  columns: [{name: xp}]\n"
	cases := []struct {
		name, file string
		environ    []string
		flags      map[string]string
		want       []string
	}{
		{name: "unknown keys, at every level", file: "stor: {}\nstore:\n  kind: bolt\n  bolt:\n    pth: x\n" + board + "  shard: 3\n", want: []string{
			"c.yaml:1: stor: there is no such key; did you mean store? (there are store, cache, cursor, worker, log, refresh, prices, boards)",
			"c.yaml:5: store.bolt.pth: there is no such key; did you mean path? (there are path)",
			"c.yaml:9: boards[0].shard: there is no such key; did you mean shards? (there are name, shards, columns, periods, expire_after, late_posts, late_grace, refresh)",
		}},
		{name: "keys of later", file: "serve: {listen: x}\n" + board + "  webhooks: [all]\n", want: []string{
			"c.yaml:1: serve: there is no such key; did you mean store? (there are store, cache, cursor, worker, log, refresh, prices, boards)",
			"c.yaml:5: boards[0].webhooks: there is no such key; did you mean periods? (there are name, shards, columns, periods, expire_after, late_posts, late_grace, refresh)",
		}},
		{name: "values out of range", file: "store: {kind: redis, bolt: {path: \"\"}}\nrefresh:\n  method: fast\n  read_budget: -1\n  curve_bytes: 1023\n  head: 100001\n  tolerance: none\n", want: []string{
			`c.yaml:1: store.kind: "redis" is not a kind of store; use one of [bolt dynamodb]`,
			`c.yaml:1: store.bolt.path: is empty; name a file, such as rankcurve.db`,
			`c.yaml:3: refresh.method: "fast" is not a method; use one of [auto counted scores]`,
			`c.yaml:4: refresh.read_budget: -1 is negative; use 0 for no limit`,
			`c.yaml:5: refresh.curve_bytes: 1023 is not in 1024..65536; 16384 suits most boards`,
			`c.yaml:6: refresh.head: 100001 is not in 100..100000; 10000 suits most boards`,
			`c.yaml:7: refresh.tolerance: "none" is not a tolerance; use one of [sqrt abs]`,
		}},
		{name: "clients", file: `store:
  dynamodb:
    table: my table
    region: EU
    endpoint: localhost:4567
cache:
  kind: redis
  memcached:
    servers: [a, "b:0", "c:1", "c:1", ":11211"]
refresh:
  pace: {start: 400, max: 300}
  audit: 10001
  audit_budget: -1
boards:
- {name: one, columns: [{name: xp}], refresh: {pace: {start: -1, max: 3001}}}
- {name: two, columns: [{name: xp}], refresh: {pace: {start: 4000, max: 0}}}
`, want: []string{
			`c.yaml:3: store.dynamodb.table: "my table" is not a table's name; use 3 to 255 letters, digits and _ . -`,
			`c.yaml:4: store.dynamodb.region: "EU" is not a region's name; write it like eu-west-1, or leave it empty for AWS_REGION`,
			`c.yaml:5: store.dynamodb.endpoint: "localhost:4567" is not an http:// or https:// URL; write a URL such as http://127.0.0.1:4567, or leave it empty for AWS`,
			`c.yaml:7: cache.kind: "redis" is not a kind of cache; use one of [none memcached]`,
			`c.yaml:9: cache.memcached.servers[0]: "a" is not HOST:PORT; write it like 127.0.0.1:11211`,
			`c.yaml:9: cache.memcached.servers[1]: "b:0" is not HOST:PORT; write it like 127.0.0.1:11211`,
			`c.yaml:9: cache.memcached.servers[3]: c:1 is cache.memcached.servers[2] too; name each server once`,
			`c.yaml:9: cache.memcached.servers[4]: ":11211" is not HOST:PORT; write it like 127.0.0.1:11211`,
			`c.yaml:11: refresh.pace.start: 400 is above pace.max, 300; lower it, or raise pace.max`,
			`c.yaml:12: refresh.audit: 10001 is not in 0..10000; 0 asks nobody, 100 suits most boards`,
			`c.yaml:13: refresh.audit_budget: -1 is negative; use 0 for no limit`,
			`c.yaml:15: boards[0].refresh.pace.max: 3001 is not in 0..3000, what a partition gives; 300 leaves room for the players, 0 is no pace`,
			`c.yaml:15: boards[0].refresh.pace.start: -1 is negative; use 0 to start at pace.max`,
		}},
		{name: "lists of plain values", file: "cache: {memcached: {servers: 127.0.0.1:11211}}\n", environ: []string{
			"RANKCURVE_CACHE_MEMCACHED_SERVERS=a:1", "RANKCURVE_CACHE_MEMCACHED_SERVERS_1=a:1",
		}, want: []string{
			"c.yaml:1: cache.memcached.servers: must be a list; see the example file",
			"RANKCURVE_CACHE_MEMCACHED_SERVERS: there is no such key; the nearest is RANKCURVE_CACHE_MEMCACHED_SERVERS_0 (cache.memcached.servers[0])",
			"RANKCURVE_CACHE_MEMCACHED_SERVERS_1: cache.memcached.servers[1]: cache.memcached.servers has 0 elements, so the next is number 0, not 1; number them without a gap",
			"RANKCURVE_CACHE_MEMCACHED_SERVERS_1: cache.memcached.servers: is empty; name one at least, such as 127.0.0.1:11211",
		}},
		{name: "a server without quotes in braces", file: "cache: {memcached: {servers: [cache:11211]}}\n", want: []string{
			"c.yaml:1: cache.memcached.servers[0]: must be a single value; put it in quotes if it has a colon",
			`c.yaml:1: cache.memcached.servers[0]: "" is not HOST:PORT; write it like 127.0.0.1:11211`,
		}},
		{name: "an empty list", file: "cache: {memcached: {servers: []}}\nstore: {dynamodb: {endpoint: 'http://me:secret@127.0.0.1:1'}}", want: []string{
			"c.yaml:1: cache.memcached.servers: is empty; name one at least, such as 127.0.0.1:11211",
			`c.yaml:2: store.dynamodb.endpoint: "http://me:secret@127.0.0.1:1" has credentials in it, which belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; write a URL such as http://127.0.0.1:4567, or leave it empty for AWS`,
		}},
		{name: "the defaults' fault is said once, a board's own again", file: "refresh: {head: 1}\n" + board + "- name: two\n  columns: [{name: xp}]\n  refresh: {head: 1}\n", want: []string{
			`c.yaml:1: refresh.head: 1 is not in 100..100000; 10000 suits most boards`,
			`c.yaml:7: boards[1].refresh.head: 1 is not in 100..100000; 10000 suits most boards`,
		}},
		{name: "boards", file: board + "- name: one\n  shards: 0\n  columns:\n  - name: xp\n    order: up\n  - name: XP\n    operator: max\n    decimals: 19\n-\n", want: []string{
			`c.yaml:4: boards[1].name: "one" is the name of boards[0] too; give each board its own`,
			`c.yaml:5: boards[1].shards: 0 is not in 1..1296`,
			`c.yaml:8: boards[1].columns[0].order: "up" is neither desc nor asc`,
			`c.yaml:9: boards[1].columns[1].name: "XP" is not a column name: use 2 to 31 of a-z 0-9 _, the first a letter`,
			`c.yaml:10: boards[1].columns[1].operator: "max" is none of set, sum, best, worst, best_row`,
			`c.yaml:11: boards[1].columns[1].decimals: 19 is not in 0..18`,
			`c.yaml:12: boards[2].name: "" is not a board name: use 1 to 128 letters, digits and _ . : -, the first a letter or digit`,
			`c.yaml:12: boards[2].columns: 0 of them; a board has 1 to 16`,
		}},
		{name: "families", file: `boards:
- name: missions
  columns: [{name: xp}]
  periods: [all, hourly, weekly, weekly]
  expire_after: {monthly: 30d, weekly: 1y, daily: 1.5d}
  late_posts: maybe
  late_grace: 5
- name: missions:2026-W47
  columns: [{name: xp}]
- name: laps:2026-11
  columns: [{name: time}]
  periods: [daily]
  expire_after: {daily: 36501d}
`, want: []string{
			`c.yaml:4: boards[0].periods[1]: "hourly" is not a period; use one of all, monthly, weekly, daily`,
			`c.yaml:4: boards[0].periods[3]: weekly is there twice; keep one`,
			`c.yaml:5: boards[0].expire_after.monthly: the board has no period monthly; add it to periods, or leave this out`,
			`c.yaml:5: boards[0].expire_after.weekly: "1y" is not a length of time up to 36500 days; write whole numbers with w, d, h, m or s, such as 30d or 1h30m, or leave it empty for boards that stay`,
			`c.yaml:5: boards[0].expire_after.daily: "1.5d" is not a length of time up to 36500 days; write whole numbers with w, d, h, m or s, such as 30d or 1h30m, or leave it empty for boards that stay`,
			`c.yaml:6: boards[0].late_posts: "maybe" is neither accept nor refuse`,
			`c.yaml:7: boards[0].late_grace: "5" is not a length of time up to 36500 days; write whole numbers with w, d, h, m or s, such as 30d or 1h30m`,
			`c.yaml:8: boards[1].name: "missions:2026-W47" is a board of the family missions already; leave it out`,
			`c.yaml:10: boards[2].name: "laps:2026-11" ends in a period, which the boards of a family get themselves; leave it out`,
			`c.yaml:13: boards[2].expire_after.daily: "36501d" is not a length of time up to 36500 days; write whole numbers with w, d, h, m or s, such as 30d or 1h30m, or leave it empty for boards that stay`,
		}},
		{name: "wrong shapes", file: "store: bolt\nrefresh: [1]\nboards: {name: one}\n", want: []string{
			"c.yaml:1: store: must be a mapping; see the example file",
			"c.yaml:2: refresh: must be a mapping; see the example file",
			"c.yaml:3: boards: must be a list; see the example file",
		}},
		{name: "wrong scalars", file: "refresh:\n  head: 1e4\n  curve_bytes: [4096]\n  method:\n", want: []string{
			`c.yaml:2: refresh.head: "1e4" is not a whole number; write it in digits alone, such as 16`,
			"c.yaml:3: refresh.curve_bytes: must be a single value; see the example file",
			"c.yaml:4: refresh.method: has no value; give it one, or leave the key out",
		}},
		{name: "not a mapping at all", file: "hello\n", want: []string{"c.yaml:1: must be a mapping; see the example file"}},
		{name: "twice", file: "refresh: {head: 200}\nstore:\nrefresh: {head: 300}\n", want: []string{
			"c.yaml:3: refresh: is there twice, first at c.yaml:1; keep one",
		}},
		{name: "an alias of nothing", file: "refresh: *r\nboards: &b [*b]\n", want: []string{
			"c.yaml:1: refresh: no anchor &r stands above this *r",
			"c.yaml:2: boards[0]: must be a mapping; see the example file",
			`c.yaml:2: boards[0].name: "" is not a board name: use 1 to 128 letters, digits and _ . : -, the first a letter or digit`,
			"c.yaml:2: boards[0].columns: 0 of them; a board has 1 to 16",
		}},
		{name: "two documents", file: "store:\n---\nstore:\n", want: []string{"c.yaml:3: a second document begins here; keep everything in one, without a line ---"}},
		{name: "not YAML, and the environment is judged all the same", file: "store:\n  kind: [bolt\n", environ: []string{"RANKCURVE_REFRESH_HED=1", "RANKCURVE_BOARDS_0_SHARDS=0"}, want: []string{
			"c.yaml:2: not YAML: sequence end token ']' not found",
			"RANKCURVE_REFRESH_HED: there is no such key; the nearest is RANKCURVE_REFRESH_HEAD (refresh.head)",
		}},
		{name: "the environment", file: board, environ: []string{
			"RANKCURVE_STORE_BOLT_PTH=x", "RANKCURVE_BOARDS_0_SHARD=", "RANKCURVE_BOARDS_0_SHARDS=many", "RANKCURVE_BOARDS_0_COLUMNS_0_ORDER=down",
			"RANKCURVE_BOARDS_00_SHARDS=3", "RANKCURVE_BOARDS_3_NAME=far", "RANKCURVE_BOARDS_9999999_NAME=far",
		}, want: []string{
			"RANKCURVE_STORE_BOLT_PTH: there is no such key; the nearest is RANKCURVE_STORE_BOLT_PATH (store.bolt.path)",
			"RANKCURVE_BOARDS_0_SHARD: there is no such key; the nearest is RANKCURVE_BOARDS_0_SHARDS (boards[0].shards)",
			`RANKCURVE_BOARDS_0_SHARDS: boards[0].shards: "many" is not a whole number; write it in digits alone, such as 16`,
			`RANKCURVE_BOARDS_0_COLUMNS_0_ORDER: boards[0].columns[0].order: "down" is neither desc nor asc`,
			"RANKCURVE_BOARDS_00_SHARDS: there is no such key; the nearest is RANKCURVE_BOARDS_0_SHARDS (boards[0].shards)",
			"RANKCURVE_BOARDS_3_NAME: boards[3].name: boards has 1 elements, so the next is number 1, not 3; number them without a gap",
			"RANKCURVE_BOARDS_9999999_NAME: there is no such key; the nearest is RANKCURVE_BOARDS_0_NAME (boards[0].name)",
		}},
		{name: "a board of the environment without a name", environ: []string{"RANKCURVE_BOARDS_0_COLUMNS_0_NAME=xp"}, want: []string{
			`RANKCURVE_BOARDS_0_COLUMNS_0_NAME: boards[0].name: "" is not a board name: use 1 to 128 letters, digits and _ . : -, the first a letter or digit`,
		}},
		{name: "flags", flags: map[string]string{"store.bolt.pat": "x", "store.bolt.path": "", "refresh.head": "3"}, want: []string{
			"flag: store.bolt.pat: there is no such key; the nearest is store.bolt.path",
			"flag: store.bolt.path: is empty; name a file, such as rankcurve.db",
			"flag: refresh.head: 3 is not in 100..100000; 10000 suits most boards",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.file)
			got, err := config.Load(path, c.environ, c.flags)
			if err == nil {
				t.Fatalf("no fault, got %+v", got)
			}
			sameLines(t, strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), ""), c.want)
		})
	}
}

func sameLines(t *testing.T, got string, want []string) {
	t.Helper()
	missing := map[string]bool{}
	for _, line := range want {
		missing[line] = true
	}
	for line := range strings.SplitSeq(got, "\n") {
		if !missing[line] {
			t.Errorf("not expected: %s", line)
		}
		delete(missing, line)
	}
	for line := range missing {
		t.Errorf("not said: %s", line)
	}
}

func TestValidateOfAConfigMadeByHand(t *testing.T) {
	c := config.Default()
	c.Boards = []config.Board{{Board: store.Board{Name: "one", Shards: 1, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}}}}
	err := c.Validate()
	if err == nil || !strings.HasPrefix(err.Error(), `boards[0].refresh.method: "" is not a method`) {
		t.Errorf("got %v", err)
	}
	c.Boards[0].Refresh = c.RefreshDefaults
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}
