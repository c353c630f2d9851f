package sampler_test

import (
	"context"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/sampler"
)

// A walk of a few shards right after one of all knows what the others hold.
func TestAWalkOfSomeRightAfterOneOfAllIsAsGoodAsIt(t *testing.T) {
	s := newSeason(t, 16, draw(30_000, lognormal))
	o := sampler.Options{Method: sampler.Counted, Head: 500, Shards: 4}
	full := o
	full.Full = true
	s.walk(0, full)
	for i := range 6 {
		o.AsOf = dawn.Add(time.Duration(i+1) * time.Second)
		walk, err := sampler.New(s.store(), s.board, column, o).Walk(context.Background(), s.state)
		if err != nil {
			t.Fatal(err)
		}
		s.state = walk.State
		var m measured
		m.compare(walk.Points, s.sorted(), false)
		t.Logf("%d entries, mean error %.3f %%, %.1f %% of %.0f inside, last error %.2f", walk.Entries, 100*m.err/m.n, 100*m.inside/m.n, m.n, walk.Points[len(walk.Points)-1].Error)
		if walk.Entries != 30_000 || m.err/m.n > 0.0005 {
			t.Errorf("walk %d sees %d entries of 30,000, and is off by %.2f %%", i, walk.Entries, 100*m.err/m.n)
		}
	}
}

// What was changed by hand between two walks in quick succession is taken for a burst, and not
// for a speed at which the board goes on.
func TestAChangeByHandIsNotForetoldToGoOn(t *testing.T) {
	for seed := range 4 {
		s := newSeason(t, 16, draw(30_000+seed, lognormal))
		o := sampler.Options{Method: sampler.Counted, Head: 500, Shards: 4}
		full := o
		full.Full = true
		s.walk(0, full)
		for at := 1; at <= 5; at++ {
			s.gain(0.001)
			s.walk(at, o)
		}
		left := 0
		for i, score := range s.scores { // one in fifty is removed
			if i%50 != 0 {
				s.scores[left], s.shards[left] = score, s.shards[i]
				left++
			}
		}
		s.scores, s.shards = s.scores[:left], s.shards[:left]
		o.AsOf = dawn.Add(5*tick + time.Second)
		walk, err := sampler.New(s.store(), s.board, column, o).Walk(context.Background(), s.state)
		if err != nil {
			t.Fatal(err)
		}
		var now, later measured
		now.compare(walk.Points, s.sorted(), false)
		later.compare(walk.Points, s.sorted(), true)
		t.Logf("%d entries of %d; now %.2f %% off, %.1f %% inside; %s later %.2f %% off, %.1f %% inside",
			walk.Entries, left, 100*now.err/now.n, 100*now.inside/now.n, walk.Horizon, 100*later.err/later.n, 100*later.inside/later.n)
		if walk.Horizon != tick+time.Second || later.err > 0.01*later.n {
			t.Errorf("%s later it is foretold to be %.1f %% off", walk.Horizon, 100*later.err/later.n)
		}
	}
}
