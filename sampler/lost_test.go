package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// deaf is partitions of which some answer nothing any more after a number of requests.
type deaf struct {
	store.Partitions
	shards   map[int]bool
	requests *atomic.Int64 // left, of all shards
}

func grownDeaf(st store.Partitions, requests int, shards ...int) deaf {
	d := deaf{st, map[int]bool{}, &atomic.Int64{}}
	d.requests.Store(int64(requests))
	for _, shard := range shards {
		d.shards[shard] = true
	}
	return d
}

func (d deaf) answers(p store.Partition) error {
	if d.requests.Add(-1) < 0 && d.shards[p.Shard] {
		return fmt.Errorf("read partition %s: %w", p, errBroken)
	}
	return nil
}

func (d deaf) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if err := d.answers(q.Partition); err != nil {
		return store.Page{}, err
	}
	return d.Partitions.Rows(ctx, q)
}

func (d deaf) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	if err := d.answers(q.Partition); err != nil {
		return store.CountPage{}, err
	}
	return d.Partitions.Count(ctx, q)
}

var lostWalks = map[string]sampler.Options{
	"scores":       {Method: sampler.Scores},
	"counted":      {Method: sampler.Counted, Head: 500},
	"counted cold": {Method: sampler.Counted, Head: 500, Full: true},
	"rolling":      {Method: sampler.Counted, Head: 500, Shards: 4},
}

// Each shard in turn answers nothing: the others stand for it, and the errors that the
// points tell are what they are off by.
func TestTheOthersStandForAShardThatCannotBeRead(t *testing.T) {
	for name, o := range lostWalks {
		t.Run(name, func(t *testing.T) {
			var m measured
			for shard := range 16 {
				s := newSeason(t, 16, draw(20_000, lognormal))
				full := o
				full.Full = true
				s.walk(0, full)
				walk := s.walkOn(grownDeaf(s.store(), 0, shard), 1, o)
				if walk.Walked >= 16 || len(walk.Failed) != 1 || !strings.Contains(walk.Failed[0].Error(), fmt.Sprintf("shard %d", shard)) {
					t.Fatalf("%d shards walked: %v", walk.Walked, walk.Failed)
				}
				if last := walk.Points[len(walk.Points)-1]; walk.Entries != last.Better || walk.State.Entries != walk.Entries {
					t.Errorf("%d entries, the last point has %d better", walk.Entries, last.Better)
				}
				if walk.Horizon != tick || !slices.ContainsFunc(walk.Points, func(p predictor.Point) bool { return p.LaterError > p.Error }) {
					t.Errorf("nothing is foretold, %s ahead", walk.Horizon)
				}
				for _, p := range walk.Points[1:] {
					if p.Error == 0 {
						t.Fatalf("%+v is told as counted", p)
					}
				}
				m.compare(walk.Points, s.sorted(), false)

				m := measured{}
				m.compare(s.walk(2, full).Points, s.sorted(), false)
				if m.err != 0 {
					t.Errorf("once shard %d can be read again, the walk is off", shard)
				}
			}
			t.Logf("mean error %.3f %%, %.1f %% of %.0f points inside", 100*m.err/m.n, 100*m.inside/m.n, m.n)
			if m.inside < 0.93*m.n {
				t.Errorf("%.1f %% inside", 100*m.inside/m.n)
			}
		})
	}
}

// A shard that dies in the middle of a walk is left out of all of it: it makes no step in
// the counts, and what the others counted is not counted again.
func TestAShardThatDiesInTheMiddleIsLeftOutOfAll(t *testing.T) {
	o := sampler.Options{Method: sampler.Counted, Head: 500, Parallel: 1}
	s := newSeason(t, 8, draw(20_000, lognormal))
	s.walk(0, o)
	state := s.state
	from0, err := s.try(grownDeaf(s.store(), 0, 3), 1, o)
	if err != nil {
		t.Fatal(err)
	}
	for requests := 1; requests < from0.Usage.Requests; requests += 7 {
		s.state = state
		walk, err := s.try(grownDeaf(s.store(), requests, 3), 1, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(walk.Failed) == 0 {
			continue // the rest needed nothing of it
		}
		if fmt.Sprint(walk.Points) != fmt.Sprint(from0.Points) {
			t.Fatalf("after %d requests it is another walk than without the shard", requests)
		}
		if most := from0.Usage.Requests + requests/8 + 2*2*8 + 2; walk.Usage.Requests > most {
			t.Errorf("after %d requests %d more were made, want %d at most", requests, walk.Usage.Requests, most)
		}
	}
}

func TestAWalkNeedsHalfOfTheShards(t *testing.T) {
	for name, o := range lostWalks {
		s := newSeason(t, 5, draw(20_000, lognormal))
		s.walk(0, o)
		if walk, err := s.try(grownDeaf(s.store(), 0, 0, 3), 1, o); err != nil || len(walk.Failed) != 2 {
			t.Errorf("%s: two of five: %v, %v", name, err, walk.Failed)
		}
		if _, err := s.try(grownDeaf(s.store(), 0, 0, 3, 4), 1, o); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "3 of the 5 shards of games.xp failed twice") {
			t.Errorf("%s: three of five: %v", name, err)
		}
	}
}
