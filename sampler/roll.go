package sampler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rankcurve/rankcurve/predictor/kriging"
	"github.com/rankcurve/rankcurve/store"
)

// rowsUpTo is the largest shard whose rows a rolling walk reads. Counting costs the
// same read units, and a block a request more; it moves two numbers where the rows
// move a hundred bytes each.
const rowsUpTo = 200_000

// roll is the walk that walks a few shards again and carries the others forward
// from when they were seen. The best rows are read in every shard, so the top stays
// exact.
func (w *Walker) roll(ctx context.Context, prior History) (Walk, error) {
	w.endRows = w.options.Head
	before := w.usage.ReadUnits()
	head, err := w.readEnd(ctx, false)
	if err != nil {
		return Walk{}, err
	}
	if head.whole {
		return fromEnds(head, end{}), nil
	}
	headUnits := w.usage.ReadUnits() - before
	now := w.options.AsOf
	if w.resumed != nil {
		now = w.resumed.rolled.seen[0].At // what was seen since is no history to it
	}
	h := prior.usable(false, w.board.Shards, now)
	if w.options.Full {
		h = History{Shards: w.board.Shards}
	}
	r := &rolling{walker: w}
	if w.resumed != nil {
		h = r.resume(h, *w.resumed)
	} else if h, err = r.sample(ctx, h, headUnits); err != nil {
		return Walk{}, err
	}
	w.begins(r)
	return r.finish(ctx, head, h)
}

// A rolling is one rolling walk under way.
type rolling struct {
	walker *Walker
	order  []int     // shards left to walk, oldest first
	pilot  int       // a shard that stands for the others
	keys   []int64   // its own, best first
	unread []error   // of the shards before the pilot, which could not be read
	units  float64   // that a shard takes
	rows   int       // that one has
	list   []int64   // the cutpoints
	parts  []float64 // see History.moved

	mu        sync.Mutex
	sightings []kriging.Sighting
	worst     int64
	failures  []error
}

// sample reads the pilot, and chooses by it which shards are walked and at which
// cutpoints. It returns the history at these.
func (r *rolling) sample(ctx context.Context, h History, headUnits float64) (History, error) {
	w := r.walker
	r.order = h.oldestFirst(w.board.Shards)
	r.order = slices.DeleteFunc(r.order, w.isLost)
	if w.pilot != nil { // read already, whether its turn has come or not
		at := slices.Index(r.order, w.pilotShard)
		r.order = slices.Insert(slices.Delete(r.order, at, at+1), 0, w.pilotShard)
	}
	if err := r.readPilot(ctx); err != nil {
		return History{}, err
	}
	if err := r.choose(headUnits, len(h.Sightings) == 0); err != nil {
		return History{}, err
	}
	r.worst = bestKey
	if len(h.Keys) > 0 {
		r.worst = h.Worst
	}
	if len(r.keys) == 0 { // an empty sample says nothing of where to cut
		h = History{Shards: w.board.Shards}
	} else {
		s := sample{keys: r.keys, scale: float64(w.board.Shards)}
		known := blend(s, h)
		r.list = w.rollingList(h.Keys, s, known)
		r.parts = h.parts(r.list, known)
		h = h.moved(r.list, r.parts)
	}
	r.saw(r.pilot, r.keys, r.list)
	return h, nil
}

// resume takes over from the walk that died what it has chosen and done. It returns the
// history at the cutpoints.
func (r *rolling) resume(h History, c Checkpoint) History {
	r.list, r.parts, r.sightings = c.keys, c.rolled.parts, slices.Clone(c.rolled.seen)
	r.order, r.units, r.rows, r.worst = c.rolled.left, c.rolled.units, c.rolled.rows, c.rolled.worst
	r.walker.pieces.resumed = len(r.sightings)
	return h.moved(r.list, r.parts)
}

// put implements underway.
func (r *rolling) put(c *Checkpoint) (pieces int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 {
		return 0
	}
	p := &rolledPart{parts: r.parts, worst: r.worst, seen: slices.Clone(r.sightings), units: r.units, rows: r.rows}
	for _, shard := range r.order {
		if !slices.ContainsFunc(p.seen, func(s kriging.Sighting) bool { return s.Shard == shard }) {
			p.left = append(p.left, shard)
		}
	}
	c.keys, c.rolled, c.Units = r.list, p, r.units*float64(len(p.seen))
	return len(p.seen) - r.walker.pieces.resumed
}

// readPilot reads the rows of the first shard that can be read: a uniform sample of
// the board, which says what a shard costs and where cutpoints are missing.
func (r *rolling) readPilot(ctx context.Context) error {
	w := r.walker
	var failures []error
	for i, shard := range r.order {
		before := w.usage.ReadUnits()
		keys, err := w.keys(ctx, shard)
		if err == nil {
			r.pilot, r.keys, r.rows = shard, keys, len(keys)
			r.units = max(w.usage.ReadUnits()-before, 0.5)
			if w.isPilot(shard) {
				r.units = max(w.pilotUnits, 0.5)
			}
			r.order, r.unread = slices.Delete(slices.Clone(r.order), i, i+1), failures
			return nil
		}
		if !itsOwn(ctx, err) {
			return err
		}
		failures = append(failures, err)
	}
	return fmt.Errorf("no shard of %s.%s can be read: %w", w.board.Name, w.column.Name, errors.Join(failures...))
}

// itsOwn says whether a shard's failure is its own, not the whole walk's.
func itsOwn(ctx context.Context, err error) bool {
	return ctx.Err() == nil && !errors.Is(err, store.ErrTooExpensive)
}

