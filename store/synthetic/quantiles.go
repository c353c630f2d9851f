package synthetic

import "math/bits"

// span is the number of quantiles: 0 is the best, span-1 the worst.
const span = 1 << 62

// A power of two of quantiles has so many places in the table: on a straight line
// between two of them, the shapes with their defaults are right to 2e-5, however
// far out.
const (
	fineBits = 7
	finest   = 1 << fineBits
	places   = (62-fineBits)*finest + 1 // up to the middle, span/2
)

// quantiles is a distribution as a table: its score at each place, larger first,
// and straight lines between. A table because its values can be made monotone to
// the last bit, which a computed quantile function is not, and everything here
// rests on that. The places are dense towards both ends.
type quantiles struct {
	upper [places]float64 // from the best quantile to the middle
	lower [places]float64 // from the worst to the middle
}

func tabulate(m Model) *quantiles {
	score := shapes[m.Shape].score
	part := func(x uint64) float64 { return (float64(x) + 0.5) / span }
	q := new(quantiles)
	for i := range places {
		x := placeStart(i)
		q.upper[i] = score(m, part(x), part(span-1-x))
		q.lower[i] = score(m, part(span-1-x), part(x))
		if i > 0 {
			q.upper[i] = min(q.upper[i], q.upper[i-1])
			q.lower[i] = max(q.lower[i], q.lower[i-1])
		}
	}
	middle := places - 1
	for i := range places { // the two halves may miss each other by a bit
		q.lower[i] = min(q.lower[i], q.upper[middle])
	}
	return q
}

// placeStart is the distance from the end at which a place of the table stands.
func placeStart(i int) uint64 {
	if i < finest {
		return uint64(i)
	}
	octave := i/finest - 1
	return uint64(finest+i%finest) << octave
}

// placeOf is the place at or before a distance from the end.
func placeOf(x uint64) int {
	if x < finest {
		return int(x)
	}
	octave := bits.Len64(x) - 1 - fineBits
	return (octave+1)*finest + int(x>>octave) - finest
}

// score is the score at a quantile; it never grows with x.
func (q *quantiles) score(x uint64) float64 {
	if x < span/2 {
		return between(&q.upper, x)
	}
	return between(&q.lower, span-1-x)
}

func between(table *[places]float64, x uint64) float64 {
	i := placeOf(x)
	a, b := table[i], table[i+1]
	start, end := placeStart(i), placeStart(i+1)
	value := a + (b-a)*(float64(x-start)/float64(end-start))
	if a < b { // rounding may carry a sum past its end
		return min(value, b)
	}
	return max(value, b)
}
