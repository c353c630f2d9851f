package predictor

import (
	"math/bits"
	"sort"
)

// A radix finds the knot at or below a key in one or two table reads. The keys
// that nearly all entries have are cut into slots by a ruler that suits the
// board; a slot that still holds more than a few knots becomes a table of its
// own, so that a dense place costs one more read. Beyond those keys, where a few
// entries in a hundred spread over most of the range of many boards, binary search
// does.
type radix struct {
	root   ruler
	low    uint64   // keys[from] - keys[0], where the root begins
	span   uint64   // the root's length
	slots  []uint16 // a knot, or with childBit a table; the root's first
	tables []table
}

// A table is a slot cut again, into equal parts.
type table struct {
	base  uint64
	first uint32
	shift uint8
}

const (
	childBit  = 1 << 15
	scanKnots = 3
	tailPart  = 100 // a hundredth of the entries at each end is left to binary search
)

// newRadix indexes keys, sorted worst first, where values[i] entries are better.
func newRadix(keys []int64, values []uint32) radix {
	offsets := make([]uint64, len(keys))
	for i, k := range keys {
		offsets[i] = uint64(k - keys[0])
	}
	last := len(keys) - 1
	total := uint64(values[0])
	from := sort.Search(last, func(i int) bool { return uint64(values[i+1])*tailPart < total*(tailPart-1) })
	to := max(from, sort.Search(last, func(i int) bool { return uint64(values[i])*tailPart <= total }))
	r := radix{low: offsets[from], span: offsets[to] - offsets[from]}
	r.root = bestRuler(offsets[from:to+1], values[from:to+1], r.span)
	r.slots = make([]uint16, r.root.slot(r.span)+1)
	for slot := range len(r.slots) {
		start, end := r.root.bounds(slot, r.span)
		r.slots[slot] = r.entry(offsets, from, to, r.low+start, r.low+end)
	}
	return r
}

// entry is the slot for the offsets start..end: the last knot at or below start,
// or a table if more than a few knots lie inside.
func (r *radix) entry(offsets []uint64, from, to int, start, end uint64) uint16 {
	knot := from + sort.Search(to-from, func(i int) bool { return offsets[from+1+i] > start })
	last := knot + sort.Search(to-knot, func(i int) bool { return offsets[knot+1+i] > end })
	if last-knot <= scanKnots || end == start || len(r.tables) == childBit-1 {
		return uint16(knot)
	}
	shift := max(0, bits.Len64(end-start)-bits.Len(uint(last-knot)))
	number := len(r.tables)
	first := len(r.slots)
	r.tables = append(r.tables, table{base: start, first: uint32(first), shift: uint8(shift)})
	count := int((end-start)>>shift) + 1
	r.slots = append(r.slots, make([]uint16, count)...)
	for i := range count {
		s := start + uint64(i)<<shift
		value := r.entry(offsets, knot, last, s, min(end, s+1<<shift-1))
		r.slots[first+i] = value
	}
	return uint16(number) | childBit
}

// floor is a knot at or below the offset, few knots away from the last such;
// false if the offset lies outside the root.
func (r *radix) floor(offset uint64) (int, bool) {
	x := offset - r.low
	if x > r.span {
		return 0, false
	}
	value := r.slots[r.root.slot(r.root.along(x, r.span))]
	for value&childBit != 0 {
		t := &r.tables[value&^childBit]
		value = r.slots[uint64(t.first)+(offset-t.base)>>(t.shift&63)]
	}
	return int(value), true
}

func (r *radix) memoryBytes() int { return 16*len(r.tables) + 2*len(r.slots) }
