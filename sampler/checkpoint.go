package sampler

import (
	"context"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/predictor/kriging"
)

// A Checkpoint is what a walk has finished that is not done yet, so that another one can
// go on from there if it dies: the counts of a walk that counts every shard, or the
// shards done of one that walks some. A walk that reads all scores has none: what it has
// read would cost as much to write as to read again. Make one with DecodeCheckpoint.
type Checkpoint struct {
	Generation int64     // of the curve that the walk is for; the caller's to set and to judge
	Saved      time.Time // the caller's too

	Last  bool      // the walk has failed, and saves this as its last; not encoded
	AsOf  time.Time // when the walk began
	Units float64   // read units that it took to walk what is in it

	board  string // the ID
	shards int
	terms  string
	keys   []int64 // cutpoints, best first
	counts *countedPart
	rolled *rolledPart
}

// A countedPart is what a walk of every shard has finished.
type countedPart struct {
	endRows int
	spans   map[span][]int64 // entries of each shard, or notCounted
}

// A rolledPart is what a walk of some shards has finished.
type rolledPart struct {
	parts []float64 // see History.moved
	worst int64
	seen  []kriging.Sighting // shards done
	left  []int              // shards not done
	units float64            // that one takes
	rows  int                // that one has
}

// What is underway is a walk as far as it is worth keeping. It is safe for concurrent use.
type underway interface {
	// put puts what is finished into a checkpoint, and says how many pieces of work that
	// is, beyond those of the walk that was gone on with. Without any it puts in nothing.
	put(c *Checkpoint) (pieces int)
}

// terms are the options that decide what is walked and how. A walk by others does not go
// on from a checkpoint.
func (o Options) terms() string {
	return fmt.Sprintf("%s full=%t shards=%d head=%d fraction=%g scores=%d budget=%g",
		o.Method, o.Full, o.Shards, o.Head, o.Fraction, o.ScoresUpTo, o.ReadBudget)
}

// resumes says whether the walk goes on from the checkpoint that it was given. A clock
// that is behind that of the walk that died takes it for one of the future.
func (w *Walker) resumes() bool {
	c := w.options.Resume
	return c != nil && c.board == w.board.ID && c.shards == w.board.Shards && c.terms == w.options.terms() && !c.AsOf.After(w.options.AsOf)
}

// resume goes on from a checkpoint. Counts of every shard are of when they were made, so
// the walk is as of the time of the one that died; shards that are carried forward have a
// time each, and the walk is of now.
func (w *Walker) resume(ctx context.Context, prior State, c Checkpoint) (Walk, error) {
	w.resumed = &c
	if c.rolled != nil {
		return w.roll(ctx, prior.History)
	}
	w.options.AsOf = c.AsOf
	w.endRows = c.counts.endRows
	return w.counted(ctx, c.keys)
}

// walkSaving walks, and saves what is finished on the way. A panic ends the saving too.
func (w *Walker) walkSaving(ctx context.Context, prior State) (walk Walk, err error) {
	stop := w.keep(ctx)
	defer func() { stop(err != nil) }()
	return w.walk(ctx, prior)
}

// keep saves what the walk has finished every so often, until stop is called, and then,
// if the walk failed, what it finished last.
func (w *Walker) keep(ctx context.Context) (stop func(failed bool)) {
	if w.options.Save == nil {
		return func(bool) {}
	}
	pieces := 0
	save := func(last bool) {
		w.mu.Lock()
		walk := w.underway
		w.mu.Unlock()
		if walk == nil {
			return
		}
		c := Checkpoint{Last: last, AsOf: w.options.AsOf, board: w.board.ID, shards: w.board.Shards, terms: w.options.terms()}
		if n := walk.put(&c); n > pieces || last && n > 0 { // the one before may not have been worth its price
			pieces = n
			w.options.Save(ctx, c)
		}
	}
	ended, idle := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(idle)
		ticker := time.NewTicker(w.options.SaveEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				save(false)
			case <-ended:
				return
			}
		}
	}()
	return func(failed bool) {
		close(ended)
		<-idle
		if failed {
			save(true)
		}
	}
}

// begins says what is under way from now on.
func (w *Walker) begins(walk underway) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.underway = walk
}
