package sampler

import (
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/predictor/kriging"
)

// How many sightings are kept: two rotations back of every shard, which tells its
// drift and how that changes; more of a whole board, which is but one number a time.
const (
	keptOfShard = 3
	keptOfBoard = 6
)

// History is what earlier walks saw at a list of cutpoints of its own.
type History struct {
	Whole     bool    // the sightings are of the whole board, as if it were one shard
	Shards    int     // of the board
	Keys      []int64 // cutpoints, best first
	Worst     int64   // the worst key seen
	Sightings []kriging.Sighting
	Intervals []kriging.Interval
}

// longAgo is when a sighting says nothing of now: a clock that had not been set is one
// that stood at 1970, and a curve cannot look as far ahead as that lies back.
const longAgo = 10 * 365 * 24 * time.Hour

// usable is the history as far as it speaks of this board and of the past: a clock
// that jumped back leaves out what it has not reached yet, and one that was set after a
// start without it what it saw long ago.
func (h History) usable(whole bool, shards int, now time.Time) History {
	if h.Whole != whole || h.Shards != shards || len(h.Keys) == 0 {
		return History{Whole: whole, Shards: shards}
	}
	h.Sightings = slices.DeleteFunc(slices.Clone(h.Sightings), func(s kriging.Sighting) bool {
		return !s.At.Before(now) || now.Sub(s.At) > longAgo
	})
	if len(h.Sightings) == 0 {
		return History{Whole: whole, Shards: shards}
	}
	return h
}

// looksBack is how long ago the last sighting was that tells, beside one of now, how the
// board changes; 0 if there is none.
func (h History) looksBack(now time.Time) time.Duration {
	var back time.Duration
	for _, s := range h.Sightings {
		if age := now.Sub(s.At); age >= kriging.Apart && (back == 0 || age < back) {
			back = age
		}
	}
	return back
}

// lastOf is each shard's last sighting; nil of one never seen.
func (h History) lastOf(shards int) []*kriging.Sighting {
	last := make([]*kriging.Sighting, shards)
	for i, s := range h.Sightings {
		if l := last[s.Shard]; l == nil || s.At.After(l.At) {
			last[s.Shard] = &h.Sightings[i]
		}
	}
	return last
}

// oldestFirst lists the shards by the age of their last sighting, those never seen
// first. Shards that were walked together stay together, which keeps the sets of
// shards with the same times few and large.
func (h History) oldestFirst(shards int) []int {
	last := h.lastOf(shards)
	order := make([]int, shards)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case last[a] == nil && last[b] == nil:
			return 0
		case last[a] == nil:
			return -1
		case last[b] == nil:
			return 1
		}
		return last[a].At.Compare(last[b].At)
	})
	return order
}

// another says that the shards' sizes are of another order than they were: the
// board was wiped, or grew many times over. What the other shards held then says
// nothing of now.
func (h History) another(fresh []kriging.Sighting) bool {
	const times = 4
	var then, now, n float64
	for _, s := range h.lastOf(h.Shards) {
		if s != nil {
			then += float64(total(*s))
			n++
		}
	}
	if n == 0 {
		return false
	}
	for _, s := range fresh {
		now += float64(total(s))
	}
	then, now = then/n, now/float64(len(fresh))
	return now > times*(then+1) || then > times*(now+1)
}

// total is all entries of a sighting.
func total(s kriging.Sighting) int64 { return s.Better[len(s.Better)-1] }

// see adds fresh sightings and forgets the oldest.
func (h History) see(fresh []kriging.Sighting) History {
	kept := keptOfShard
	if h.Whole {
		kept = keptOfBoard
	}
	of := make([][]kriging.Sighting, h.Shards) // newest first
	for _, s := range kriging.NewestFirst(h.Sightings) {
		of[s.Shard] = append(of[s.Shard], s)
	}
	for _, s := range fresh {
		of[s.Shard] = append([]kriging.Sighting{s}, spaced(of[s.Shard], s.At)...)
	}
	h.Sightings = nil
	for _, own := range of {
		h.Sightings = append(h.Sightings, own[:min(kept, len(own))]...)
	}
	h.Sightings = kriging.NewestFirst(h.Sightings)
	return h
}

// spaced is a shard's sightings, newest first, as one more is made. Walks in quick
// succession leave behind their first as long as they go on, so that there is one to
// look back to, and their last when they are over, for it is what they came to.
func spaced(own []kriging.Sighting, now time.Time) []kriging.Sighting {
	switch {
	case len(own) < 2 || own[0].At.Sub(own[1].At) >= kriging.Apart:
		return own
	case now.Sub(own[0].At) < kriging.Apart:
		return own[1:]
	}
	return slices.Delete(slices.Clone(own), 1, 2)
}
