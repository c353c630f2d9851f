package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every scalar of Config has a field, and each one can be set in the file, in the
// environment and by a flag, alike.
func TestEveryKeyCanBeSetInEveryLayer(t *testing.T) {
	base := []string{"RANKCURVE_BOARDS_0_NAME=base", "RANKCURVE_BOARDS_0_COLUMNS_0_NAME=base", "RANKCURVE_BOARDS_0_PERIODS_0=daily", "RANKCURVE_BOARDS_0_PERIODS_1=weekly", "RANKCURVE_BOARDS_0_PERIODS_2=monthly"}
	values := map[string]string{"kind": "none", "table": "boards", "region": "eu-west-1", "endpoint": "http://localhost:1", "start": "11", "max": "1100", "path": "x.db", "method": "scores", "tolerance": "abs", "name": "other", "order": "asc", "operator": "sum", "key": "a key of sixteen", "daily": "11d", "weekly": "11h", "monthly": "11m", "late_posts": "refuse", "late_grace": "11s", "schedule": "@hourly", "timezone": "Asia/Tokyo", "idle_max": "11m", "listen": "127.0.0.1:1", "jitter": "11s", "lease": "11s", "max_age": "11h", "keep": "11h", "every": "11m", "format": "json", "expiration": "11m", "prune": "11h"}
	for _, f := range fields {
		key := fill(f.pattern, nil)
		value, ok := map[string]string{"store.kind": "dynamodb", "cache.memcached.servers[0]": "localhost:1", "cache.memcached.timeout": "3s", "boards[0].periods[0]": "all", "worker.concurrent": "11"}[key]
		if !ok {
			value, ok = values[regexp.MustCompile(`[a-z_]+$`).FindString(key)]
		}
		if !ok {
			value = "1100" // within the range of every number but decimals
		}
		if key == "boards[0].columns[0].decimals" {
			value = "11"
		}
		base := base
		if strings.Contains(key, "_score_of.") {
			base, value = append(slices.Clone(base), "RANKCURVE_BOARDS_0_PERIODS_3=all"), "1100"
		}
		t.Run(key, func(t *testing.T) {
			fromEnviron, err := Load("", append(slices.Clone(base), variableAt(key)+"="+value), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(reflect.ValueOf(f.at(&fromEnviron, []int{0, 0})).Elem()); got != value {
				t.Errorf("the environment set %q, want %q", got, value)
			}
			fromFlag, err := Load("", base, map[string]string{key: value})
			if err != nil {
				t.Fatal(err)
			}
			fromEnviron.origins, fromFlag.origins = nil, nil
			if !reflect.DeepEqual(fromEnviron, fromFlag) {
				t.Errorf("the flag made %+v, the environment %+v", fromFlag, fromEnviron)
			}
		})
	}
}

func TestExampleFileHasEveryKey(t *testing.T) {
	data, err := os.ReadFile("rankcurve.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := newSettings()
	if !s.readYAML("example", data) || len(s.faults) > 0 {
		t.Fatal(s.faults)
	}
	for _, f := range fields {
		if _, said := s.values[fill(f.pattern, nil)]; !said {
			t.Errorf("the example leaves out %s", f.pattern)
		}
	}
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{"haed": "head", "curvebytes": "curve_bytes", "": "head"} {
		if got := nearest(word, []string{"curve_bytes", "head", "method"}); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// Whatever a file holds, it is read or refused, and what is read is valid.
func FuzzLoad(f *testing.F) {
	example, err := os.ReadFile("rankcurve.example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	for _, seed := range []string{
		"", "\x00", "a: b: c", "- - - -", "? a\n: b", "&a *a", "<<: *a", "<<: {head: 1}", "boards: &b [*b, *b]",
		"store: !!map {kind: |\n  bolt}", "refresh: {head: 0x10}", "{{{{", "[[[[", "refresh: {? [a] : b}", "%YAML 1.2\n---\n", "!", "&", "*",
		"boards: [{name: a, columns: [{name: xp}]}]", "refresh: {head: .inf, curve_bytes: .nan, ~: 1}", "\"store\": 'x", "refresh: !!binary x",
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "c.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(path, nil, nil)
		if err != nil {
			return
		}
		if err := c.Validate(); err != nil {
			t.Errorf("loaded, but not valid: %v", err)
		}
	})
}
