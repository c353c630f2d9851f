package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// Refresher makes and publishes curves. It is safe for concurrent use; refreshes
// of one column exclude each other by a lease in the store.
type Refresher struct {
	Store  store.Store
	Holder string           // names this process in leases, for those who find one held
	Now    func() time.Time // the machine's clock; nil: time.Now
	Log    *slog.Logger     // one line per refresh; nil: none

	// LeaseTTL is how long a column stays locked after its refresher died; a living one
	// renews three times as often. 0: DefaultLeaseTTL.
	LeaseTTL time.Duration
}

// Options of a refresh. The zero value takes every default.
type Options struct {
	Method     sampler.Method
	Full       bool // every shard, new cutpoints, and no limit on the reads
	Shards     int  // shards walked, the others are carried forward; 0: all, or what ReadBudget pays for
	ReadBudget float64
	ScoresUpTo int64 // Auto reads all scores of boards up to this size
	Pace       sampler.Pace
	CurveBytes int
	Head       int // best and worst rows read one by one
	Shape      predictor.Shape
	Progress   func(done, total int)

	// ResumeWithin is how long ago a refresh that died may have last saved what it had
	// walked, for this one to go on from there; 0: as long as suits the tick, and ten
	// minutes where there is none.
	ResumeWithin time.Duration

	Audit       int     // owners whose ranks are counted once the curve is published; 0: none
	AuditBudget float64 // read units for that: it goes no deeper than they pay for; 0: no limit

	Keep      time.Duration // published curves are kept for so long from when others replace them, to look back at; 0: none are
	KeepEvery time.Duration // and of each such stretch of time the last alone; 0: all
}

// Report says what a refresh did.
type Report struct {
	Board      string
	Column     string
	Generation int64
	AsOf       time.Time // when it began, or a refresh that died and whose counts are in it
	Method     sampler.Method
	Shards     int // of the board
	Walked     int // of them; the others are carried forward
	Resumed    int // counts (or shards, if Method is Rolling) that a refresh that died has left
	ResumedOf  int // of so many
	Entries    int64
	Intervals  int // counted ones; 0 if the scores were read
	Usage      store.Usage
	Knots      int
	Bytes      int
	Tolerance  float64 // scale of Shape, in entries
	Shape      predictor.Shape
	Duration   time.Duration
	Worse      Worse // than the curve before, which the log warns of
	Audit      Audit // none unless Options.Audit asks for one

	curve *predictor.Curve
}

// Refresh walks a column, builds its curve and publishes it. The old curve stays
// until the new one is whole: on any error, and when the context ends, nothing is
// published. It costs one walk (see sampler.Walker.Walk), less what a refresh that died
// has left of its own if that is young enough; the curve may be as of then. Errors:
// store.ErrHeld while another refresh of the column runs, store.ErrTooExpensive over the
// read budget, store.ErrStale if another published meanwhile, and those of the store.
func (r Refresher) Refresh(ctx context.Context, b store.Board, column string, o Options) (Report, error) {
	c, err := b.Column(column)
	if err != nil {
		return Report{}, err
	}
	started := r.now()
	key := b.CurveKey(c.Name)
	if o.ResumeWithin == 0 {
		o.ResumeWithin = r.resumeWithin(resumeManual)
	}
	var report Report
	err = r.holding(ctx, key, func(ctx context.Context, held holding) error {
		report, err = r.refresh(ctx, b, c, o, held)
		return err
	})
	report.Duration = r.now().Sub(started)
	r.log(ctx, key, report, err)
	if err != nil {
		return report, fmt.Errorf("refresh %s: %w", key, err)
	}
	return report, nil
}

func (r Refresher) refresh(ctx context.Context, b store.Board, c store.Column, o Options, held holding) (Report, error) {
	key := b.CurveKey(c.Name)
	report := Report{Board: b.Name, Column: c.Name, Shards: b.Shards, AsOf: r.now()}
	generation, replaced, err := r.nextGeneration(ctx, key)
	if err != nil {
		return report, err
	}
	before := replaced.curve
	prior, err := r.priorState(ctx, key)
	if err != nil {
		return report, err
	}
	left := &trail{refresher: r, key: key, generation: generation}
	how := o.walk(report.AsOf)
	how.Resume = left.follow(ctx, before, o.ResumeWithin)
	how.Save, how.SaveEvery = left.save, r.leaseTTL()/savesPerLease
	walk, err := sampler.New(r.Store, b, c, how).Walk(ctx, prior)
	report.Usage = walk.Usage
	if err != nil {
		return report, err
	}
	report.AsOf, report.Resumed, report.ResumedOf = walk.AsOf, walk.Resumed, walk.ResumedOf
	for _, failure := range walk.Failed {
		r.warn(ctx, "shard cannot be read; what was seen of it last, or the other shards, stand for it", key, failure)
	}
	meta := predictor.Meta{
		Board: b.Name, Column: c.Name, Decimals: c.Decimals, Ascending: c.Order == store.Asc,
		Generation: generation, AsOf: report.AsOf, Horizon: walk.Horizon,
	}
	curve, data, err := build(meta, walk, o)
	if err != nil {
		return report, err
	}
	if err := held.confirm(ctx); err != nil {
		return report, err
	}
	report.Worse = r.compare(ctx, key, before, curve)
	if err := r.publish(ctx, key, store.Published{Generation: generation, Data: data}, walk.State); err != nil {
		return report, err
	}
	left.end(ctx)
	r.archive(ctx, key, replaced, report.AsOf, o)
	report.Generation, report.Method, report.Entries, report.Intervals = generation, walk.Method, walk.Entries, walk.Intervals
	report.Walked, report.curve = walk.Walked, curve
	report.Knots, report.Bytes = curve.Knots(), len(data)
	report.Tolerance, report.Shape = curve.Tolerance()
	report.Audit = r.audit(ctx, b, curve, o)
	return report, nil
}

