package synthetic

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/rankcurve/rankcurve/store"
)

// The trees of a board, by the first number of their keys.
const (
	treeOfShards   = iota // how the first entries are spread over the shards
	treeOfArrivals        // how all newcomers there will ever be are
	treeOfTimes           // when those of a shard come
	treeOfScores          // a shard's entries in one column
	keyOfNames            // who has which place there
)

// A moment is the board at one tick.
type moment struct {
	*board
	tick    float64
	members noise // of what changes when an entry is replaced by another owner's
	scores  noise // and of what changes when its score is drawn anew, too
	columns []*column

	// What each shard holds, one more than the number, once it is known: 0 until then.
	sizes    []atomic.Int64
	arrivals []atomic.Int64
}

func (b *board) at(tick float64) (*moment, error) {
	if !(tick >= 0 && tick <= MaxTick) {
		return nil, fmt.Errorf("synthetic board %q at tick %v: ticks go from 0 to %d: %w", b.definition.Name, tick, MaxTick, store.ErrInvalid)
	}
	entries := float64(b.options.Entries) * (1 + b.options.Churn.Newcomers*tick)
	if entries > MaxEntries {
		return nil, fmt.Errorf("synthetic board %q at tick %v: newcomers have made it %.0f entries, more than %d: %w", b.definition.Name, tick, entries, MaxEntries, store.ErrInvalid)
	}
	churn, time := b.options.Churn, timeOf(tick)
	m := &moment{
		board:    b,
		tick:     tick,
		members:  noiseAt(churn.Replaced, time),
		scores:   noiseAt(churn.Rescored+churn.Replaced, time),
		sizes:    make([]atomic.Int64, b.definition.Shards),
		arrivals: make([]atomic.Int64, b.definition.Shards),
	}
	for i, c := range b.definition.Columns {
		m.columns = append(m.columns, columnAt(c, b.options.model(c.Name), b.tables[i], churn, tick))
	}
	return m, nil
}

func timeOf(tick float64) uint64 { return uint64(math.Round(tick * timesPerTick)) }

func (m *moment) tree(count int64, n noise, numbers ...uint64) tree {
	return tree{key: keyed(m.options.Seed, numbers...), count: count, noise: n, halves: m.halves}
}

// share is how many of a tree's entries fall to a shard, each to any shard.
func (m *moment) share(t tree, shard int) int64 {
	edge := func(i int) uint64 { return scaled(uint64(i), span, uint64(m.definition.Shards)) }
	return t.before(edge(shard+1)) - t.before(edge(shard))
}

// size is how many entries of the first day a shard has.
func (m *moment) size(shard int) int64 {
	return remembered(&m.sizes[shard], func() int64 {
		return m.share(m.tree(m.options.Entries, m.members, treeOfShards), shard)
	})
}

// newcomers is how many have come to a shard. Of all that will have come when time
// ends, each comes to any shard at any time.
func (m *moment) newcomers(shard int) int64 {
	return remembered(&m.arrivals[shard], func() int64 {
		ever := int64(math.Round(m.options.Churn.Newcomers * float64(m.options.Entries) * MaxTick))
		here := m.share(m.tree(ever, still(), treeOfArrivals), shard)
		return m.tree(here, still(), treeOfTimes, uint64(shard)).before(timeOf(m.tick) * (span / lastTime))
	})
}

func remembered(number *atomic.Int64, find func() int64) int64 {
	if n := number.Load(); n > 0 {
		return n - 1
	}
	n := find()
	number.Store(n + 1)
	return n
}

// total is how many entries the board has.
func (m *moment) total() (sum int64) {
	for shard := range m.definition.Shards {
		sum += m.size(shard) + m.newcomers(shard)
	}
	return sum
}

// partition is what one of the index holds.
func (m *moment) partition(column, shard int) partition {
	number, size := uint64(column), m.size(shard)
	return partition{
		tree:      m.tree(size, m.scores, treeOfScores, number, uint64(shard)),
		column:    m.columns[column],
		shard:     shard,
		newcomers: m.newcomers(shard),
		names:     permutationOf(keyed(m.options.Seed, keyOfNames, number, uint64(shard)), size, m.usualSize()),
	}
}

// usualSize is more than a shard's size at any tick, nearly always.
func (m *moment) usualSize() int64 {
	return 2*m.options.Entries/int64(m.definition.Shards) + leafEntries
}

// columnNumber finds a column, or is -1.
func (m *moment) columnNumber(name string) int {
	for i, c := range m.columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}
