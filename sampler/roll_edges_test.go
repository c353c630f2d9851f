package sampler_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// A walk by a clock that was not set is no reason for later ones to fail: a curve cannot
// look as far ahead as 1970 lies back.
func TestWalksOfLongAgoAreForgotten(t *testing.T) {
	epoch := -int(dawn.Unix() / int64(tick/time.Second))
	for name, o := range map[string]sampler.Options{
		"some shards": {Method: sampler.Counted, Head: 500, Shards: 4},
		"all shards":  {Method: sampler.Counted, Head: 500},
	} {
		s := newSeason(t, 16, draw(20_000, lognormal))
		s.walk(epoch, o)
		walk := s.walk(0, o)
		if walk.Horizon != 0 {
			t.Errorf("%s: a walk looks %v ahead, by one of 1970", name, walk.Horizon)
		}
		if _, _, err := predictor.Build(predictor.Meta{Board: "games", Column: "xp", AsOf: dawn, Horizon: walk.Horizon}, walk.Points, predictor.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if walk = s.walk(1, o); walk.Horizon != tick {
			t.Errorf("%s: the walk after that looks %v ahead, want %v", name, walk.Horizon, tick)
		}
	}
}

// A shard that is passed over, because it could not be read as the sample, is said to be,
// also where no more than one shard is walked and none is left to try again.
func TestAShardPassedOverAsTheSampleIsReported(t *testing.T) {
	s := newSeason(t, 16, draw(50_000, lognormal))
	o := sampler.Options{Method: sampler.Counted, Head: 500, Shards: 1}
	s.walk(0, o)
	walk := s.walkOn(lame{s.store(), map[int]int{0: 9}}, 1, o)
	if walk.Walked != 1 || len(walk.Failed) != 1 || !strings.Contains(walk.Failed[0].Error(), "shard 0") {
		t.Errorf("%d shards were walked, and failed have %v; want one, and shard 0", walk.Walked, walk.Failed)
	}
}

// The head may hold more than the sample lets expect of the whole board. Then the row
// at its edge is still one of the board's.
func TestABoardHasMoreEntriesThanItsHead(t *testing.T) {
	s := newSeason(t, 16, draw(1210, lognormal))
	for i := range s.shards { // 10 entries in the sample, 300 in one shard, 60 in the others
		switch {
		case i < 10:
			s.shards[i] = 0
		case i < 310:
			s.shards[i] = 1
		default:
			s.shards[i] = 2 + i%14
		}
	}
	walk := s.walk(0, sampler.Options{Method: sampler.Counted, Head: 1000, Shards: 1})
	edge := walk.Points[len(walk.Points)-2]
	if edge.Better < 170 {
		t.Fatalf("%d rows in the head, which is no more than the sample lets expect", edge.Better)
	}
	if walk.Entries <= edge.Better {
		t.Errorf("%d entries, and %d are better than the row at the head's edge", walk.Entries, edge.Better)
	}
}

// Scores that are capped at the best that there can be: nothing is better than a cutpoint
// there, and no store can be asked for it.
func TestACutpointMayBeTheBestScoreThereIs(t *testing.T) {
	for name, o := range map[string]sampler.Options{
		"some shards": {Method: sampler.Counted, Head: 500, Shards: 2},
		"all shards":  {Method: sampler.Counted, Head: 500},
	} {
		scores := draw(900_000, lognormal)
		capped := len(scores) / 10
		for i := range scores[:capped] {
			scores[i] = store.MaxScore
		}
		s := newSeason(t, 4, scores)
		s.walk(0, o)
		walk := s.walk(1, o)
		below := walk.Points[slices.IndexFunc(walk.Points, func(p predictor.Point) bool { return p.Key < store.MaxScore })]
		if off := math.Abs(float64(below.Better)/float64(capped) - 1); off > 0.02 {
			t.Errorf("%s: %d of %d are better than %d", name, below.Better, capped, below.Key)
		}
		if off := math.Abs(float64(walk.Entries)/float64(len(scores)) - 1); off > 0.02 {
			t.Errorf("%s: %d entries of %d", name, walk.Entries, len(scores))
		}
	}
}
