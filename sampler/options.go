package sampler

import (
	"context"
	"fmt"
	"time"
)

// Method is a way to walk.
type Method string

const (
	Auto    Method = "auto"
	Counted Method = "counted"
	Scores  Method = "scores"
	Rolling Method = "rolling" // what a walk of some of the shards is; not asked for by name
)

// ParseMethod reads a method's name; the empty name is Auto.
func ParseMethod(name string) (Method, error) {
	switch m := Method(name); m {
	case "":
		return Auto, nil
	case Auto, Counted, Scores:
		return m, nil
	}
	return "", fmt.Errorf("method %q is none of auto, counted, scores", name)
}

// Options of a walk. The zero value takes every default.
type Options struct {
	Method     Method
	Full       bool      // walk every shard, choose the cutpoints anew, and ignore ReadBudget
	Shards     int       // shards walked, once there are others to carry forward; 0: all, or what ReadBudget allows
	Head       int       // rows read at each end of the board; default 10,000
	Fraction   float64   // an interval's entries, as a part of the distance to the nearer end; default 0.04
	ScoresUpTo int64     // Auto reads the scores of boards up to this size; default 100,000
	ReadBudget float64   // read units that a walk may take; 0: no limit
	AsOf       time.Time // when the walk is; default the time of New
	Parallel   int       // requests under way at once; default 8
	Pace       Pace      // of each partition; the zero value does not pace

	// Resume, if set, is what an earlier walk has finished. It is gone on with, if it was of
	// this board and these options, and else ignored.
	Resume *Checkpoint

	// Save, if set, is called with what the walk has finished: each SaveEvery (default 10 s)
	// in which something new was, and once more when the walk fails. The context may
	// have ended then. There is one call at a time, and none after Walk has returned.
	Save      func(ctx context.Context, c Checkpoint)
	SaveEvery time.Duration

	// Progress, if set, is called as partitions, or intervals of them, are done.
	// It must be safe for concurrent use.
	Progress func(done, total int)
}

// Defaults of Options.
const (
	DefaultHead       = 10_000
	DefaultFraction   = 0.04
	DefaultScoresUpTo = 100_000
	DefaultParallel   = 8
	DefaultSaveEvery  = 10 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Method == "" {
		o.Method = Auto
	}
	if o.Head == 0 {
		o.Head = DefaultHead
	}
	if o.Fraction == 0 {
		o.Fraction = DefaultFraction
	}
	if o.ScoresUpTo == 0 {
		o.ScoresUpTo = DefaultScoresUpTo
	}
	if o.Parallel == 0 {
		o.Parallel = DefaultParallel
	}
	if o.SaveEvery == 0 {
		o.SaveEvery = DefaultSaveEvery
	}
	if o.AsOf.IsZero() {
		o.AsOf = time.Now()
	}
	o.AsOf = o.AsOf.UTC().Truncate(time.Millisecond) // as states keep it
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}
