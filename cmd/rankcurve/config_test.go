package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/config"
)

// What is printed is a file that says the same.
func TestConfigCheckPrintsWhatIsInEffect(t *testing.T) {
	s := newShell(t)
	cfg := s.file("c.yaml", `
store: {kind: bolt, bolt: {path: "a # b.db"}, dynamodb: {table: boards.2026, region: eu-west-1, endpoint: "http://127.0.0.1:4567"}}
cache: {kind: memcached, memcached: {servers: ["127.0.0.1:11211", /run/memcached.sock], timeout: 2s, expiration: 1h30m}}
worker: {prune: 12h, lease: 2m}
refresh: {head: 200, method: scores, pace: {start: 0, max: 100}}
prices: {read_unit_million: 0.1415, ram_gb_month: 9}
boards:
  - {name: "2026", shards: 3, columns: [{name: xp, operator: sum}, {name: time, order: asc, decimals: 2}], refresh: {tolerance: abs}}
  - {name: "null", columns: [{name: "yes"}]}
  - {name: missions, columns: [{name: xp}], periods: [all, daily], expire_after: {daily: 30d}, late_posts: refuse, late_grace: 1h}
`)
	for _, environ := range [][]string{nil, {"RANKCURVE_REFRESH_HEAD=300"}} {
		s.environ = environ
		printed := s.bare("--config", cfg, "config", "check").ok("tolerance: abs", `name: "2026"`, `name: "null"`).out
		want, err := config.Load(cfg, environ, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := config.Load(s.file("printed.yaml", printed), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Store != want.Store || !reflect.DeepEqual(got.Cache, want.Cache) || got.RefreshDefaults != want.RefreshDefaults || got.Prices != want.Prices || got.Worker != want.Worker || got.Cursor != want.Cursor || !reflect.DeepEqual(got.Boards, want.Boards) {
			t.Errorf("printed\n%s", printed)
		}
	}
	s.environ = []string{"RANKCURVE_CURSOR_KEY=a long random text", "RANKCURVE_CURSOR_MAX_AGE=2d"}
	if r := s.bare("config", "check").ok("# key: is set, and not shown", `max_age: "2d"`); strings.Contains(r.out, "random") {
		t.Errorf("the key is told: %s", r.out)
	}
	s.environ = []string{"RANKCURVE_CURSOR_KEY=too short", "RANKCURVE_CURSOR_MAX_AGE=-1"}
	s.bare("config", "check").fails(exitUsage, "RANKCURVE_CURSOR_KEY: cursor.key: has 9 bytes, and 16 are the least", `cursor.max_age: "-1" is not a length of time up to 36500 days; write whole numbers with w, d, h, m or s, such as 30d or 1h30m, or 0s for no limit`)
	s.environ = []string{"RANKCURVE_CONFIG=" + cfg}
	s.bare("config", "check").ok("shards: 3")
	s.bare("config", "check", "--db", "x.db").ok("path: x.db")
}

func TestConfigCheckReportsAllFaults(t *testing.T) {
	s := newShell(t)
	cfg := s.file("c.yaml", "stor: {}\nrefresh:\n  head: 5\n  method: fast\n")
	s.environ = []string{"RANKCURVE_REFRESH_HAED=1"}
	r := s.bare("config", "check", "--config", cfg).fails(exitUsage, "c.yaml:1: stor: there is no such key", "c.yaml:3: refresh.head: 5 is not in", "c.yaml:4: refresh.method", "RANKCURVE_REFRESH_HAED: there is no such key")
	if lines := strings.Count(r.err, "\n"); lines != 4 || r.out != "" {
		t.Errorf("%d lines: %s", lines, r.err)
	}
	s.environ = nil
	for _, line := range []string{"top games", "load games f", "demo", "post games ann xp=1", "rebuild games"} {
		s.run(append(strings.Fields(line), "--config", cfg)...).fails(exitUsage, "c.yaml:1: stor")
	}
	s.bare("--config", "none.yaml", "config", "check").fails(exitUsage, "none.yaml: file does not exist; name another configuration file")
}
