package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rankcurve/rankcurve/store"
)

// A field is a scalar key: its pattern ("boards[].shards") and where its value
// lives, a *string, an *int or a *float64. What a key is, in the file, in the environment and
// in the flags, is said here alone.
type field struct {
	pattern string
	at      func(c *Config, index []int) any
}

var fields = slices.Concat(
	[]field{
		{"store.kind", func(c *Config, _ []int) any { return (*string)(&c.Store.Kind) }},
		{"store.bolt.path", func(c *Config, _ []int) any { return &c.Store.Bolt.Path }},
		{"store.dynamodb.table", func(c *Config, _ []int) any { return &c.Store.DynamoDB.Table }},
		{"store.dynamodb.region", func(c *Config, _ []int) any { return &c.Store.DynamoDB.Region }},
		{"store.dynamodb.endpoint", func(c *Config, _ []int) any { return &c.Store.DynamoDB.Endpoint }},
		{"cache.kind", func(c *Config, _ []int) any { return (*string)(&c.Cache.Kind) }},
		{serversKey + "[]", func(c *Config, i []int) any { return &c.Cache.Memcached.Servers[i[0]] }},
		{"cache.memcached.timeout", func(c *Config, _ []int) any { return &c.Cache.Memcached.Timeout }},
		{"cache.memcached.expiration", func(c *Config, _ []int) any { return (*string)(&c.Cache.Memcached.Expiration) }},
		{"cursor.key", func(c *Config, _ []int) any { return &c.Cursor.Key }},
		{"cursor.max_age", func(c *Config, _ []int) any { return (*string)(&c.Cursor.MaxAge) }},
		{"worker.listen", func(c *Config, _ []int) any { return &c.Worker.Listen }},
		{"worker.concurrent", func(c *Config, _ []int) any { return &c.Worker.Concurrent }},
		{"worker.read_units_per_second", func(c *Config, _ []int) any { return &c.Worker.ReadUnitsPerSecond }},
		{"worker.jitter", func(c *Config, _ []int) any { return (*string)(&c.Worker.Jitter) }},
		{"worker.lease", func(c *Config, _ []int) any { return (*string)(&c.Worker.Lease) }},
		{"worker.prune", func(c *Config, _ []int) any { return (*string)(&c.Worker.Prune) }},
		{"log.format", func(c *Config, _ []int) any { return (*string)(&c.Log.Format) }},
	},
	refreshFields("refresh", func(c *Config, _ []int) *Refresh { return &c.RefreshDefaults }),
	[]field{
		{"prices.read_unit_million", func(c *Config, _ []int) any { return &c.Prices.ReadUnitMillion }},
		{"prices.write_unit_million", func(c *Config, _ []int) any { return &c.Prices.WriteUnitMillion }},
		{"prices.ram_gb_month", func(c *Config, _ []int) any { return &c.Prices.RAMGBMonth }},
		{"boards[].name", func(c *Config, i []int) any { return &c.Boards[i[0]].Name }},
		{"boards[].shards", func(c *Config, i []int) any { return &c.Boards[i[0]].Shards }},
		{"boards[].columns[].name", func(c *Config, i []int) any { return &column(c, i).Name }},
		{"boards[].columns[].order", func(c *Config, i []int) any { return (*string)(&column(c, i).Order) }},
		{"boards[].columns[].operator", func(c *Config, i []int) any { return (*string)(&column(c, i).Operator) }},
		{"boards[].columns[].decimals", func(c *Config, i []int) any { return &column(c, i).Decimals }},
	},
	limitFields("boards[].columns[].min_score", func(l *ScoreLimit) (*string, *PeriodScores) { return &l.Min, &l.MinOf }),
	limitFields("boards[].columns[].max_score", func(l *ScoreLimit) (*string, *PeriodScores) { return &l.Max, &l.MaxOf }),
	[]field{
		{"boards[].periods[]", func(c *Config, i []int) any { return (*string)(&c.Boards[i[0]].Periods[i[1]]) }},
		{"boards[].expire_after.monthly", func(c *Config, i []int) any { return (*string)(&c.Boards[i[0]].ExpireAfter.Monthly) }},
		{"boards[].expire_after.weekly", func(c *Config, i []int) any { return (*string)(&c.Boards[i[0]].ExpireAfter.Weekly) }},
		{"boards[].expire_after.daily", func(c *Config, i []int) any { return (*string)(&c.Boards[i[0]].ExpireAfter.Daily) }},
		{"boards[].late_posts", func(c *Config, i []int) any { return (*string)(&c.Boards[i[0]].LatePosts) }},
		{"boards[].late_grace", func(c *Config, i []int) any { return (*string)(&c.Boards[i[0]].LateGrace) }},
	},
	refreshFields("boards[].refresh", func(c *Config, i []int) *Refresh { return &c.Boards[i[0]].Refresh }),
)

