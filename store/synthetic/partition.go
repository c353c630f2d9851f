package synthetic

import (
	"fmt"
	"math"

	"github.com/rankcurve/rankcurve/store"
)

// A partition is one shard of a column at one tick. Its rows are at the places
// 0..size()-1, best first: those of the tree, then the newcomers.
type partition struct {
	tree      tree
	column    *column
	shard     int
	newcomers int64
	names     permutation // of the tree's rows: place to number
}

func (p partition) size() int64 { return p.tree.count + p.newcomers }

// better is how many rows have keys better than the given.
func (p partition) better(key int64) int64 {
	count := p.tree.before(p.column.quantile(key))
	if p.newcomers > 0 && p.column.worst() > key {
		count += p.newcomers
	}
	return count
}

// atLeast is how many rows have the key or a better one.
func (p partition) atLeast(key int64) int64 {
	if key == math.MinInt64 {
		return p.size()
	}
	return p.better(key - 1)
}

// key is the key of the row at a place.
func (p partition) key(place int64) int64 {
	if place >= p.tree.count {
		return p.column.worst()
	}
	return p.column.key(p.tree.at(place))
}

// keys visits the keys at the places from..to-1.
func (p partition) keys(from, to int64, visit func(key int64)) {
	p.tree.each(from, to, func(x uint64) { visit(p.column.key(x)) })
	for range to - max(from, p.tree.count) {
		visit(p.column.worst())
	}
}

// owner is who has the row at a place.
func (p partition) owner(place int64) owner {
	if place >= p.tree.count {
		return owner{kind: newcomer, shard: p.shard, number: place - p.tree.count}
	}
	return owner{kind: first, shard: p.shard, number: p.names.number(place)}
}

// place is where an owner's row is, if it has one.
func (p partition) place(o owner) (place int64, there bool) {
	if o.kind == newcomer {
		return p.tree.count + o.number, o.number < p.newcomers
	}
	if o.number >= p.tree.count {
		return 0, false
	}
	return p.names.place(o.number), true
}

// behind is how many rows are in front of the next one behind a position, seen
// from the best row, or from the worst. A row that has moved since is taken to
// be still there, at the nearest place of its key. Of one that has gone nothing is
// known but its key, whose rows come again.
func (p partition) behind(after store.Position, reverse bool) (int64, error) {
	o, err := parseOwner(after.Owner)
	if err != nil || o.shard != p.shard {
		return 0, fmt.Errorf("no page ends at owner %q: %w", after.Owner, store.ErrInvalid)
	}
	start, end := p.better(after.Key), p.atLeast(after.Key)
	place, there := p.place(o)
	switch {
	case reverse && !there:
		return p.size() - end, nil
	case reverse:
		return p.size() - min(max(place, start), end), nil
	case !there:
		return start, nil
	}
	return min(max(place+1, start), end), nil
}
