package sampler

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/predictor/kriging"
)

// rolled puts the exact head and the predicted rest together.
func (w *Walker) rolled(head end, h History, forecasts []kriging.Forecast) Walk {
	points := predictor.PointsOf(head.keys)
	if len(points) > 0 {
		points = points[:len(points)-1] // what lies below the head's last key is not nothing
	}
	points = append(points, predictor.Point{Key: head.edge, Better: int64(len(head.keys))})
	standIn(points, w.board.Shards, len(w.failures()))
	better := points[len(points)-1].Better
	edge := better
	last := min(h.Worst, head.edge) - 1
	for i, f := range forecasts {
		key := last
		if i < len(h.Keys) {
			if key = h.Keys[i]; key >= head.edge || key <= last {
				continue
			}
		}
		better = max(better, int64(math.Round(f.Better)))
		points = append(points, predictor.Point{
			Key: key, Better: better, Open: true, Error: f.Error,
			Later: credible(f.Later, f.Better), LaterError: min(f.LaterError, mostError),
		})
	}
	bottom := &points[len(points)-1]
	bottom.Better = max(bottom.Better, edge+1) // the edge's row is one more
	return Walk{
		Points: points, Entries: bottom.Better, Method: Rolling, Intervals: len(points) - 1,
		State: State{Entries: bottom.Better, History: h},
	}
}

// boardRule is how sparsely a walk of the whole board is remembered: enough to tell
// how fast it changes at every depth.
var boardRule = rule{fraction: 0.3, start: 50}

// remember adds a walk of the whole board to the history of such walks, and says at
// some of its points what they will be a horizon later.
func (w *Walker) remember(walk *Walk, prior History) error {
	h := prior.usable(true, 1, w.options.AsOf)
	if walk.Entries == 0 {
		return nil
	}
	s := pointed(walk.Points)
	if len(h.Keys) == 0 {
		h.Keys = boardRule.list(s)
	} else {
		h = h.onto(boardRule.relist(h.Keys, s), s)
	}
	if len(h.Keys) == 0 {
		return nil
	}
	sighting := kriging.Sighting{At: w.options.AsOf, Better: make([]int64, len(h.Keys)+1)}
	for i, key := range h.Keys {
		sighting.Better[i] = int64(math.Round(s.better(key)))
	}
	sighting.Better[len(h.Keys)] = walk.Entries
	if h.another([]kriging.Sighting{sighting}) {
		h.Sightings, h.Intervals = nil, nil
	}
	walk.Horizon = w.horizon(h)
	if len(walk.Failed) == 0 {
		h = h.see([]kriging.Sighting{sighting})
	}
	if walk.Horizon > 0 {
		forecasts, intervals, err := kriging.Combine(h.Sightings, 1, w.options.AsOf, walk.Horizon, h.Intervals)
		if err != nil {
			return err
		}
		h.Intervals = intervals
		if len(walk.Failed) > 0 { // what is told by other shards than before would pass for change
			sighting = expected(forecasts)
		}
		foretell(walk.Points, h, sighting, forecasts)
	}
	walk.State.History = h
	return nil
}

// withRemembered is the cutpoints of a walk with those of the history, so that what is
// remembered was counted: two guesses would differ, and that would pass for change.
func (w *Walker) withRemembered(prior State) []int64 {
	if !prior.History.Whole {
		return prior.Cutpoints
	}
	keys := slices.Concat(prior.Cutpoints, prior.History.Keys)
	slices.SortFunc(keys, func(a, b int64) int { return cmp.Compare(b, a) })
	return slices.Compact(keys)
}

// foretell gives the points at or below the history's cutpoints the change that is
// forecast there. A few entries that are fewer than their own error widen the band and
// move nothing: on a board of four, the two that came say nothing of the next.
func foretell(points []predictor.Point, h History, now kriging.Sighting, forecasts []kriging.Forecast) {
	for i, f := range forecasts {
		at := len(points) - 1
		if i < len(h.Keys) {
			at = sort.Search(at, func(j int) bool { return points[j].Key <= h.Keys[i] })
		}
		p := &points[at]
		change := credible(f.Later, f.Better) - float64(now.Better[i])
		p.LaterError = min(math.Hypot(f.LaterError, p.Error), mostError)
		if math.Abs(change) < min(few, p.LaterError) {
			change, p.LaterError = 0, math.Hypot(change, p.LaterError)
		}
		p.Later = max(0, float64(p.Better)+change)
	}
}

// few entries that come or go in a horizon are chance, unless they do so all the time.
const few = 2

// credible bounds a forecast of so many better: what changes several times over in
// one horizon is not foretold by what it did before.
func credible(later, better float64) float64 {
	const times = 4
	better = max(0, better)
	return min(max(later, better/times), better*times+1)
}

// mostError is more than any board has entries.
const mostError = 1 << 32

// horizon is how far ahead a walk looks: as far as the one before lies back that is told
// from it. 0 if there was none.
func (w *Walker) horizon(h History) time.Duration { return h.looksBack(w.options.AsOf) }
