package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
)

// A clientFlag is a global flag that says where boards or curves are kept.
type clientFlag struct {
	name  string
	key   string // of the configuration
	usage string
	of    string // the flag that must have the value kind for this one to make sense; "" if none
	kind  string // what this one chooses
	list  bool
}

var clientFlags = []clientFlag{
	{name: "store", key: "store.kind", usage: "keep boards in `KIND`: bolt, the embedded store, or dynamodb"},
	{
		name: "db", key: "store.bolt.path", of: "store", kind: string(config.KindBolt),
		usage: "keep boards in `FILE`, the embedded store (default: rankcurve.db)",
	},
	{
		name: "table", key: "store.dynamodb.table", of: "store", kind: string(config.KindDynamoDB),
		usage: "keep boards in the DynamoDB table `NAME` (default: rankcurve)",
	},
	{
		name: "region", key: "store.dynamodb.region", of: "store", kind: string(config.KindDynamoDB),
		usage: "find the table in `REGION` (default: AWS_REGION, else the profile's)",
	},
	{
		name: "endpoint", key: "store.dynamodb.endpoint", of: "store", kind: string(config.KindDynamoDB),
		usage: "ask `URL` in place of DynamoDB, such as http://127.0.0.1:4567",
	},
	{name: "cache", key: "cache.kind", usage: "publish curves to `KIND` too: none or memcached"},
	{
		name: "memcached", key: "cache.memcached.servers", of: "cache", kind: string(config.CacheMemcached), list: true,
		usage: "publish curves to memcached at `HOST:PORT`, and others with commas or more flags",
	},
}

// cli is the flag as the library knows it.
func (f clientFlag) cli() cli.Flag {
	if f.list {
		return &cli.StringSliceFlag{Name: f.name, Usage: f.usage}
	}
	return &cli.StringFlag{Name: f.name, Usage: f.usage}
}

// value is what was said, a list with commas.
func (f clientFlag) value(c *cli.Context) string {
	if f.list {
		return strings.Join(c.StringSlice(f.name), ",")
	}
	return c.String(f.name)
}

// overrides are the global flags by the keys that they set. A flag of one kind of
// store or cache chooses that kind: `--db F` is enough where the configuration
// names DynamoDB.
func overrides(c *cli.Context) (map[string]string, error) {
	said := map[string]string{}
	chosenBy := map[string]clientFlag{}
	for _, f := range clientFlags {
		if !c.IsSet(f.name) {
			continue
		}
		said[f.key] = f.value(c)
		of, kind := f.of, f.kind
		if of == "" {
			of, kind = f.name, f.value(c)
		}
		other, twice := chosenBy[of]
		switch {
		case twice && other.kind != kind && other.of == "":
			return nil, usagef("--%s goes with --%s %s, not with %s; leave one of them out", f.name, of, kind, other.kind)
		case twice && other.kind != kind:
			return nil, usagef("--%s goes with --%s %s, and --%s with %s; leave one of them out", other.name, of, other.kind, f.name, kind)
		}
		f.kind = kind
		chosenBy[of] = f
		said[of+".kind"] = kind
	}
	return said, nil
}
