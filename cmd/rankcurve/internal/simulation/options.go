package simulation

import (
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/churn"
	"github.com/rankcurve/rankcurve/store"
)

// Kind is where the board is kept.
type Kind string

// The stores.
const (
	Memory    Kind = "memory"    // sorted scores, priced as the other stores price theirs
	Bolt      Kind = "bolt"      // an embedded database in a temporary folder
	Synthetic Kind = "synthetic" // computed as it is asked for, so that it may be of any size
)

// Limits of a simulation.
const (
	LeastEntries  = 50_000 // rows are read one by one down to rank 10,000
	MostInMemory  = 20_000_000
	MostSynthetic = 2_000_000_000
	MostTicks     = 100_000
)

// Options of a simulation.
type Options struct {
	Model   churn.Model
	Board   churn.Board
	Store   Kind
	Entries int // when it begins
	Shards  int
	Walk    int           // shards that a rolling refresh walks
	Ticks   int           // there is a refresh at each
	Every   time.Duration // from one tick to the next
	Seed    uint64

	// Progress is told how many of the ticks are over; nil: nobody.
	Progress func(ticks int)
}

// Validate reports every fault at once, each with the flag that it came by.
func (o Options) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	most := MostInMemory
	switch o.Store {
	case Memory, Bolt:
	case Synthetic:
		most = MostSynthetic
		if _, err := driftOf(o.Model, o.Board); err != nil {
			fault("--model: %w", err)
		}
	default:
		fault("--store: %q is none of memory, bolt, synthetic", o.Store)
	}
	if o.Entries < LeastEntries || o.Entries > most {
		fault("--entries: %d is not in %d..%d", o.Entries, LeastEntries, most)
	}
	if o.Shards < 2 || o.Shards > store.MaxShards {
		fault("--shards: %d is not in 2..%d", o.Shards, store.MaxShards)
	} else if o.Walk < 1 || o.Walk >= o.Shards {
		fault("--walk: %d is not in 1..%d: some of the %d shards, not all", o.Walk, o.Shards-1, o.Shards)
	}
	if o.Ticks < 2 || o.Ticks > MostTicks {
		fault("--ticks: %d is not in 2..%d", o.Ticks, MostTicks)
	}
	if o.Every < time.Second || o.Every > 366*24*time.Hour {
		fault("--every: %s is not in 1s..8784h", o.Every)
	}
	return errors.Join(faults...)
}

// warmUp is how many ticks are not measured: two rotations over the shards, after which
// each has been seen three times, but half of a run at most.
func (o Options) warmUp() int {
	rotation := (o.Shards + o.Walk - 1) / o.Walk
	return min(2*rotation, o.Ticks/2)
}

const (
	boardName  = "simulated"
	columnName = "xp"
)

// definition is the board as stores know it.
func (o Options) definition() store.Board {
	return store.Board{
		Name: boardName, Shards: o.Shards,
		Columns: []store.Column{{Name: columnName, Order: store.Desc, Operator: store.Set}},
	}
}

// at is the time of a tick. It is made up, so that two runs are the same.
func (o Options) at(tick int) time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(tick) * o.Every)
}