// choose keeps as many shards as the options and the budget allow. Where there is
// nothing to carry forward yet, the budget alone decides.
func (r *rolling) choose(headUnits float64, cold bool) error {
	w := r.walker
	n := w.board.Shards
	if w.options.Shards > 0 && !w.options.Full && !cold {
		n = min(n, w.options.Shards)
	}
	if budget := w.options.ReadBudget; budget > 0 && !w.options.Full {
		affordable := int((budget - headUnits) / r.units)
		if affordable < 1 {
			return fmt.Errorf("the best rows and one shard of %s.%s take about %.0f read units, the budget is %.0f: raise refresh.read_budget, or lower refresh.head: %w",
				w.board.Name, w.column.Name, headUnits+r.units, budget, store.ErrTooExpensive)
		}
		n = min(n, affordable)
	}
	r.order = r.order[:min(n-1, len(r.order))]
	if chosen := len(r.order); chosen < len(r.unread) { // the others are tried again
		r.failures = append(r.failures, r.unread[chosen:]...)
	}
	return nil
}

// finish walks the shards that are left, and combines.
func (r *rolling) finish(ctx context.Context, head end, h History) (Walk, error) {
	w := r.walker
	chosen := len(r.sightings) + len(r.order)
	w.pieces.all = chosen
	if err := r.walkAll(ctx, r.list); err != nil {
		return Walk{}, err
	}
	if len(r.sightings) < (chosen+1)/2 {
		return Walk{}, fmt.Errorf("%d of the %d shards of %s.%s that were to be walked failed twice: %w",
			chosen-len(r.sightings), chosen, w.board.Name, w.column.Name, errors.Join(r.failures...))
	}
	if h.another(r.sightings) {
		h.Sightings, h.Intervals = nil, nil
	}
	horizon := w.horizon(h)
	h = h.see(r.sightings)
	h.Worst = r.worst
	forecasts, intervals, err := kriging.Combine(h.Sightings, h.Shards, w.options.AsOf, max(horizon, 1), h.Intervals)
	if err != nil {
		return Walk{}, err
	}
	h.Intervals = intervals
	if r.seesAllNow(h.Shards) {
		addUp(r.sightings, forecasts)
	}
	walk := w.rolled(head, h, forecasts)
	walk.Walked, walk.Failed, walk.Horizon = len(r.sightings), append(w.failures(), r.failures...), horizon
	return walk, nil
}

// rollingList is where a rolling walk counts: by the rule, and on a new board where
// the sample shows that a straight line between two of its cutpoints would be wrong.
func (w *Walker) rollingList(old []int64, s sample, known shape) []int64 {
	r := rule{fraction: w.options.Fraction, start: float64(max(w.options.Head/2, 1))}
	if len(old) > 0 {
		return r.relist(old, known)
	}
	return withBends(s.keys, r.list(s))
}

// walkAll walks the shards that were chosen; one that fails is tried once more, and
// then left as it was seen last.
func (r *rolling) walkAll(ctx context.Context, cutpoints []int64) error {
	if r.rows > rowsUpTo {
		return r.countAll(ctx, cutpoints)
	}
	return r.walker.each(ctx, len(r.order), func(ctx context.Context, i int) error {
		return r.twice(ctx, func() error {
			keys, err := r.walker.keys(ctx, r.order[i])
			if err == nil {
				r.saw(r.order[i], keys, cutpoints)
			}
			return err
		})
	})
}

func (r *rolling) twice(ctx context.Context, walk func() error) error {
	err := walk()
	if err != nil && itsOwn(ctx, err) {
		err = walk()
	}
	if err == nil || !itsOwn(ctx, err) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, err)
	return nil
}

// countAll counts large shards between the cutpoints, one after the other, many
// intervals of one at once.
func (r *rolling) countAll(ctx context.Context, cutpoints []int64) error {
	for _, shard := range r.order {
		err := r.twice(ctx, func() error {
			counts := make([]int64, len(cutpoints)+1)
			err := r.walker.each(ctx, len(counts), func(ctx context.Context, i int) (err error) {
				from, to := bestKey, worstKey
				if i > 0 {
					from = cutpoints[i-1]
				}
				if i < len(cutpoints) {
					to = cutpoints[i] + 1
				}
				counts[i], err = r.walker.count(ctx, shard, from, to)
				return err
			})
			if err != nil {
				return err
			}
			for i := 1; i < len(counts); i++ {
				counts[i] += counts[i-1]
			}
			r.add(kriging.Sighting{Shard: shard, At: r.walker.options.AsOf, Better: counts}, bestKey)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// saw makes a sighting of a shard whose rows were read.
func (r *rolling) saw(shard int, keys, cutpoints []int64) {
	s := kriging.Sighting{Shard: shard, At: r.walker.options.AsOf, Better: make([]int64, len(cutpoints)+1)}
	for i, key := range cutpoints {
		s.Better[i] = int64(betterThan(keys, key))
	}
	s.Better[len(cutpoints)] = int64(len(keys))
	worst := bestKey
	if len(keys) > 0 {
		worst = keys[len(keys)-1]
	}
	r.add(s, worst)
}

func (r *rolling) add(s kriging.Sighting, worst int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sightings = append(r.sightings, s)
	r.worst = min(r.worst, worst)
}

// seesAllNow says that every shard was walked, and as of now: those of a walk that died
// are older.
func (r *rolling) seesAllNow(shards int) bool {
	return len(r.sightings) == shards && !slices.ContainsFunc(r.sightings, func(s kriging.Sighting) bool { return !s.At.Equal(r.walker.options.AsOf) })
}

// addUp replaces the prediction by the sum, where every shard was just walked.
func addUp(sightings []kriging.Sighting, forecasts []kriging.Forecast) {
	for i := range forecasts {
		var sum int64
		for _, s := range sightings {
			sum += s.Better[i]
		}
		forecasts[i].Better, forecasts[i].Error = float64(sum), 0
	}
}
