package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

func TestExampleFileHoldsTheDefaults(t *testing.T) {
	got, err := config.Load("rankcurve.example.yaml", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	if got.Store != want.Store || got.Cursor != want.Cursor || !reflect.DeepEqual(got.Cache, want.Cache) || got.RefreshDefaults != want.RefreshDefaults {
		t.Errorf("got %+v %+v %+v, want %+v %+v %+v", got.Store, got.Cache, got.RefreshDefaults, want.Store, want.Cache, want.RefreshDefaults)
	}
	// The same board with only the keys that have no default must be the same.
	bare := load(t, "boards: [{name: missions, columns: [{name: xp}, {name: time, order: asc, operator: best, decimals: 2}]}]", nil, nil)
	if !reflect.DeepEqual(got.Boards, bare.Boards) {
		t.Errorf("got  %+v\nwant %+v", got.Boards, bare.Boards)
	}
	if bare.Store != want.Store || !reflect.DeepEqual(bare.Cache, want.Cache) || bare.RefreshDefaults != want.RefreshDefaults {
		t.Errorf("a file without them changes store or refresh: %+v", bare)
	}
}

func TestWithoutAFileThereAreTheDefaults(t *testing.T) {
	c, err := config.Load("", []string{"HOME=/", "RANKCURVE_CONFIG=x", "RANKCURVE_TEST_REQUIRE=data"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{
		Store:           config.Store{Kind: "bolt", Bolt: config.Bolt{Path: "rankcurve.db"}, DynamoDB: config.DynamoDB{Table: "rankcurve"}},
		Cache:           config.Cache{Kind: "none", Memcached: config.Memcached{Servers: []string{"127.0.0.1:11211"}, Timeout: "250ms", Expiration: "10m"}},
		RefreshDefaults: config.Refresh{Method: "auto", CurveBytes: 16384, Head: 10000, Tolerance: "sqrt", Pace: config.Pace{Start: 50, Max: 300}, Schedule: "@every 5m", Timezone: "UTC", IdleMax: "15m", AuditBudget: 2000, History: config.History{Keep: "48h", Every: "5m"}},
	}
	if c.Store != want.Store || !reflect.DeepEqual(c.Cache, want.Cache) || c.RefreshDefaults != want.RefreshDefaults || len(c.Boards) != 0 {
		t.Errorf("got %+v", c)
	}
	if err := config.Default().Validate(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
}

func TestLoadReadsTheDesignsFile(t *testing.T) {
	c := load(t, `
store:
  kind: dynamodb
  bolt: {path: boards.db}
  dynamodb: {table: boards, region: eu-west-1, endpoint: ""}
cache:
  kind: memcached
  memcached: {servers: ["127.0.0.1:11211", "[::1]:11212", /run/memcached.sock]}
boards:
  - name: missions
    shards: 32
    columns:
      - {name: xp, operator: sum}
      - {name: time, order: asc, operator: best, decimals: 2}
    refresh: {method: counted, walk: 4, read_budget: 20000, curve_bytes: 4096, head: 500, tolerance: abs, pace: {start: 0, max: 100}, schedule: 0 * * * *, timezone: Asia/Tokyo, idle_max: 1h, audit: 50, audit_budget: 400, history: {keep: 30d, every: 1h}}
`, nil, nil)
	board, ok := c.Board("missions")
	want := store.Board{Name: "missions", Shards: 32, Columns: []store.Column{
		{Name: "xp", Order: store.Desc, Operator: store.Sum},
		{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2},
	}}
	if !ok || !reflect.DeepEqual(board, want) {
		t.Errorf("got %+v %v, want %+v", board, ok, want)
	}
	if got := c.Refresh("missions"); got != (config.Refresh{Method: config.MethodCounted, Walk: 4, ReadBudget: 20000, CurveBytes: 4096, Head: 500, Tolerance: config.ToleranceAbs, Pace: config.Pace{Max: 100}, Schedule: "0 * * * *", Timezone: "Asia/Tokyo", IdleMax: "1h", Audit: 50, AuditBudget: 400, History: config.History{Keep: "30d", Every: "1h"}}) {
		t.Errorf("refresh is %+v", got)
	}
	if want := (config.Store{Kind: config.KindDynamoDB, Bolt: config.Bolt{Path: "boards.db"}, DynamoDB: config.DynamoDB{Table: "boards", Region: "eu-west-1"}}); c.Store != want {
		t.Errorf("store is %+v, want %+v", c.Store, want)
	}
	if want := []string{"127.0.0.1:11211", "[::1]:11212", "/run/memcached.sock"}; c.Cache.Kind != config.CacheMemcached || !slices.Equal(c.Cache.Memcached.Servers, want) {
		t.Errorf("cache is %+v, want servers %v", c.Cache, want)
	}
	if _, ok := c.Board("other"); ok {
		t.Error("found a board that is not configured")
	}
}

func TestRefreshOfABoardWinsOverTheTopLevel(t *testing.T) {
	c := load(t, `
boards:
  - {name: own, columns: [{name: xp}], refresh: {head: 300}}
  - {name: plain, columns: [{name: xp}]}
refresh: {head: 200, curve_bytes: 2048}
`, []string{"RANKCURVE_REFRESH_HEAD=400"}, nil)
	for board, want := range map[string]int{"own": 300, "plain": 400, "registry-only": 400} {
		if got := c.Refresh(board); got.Head != want || got.CurveBytes != 2048 {
			t.Errorf("%s has %+v, want head %d and 2048 bytes", board, got, want)
		}
	}
}

func TestFlagsWinOverEnvironmentOverFile(t *testing.T) {
	const file = "store: {bolt: {path: file.db}}\nrefresh: {head: 100, curve_bytes: 1024, read_budget: 1}\n"
	c := load(t, file,
		[]string{"RANKCURVE_REFRESH_HEAD=200", "RANKCURVE_REFRESH_CURVE_BYTES=2048", "RANKCURVE_STORE_BOLT_PATH="},
		map[string]string{"refresh.head": "300"})
	r := c.RefreshDefaults
	if r.Head != 300 || r.CurveBytes != 2048 || r.ReadBudget != 1 || c.Store.Bolt.Path != "file.db" {
		t.Errorf("got %+v, path %q", r, c.Store.Bolt.Path)
	}
}

// The file's list can be corrected and lengthened element by element in the
// environment; a flag replaces it.
func TestServersOfAllLayers(t *testing.T) {
	const file = "cache: {memcached: {servers: [\"mca:1\", \"mcb:2\"]}}\n"
	corrected := []string{"RANKCURVE_CACHE_MEMCACHED_SERVERS_1=mcc:3", "RANKCURVE_CACHE_MEMCACHED_SERVERS_2=mcd:4"}
	for name, c := range map[string]struct {
		got  config.Config
		want []string
	}{
		"file":             {load(t, file, nil, nil), []string{"mca:1", "mcb:2"}},
		"environment":      {load(t, file, corrected, nil), []string{"mca:1", "mcc:3", "mcd:4"}},
		"flag":             {load(t, file, corrected, map[string]string{"cache.memcached.servers": "mce:5"}), []string{"mce:5"}},
		"flags":            {load(t, "", nil, map[string]string{"cache.memcached.servers": "mce:5,mcf:6"}), []string{"mce:5", "mcf:6"}},
		"an element's own": {load(t, file, nil, map[string]string{"cache.memcached.servers[0]": "mce:5"}), []string{"mce:5", "mcb:2"}},
		"none of them":     {load(t, "cache: {kind: memcached}", nil, nil), []string{"127.0.0.1:11211"}},
	} {
		if got := c.got.Cache.Memcached.Servers; !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestEnvironmentAloneMakesABoard(t *testing.T) {
	c := load(t, "", []string{
		"RANKCURVE_BOARDS_0_COLUMNS_1_NAME=time", "RANKCURVE_BOARDS_0_COLUMNS_1_ORDER=asc",
		"RANKCURVE_BOARDS_0_NAME=missions", "RANKCURVE_BOARDS_0_COLUMNS_0_NAME=xp", "RANKCURVE_BOARDS_0_REFRESH_HEAD=123",
	}, nil)
	b, ok := c.Board("missions")
	if !ok || b.Shards != config.DefaultShards || len(b.Columns) != 2 || b.Columns[1].Order != store.Asc || c.Refresh("missions").Head != 123 {
		t.Errorf("got %+v", c.Boards)
	}
}

func TestYAMLAsPeopleWriteIt(t *testing.T) {
	for name, file := range map[string]string{
		"commented out":       "# nothing\nboards:\n#  - name: x\nrefresh:\n",
		"anchor and alias":    "boards:\n- {name: one, columns: &c [{name: xp}]}\n- {name: two, columns: *c}\n",
		"quoted numbers":      "refresh: {head: \"500\"}\n",
		"a number for a name": "boards: [{name: 2026, columns: [{name: xp}]}]\n",
		"document mark":       "---\nrefresh: {head: 500}\n",
		"tag":                 "store: {kind: !!str bolt}\n",
		"windows line ends":   "store:\r\n  kind: bolt\r\n",
	} {
		t.Run(name, func(t *testing.T) { load(t, file, nil, nil) })
	}
}

func TestMissingFileSaysSo(t *testing.T) {
	_, err := config.Load(filepath.Join(t.TempDir(), "none.yaml"), []string{"RANKCURVE_STORE_KNID=bolt"}, nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v, want fs.ErrNotExist", err)
	}
	for _, want := range []string{"none.yaml: file does not exist; name another configuration file", "RANKCURVE_STORE_KNID"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if _, err := config.Load(t.TempDir(), nil, nil); err == nil {
		t.Error("a folder was read as a file")
	}
}

func TestAFileTooLargeIsRefused(t *testing.T) {
	path := write(t, strings.Repeat("#\n", 1<<20))
	if _, err := config.Load(path, nil, nil); err == nil || !strings.Contains(err.Error(), "is it the configuration file?") {
		t.Errorf("got %v", err)
	}
}

func load(t *testing.T, file string, environ []string, overrides map[string]string) config.Config {
	t.Helper()
	c, err := config.Load(write(t, file), environ, overrides)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatalf("loaded, but not valid: %v", err)
	}
	return c
}

func write(t *testing.T, file string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