// Plan predicts what a refresh would cost; it counts one shard for that, and
// writes nothing.
func (r Refresher) Plan(ctx context.Context, b store.Board, column string, o Options) (sampler.Prediction, error) {
	c, err := b.Column(column)
	if err != nil {
		return sampler.Prediction{}, err
	}
	prior, err := r.priorState(ctx, b.CurveKey(c.Name))
	if err != nil {
		return sampler.Prediction{}, err
	}
	return sampler.New(r.Store, b, c, o.walk(r.now())).Predict(ctx, prior)
}

func (o Options) walk(asOf time.Time) sampler.Options {
	return sampler.Options{
		Method: o.Method, Full: o.Full, Shards: o.Shards, AsOf: asOf, Head: o.Head, ScoresUpTo: o.ScoresUpTo,
		ReadBudget: o.ReadBudget, Pace: o.Pace, Progress: o.Progress,
	}
}

func build(meta predictor.Meta, walk sampler.Walk, o Options) (*predictor.Curve, []byte, error) {
	if walk.Entries == 0 {
		return predictor.Empty(meta)
	}
	return predictor.Build(meta, walk.Points, predictor.Options{Bytes: o.CurveBytes, Shape: o.Shape})
}

// nextGeneration is one more than the durable curve's: a cache may be behind it, and
// a refresh that counted on from there would walk for nothing. Where that cannot be read
// any more the time serves, for it is beyond any count of refreshes, so that readers
// who hold the damaged curve's predecessor take the new one. The durable curve comes
// with it, if there is one.
func (r Refresher) nextGeneration(ctx context.Context, key store.CurveKey) (int64, outgoing, error) {
	published, err := r.published(ctx, key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return 1, outgoing{}, nil
	case errors.Is(err, store.ErrCorrupt):
		r.warn(ctx, "published curve is damaged, replacing it", key, err)
		return r.now().UnixMilli(), outgoing{}, nil
	case err != nil:
		return 0, outgoing{}, err
	}
	before, err := predictor.Decode(published.Data)
	if err != nil {
		r.warn(ctx, "published curve is damaged, replacing it", key, err)
	}
	return published.Generation + 1, outgoing{published, before}, nil
}

// published is the durable curve, past any cache.
func (r Refresher) published(ctx context.Context, key store.CurveKey) (store.Published, error) {
	var durable store.Curves = r.Store
	if cached, ok := r.Store.(store.Cached); ok {
		durable = cached.Durable()
	}
	published, _, err := durable.Curve(ctx, key)
	return published, err
}

func (r Refresher) warn(ctx context.Context, message string, key store.CurveKey, err error) {
	if r.Log != nil {
		r.Log.WarnContext(ctx, message, "curve", key.String(), "error", err)
	}
}

// priorState reads the last walk's state; none, or a damaged one, is a cold start.
func (r Refresher) priorState(ctx context.Context, key store.CurveKey) (sampler.State, error) {
	data, _, err := r.Store.State(ctx, key)
	if err == nil {
		var state sampler.State
		if state, err = sampler.DecodeState(data); err == nil {
			return state, nil
		}
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return sampler.State{}, nil
	case errors.Is(err, store.ErrCorrupt):
		r.warn(ctx, "walk state is damaged, starting cold", key, err)
		return sampler.State{}, nil
	}
	return sampler.State{}, err
}

// publish stores the curve first: a curve must never wait for its state, without
// which the next walk merely starts from an older one, or cold. So a state that cannot be
// stored is warned of, and the refresh has succeeded. Once begun it is carried through, so
// that an interrupted refresh has published both or neither.
func (r Refresher) publish(ctx context.Context, key store.CurveKey, curve store.Published, state sampler.State) error {
	data, err := state.Encode()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ctx = context.WithoutCancel(ctx)
	if _, err := r.Store.Publish(ctx, key, curve); err != nil {
		return fmt.Errorf("publish generation %d: %w", curve.Generation, err)
	}
	if _, err := r.Store.SaveState(ctx, key, data); err != nil {
		r.warn(ctx, "walk state is not kept, the next walk starts from an older one", key, err)
	}
	return nil
}

func (r Refresher) log(ctx context.Context, key store.CurveKey, p Report, err error) {
	if r.Log == nil {
		return
	}
	level, outcome := slog.LevelInfo, "refreshed"
	attributes := p.attributes(key)
	if err != nil {
		level, outcome = slog.LevelError, "refresh failed"
		attributes = append(attributes, slog.String("error", err.Error()))
	}
	r.Log.LogAttrs(ctx, level, outcome, attributes...)
}

// attributes are a report as a log has it.
func (p Report) attributes(key store.CurveKey) []slog.Attr {
	return append([]slog.Attr{
		slog.String("board", key.Board), slog.String("column", key.Column), slog.Int64("generation", p.Generation),
		slog.String("method", string(p.Method)), slog.Int("shards", p.Shards), slog.Int("walked", p.Walked), slog.Int64("entries", p.Entries),
		slog.Int("intervals", p.Intervals), slog.Int("resumed", p.Resumed), slog.Int("requests", p.Usage.Requests), slog.Float64("read_units", p.Usage.ReadUnits()),
		slog.Int("knots", p.Knots), slog.Int("bytes", p.Bytes), slog.Float64("tolerance", p.Tolerance),
		slog.Duration("duration", p.Duration),
	}, p.Audit.attributes()...)
}
