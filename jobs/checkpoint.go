package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

const (
	// savesPerLease is how often in the time that a dead refresher's lease lasts a living
	// one saves what it has walked: what dies unsaved is little beside that wait.
	savesPerLease = 6

	// worthSaving is how many read units are walked for each write unit of a checkpoint,
	// which costs five: checkpoints add a twentieth to a walk at most. The last one, of a
	// refresh that is given up, is likely to be of use, and may cost half of what it saves.
	worthSaving, worthSavingLast = 100, 10

	saveTimeout  = 3 * time.Second  // a worker has ten seconds to end
	resumeManual = 10 * time.Minute // how old a checkpoint may be where nothing else says it,
	resumeAtMost = 15 * time.Minute // and of ticks that are further apart
	leasesToWait = 2                // a dead refresher's successor comes within so many
)

// walkKey is where the checkpoint of a column's refresh is kept, as the state of a column
// with a name that no column can have.
func walkKey(key store.CurveKey) store.CurveKey {
	key.Column += "/walk"
	return key
}

// resumeWithin is how old a checkpoint may be for a tick to go on from it.
func (r Refresher) resumeWithin(interval time.Duration) time.Duration {
	return max(leasesToWait*r.leaseTTL(), min(interval, resumeAtMost))
}

// A trail is what a refresh leaves behind of its walk, for the one that follows if it dies.
// A checkpoint is for one generation, so that one which is left over, or written late by a
// process that was stopped past its lease, is of no use to later refreshes. It is for one
// walk at a time.
type trail struct {
	refresher  Refresher
	key        store.CurveKey // of the column
	generation int64
	stored     bool    // there may be something to be deleted
	units      float64 // that were walked for what is stored
}

// follow is the checkpoint of a refresh that died before it published this generation,
// if it is young enough, and not older than the curve before.
func (t *trail) follow(ctx context.Context, before *predictor.Curve, within time.Duration) *sampler.Checkpoint {
	data, _, err := t.refresher.Store.State(ctx, walkKey(t.key))
	if errors.Is(err, store.ErrNotFound) || err == nil && len(data) == 0 {
		return nil
	}
	t.stored = true
	var c sampler.Checkpoint
	if err == nil {
		c, err = sampler.DecodeCheckpoint(data)
	}
	if err != nil {
		t.refresher.warn(ctx, "what an earlier refresh has walked cannot be read, walking anew", t.key, err)
		return nil
	}
	age := t.refresher.now().Sub(c.Saved)
	if c.Generation != t.generation || age > within || age < -clockSlack || before != nil && c.AsOf.Before(before.Meta().AsOf) {
		return nil
	}
	t.units = c.Units
	return &c
}

// save stores a checkpoint, if what was walked since the last is worth it: the walk goes on
// when it cannot. A refresh that has lost its lease leaves the place to its successor.
func (t *trail) save(ctx context.Context, c sampler.Checkpoint) {
	if errors.Is(context.Cause(ctx), store.ErrLost) {
		return
	}
	c.Generation, c.Saved = t.generation, t.refresher.now()
	data, err := c.Encode()
	if err == nil {
		worth := worthSaving
		if c.Last {
			worth = worthSavingLast
		}
		if c.Units-t.units < float64(worth)*store.ItemWriteUnits(len(data)) {
			return
		}
		err = t.put(ctx, data)
	}
	if err != nil {
		t.refresher.warn(ctx, "what is walked so far is not kept; a refresh that follows will walk it again", t.key, err)
		return
	}
	t.units = c.Units
}

// end empties the place, so that the next refresh does not pay for reading it.
func (t *trail) end(ctx context.Context) {
	if !t.stored {
		return
	}
	if err := t.put(ctx, nil); err != nil {
		t.refresher.warn(ctx, "what was walked is not deleted; it is of no more use", t.key, err)
	}
}

func (t *trail) put(ctx context.Context, data []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	t.stored = true // also if the answer is lost
	_, err := t.refresher.Store.SaveState(ctx, walkKey(t.key), data)
	return err
}