// limitFields are one end of a column's limit, of every board and of each period's.
func limitFields(prefix string, at func(*ScoreLimit) (all *string, of *PeriodScores)) []field {
	all := func(c *Config, i []int) *string { s, _ := at(&c.Boards[i[0]].Limits[i[1]]); return s }
	of := func(c *Config, i []int) *PeriodScores { _, s := at(&c.Boards[i[0]].Limits[i[1]]); return s }
	return []field{
		{prefix, func(c *Config, i []int) any { return all(c, i) }},
		{prefix + "_of.all", func(c *Config, i []int) any { return &of(c, i).All }},
		{prefix + "_of.monthly", func(c *Config, i []int) any { return &of(c, i).Monthly }},
		{prefix + "_of.weekly", func(c *Config, i []int) any { return &of(c, i).Weekly }},
		{prefix + "_of.daily", func(c *Config, i []int) any { return &of(c, i).Daily }},
	}
}

func refreshFields(prefix string, at func(*Config, []int) *Refresh) []field {
	return []field{
		{prefix + ".method", func(c *Config, i []int) any { return (*string)(&at(c, i).Method) }},
		{prefix + ".walk", func(c *Config, i []int) any { return &at(c, i).Walk }},
		{prefix + ".read_budget", func(c *Config, i []int) any { return &at(c, i).ReadBudget }},
		{prefix + ".curve_bytes", func(c *Config, i []int) any { return &at(c, i).CurveBytes }},
		{prefix + ".head", func(c *Config, i []int) any { return &at(c, i).Head }},
		{prefix + ".tolerance", func(c *Config, i []int) any { return (*string)(&at(c, i).Tolerance) }},
		{prefix + ".pace.start", func(c *Config, i []int) any { return &at(c, i).Pace.Start }},
		{prefix + ".pace.max", func(c *Config, i []int) any { return &at(c, i).Pace.Max }},
		{prefix + ".schedule", func(c *Config, i []int) any { return &at(c, i).Schedule }},
		{prefix + ".timezone", func(c *Config, i []int) any { return &at(c, i).Timezone }},
		{prefix + ".idle_max", func(c *Config, i []int) any { return (*string)(&at(c, i).IdleMax) }},
		{prefix + ".audit", func(c *Config, i []int) any { return &at(c, i).Audit }},
		{prefix + ".audit_budget", func(c *Config, i []int) any { return &at(c, i).AuditBudget }},
		{prefix + ".history.keep", func(c *Config, i []int) any { return (*string)(&at(c, i).History.Keep) }},
		{prefix + ".history.every", func(c *Config, i []int) any { return (*string)(&at(c, i).History.Every) }},
	}
}

// serversKey is a list of plain values, like boards[].periods.
const serversKey = "cache.memcached.servers"

func column(c *Config, i []int) *store.Column { return &c.Boards[i[0]].Columns[i[1]] }

// A shape is what stands at a pattern.
type shape string

const (
	unknown shape = ""
	scalar  shape = "a single value"
	list    shape = "a list"
	mapping shape = "a mapping"
)

func shapeOf(pattern string) shape {
	for _, f := range fields {
		switch {
		case f.pattern == pattern:
			return scalar
		case strings.HasPrefix(f.pattern, pattern+"[]"):
			return list
		case pattern == "" || strings.HasPrefix(f.pattern, pattern+"."):
			return mapping
		}
	}
	return unknown
}

// children are the keys that a mapping may have.
func children(pattern string) (names []string) {
	for _, f := range fields {
		rest, found := strings.CutPrefix(f.pattern, join(pattern, ""))
		name, _, _ := strings.Cut(rest, ".")
		name = strings.TrimSuffix(name, "[]")
		if found && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func join(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// parent is the key of the mapping or list that holds a key; "" is the root.
func parent(key string) string {
	return key[:max(0, strings.LastIndexAny(key, ".["))]
}

var indexes = regexp.MustCompile(`\[(\d{1,6})\]`)

// split takes a key apart into its pattern and its indexes.
func split(key string) (pattern string, index []int) {
	for _, match := range indexes.FindAllStringSubmatch(key, -1) {
		n, _ := strconv.Atoi(match[1]) // the expression lets only digits through
		index = append(index, n)
	}
	return indexes.ReplaceAllString(key, "[]"), index
}

// fill puts indexes into a pattern, in their order; 0 where there are too few.
func fill(pattern string, index []int) string {
	for strings.Contains(pattern, "[]") {
		n := 0
		if len(index) > 0 {
			n, index = index[0], index[1:]
		}
		pattern = strings.Replace(pattern, "[]", "["+strconv.Itoa(n)+"]", 1)
	}
	return pattern
}
