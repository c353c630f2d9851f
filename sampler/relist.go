package sampler

import (
	"math"
	"slices"
	"sort"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/predictor/kriging"
)

// A shape is what is known of a board's distribution before it is combined: how
// many entries are better than a key, about, and at which key so many are.
type shape interface {
	entries() float64
	better(key int64) float64
	keyAt(better float64) int64
}

// A sample is the shape that one shard's keys, best first, give a board.
type sample struct {
	keys  []int64
	scale float64
}

func (s sample) entries() float64         { return float64(len(s.keys)) * s.scale }
func (s sample) better(key int64) float64 { return float64(betterThan(s.keys, key)) * s.scale }
func (s sample) keyAt(better float64) int64 {
	return s.keys[min(max(int(better/s.scale), 0), len(s.keys)-1)]
}

// blended is the shape of a board that has been seen before: what its shards last
// held between two cutpoints, and inside of that what the sample says. A sample alone
// is too coarse for short intervals: one row of it stands for as many as there are
// shards.
type blended struct {
	sample
	cuts []int64
	at   []float64 // entries better than each cut; the last: all
}

// blend makes it. Where a sample differs from what was seen by more than chance, the
// board has changed, and the sample is taken.
func blend(s sample, h History) shape {
	if len(h.Sightings) == 0 {
		return s
	}
	b := blended{sample: s, cuts: h.Keys, at: make([]float64, len(h.Keys)+1)}
	last, seen := h.lastOf(h.Shards), 0.0
	for _, l := range last {
		if l != nil {
			seen++
		}
	}
	sum, before := 0.0, 0
	for i := range b.at {
		held := 0.0
		for _, l := range last {
			if l != nil {
				held += float64(l.Better[i])
				if i > 0 {
					held -= float64(l.Better[i-1])
				}
			}
		}
		held *= float64(h.Shards) / seen
		here := len(s.keys)
		if i < len(h.Keys) {
			here = betterThan(s.keys, h.Keys[i])
		}
		rows := float64(here - before)
		if math.Abs(rows*s.scale-held) > 3*s.scale*math.Sqrt(rows+1) {
			held = rows * s.scale
		}
		sum += held
		b.at[i], before = sum, here
	}
	return b
}

func (b blended) entries() float64 { return b.at[len(b.at)-1] }

// interval is the place of one that ends at cut i: its outer keys, what is better at
// them, and the sample's rows inside.
func (b blended) interval(i int) (from, to int64, upper, lower float64, rows []int64) {
	first, end := 0, len(b.keys)
	from, to = b.keys[0], b.keys[end-1]-1
	if i > 0 {
		from, upper = b.cuts[i-1], b.at[i-1]
		first = betterThan(b.keys, from)
	}
	if i < len(b.cuts) {
		to = b.cuts[i]
		end = betterThan(b.keys, to)
	}
	return from, to, upper, b.at[i], b.keys[first:end]
}

// enough rows tell how an interval's entries lie better than a straight line.
const enough = 8

func (b blended) better(key int64) float64 {
	i := sort.Search(len(b.cuts), func(i int) bool { return b.cuts[i] <= key })
	from, to, upper, lower, rows := b.interval(i)
	part := float64(betterThan(rows, key)) / max(1, float64(len(rows)))
	if len(rows) < enough && from > to {
		part = min(1, max(0, float64(from-key)/float64(from-to)))
	}
	return upper + part*(lower-upper)
}

func (b blended) keyAt(better float64) int64 {
	i := min(sort.SearchFloat64s(b.at, better), len(b.at)-1)
	from, to, upper, lower, rows := b.interval(i)
	part := 1.0
	if lower > upper {
		part = (better - upper) / (lower - upper)
	}
	if len(rows) >= enough {
		return rows[min(int(part*float64(len(rows))), len(rows)-1)]
	}
	return from - int64(part*float64(from-to))
}

// pointed is the shape that a walk's points give.
type pointed []predictor.Point

func (p pointed) entries() float64 { return float64(p[len(p)-1].Better) }

func (p pointed) better(key int64) float64 {
	i := sort.Search(len(p), func(i int) bool { return p[i].Key <= key })
	switch {
	case i == len(p):
		return p.entries()
	case i == 0:
		return 0
	case p[i].Key == key || !p[i].Open:
		return float64(p[i].Better)
	}
	part := float64(p[i-1].Key-key) / float64(p[i-1].Key-p[i].Key)
	return float64(p[i-1].Better) + part*float64(p[i].Better-p[i-1].Better)
}

func (p pointed) keyAt(better float64) int64 {
	i := sort.Search(len(p), func(i int) bool { return float64(p[i].Better) >= better })
	return p[max(0, min(i, len(p)-2))].Key // the last point lies below every entry
}

