package sampler_test

import (
	"math"
	"testing"

	"github.com/rankcurve/rankcurve/sampler"
)

// TestAQuietBoardAsksForNoBand: walks shortly after each other on a board where
// nothing happens foretell next to nothing.
func TestAQuietBoardAsksForNoBand(t *testing.T) {
	s := newSeason(t, 32, draw(200_000, lognormal))
	check := func(name string, walk sampler.Walk, most float64) {
		t.Helper()
		grown, moved := 0.0, 0.0
		for _, p := range walk.Points {
			if p.LaterError > 0 && p.Better > 1000 {
				// Beside the error there is now, which a sample has, a hundredth.
				known := max(p.Error, float64(p.Better)/100)
				grown = max(grown, (p.LaterError-p.Error)/known)
				moved = max(moved, math.Abs(p.Later-float64(p.Better))/known)
			}
		}
		t.Logf("%s: in a horizon the error grows by up to %.2f, the curve moves by up to %.2f of what is known now", name, grown, moved)
		if grown > most || moved > most {
			t.Errorf("%s: the error grows by %.2f and the curve moves by %.2f of what is known now, where nothing happens", name, grown, moved)
		}
	}
	s.walk(0, sampler.Options{Method: sampler.Counted, Head: 2000})
	check("counted again", s.walk(1, sampler.Options{Method: sampler.Counted, Head: 2000}), 1)
	s.state = sampler.State{}
	few := sampler.Options{Method: sampler.Counted, Head: 2000, Shards: 4, ReadBudget: 180}
	s.walk(2, few)
	check("four shards and four others", s.walk(3, few), 2)
}
