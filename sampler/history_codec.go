package sampler

import (
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/predictor/kriging"
	"github.com/rankcurve/rankcurve/sampler/internal/statepb"
	"github.com/rankcurve/rankcurve/store"
)

func encodeHistory(h History) *statepb.History {
	if len(h.Keys) == 0 {
		return nil
	}
	m := &statepb.History{Whole: h.Whole, Shards: uint32(h.Shards), Worst: h.Worst}
	m.BestCutpoint, m.Gaps = encodeKeys(h.Keys)
	for _, s := range h.Sightings {
		m.Sightings = append(m.Sightings, encodeSighting(s))
	}
	for _, i := range h.Intervals {
		m.Intervals = append(m.Intervals, &statepb.Interval{EndMs: i.End.UnixMilli(), Activity: i.Activity})
	}
	return m
}

func decodeHistory(m *statepb.History) (History, error) {
	keys, err := decodeKeys(m.BestCutpoint, m.Gaps)
	if err != nil {
		return History{}, err
	}
	h := History{Whole: m.Whole, Shards: int(m.Shards), Keys: keys, Worst: m.Worst}
	for _, p := range m.Sightings {
		s, err := decodeSighting(p, len(keys), h.Shards)
		if err != nil {
			return History{}, err
		}
		h.Sightings = append(h.Sightings, s)
	}
	for _, i := range m.Intervals {
		h.Intervals = append(h.Intervals, kriging.Interval{End: time.UnixMilli(i.EndMs).UTC(), Activity: i.Activity})
	}
	return h, nil
}

func encodeSighting(s kriging.Sighting) *statepb.Sighting {
	p := &statepb.Sighting{Shard: uint32(s.Shard), AtMs: s.At.UnixMilli()}
	before := int64(0)
	for _, better := range s.Better {
		p.Rises = append(p.Rises, uint64(better-before))
		before = better
	}
	return p
}

func decodeSighting(p *statepb.Sighting, cutpoints, shards int) (kriging.Sighting, error) {
	if len(p.Rises) != cutpoints+1 || int(p.Shard) >= shards {
		return kriging.Sighting{}, fmt.Errorf("decode walk state: a sighting of shard %d of %d with %d counts for %d cutpoints: %w", p.Shard, shards, len(p.Rises), cutpoints, store.ErrCorrupt)
	}
	s := kriging.Sighting{Shard: int(p.Shard), At: time.UnixMilli(p.AtMs).UTC(), Better: make([]int64, len(p.Rises))}
	var better uint64
	for i, rise := range p.Rises {
		if better += rise; rise > mostEntries || better > mostEntries {
			return kriging.Sighting{}, fmt.Errorf("decode walk state: shard %d with more than %d entries: %w", p.Shard, uint64(mostEntries), store.ErrCorrupt)
		}
		s.Better[i] = int64(better)
	}
	return s, nil
}

// mostEntries is more than a board's shard has.
const mostEntries = 1 << 32
