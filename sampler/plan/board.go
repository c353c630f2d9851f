package plan

import (
	"time"

	"github.com/rankcurve/rankcurve/sampler"
)

// Board is a board as far as a plan depends on it.
type Board struct {
	Entries    int64
	EntryBytes float64 // of one entry in the index
	Shards     int

	Every time.Duration // from one refresh to the next
	Churn float64       // score changes per entry from one refresh to the next; 0.06: 6 % of the owners
	Gain  float64       // by which a score changes, as a part of itself, on average; 0.25: by a quarter

	// Passed is the part of the entries that lies so close behind a place, where a part of
	// them is better, that it would pass it by a gain. nil: as on a lognormal board, see Spread.
	Passed func(better, gain float64) float64

	CurveBytes int             // of the published curve, at most
	Walk       sampler.Options // Head, Fraction, ScoresUpTo, Method, Pace and Parallel count
}

// Defaults of a plan.
const (
	DefaultEntryBytes = 100
	DefaultGain       = 0.25
)

// Latency is what one request is taken to last where the pace does not hold it up.
const Latency = 10 * time.Millisecond

// head is how many rows of the best a walk reads one by one.
func (b Board) head() int { return orDefault(b.Walk.Head, sampler.DefaultHead) }

func (b Board) fraction() float64 { return orDefault(b.Walk.Fraction, sampler.DefaultFraction) }

func (b Board) parallel() int { return orDefault(b.Walk.Parallel, sampler.DefaultParallel) }

func orDefault[N int | int64 | float64](n, otherwise N) N {
	if n == 0 {
		return otherwise
	}
	return n
}

// perShard is the entries of one shard.
func (b Board) perShard() float64 { return float64(b.Entries) / float64(b.Shards) }

// ReadsScores says that a walk of all shards reads every score, as sampler.Walker does
// of boards up to Walk.ScoresUpTo and of a single shard: an exact curve.
func (b Board) ReadsScores() bool {
	ends := int64(2 * b.head())
	switch {
	case b.Walk.Method == sampler.Scores || b.Shards == 1:
		return true
	case b.Walk.Method == sampler.Counted:
		return b.Entries <= ends
	}
	return b.Entries <= max(orDefault(b.Walk.ScoresUpTo, sampler.DefaultScoresUpTo), ends)
}
