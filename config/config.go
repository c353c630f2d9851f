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
// RANKCURVE_BOARDS_0_SHARDS=32 in the environment. An empty variable counts as
// not set. Keys and variables that are not known are refused, and all faults are
// reported at once, each with its place and its key.
package config

import (
	"github.com/rankcurve/rankcurve/store"
)

// Config is a complete configuration: what was not said has its default.
type Config struct {
	Store           Store
	Boards          []Board
	RefreshDefaults Refresh // of all boards that do not say otherwise

	origins map[string]string // key -> where it was set, for Validate
}

// Store says where boards are kept.
type Store struct {
	Kind StoreKind
	Bolt Bolt
}

// StoreKind names a backend.
type StoreKind string

const (
	KindBolt StoreKind = "bolt" // the embedded store, one file
)

// Bolt sets up the embedded store.
type Bolt struct {
	Path string // of the file; a relative one is looked up in the working folder
}

// Board is a configured board: its definition, and how it is refreshed.
type Board struct {
	store.Board
	Refresh Refresh
}

// Refresh says how the curves of a board are made.
type Refresh struct {
	Method     Method
	ReadBudget int // read units that one refresh may spend; 0 is no limit
	CurveBytes int // size of the encoded curve, at most
	Head       int // best entries whose ranks are kept exactly
	Tolerance  Tolerance
}

// Method says how a refresh reads a board.
type Method string

const (
	MethodAuto    Method = "auto"    // scores where all fit the budget and are the cheaper way, else counted
	MethodCounted Method = "counted" // counts between cutpoints
	MethodScores  Method = "scores"  // every score
)

// Tolerance says which error a curve that does not fit its bytes may make.
type Tolerance string

const (
	ToleranceSqrt Tolerance = "sqrt" // grows with the square root of the rank: the best ranks are the closest
	ToleranceAbs  Tolerance = "abs"  // the same number of ranks everywhere
)

// DefaultShards is the shard count of a board that does not say.
const DefaultShards = 16

// Default is the configuration without a file.
func Default() Config {
	return Config{
		Store: Store{Kind: KindBolt, Bolt: Bolt{Path: "rankcurve.db"}},
		RefreshDefaults: Refresh{
			Method:     MethodAuto,
			CurveBytes: 16384,
			Head:       10000,
			Tolerance:  ToleranceSqrt,
		},
	}
}

// Board finds a configured board's definition.
func (c Config) Board(name string) (store.Board, bool) {
	for _, b := range c.Boards {
		if b.Name == name {
			return b.Board, true
		}
	}
	return store.Board{}, false
}

// Refresh says how a board is refreshed. One that is not configured, being in the
// store's registry alone, has the defaults.
func (c Config) Refresh(board string) Refresh {
	for _, b := range c.Boards {
		if b.Name == board {
			return b.Refresh
		}
	}
	return c.RefreshDefaults
}
