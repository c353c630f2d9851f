package sampler

import (
	"slices"
	"sync"
)

// A span is a range of keys, both inclusive, from the better to the worse.
type span struct{ from, to int64 }

const notCounted = -1

// counts remembers what a walk of every shard has counted, so that nothing is counted
// twice: not by this walk, and not by the one that goes on when this one dies. It is safe
// for concurrent use; the nil one remembers nothing.
type counts struct {
	cutpoints []int64
	endRows   int
	shards    int

	mu     sync.Mutex
	spans  map[span][]int64 // entries of each shard, or notCounted
	pieces int              // counted
	units  float64          // that this took
}

// rememberCounts remembers the counts of a walk from now on, those of its checkpoint too.
func (w *Walker) rememberCounts(cutpoints []int64) {
	w.counts = &counts{
		cutpoints: cutpoints, endRows: w.endRows, shards: w.board.Shards,
		spans: map[span][]int64{}, units: w.pilotUnits,
	}
	if c := w.resumed; c != nil {
		w.counts.units = c.Units
		for s, entries := range c.counts.spans {
			w.counts.spans[s] = slices.Clone(entries)
		}
	}
	w.begins(w.counts)
}

// recall is a count that was made before.
func (c *counts) recall(shard int, s span) (entries int64, known bool) {
	if c == nil {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.spans[s]
	if of == nil || of[shard] == notCounted {
		return 0, false
	}
	return of[shard], true
}

// remember takes a count that was made for so many read units.
func (c *counts) remember(shard int, s span, entries int64, units float64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spans[s] == nil {
		c.spans[s] = slices.Repeat([]int64{notCounted}, c.shards)
	}
	c.spans[s][shard] = entries
	c.pieces++
	c.units += units
}

// put implements underway.
func (c *counts) put(p *Checkpoint) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.cutpoints) == 0 || c.pieces == 0 {
		return 0
	}
	p.keys, p.Units = c.cutpoints, c.units
	p.counts = &countedPart{endRows: c.endRows, spans: make(map[span][]int64, len(c.spans))}
	for s, entries := range c.spans {
		p.counts.spans[s] = slices.Clone(entries)
	}
	return c.pieces
}
