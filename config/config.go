// Package config reads how rankcurve is set up: a YAML file, above it the
// environment, above that the command line's flags.
//
// Every scalar key can be set in all three places. The file's
//
//	refresh: {head: 5000}
//	boards:
//	  - name: missions
//	    shards: 32
//
// is RANKCURVE_REFRESH_HEAD=5000, RANKCURVE_BOARDS_0_NAME=missions and
// RANKCURVE_BOARDS_0_SHARDS=32 in the environment. A list of plain values has one
// variable for each, RANKCURVE_CACHE_MEMCACHED_SERVERS_0 and so on; as a flag it is
// one text with commas, which replaces the list. An empty variable counts as not set. Keys and variables that are not known are refused, and all faults are
// reported at once, each with its place and its key.
package config

import (
	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

// Config is a complete configuration: what was not said has its default.
type Config struct {
	Store           Store
	Cache           Cache
	Cursor          Cursor
	Worker          Worker
	Log             Log
	Boards          []Board
	RefreshDefaults Refresh // of all boards that do not say otherwise
	Prices          Prices

	origins map[string]string // key -> where it was set, for Validate
}

// Store says where boards are kept.
type Store struct {
	Kind     StoreKind
	Bolt     Bolt
	DynamoDB DynamoDB
}

// StoreKind names a backend.
type StoreKind string

const (
	KindBolt     StoreKind = "bolt"     // the embedded store, one file
	KindDynamoDB StoreKind = "dynamodb" // a table of Amazon DynamoDB
)

// Bolt sets up the embedded store.
type Bolt struct {
	Path string // of the file; a relative one is looked up in the working folder
}

// DynamoDB sets up the store in a table. Credentials are no part of it: the AWS
// SDK finds them as everywhere, in AWS_PROFILE, AWS_ACCESS_KEY_ID or the machine's
// role.
type DynamoDB struct {
	Table    string
	Region   string // empty: AWS_REGION, else the profile's
	Endpoint string // a URL in place of the region's own; empty: none
}

// Cache says where app servers find published curves. The store keeps them too.
type Cache struct {
	Kind      CacheKind
	Memcached Memcached
}

// CacheKind names a cache.
type CacheKind string

const (
	CacheNone      CacheKind = "none"      // curves are read from the store
	CacheMemcached CacheKind = "memcached" // from memcached, and from the store where it has none
)

// Memcached sets up the cache.
type Memcached struct {
	Servers    []string // HOST:PORT or the path of a socket; all programs list the same ones in the same order
	Timeout    string   // of a connect, a read or a write, as time.ParseDuration reads it: 1ms to 1m
	Expiration Age      // how long memcached keeps a curve; 0s is for ever
}

// Cursor says how the cursors of paged reads are signed.
type Cursor struct {
	Key    string // the same for all programs that answer each other's cursors; empty: the store's own secret
	MaxAge Age    // older ones are refused; none or 0s: none are
}

// Board is a configured board, or a family of them: its definition, the periods that
// it has boards for, and how they are refreshed.
type Board struct {
	store.Board
	Periods     []store.Period // all alone: one board, without an end
	ExpireAfter ExpireAfter
	LatePosts   rankcurve.LatePosts
	LateGrace   Age          // how long after a period's end its posts are taken, where late ones are refused
	Limits      []ScoreLimit // of the columns, in their order
	Refresh     Refresh
}

// Refresh says how the curves of a board are made.
type Refresh struct {
	Method     Method
	Walk       int // shards walked a refresh; 0 is all, or what ReadBudget pays for
	ReadBudget int // read units that one refresh may spend; 0 is no limit
	CurveBytes int // size of the encoded curve, at most
	Head       int // entries read one by one at each end of a counted walk
	Tolerance  Tolerance
	Pace       Pace

	Schedule string // a cron expression of five fields, or @every and a period
	Timezone string // of the schedule, where that does not begin with CRON_TZ=
	IdleMax  Age    // how far apart the looks at a quiet board may get; none or 0s: no looks, each time due is a refresh

	Audit       int // owners whose ranks are counted after each refresh; 0: none
	AuditBudget int // read units for that, at most; 0 is no limit

	History History
}

// Prices are what the commands that say a price reckon with, in dollars.
type Prices struct {
	ReadUnitMillion  float64 // a million of DynamoDB's read units
	WriteUnitMillion float64 // a million write units
	RAMGBMonth       float64 // a GB of RAM for a month, where boards are sorted sets
}

// Reads is the price of so many read units.
func (p Prices) Reads(units float64) float64 { return units * p.ReadUnitMillion / 1e6 }

// Pace bounds what a refresh takes of each partition of a DynamoDB index, in read
// units a second, so that it never stands in the way of those who play: a partition
// gives 3,000. It starts at Start, climbs to Max, and gives way where it is
// throttled. The embedded store has no such limits and is not paced.
type Pace struct {
	Start int // 0: at Max from the start
	Max   int // 0: no pace at all
}

// Method says how a refresh reads a board.
type Method string

const (
	MethodAuto    Method = "auto"    // every score of boards up to 100,000 entries, and of embedded ones; counted beyond
	MethodCounted Method = "counted" // counts between cutpoints
	MethodScores  Method = "scores"  // every score
)

// Tolerance says which error a curve that does not fit its bytes may make.
type Tolerance string

const (
	ToleranceSqrt Tolerance = "sqrt" // grows with the square root of the distance to the nearer end of the board
	ToleranceAbs  Tolerance = "abs"  // the same number of ranks everywhere
)

// DefaultShards is the shard count of a board that does not say.
const DefaultShards = 16

// Default is the configuration without a file.
func Default() Config {
	return Config{
		Store:  Store{Kind: KindBolt, Bolt: Bolt{Path: "rankcurve.db"}, DynamoDB: DynamoDB{Table: "rankcurve"}},
		Cache:  Cache{Kind: CacheNone, Memcached: Memcached{Servers: []string{"127.0.0.1:11211"}, Timeout: memcache.DefaultTimeout.String(), Expiration: "10m"}},
		Cursor: Cursor{MaxAge: "0s"},
		Worker: Worker{Concurrent: 4, Jitter: "5s", Lease: "1m", Prune: "1d"},
		Log:    Log{Format: LogText},
		RefreshDefaults: Refresh{
			Method:     MethodAuto,
			CurveBytes: 16384,
			Head:       10000,
			Tolerance:  ToleranceSqrt,
			Pace:       Pace{Start: 50, Max: 300},
			Schedule:   "@every 5m",
			Timezone:   "UTC",
			IdleMax:    "15m",

			AuditBudget: 2000,

			History: History{Keep: "48h", Every: "5m"},
		},
		// us-east-1, on demand, since November 2024; RAM by a cache.r7g.large, $0.219 an
		// hour for 13.07 GB.
		Prices: Prices{ReadUnitMillion: 0.125, WriteUnitMillion: 0.625, RAMGBMonth: 12},
	}
}
