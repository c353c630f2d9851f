package synthetic

import "slices"

// leafEntries is how many entries a node no longer splits.
const leafEntries = 8

// A tree is a random sample of count entries, uniform over the quantiles 0..span-1,
// of which no entry is held: see the package. The entries are in the order of their
// quantiles; an entry's place is the number of those before it.
type tree struct {
	key    uint64
	count  int64
	noise  noise
	halves *halves
}

// A node is a dyadic part of the quantiles and how many entries it has. Its name is
// the path to it, as bits after a leading 1.
type node struct {
	name  uint64
	start uint64
	width uint64
	count int64
}

func (t tree) root() node { return node{name: 1, width: span, count: t.count} }

func (n node) isLeaf() bool { return n.count <= leafEntries || n.width == 1 }

func (t tree) split(n node) (left, right node) {
	count := t.halves.left(n.count, t.noise, keyed(t.key, n.name))
	half := n.width / 2
	left = node{name: 2 * n.name, start: n.start, width: half, count: count}
	right = node{name: 2*n.name + 1, start: n.start + half, width: half, count: n.count - count}
	return left, right
}

// leaf lists the quantiles of a leaf's entries, in order.
func (t tree) leaf(n node, list []uint64) []uint64 {
	list = list[:0]
	for i := range n.count {
		at := t.noise.uniform(keyed(t.key, n.name, uint64(i)+1))
		list = append(list, n.start+min(uint64(at*float64(n.width)), n.width-1))
	}
	slices.Sort(list)
	return list
}

// before counts the entries with quantiles below x.
func (t tree) before(x uint64) (count int64) {
	n := t.root()
	for !n.isLeaf() {
		if x <= n.start {
			return count
		}
		left, right := t.split(n)
		if n = left; x >= right.start {
			count += left.count
			n = right
		}
	}
	if x >= n.start+n.width {
		return count + n.count
	}
	var space [leafEntries]uint64
	for _, at := range t.leaf(n, space[:]) {
		if at < x {
			count++
		}
	}
	return count
}

// at is the quantile of the entry at a place, 0..count-1.
func (t tree) at(place int64) uint64 {
	n := t.root()
	for !n.isLeaf() {
		left, right := t.split(n)
		if n = left; place >= left.count {
			place -= left.count
			n = right
		}
	}
	var space [leafEntries]uint64
	return t.leaf(n, space[:])[place]
}

// each visits the quantiles of the entries at the places from..to-1, in order. The
// nodes above them are split once for all.
func (t tree) each(from, to int64, visit func(x uint64)) {
	var space [leafEntries]uint64
	t.visit(t.root(), from, to, space[:], visit)
}

func (t tree) visit(n node, from, to int64, space []uint64, visit func(x uint64)) {
	from, to = max(from, 0), min(to, n.count)
	if from >= to {
		return
	}
	if n.isLeaf() {
		for _, at := range t.leaf(n, space)[from:to] {
			visit(at)
		}
		return
	}
	left, right := t.split(n)
	t.visit(left, from, to, space, visit)
	t.visit(right, from-left.count, to-left.count, space, visit)
}
