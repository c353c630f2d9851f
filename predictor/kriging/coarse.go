package kriging

import (
	"slices"
	"time"
)

// Apart is how far two sightings of a whole board lie apart, at least, for what they differ
// by to be taken for how the board changes. Who removes an owner and rebuilds at once has
// changed the board by hand: at that speed it would be another one in a minute.
const Apart = 30 * time.Second

// apart leaves out what a board was seen to hold shortly before it was seen again. It is not
// for shards that stand for each other: that one has not changed ties it to those that were
// seen with it before.
func apart(sightings []Sighting) []Sighting {
	var after time.Time
	return slices.DeleteFunc(NewestFirst(sightings), func(s Sighting) bool {
		if after.Sub(s.At) < Apart && after.After(s.At) {
			return true
		}
		after = s.At
		return false
	})
}

// NewestFirst is a sorted copy; sightings of one time stay in their order.
func NewestFirst(sightings []Sighting) []Sighting {
	sorted := slices.Clone(sightings)
	slices.SortStableFunc(sorted, func(a, b Sighting) int { return b.At.Compare(a.At) })
	return sorted
}

// mostTimes bounds the times of a history, and with them the size of its systems,
// which are factored 400 times: about a hundred rows, whatever part of the shards a
// refresh walks.
const mostTimes = 96

// coarse takes neighbouring times together where there are too many, each for the
// newest of them: of three rotations a time is off by a thirtieth of one at most.
func coarse(sightings []Sighting) []Sighting {
	times := make([]time.Time, 0, len(sightings))
	for _, s := range sightings {
		times = append(times, s.At)
	}
	slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
	times = slices.CompactFunc(times, time.Time.Equal)
	if len(times) <= mostTimes {
		return sightings
	}
	newest := NewestFirst(sightings)
	type place struct {
		shard int
		at    int64
	}
	seen := map[place]bool{}
	kept := newest[:0]
	for _, s := range newest {
		i, _ := slices.BinarySearchFunc(times, s.At, func(a, b time.Time) int { return b.Compare(a) })
		bin := i * mostTimes / len(times)
		s.At = times[(bin*len(times)+mostTimes-1)/mostTimes]
		if p := (place{s.Shard, s.At.UnixNano()}); !seen[p] {
			seen[p] = true
			kept = append(kept, s)
		}
	}
	return kept
}