// A rule says how far apart cutpoints lie: an interval may hold a fraction of its
// distance to the nearer end of the board, and next to the ends as much as one at
// start. The first cutpoint is one such interval from the top: what is near the top
// now is far below it soon, on a board that grows, and has to have been seen then.
type rule struct{ fraction, start float64 }

func (r rule) interval(better, entries float64) float64 {
	return max(1, r.fraction*max(r.start, min(better, entries-better)))
}

// list places cutpoints by the rule.
func (r rule) list(s shape) (keys []int64) {
	n := s.entries()
	for b := min(r.interval(0, n), n/2); b < n; b += r.interval(b, n) {
		keys = appendBelow(keys, s.keyAt(b))
	}
	return keys
}

// relist is the list for a board that has changed: intervals that have grown heavy
// are split, and a cutpoint between two that are light even together is left out.
func (r rule) relist(old []int64, s shape) (keys []int64) {
	const heavy, light = 2, 0.5
	n := s.entries()
	upper := 0.0 // entries better than the last key kept
	for i, key := range old {
		here, next := s.better(key), n
		if i+1 < len(old) {
			next = s.better(old[i+1])
		}
		allowed := r.interval((upper+here)/2, n)
		if here-upper > heavy*allowed {
			keys = r.split(keys, s, upper, here, key)
		}
		if len(keys) > 0 && next-upper < light*allowed && here-upper < light*allowed {
			continue
		}
		keys = appendBelow(keys, key)
		upper = here
	}
	if allowed := r.interval((upper+n)/2, n); n-upper > heavy*allowed {
		keys = r.split(keys, s, upper, n, math.MinInt64)
	}
	return keys
}

// split adds the cutpoints that divide what lies between two places, above a key.
func (r rule) split(keys []int64, s shape, upper, lower float64, above int64) []int64 {
	for b := upper + r.interval(upper, s.entries()); b < lower; b += r.interval(b, s.entries()) {
		key := s.keyAt(b)
		if key <= above {
			break
		}
		keys = appendBelow(keys, key)
		if atom := s.better(key-1) - s.better(key); atom > r.interval(b, s.entries())/2 && key-1 > max(above, worstKey) {
			keys = appendBelow(keys, key-1)
		}
	}
	return keys
}

// appendBelow keeps a list of keys falling.
func appendBelow(keys []int64, key int64) []int64 {
	if len(keys) > 0 && key >= keys[len(keys)-1] {
		return keys
	}
	return append(keys, key)
}

// onto moves a history to another list of cutpoints: what an old sighting held at a
// new one is shared out as the shape has it now.
func (h History) onto(keys []int64, s shape) History { return h.moved(keys, h.parts(keys, s)) }

// moved is onto by the parts of the old intervals that lie above the new cutpoints.
func (h History) moved(keys []int64, parts []float64) History {
	if slices.Equal(keys, h.Keys) {
		return h
	}
	sightings := make([]kriging.Sighting, len(h.Sightings))
	for i, old := range h.Sightings {
		sightings[i] = kriging.Sighting{Shard: old.Shard, At: old.At, Better: make([]int64, len(keys)+1)}
		sightings[i].Better[len(keys)] = total(old)
	}
	for j, key := range keys {
		i := h.intervalOf(key)
		for k, old := range h.Sightings {
			var upper int64
			if i > 0 {
				upper = old.Better[i-1]
			}
			sightings[k].Better[j] = upper + int64(math.Round(parts[j]*float64(old.Better[i]-upper)))
		}
	}
	h.Keys, h.Sightings = keys, sightings
	return h
}

// parts is, for each of some keys, which part lies above it of the interval that it falls
// into: all of it where it is a cutpoint. Nil where there is nothing to be moved.
func (h History) parts(keys []int64, s shape) []float64 {
	if len(h.Sightings) == 0 {
		return nil
	}
	parts := make([]float64, len(keys))
	for j, key := range keys {
		parts[j] = 1
		if i := h.intervalOf(key); i == len(h.Keys) || h.Keys[i] != key {
			parts[j] = h.partOf(i, key, s)
		}
	}
	return parts
}

// intervalOf is the place of the first cutpoint at or below a key.
func (h History) intervalOf(key int64) int {
	return sort.Search(len(h.Keys), func(i int) bool { return h.Keys[i] <= key })
}

// partOf is the part of interval i, which ends at cutpoint i, that lies above a key.
func (h History) partOf(i int, key int64, s shape) float64 {
	upper, lower := 0.0, s.entries()
	if i > 0 {
		upper = s.better(h.Keys[i-1])
	}
	if i < len(h.Keys) {
		lower = s.better(h.Keys[i])
	}
	if lower <= upper {
		return 0.5
	}
	return min(1, max(0, (s.better(key)-upper)/(lower-upper)))
}
