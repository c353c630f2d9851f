package jobs

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// A span is a range of ranks, both inclusive.
type span struct{ from, to int64 }

func (s span) size() int64 { return s.to - s.from + 1 }

// decadesTo are the decades of rank of a board, or of its best so many: 1 to 10, 11 to
// 100, and so on; the last may be cut short.
func decadesTo(depth int64) (decades []span) {
	for from, to := int64(1), int64(10); from <= depth; from, to = to+1, 10*to {
		decades = append(decades, span{from, min(to, depth)})
	}
	return decades
}

// decadeOf is the decade that a rank is in.
func decadeOf(rank int64) span {
	d := span{1, 10}
	for d.to < rank {
		d = span{d.to + 1, 10 * d.to}
	}
	return d
}

// weight is 1 for a whole decade, and less for a last one that is cut short: the part of
// its depth that is there.
func (s span) weight() float64 {
	if s.from == 1 {
		return 1
	}
	return math.Log10(float64(s.to) / float64(s.from-1))
}

// sharesOf deals so many owners out to the decades, to each by its weight. What a decade is too small for goes to the others.
func sharesOf(decades []span, owners int) []int {
	fullest := make([]int, len(decades)) // those with the fewest owners for their weight first
	left := 0.0
	for i, d := range decades {
		fullest[i] = i
		left += d.weight()
	}
	perWeight := func(i int) float64 { return float64(decades[i].size()) / decades[i].weight() }
	slices.SortStableFunc(fullest, func(a, b int) int { return cmp.Compare(perWeight(a), perWeight(b)) })
	shares := make([]int, len(decades))
	for _, i := range fullest {
		weight := decades[i].weight()
		fair := math.Ceil(float64(owners)*weight/left - 1e-9)
		shares[i] = int(min(int64(fair), decades[i].size(), int64(owners)))
		owners, left = owners-shares[i], left-weight
	}
	return shares
}

// A drawn rank is one that chance has chosen, out of so many alike.
type drawnRank struct {
	rank int64
	of   int64 // the width of the part of its decade that it stands for
}

// ranks draws as many as are to be asked down to a depth, the best first: each decade
// is cut into as many parts as it gives owners, and each part gives one. So every rank
// of a decade is as likely as another, and they lie apart. The same depth draws the
// same ranks.
func (s *survey) ranks(depth int64) []drawnRank {
	chance := s.chance(0)
	decades := decadesTo(depth)
	var ranks []drawnRank
	for i, n := range sharesOf(decades, s.options.Sample) {
		size := decades[i].size()
		for part := range int64(n) {
			from, to := size*part/int64(n), size*(part+1)/int64(n)
			ranks = append(ranks, drawnRank{decades[i].from + from + chance.Int64N(to-from), to - from})
		}
	}
	return ranks
}

// chance is a source of random numbers of its own for each use.
func (s *survey) chance(use uint64) *rand.Rand { return rand.New(rand.NewPCG(s.options.Seed, use)) }
