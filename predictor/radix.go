package predictor

import (
	"math/bits"
	"sort"
)

// A radix finds the knot at or below a key in one or two table reads. The range of
// the keys that nearly all entries have is cut into equal slots, about twice as
// many as there are knots; a slot that still holds more than a few knots becomes a
// table of its own, so that a dense place costs one more read. Beyond that range,
// where a few entries in a hundred spread over most of the keys of many boards,
// binary search does.
type radix struct {
	tables []table
	slots  []uint16 // a knot, or with childBit a table
	bulk   uint64   // keys[from] - keys[0], where the root table begins
	span   uint64   // of the root table
}

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
	to := sort.Search(last, func(i int) bool { return uint64(values[i])*tailPart <= total })
	to = max(to, from)
	r := radix{bulk: offsets[from], span: offsets[to] - offsets[from]}
	r.build(offsets, from, to, r.bulk, r.span)
	return r
}

// build adds a table for the offsets base..base+span, in which the knots from..to
// lie (from may lie below), and returns its number.
func (r *radix) build(offsets []uint64, from, to int, base, span uint64) int {
	number := len(r.tables)
	size := bits.Len(uint(to - from + 1)) // slots, as a power of two
	shift := max(0, bits.Len64(span)-size)
	count := int(span>>shift) + 1
	t := table{base: base, first: uint32(len(r.slots)), shift: uint8(shift)}
	r.tables = append(r.tables, t)
	r.slots = append(r.slots, make([]uint16, count)...)
	knot := from
	for i := range count {
		start := base + uint64(i)<<shift
		for knot < to && offsets[knot+1] <= start {
			knot++
		}
		end := knot
		for end < to && offsets[end+1]-start < 1<<shift {
			end++
		}
		value := uint16(knot)
		if end-knot > scanKnots && shift > 0 && len(r.tables) < childBit {
			value = uint16(r.build(offsets, knot, end, start, 1<<shift-1)) | childBit
		}
		r.slots[int(t.first)+i] = value
	}
	return number
}

// floor is a knot at or below the offset, few knots away from the last such;
// false if the offset lies outside the root table.
func (r *radix) floor(offset uint64) (int, bool) {
	if offset-r.bulk > r.span {
		return 0, false
	}
	t := &r.tables[0]
	for {
		value := r.slots[uint64(t.first)+(offset-t.base)>>(t.shift&63)]
		if value&childBit == 0 {
			return int(value), true
		}
		t = &r.tables[value&^childBit]
	}
}

func (r *radix) memoryBytes() int { return 16*len(r.tables) + 2*len(r.slots) }
