package simulation

import (
	"context"
	"math"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// A publisher refreshes a board's curve, as a worker does, at times that it is told.
type publisher struct {
	options Options
	store   func() store.Store // at the present tick
	board   store.Board
	curve   *predictor.Curve // the last one
	units   float64          // read by all refreshes since the first
}

func newPublisher(o Options, st func() store.Store) *publisher {
	return &publisher{options: o, store: st, board: o.definition()}
}

// refresh publishes the curve of a tick, reads it back and says what that took.
func (p *publisher) refresh(ctx context.Context, tick int, o jobs.Options) (jobs.Report, error) {
	st := p.store()
	r := jobs.Refresher{Store: st, Holder: "simulate", Now: func() time.Time { return p.options.at(tick) }}
	report, err := r.Refresh(ctx, p.board, columnName, o)
	if err != nil {
		return report, err
	}
	published, _, err := st.Curve(ctx, p.board.CurveKey(columnName))
	if err != nil {
		return report, err
	}
	if p.curve, err = predictor.Decode(published.Data); err != nil {
		return report, err
	}
	if tick > 0 {
		p.units += report.Usage.ReadUnits()
	}
	return report, nil
}

// walked is which shards the last refresh has walked.
func (p *publisher) walked(ctx context.Context) ([]int, error) {
	data, _, err := p.store().State(ctx, p.board.CurveKey(columnName))
	if err != nil {
		return nil, err
	}
	state, err := sampler.DecodeState(data)
	if err != nil {
		return nil, err
	}
	var shards []int
	for _, s := range state.History.Sightings {
		if s.At.Equal(p.curve.Meta().AsOf) {
			shards = append(shards, s.Shard)
		}
	}
	return shards, nil
}

// A fullWalk is the first way: the whole board every so many ticks.
type fullWalk struct {
	*publisher
	cost  float64 // of its last walk
	last  int     // tick
	walks int     // since the first
}

func newFullWalk(o Options, w world) (*fullWalk, error) {
	kept, err := newLedger(o, func() store.Partitions { return w.store() })
	if err != nil {
		return nil, err
	}
	return &fullWalk{publisher: newPublisher(o, func() store.Store { return kept })}, nil
}

// begin walks twice at tick 0: the first walk looks for its cutpoints, and the second
// costs what later ones do.
func (f *fullWalk) begin(ctx context.Context) error {
	for range 2 {
		report, err := f.refresh(ctx, 0, jobs.Options{Method: sampler.Counted})
		if err != nil {
			return err
		}
		f.cost = report.Usage.ReadUnits()
	}
	return nil
}

// pass walks if it is time: as often as costs what rolling refreshes at every tick do, each
// so many read units. What a walk costs is measured at the last one.
func (f *fullWalk) pass(ctx context.Context, tick int, rolling float64) error {
	period := max(1, int(math.Round(f.cost/rolling)))
	if tick-f.last < period {
		return nil
	}
	report, err := f.refresh(ctx, tick, jobs.Options{Method: sampler.Counted})
	f.last, f.cost = tick, report.Usage.ReadUnits()
	f.walks++
	return err
}

// period is how many ticks lie between two walks, on average, and cost what one takes.
// Without a walk it is what the first is waiting for.
func (f *fullWalk) period(rolling float64) (ticks, cost float64) {
	if f.walks == 0 {
		return f.cost / rolling, f.cost
	}
	return float64(f.last) / float64(f.walks), f.units / float64(f.walks)
}
