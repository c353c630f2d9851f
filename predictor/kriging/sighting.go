package kriging

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Sighting is one walk of one shard.
type Sighting struct {
	Shard  int
	At     time.Time
	Better []int64 // entries of the shard better than each cutpoint, in rank order
}

// Interval is the time between two neighbouring times of sightings, by its end.
type Interval struct {
	End      time.Time
	Activity float64 // how many times as fast as usual the board changed in it
}

// Forecast is what is known of a whole board at one cutpoint. The errors are
// standard errors, in entries.
type Forecast struct {
	Better, Error     float64 // now
	Later, LaterError float64 // one horizon later
}

// ErrSightings is wrapped by errors about sightings that cannot be a board's.
var ErrSightings = errors.New("sightings are not of one board")

// A history is the sightings of a board arranged for the algebra. Times are in
// units of their usual distance, ages count back from now.
type history struct {
	shards  int
	horizon float64
	groups  []group
	size    int // means in all groups: the rows of the system
	counts  int // sightings in all groups
	ages    []float64
	ends    []time.Time // ends[i] ends the interval between the times i+1 and i, newest first
	active  []float64   // activity of the interval between times i+1 and i
}

// A group is shards that were seen at the same times. Their mean tells all that
// they say of what the shards share; how they differ from it tells how fast a shard
// deviates.
type group struct {
	at     int   // its first row in the system
	times  []int // indices of history.ages, oldest first
	shards [][]Sighting
}

func (g group) rows() int { return len(g.times) }

// arrange sorts sightings into groups. Now must not lie before any of them.
func arrange(sightings []Sighting, shards int, now time.Time, horizon time.Duration, known []Interval) (*history, error) {
	of := map[int][]Sighting{}
	var times []time.Time
	for _, s := range sightings {
		switch {
		case s.Shard < 0 || s.Shard >= shards:
			return nil, fmt.Errorf("a sighting of shard %d of %d: %w", s.Shard, shards, ErrSightings)
		case len(s.Better) != len(sightings[0].Better):
			return nil, fmt.Errorf("sightings of %d and of %d cutpoints: %w", len(s.Better), len(sightings[0].Better), ErrSightings)
		case s.At.After(now):
			return nil, fmt.Errorf("a sighting at %v, after %v: %w", s.At, now, ErrSightings)
		}
		of[s.Shard] = append(of[s.Shard], s)
		times = append(times, s.At)
	}
	if len(times) == 0 {
		return nil, fmt.Errorf("none: %w", ErrSightings)
	}
	slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
	times = slices.CompactFunc(times, time.Time.Equal)
	h := &history{shards: shards, ends: times[:len(times)-1], counts: len(sightings)}
	unit := unitOf(times, horizon)
	h.horizon = float64(horizon) / float64(unit)
	for _, t := range times {
		h.ages = append(h.ages, float64(now.Sub(t))/float64(unit))
	}
	h.active = make([]float64, len(h.ends))
	for i, end := range h.ends {
		h.active[i] = 1
		for _, k := range known {
			if k.End.After(times[i+1]) && !k.End.After(end) {
				h.active[i] = max(h.active[i], k.Activity)
			}
		}
	}
	return h, h.gather(of, times)
}

// unitOf is the usual distance between two neighbouring times.
func unitOf(times []time.Time, horizon time.Duration) time.Duration {
	if n := len(times); n > 1 {
		return max(1, times[0].Sub(times[n-1])/time.Duration(n-1))
	}
	return max(1, horizon)
}

// gather makes one group of the shards that were seen at the same times.
func (h *history) gather(of map[int][]Sighting, times []time.Time) error {
	index := map[string]int{}
	for shard := range h.shards {
		seen := of[shard]
		if len(seen) == 0 {
			continue
		}
		slices.SortFunc(seen, func(a, b Sighting) int { return a.At.Compare(b.At) })
		at := make([]int, len(seen))
		for i, s := range seen {
			at[i], _ = slices.BinarySearchFunc(times, s.At, func(a, b time.Time) int { return b.Compare(a) })
			if i > 0 && at[i] == at[i-1] {
				return fmt.Errorf("shard %d was seen twice at %v: %w", shard, s.At, ErrSightings)
			}
		}
		key := fmt.Sprint(at)
		i, there := index[key]
		if !there {
			i = len(h.groups)
			index[key] = i
			h.groups = append(h.groups, group{at: h.size, times: at})
			h.size += len(at)
		}
		h.groups[i].shards = append(h.groups[i].shards, seen)
	}
	return nil
}

// clock is the age of every time on a clock that runs as fast as the board was
// active.
func (h *history) clock() []float64 {
	clock := slices.Clone(h.ages)
	for i := 1; i < len(clock); i++ {
		clock[i] = clock[i-1] + h.active[i-1]*(h.ages[i]-h.ages[i-1])
	}
	return clock
}
