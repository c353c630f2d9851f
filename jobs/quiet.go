package jobs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

const (
	// printAfter is how many times the price of a look a walk must cost for looks to be worth
	// it: of a board that changes they come on top.
	printAfter = 4

	// printShare is the part of the walks' price that looks at a board that changes may cost.
	// Two looks tell that it has changed; then so many ticks pass without one.
	printShare = 1.0 / 16

	// walkUnits are the read units below which a walk is cheap enough for every tick.
	walkUnits = 20
)

// afterWalk is the note of a column that was just walked for so many read units. Before the
// walk a look was taken, or none, and there was a curve, or none.
func (k *ticking) afterWalk(seen *imprint, units float64, replaced *predictor.Curve) note {
	old := k.report.note
	n := note{Walked: k.report.Curve.Meta().AsOf, Price: old.Price}
	if n.Price == 0 {
		n.Price = printUnits(k.board.Shards)
	}
	switch {
	case k.tick.IdleMax <= 0 || units < walkUnits:
		return note{}
	case units < printAfter*n.Price: // the walk itself is the look
		return k.afterFullWalk(replaced)
	case k.tick.Due.Before(old.LooksFrom):
		return old.forgiven()
	case seen != nil && old.Print.taken(): // it has changed since the look before
		n.LooksFrom = k.tick.Due.Add(k.tick.Interval * time.Duration(max(0, math.Ceil(2*n.Price/units/printShare)-2)))
	}
	switch {
	case k.tick.Due.Before(n.LooksFrom):
		n.Print = nil
	case seen == nil || k.report.Generation-seen.Generation > printLasts:
		n.Print = imprintOf(k.board, k.report.Curve) // to be taken before the next walk
	default:
		n.Print = seen
	}
	return n
}

// afterFullWalk is the note of a board that costs about as much to look at as to walk: while
// walks make the same curve again, they get rarer as looks do.
func (k *ticking) afterFullWalk(replaced *predictor.Curve) note {
	now := k.report.Curve
	if replaced == nil || k.report.Walked < k.report.Shards || k.report.Resumed > 0 || now.Total() != replaced.Total() || !slices.Equal(now.Vertices(), replaced.Vertices()) {
		return note{}
	}
	n := note{Quiet: k.report.note.Quiet + 1}
	n.LookAt = k.tick.Due.Add(quietFor(k.tick, n.Quiet))
	return n
}

// walkAtLeast is how long curves of a quiet board are published again without a walk: what
// no look has seen must not stay unseen for ever.
const walkAtLeast = day

// look takes the board's imprint, if it is to be taken, and says whether it is still the same
// as before the last walk.
func (k *ticking) look(ctx context.Context) (now *imprint, unchanged bool, err error) {
	before := k.report.note.Print
	if before == nil || k.tick.IdleMax <= 0 || k.report.Curve == nil || before.Shard >= k.board.Shards {
		return nil, false, nil
	}
	if k.report.AsOf.Sub(k.report.note.Walked) >= walkAtLeast || k.report.Curve.Meta().AsOf.Before(k.report.note.Walked) {
		return nil, false, nil
	}
	taken := *before
	usage, err := taken.take(ctx, k.Store, k.board, k.column.Name)
	k.report.Usage.Add(usage)
	switch {
	case err == nil:
		k.report.note.Price = usage.ReadUnits()
		return &taken, taken.same(before), nil
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	}
	k.warn(ctx, "look for changes failed, walking the board", k.key, err)
	return nil, false, nil
}

// restamp publishes the curve again, as of the look.
func (k *ticking) restamp(ctx context.Context, held holding, before store.Published) error {
	generation := before.Generation + 1
	data, err := predictor.Restamp(before.Data, generation, k.report.AsOf)
	if err != nil {
		return err
	}
	if err := held.confirm(ctx); err != nil {
		return err
	}
	usage, err := k.Store.Publish(context.WithoutCancel(ctx), k.key, store.Published{Generation: generation, Data: data})
	k.report.Usage.Add(usage)
	if err != nil {
		return fmt.Errorf("publish generation %d: %w", generation, err)
	}
	k.archive(ctx, k.key, outgoing{before, k.report.Curve}, k.report.AsOf, k.options)
	if k.report.Curve, err = predictor.Decode(data); err != nil {
		return err
	}
	k.report.Outcome, k.report.Generation, k.report.Size = Unchanged, generation, len(data)
	k.report.Entries, k.report.Knots, k.report.Bytes = k.report.Curve.Total(), k.report.Curve.Knots(), len(data)
	n := k.report.note.forgiven()
	n.Quiet++
	n.LookAt = k.tick.Due.Add(quietFor(k.tick, n.Quiet))
	k.save(ctx, n)
	return nil
}

// quietFor is how long after so many looks in vain the next one is: it doubles, from one
// interval up to IdleMax.
func quietFor(t Tick, looks int) time.Duration {
	wait := t.Interval
	for range looks {
		if wait >= t.IdleMax/2 {
			return max(t.Interval, t.IdleMax)
		}
		wait *= 2
	}
	return wait
}
