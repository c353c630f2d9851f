package predictor

import "math/bits"

// A radix finds the knot at or below a key in one or two table reads. The range
// of the keys is cut into equal slots, about as many as there are knots; a slot
// that still holds more than a few becomes a table of its own. So dense places
// cost one more read, whatever the distribution, and a short scan ends the search.
type radix struct {
	tables []table
	slots  []uint16 // a knot, or with childBit a table
}

type table struct {
	base  uint64
	first uint32
	shift uint8
}

const (
	childBit  = 1 << 15
	scanKnots = 4
)

func newRadix(keys []int64) radix {
	var r radix
	offsets := make([]uint64, len(keys))
	for i, k := range keys {
		offsets[i] = uint64(k - keys[0])
	}
	r.build(offsets, 0, len(offsets)-1, 0, offsets[len(offsets)-1])
	return r
}

// build adds a table for the offsets base..base+span, in which the knots from..to
// lie (from may lie below), and returns its number.
func (r *radix) build(offsets []uint64, from, to int, base, span uint64) int {
	number := len(r.tables)
	size := bits.Len(uint(to-from+1)) - 1 // slots as a power of two
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

// floor is a knot at or below the offset, few knots away from the last such.
func (r *radix) floor(offset uint64) int {
	t := &r.tables[0]
	for {
		value := r.slots[uint64(t.first)+(offset-t.base)>>t.shift]
		if value&childBit == 0 {
			return int(value)
		}
		t = &r.tables[value&^childBit]
	}
}

func (r *radix) memoryBytes() int { return 16*len(r.tables) + 2*len(r.slots) }
