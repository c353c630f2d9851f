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

// latest is the time of the last sighting, zero if there is none.
func (h History) latest() (t time.Time) {
	for _, s := range h.Sightings {
		if s.At.After(t) {
			t = s.At
		}
	}
	return t
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
	all := append(slices.Clone(fresh), h.Sightings...)
	slices.SortStableFunc(all, func(a, b kriging.Sighting) int { return b.At.Compare(a.At) })
	seen := map[int]int{}
	h.Sightings = slices.DeleteFunc(all, func(s kriging.Sighting) bool {
		seen[s.Shard]++
		return seen[s.Shard] > kept
	})
	return h
}
