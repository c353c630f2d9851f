package predictor

import "math/bits"

// A ruler cuts a range into slots: equal ones, or ones that double in width with
// every 2^mantissa of them, narrow where x is small. Scores of games crowd at one
// end of their range more often than not; a ruler that is mirrored starts at the
// other end.
type ruler struct {
	shift    uint8 // finer differences than 2^shift do not count
	mantissa uint8
	mirrored bool
}

// along measures x from the end that the ruler starts at.
func (r ruler) along(x, span uint64) uint64 {
	if r.mirrored {
		return span - x
	}
	return x
}

// slot is the mark of a floating-point number of mantissa+1 bits: as long as those
// suffice, slots are equal.
func (r ruler) slot(x uint64) uint64 {
	x >>= r.shift & 63
	double := max(0, bits.Len64(x)-int(r.mantissa)-1)
	return uint64(double)<<(r.mantissa&63) + x>>(double&63)
}

// bounds are the first and the last offset of a slot of a range of span.
func (r ruler) bounds(slot int, span uint64) (first, last uint64) {
	first, last = r.start(uint64(slot)), min(span, r.start(uint64(slot)+1)-1)
	if r.mirrored {
		return span - last, span - first
	}
	return first, last
}

func (r ruler) start(slot uint64) uint64 {
	double := max(0, int(slot>>r.mantissa)-1)
	return (slot - uint64(double)<<r.mantissa) << double << r.shift
}

// bestRuler chooses the ruler whose slots hold the fewest knots where the entries
// are, with at most about three slots for a knot.
func bestRuler(offsets []uint64, values []uint32, span uint64) ruler {
	limit := uint64(3*len(offsets) + 8)
	width := bits.Len64(span)
	best := ruler{shift: uint8(max(0, width-bits.Len64(limit)+1)), mantissa: 63}
	least := crowding(best, offsets, values, span)
	for mantissa := 4; mantissa < min(width, 12); mantissa++ {
		for _, mirrored := range []bool{false, true} {
			r := ruler{mantissa: uint8(mantissa), mirrored: mirrored}
			for r.slot(span) > limit && int(r.shift) < width {
				r.shift++
			}
			if c := crowding(r, offsets, values, span); c < least {
				best, least = r, c
			}
		}
	}
	return best
}

// crowding is the mean number of knots in the slot of an entry.
func crowding(r ruler, offsets []uint64, values []uint32, span uint64) float64 {
	knots := make([]uint16, r.slot(span)+1)
	slotOf := func(i int) uint64 { return r.slot(r.along(offsets[i]-offsets[0], span)) }
	for i := range offsets {
		knots[slotOf(i)]++
	}
	var sum float64
	for i := range len(offsets) - 1 {
		sum += float64(knots[slotOf(i)]) * float64(values[i]-values[i+1])
	}
	return sum
}
