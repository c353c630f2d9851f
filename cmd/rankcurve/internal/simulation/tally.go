package simulation

import (
	"cmp"
	"math"
	"slices"

	"github.com/rankcurve/rankcurve/predictor"
)

// Band is what was measured at one range of depths. Errors are means of the distance to
// the truth, as a part of the rank.
type Band struct {
	From, To int64 // ranks From..To-1; To 0: to the end of the board
	Answers  int

	FullWalk         float64 // its last curve as it stands
	FullWalkForecast float64 // the same curve with what it forecasts for its age
	FreshShards      float64
	RollingSum       float64
	Ours             float64
	OursAged         float64 // one tick old, just before the next refresh

	Inside, InsideAged float64 // part of the answers of ours whose band holds the truth
	Width, WidthAged   float64 // median of the band's width, as a part of the rank; see Result
}

// Gain is how many times as far from the truth as ours the better of the full walk and the
// fresh shards is; false where ours is exact.
func (b Band) Gain() (float64, bool) {
	if b.Ours == 0 {
		return 0, false
	}
	return min(b.FullWalk, b.FreshShards) / b.Ours, true
}

// edges divide the depths, as far as a board reaches.
var edges = []int64{10, 100, 1000, 10_000, 30_000, 75_000, 150_000, 400_000, 1_000_000, 3_000_000, 10_000_000, 100_000_000, 1_000_000_000}

// deepFrom is where the rows that every refresh reads one by one end.
const deepFrom = 10_000

// A tally adds up what was found.
type tally struct {
	bands     []sums // by edges; the last one has no end
	deep, all sums
}

type sums struct {
	Band
	byOwner            bool // widths count for as many owners as there are at their depth
	inside, insideAged int
	widths, widthsAged []width
}

// A width is one band's, and how many owners it stands for: scores are asked evenly in
// the logarithm of their depth, so as many as the rank is.
type width struct{ part, owners float64 }

// newTally makes bands for a board of so many entries to begin with. A last band of
// little more than its own edge is part of the one before.
func newTally(entries int) *tally {
	t := &tally{deep: sums{Band: Band{From: deepFrom}, byOwner: true}, all: sums{Band: Band{From: edges[0]}}}
	for i, edge := range edges {
		if i > 0 && 3*edge > 2*int64(entries) {
			break
		}
		if n := len(t.bands); n > 0 {
			t.bands[n-1].To = edge
		}
		t.bands = append(t.bands, sums{Band: Band{From: edge}})
	}
	return t
}

// An answer is what the four ways say of one score.
type answer struct {
	better                                          int64 // the truth
	fullWalk, fullWalkForecast, freshShards, rolled float64
	ours, aged                                      predictor.Estimate
}

func (t *tally) add(a answer) {
	rank := a.better + 1
	if rank < edges[0] {
		return
	}
	at := 0
	for at+1 < len(t.bands) && rank >= t.bands[at+1].From {
		at++
	}
	t.bands[at].add(a)
	if rank >= deepFrom {
		t.deep.add(a)
	}
	t.all.add(a)
}

func (s *sums) add(a answer) {
	rank := float64(a.better + 1)
	off := func(better float64) float64 { return math.Abs(better-float64(a.better)) / rank }
	s.Answers++
	s.FullWalk += off(a.fullWalk)
	s.FullWalkForecast += off(a.fullWalkForecast)
	s.FreshShards += off(a.freshShards)
	s.RollingSum += off(a.rolled)
	s.Ours += off(float64(a.ours.Better))
	s.OursAged += off(float64(a.aged.Better))
	if a.ours.Low <= a.better && a.better <= a.ours.High {
		s.inside++
	}
	if a.aged.Low <= a.better && a.better <= a.aged.High {
		s.insideAged++
	}
	owners := 1.0
	if s.byOwner {
		owners = rank
	}
	s.widths = append(s.widths, width{float64(a.ours.High-a.ours.Low) / rank, owners})
	s.widthsAged = append(s.widthsAged, width{float64(a.aged.High-a.aged.Low) / rank, owners})
}

// band is the means of what was added.
func (s *sums) band() Band {
	b, n := s.Band, float64(max(1, s.Answers))
	for _, sum := range []*float64{&b.FullWalk, &b.FullWalkForecast, &b.FreshShards, &b.RollingSum, &b.Ours, &b.OursAged} {
		*sum /= n
	}
	b.Inside, b.InsideAged = float64(s.inside)/n, float64(s.insideAged)/n
	b.Width, b.WidthAged = median(s.widths), median(s.widthsAged)
	return b
}

// median is the width that half of the owners have at most.
func median(of []width) float64 {
	slices.SortFunc(of, func(a, b width) int { return cmp.Compare(a.part, b.part) })
	var all, so float64
	for _, w := range of {
		all += w.owners
	}
	for _, w := range of {
		if so += w.owners; so > all/2 {
			return w.part
		}
	}
	return 0
}
