package plan

import "math"

// Error is what is unsure of the ranks at a depth, in standard deviations, in entries.
type Error struct {
	Rank     int64
	Interval float64 // where inside an interval a score falls
	Carried  float64 // of the shards that were not walked
	Aged     float64 // what happens until the next refresh
}

// Fresh is the deviation just after a refresh.
func (e Error) Fresh() float64 { return math.Hypot(e.Interval, e.Carried) }

// Oldest is the deviation just before the next one.
func (e Error) Oldest() float64 { return math.Hypot(e.Fresh(), e.Aged) }

// ErrorAt is the error at a rank when so many shards are walked at a refresh.
func (b Board) ErrorAt(rank int64, walked int) Error {
	return Error{
		Rank: rank, Interval: b.interval(float64(rank), walked),
		Carried: b.Carried(float64(rank), walked), Aged: math.Sqrt(b.Crossings(float64(rank))),
	}
}

// interval is the error of a straight line between two cutpoints, see the package. The
// best entries, and those of a board whose scores are all read, are in the curve but for
// the tolerance of its fit.
func (b Board) interval(rank float64, walked int) float64 {
	n := float64(b.Entries)
	distance := min(rank, n-rank)
	whole := walked >= b.Shards
	if rank <= float64(b.head()) || whole && b.ReadsScores() || whole && distance <= b.ends() {
		return b.fit(distance)
	}
	f := b.fraction()
	line := f * distance / 6
	bend := f * f / 8 * distance * math.Sqrt(8.0/15) // root mean square of a parabola
	return math.Hypot(math.Sqrt(line), bend)
}

// fit is the tolerance of a curve of 16 KB for entries that were read one by one, about.
func (b Board) fit(distance float64) float64 { return fitTolerance * math.Sqrt(max(0, distance)) }

const fitTolerance = 0.02

// Carried is the error of the shards that were not walked, of which so many are walked
// at each refresh, the oldest first, out of Shards.
//
// With R = Shards/walked refreshes in a rotation there are shards of every age j from 0
// to R-1. At a place with B better and r crossings in a refresh, what a shard holds
// above it forgets itself at the rate r/B, and in equilibrium varies like a Poisson
// number of mean B/Shards; so the count of one that is j refreshes old is known to a
// variance of B/Shards (1 - exp(-j r/B)), which is j r/Shards while little has crossed
// (an Ornstein-Uhlenbeck process seen j ago, to first order). Summed over the shards,
// that is about r (R-1)/2.
//
// The drift per refresh is learnt from how the shards changed between their last three
// walks, 2 R refreshes of each: its variance over the board is r/(2R), and the sum of the
// shards' ages is (R-1)/2 refreshes of the whole board, which adds r (R-1)^2/(8R).
//
// Whatever has happened, the walked shards alone are a sample of the board: the error is
// never above that of scaling them up, sqrt(B (Shards/walked - 1)).
func (b Board) Carried(better float64, walked int) float64 {
	k := float64(b.Shards)
	if walked >= b.Shards || better <= float64(b.head()) {
		return 0 // the best entries are read in every shard
	}
	better = min(better, float64(b.Entries)-1)
	r := b.Crossings(better)
	rotation := k / float64(walked)
	var known float64
	for j := 0; j*walked < b.Shards; j++ {
		shards := min(walked, b.Shards-j*walked)
		known += float64(shards) * better / k * -math.Expm1(-float64(j)*r/better)
	}
	drift := r * (rotation - 1) * (rotation - 1) / (8 * rotation)
	return math.Sqrt(min(known+drift, better*(rotation-1)))
}

// Depths are the ranks that a plan speaks of: powers of ten from 10,000, and the middle
// of the board.
func (b Board) Depths() (ranks []int64) {
	for rank := int64(10_000); rank < b.Entries/2; rank *= 10 {
		ranks = append(ranks, rank)
	}
	return append(ranks, max(1, b.Entries/2))
}
