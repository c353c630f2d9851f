package sampler

import (
	"math"
	"sort"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/predictor/kriging"
)

// rolled puts the exact head and the predicted rest together.
func rolled(head end, h History, forecasts []kriging.Forecast) Walk {
	points := predictor.PointsOf(head.keys)
	if len(points) > 0 {
		points = points[:len(points)-1] // what lies below the head's last key is not nothing
	}
	better := int64(len(head.keys))
	points = append(points, predictor.Point{Key: head.edge, Better: better})
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
			Later: max(0, f.Later), LaterError: f.LaterError,
		})
	}
	bottom := &points[len(points)-1]
	bottom.Better = max(bottom.Better, 1) // the edge's row is one
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
	h = h.see([]kriging.Sighting{sighting})
	if walk.Horizon > 0 {
		forecasts, intervals, err := kriging.Combine(h.Sightings, 1, w.options.AsOf, walk.Horizon, h.Intervals)
		if err != nil {
			return err
		}
		h.Intervals = intervals
		foretell(walk.Points, h, sighting, forecasts)
	}
	walk.State.History = h
	return nil
}

// foretell gives the points at or below the history's cutpoints the change that is
// forecast there.
func foretell(points []predictor.Point, h History, now kriging.Sighting, forecasts []kriging.Forecast) {
	for i, f := range forecasts {
		at := len(points) - 1
		if i < len(h.Keys) {
			at = sort.Search(at, func(j int) bool { return points[j].Key <= h.Keys[i] })
		}
		p := &points[at]
		p.Later = max(0, float64(p.Better)+f.Later-float64(now.Better[i]))
		p.LaterError = f.LaterError
	}
}

// horizon is how far ahead a walk looks: as far as the one before lies back. 0 if
// there was none.
func (w *Walker) horizon(h History) time.Duration {
	latest := h.latest()
	if latest.IsZero() {
		return 0
	}
	return w.options.AsOf.Sub(latest)
}
