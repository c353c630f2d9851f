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
		Carried: b.Carried(float64(rank), walked), Aged: b.aged(float64(rank)),
	}
}

// aged is what happens at a place until the next refresh: the crossings are foretold as
// so many as lately, and vary as a Poisson number does; and their rate is not quite that
// of lately.
func (b Board) aged(better float64) float64 {
	r := b.Crossings(better)
	return math.Hypot(math.Sqrt(r), unforetold*r)
}

// unforetold is the part of the drift that a curve's forecast misses, as measured on boards that
// grow.
const unforetold = 0.1

// interval is the error of a straight line between two cutpoints, see the package. The
// best entries, and those of a board whose scores are all read, are in the curve but for
// the tolerance of its fit.
func (b Board) interval(rank float64, walked int) float64 {
	n := float64(b.Entries)
	distance := min(rank, n-rank)
	if b.Reads(int64(rank), walked) {
		return fitTolerance * math.Sqrt(max(0, distance))
	}
	length := b.fraction() * distance
	binomial := math.Sqrt(length / 6)
	return math.Hypot(binomial, b.bend(rank, length))
}

// bend is how far the board's own curve leaves a straight line over so many entries, root
// mean square: L^2/8 |f'|/(N f^2) at most for a density f, which is (Spread+z)/pdf(z) in
// place of |f'|/f^2 on a lognormal board at the quantile z, and sqrt(8/15) of that over
// the interval. The interval in the middle of the board is what two rows of cutpoints
// leave between them, any length up to twice the rule's: 1.8 times in the mean square of
// L^2.
func (b Board) bend(rank, length float64) float64 {
	n := float64(b.Entries)
	z := normalQuantile(min(max(rank/n, 1e-12), 1-1e-12))
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	bend := length * length / (8 * n) * math.Abs(Spread+z) / density * math.Sqrt(8.0/15)
	if math.Abs(rank-n/2) < b.fraction()*n/2 {
		bend *= 1.8
	}
	return bend
}

// Reads says that the row at a rank is read itself at each refresh, not counted with others.
func (b Board) Reads(rank int64, walked int) bool {
	if rank <= int64(b.head()) {
		return true
	}
	distance := float64(min(rank, b.Entries-rank))
	return walked >= b.Shards && (b.ReadsScores() || distance <= b.ends())
}

// fitTolerance is the error that a curve of 16 KB makes of entries that were read one by one, in
// square roots of the distance to the nearer end, about.
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

// Depths are the ranks that a plan speaks of: powers of ten from AccuracyFrom, and the
// middle of the board, which stands for the other half.
func (b Board) Depths() (ranks []int64) {
	for rank := int64(AccuracyFrom); rank < b.Entries/2; rank *= 10 {
		ranks = append(ranks, rank)
	}
	return append(ranks, max(1, b.Entries/2))
}

// worstAt is the rank from AccuracyFrom on where a rank is least sure, as a part of it.
func (b Board) worstAt(walked int) (worst Error) {
	middle, first := max(1, b.Entries/2), int64(AccuracyFrom)
	if head := int64(b.head()); head >= first {
		first = head + 1 // the first that is not read itself
	}
	for rank := min(first, middle); ; rank += max(1, rank/8) {
		e := b.ErrorAt(min(rank, middle), walked)
		if worst.Rank == 0 || e.Fresh()/float64(e.Rank) > worst.Fresh()/float64(worst.Rank) {
			worst = e
		}
		if rank >= middle {
			return worst
		}
	}
}
