package simulation

import (
	"context"
	"errors"
	"fmt"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
)

// Result is what a simulation has measured.
type Result struct {
	Bands   []Band // by depth, best first, those that were asked for
	Deep    Band   // of those from rank 10,000 on; its widths are the median over the owners there
	All     Band
	WarmUp  int   // ticks at the begin that are not in it
	Entries int64 // on the board in the end

	Period       float64 // ticks between two walks of the whole board, on average
	FullUnits    float64 // read units of one such walk, on average
	RollingUnits float64 // of a rolling refresh, on average

	// Read units of all walks and of all refreshes, but for the first of each.
	FullTotal, RollingTotal float64
}

// Run simulates. A tick of a million entries takes about a second, nearly all of it for
// the prediction of ours. The context ends it between two steps; what was made is removed
// in any case. Options must be valid.
func Run(ctx context.Context, o Options) (_ Result, err error) {
	w, err := newWorld(ctx, o)
	if err != nil {
		return Result{}, fmt.Errorf("make the board: %w", err)
	}
	defer func() { err = errors.Join(err, w.close()) }()
	full, err := newFullWalk(o, w)
	if err != nil {
		return Result{}, err
	}
	r := &run{options: o, world: w, full: full, ours: newPublisher(o, w.store), counted: newCounted(o), tally: newTally(o.Entries)}
	if err := r.begin(ctx); err != nil {
		return Result{}, err
	}
	for tick := 1; tick <= o.Ticks; tick++ {
		if err := r.tick(ctx, tick); err != nil {
			return Result{}, fmt.Errorf("tick %d: %w", tick, err)
		}
		if o.Progress != nil {
			o.Progress(tick)
		}
	}
	return r.result(), nil
}

type run struct {
	options Options
	world   world
	full    *fullWalk
	ours    *publisher
	counted *counted
	tally   *tally
}

// begin is the cold start: every way sees the whole board.
func (r *run) begin(ctx context.Context) error {
	if err := r.full.begin(ctx); err != nil {
		return err
	}
	return r.refresh(ctx, 0, jobs.Options{Shards: r.options.Walk, Full: true})
}

// refresh refreshes ours and tells the ways that count of it.
func (r *run) refresh(ctx context.Context, tick int, o jobs.Options) error {
	report, err := r.ours.refresh(ctx, tick, o)
	if err != nil {
		return err
	}
	shards, err := r.ours.walked(ctx)
	if err != nil {
		return err
	}
	if len(shards) == 0 {
		return fmt.Errorf("the refresh has walked no shard: the board of %d entries was read row by row", report.Entries)
	}
	r.counted.saw(shards, tick, r.world.view())
	return nil
}

func (r *run) tick(ctx context.Context, tick int) error {
	if err := r.world.advance(ctx); err != nil {
		return err
	}
	aged := r.ours.curve
	if err := r.refresh(ctx, tick, jobs.Options{Shards: r.options.Walk}); err != nil {
		return err
	}
	if err := r.full.pass(ctx, tick, r.ours.units/float64(tick)); err != nil {
		return fmt.Errorf("walk of the whole board: %w", err)
	}
	if tick <= r.options.warmUp() {
		return ctx.Err()
	}
	return r.measure(ctx, tick, aged)
}

// measure asks all ways at this tick. Aged is the curve of the tick before.
func (r *run) measure(ctx context.Context, tick int, aged *predictor.Curve) error {
	asked, err := ask(ctx, r.options, r.world.view(), aged)
	if err != nil {
		return err
	}
	fresh, err := r.counted.freshShards(ctx, asked.keys)
	if err != nil {
		return err
	}
	rolled, err := r.counted.rollingSum(ctx, asked.keys)
	if err != nil {
		return err
	}
	fullAge := r.options.at(tick).Sub(r.full.curve.Meta().AsOf)
	for i, key := range asked.keys {
		r.tally.add(answer{
			better:           asked.better[i],
			fullWalk:         r.full.curve.Better(key),
			fullWalkForecast: r.full.curve.BetterAt(key, fullAge),
			freshShards:      fresh[i],
			rolled:           rolled[i],
			ours:             r.ours.curve.Held(key, 0),
			aged:             aged.Held(key, r.options.Every),
		})
	}
	return nil
}

func (r *run) result() Result {
	rolling := r.ours.units / float64(r.options.Ticks)
	period, cost := r.full.period(rolling)
	result := Result{
		Deep: r.tally.deep.band(), All: r.tally.all.band(), WarmUp: r.options.warmUp(), Entries: r.world.view().entries(),
		Period: period, FullUnits: cost, RollingUnits: rolling,
		FullTotal: r.full.units, RollingTotal: r.ours.units,
	}
	for i := range r.tally.bands {
		if b := r.tally.bands[i].band(); b.Answers > 0 {
			result.Bands = append(result.Bands, b)
		}
	}
	return result
}
