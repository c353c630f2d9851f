package sampler_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/predictor/kriging"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

var dawn = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

const tick = 5 * time.Minute

// A season is a board that changes from tick to tick.
type season struct {
	t      *testing.T
	random *rand.Rand
	board  store.Board
	scores []int64
	shards []int
	state  sampler.State
}

func newSeason(t *testing.T, shards int, scores []int64) *season {
	t.Helper()
	s := &season{t: t, random: rand.New(rand.NewPCG(3, 4)), scores: scores}
	s.board = store.Board{Name: "games", Shards: shards, Columns: []store.Column{column}}
	for range scores {
		s.shards = append(s.shards, s.random.IntN(shards))
	}
	return s
}

// gain lets a part of the owners gain up to half of their score.
func (s *season) gain(part float64) {
	for i := range s.scores {
		if s.random.Float64() < part {
			s.scores[i] += int64(float64(s.scores[i]) * s.random.Float64() / 2)
		}
	}
}

func (s *season) store() inMemory {
	m := inMemory{shards: make([][]int64, s.board.Shards), base: store.IndexEntryBase(s.board.Partition("xp", 0)) + ownerBytes}
	for i, score := range s.scores {
		m.shards[s.shards[i]] = append(m.shards[s.shards[i]], score)
	}
	for _, keys := range m.shards {
		slices.SortFunc(keys, func(a, b int64) int { return cmp.Compare(b, a) })
	}
	return m
}

// walk refreshes at a tick, by way of the state's encoding.
func (s *season) walk(at int, o sampler.Options) sampler.Walk {
	s.t.Helper()
	return s.walkOn(s.store(), at, o)
}

func (s *season) walkOn(st store.Partitions, at int, o sampler.Options) sampler.Walk {
	s.t.Helper()
	walk, err := s.try(st, at, o)
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := walk.State.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	if s.state, err = sampler.DecodeState(data); err != nil {
		s.t.Fatal(err)
	}
	return walk
}

func (s *season) try(st store.Partitions, at int, o sampler.Options) (sampler.Walk, error) {
	o.AsOf = dawn.Add(time.Duration(at) * tick)
	return sampler.New(st, s.board, column, o).Walk(context.Background(), s.state)
}

func (s *season) sorted() []int64 {
	keys := slices.Clone(s.scores)
	slices.SortFunc(keys, func(a, b int64) int { return cmp.Compare(b, a) })
	return keys
}

// measured is how a walk's points compare with the truth, at ranks from 10,000 on.
type measured struct{ err, inside, n float64 }

func (m *measured) compare(points []predictor.Point, truth []int64, later bool) {
	for _, p := range points[:len(points)-1] {
		if !p.Open {
			continue
		}
		better, sd := float64(p.Better), p.Error
		if later {
			better, sd = p.Later, p.LaterError
		}
		actual := float64(sort.Search(len(truth), func(i int) bool { return truth[i] <= p.Key }))
		m.n++
		m.err += math.Abs(better-actual) / max(actual, 1)
		if math.Abs(better-actual) <= 1.96*sd+1 {
			m.inside++
		}
	}
}

func TestRollingWalkCarriesTheOtherShardsForward(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic on one goroutine, for a minute; run without -short")
	}
	s := newSeason(t, 32, draw(200_000, lognormal))
	options := sampler.Options{Method: sampler.Counted, Head: 2000, Shards: 2}
	full := options
	full.Full = true
	walk := s.walk(0, full)
	whole := walk.Usage.ReadUnits()
	if walk.Walked != 32 {
		t.Fatalf("a full walk walked %d of 32 shards", walk.Walked)
	}
	var now, later measured
	now.compare(walk.Points, s.sorted(), false)
	if now.err != 0 {
		t.Errorf("a walk of every shard is off by %g", now.err)
	}
	var last sampler.Walk
	for at := 1; at <= 40; at++ {
		s.gain(0.005)
		if at > 20 {
			later.compare(last.Points, s.sorted(), true)
		}
		last = s.walk(at, options)
		if last.Walked != 2 || last.Method != sampler.Rolling {
			t.Fatalf("tick %d: %s walk of %d shards", at, last.Method, last.Walked)
		}
		if at > 20 {
			now.compare(last.Points, s.sorted(), false)
		}
	}
	t.Logf("2 of 32 shards: %.3f of a full walk's read units; mean error %.3f %%, %.1f %% inside; a tick later %.3f %%, %.1f %%",
		last.Usage.ReadUnits()/whole, 100*now.err/now.n, 100*now.inside/now.n, 100*later.err/later.n, 100*later.inside/later.n)
	if now.inside < 0.95*now.n || later.inside < 0.93*later.n {
		t.Errorf("%.1f %% inside now, %.1f %% a tick later", 100*now.inside/now.n, 100*later.inside/later.n)
	}
	if now.err/now.n > 0.002 {
		t.Errorf("mean error %.3f %%", 100*now.err/now.n)
	}
	if last.Usage.ReadUnits() > whole/4 {
		t.Errorf("took %.0f read units, all shards %.0f", last.Usage.ReadUnits(), whole)
	}
}

func TestBudgetChoosesHowManyShardsAreWalked(t *testing.T) {
	s := newSeason(t, 32, draw(200_000, lognormal))
	all := s.walk(0, sampler.Options{Full: true, Method: sampler.Counted, Head: 1000}).Usage.ReadUnits()
	s.state = sampler.State{}
	for at, budget := range []float64{all / 4, all / 2, all * 1.5} {
		o := sampler.Options{Method: sampler.Counted, Head: 1000, ReadBudget: budget}
		planned, err := sampler.New(s.store(), s.board, column, o).Predict(context.Background(), s.state)
		if err != nil {
			t.Fatal(err)
		}
		walk := s.walk(at, o)
		t.Logf("budget %.0f: %d shards, %s; planned %d shards, %.0f read units", budget, walk.Walked, walk.Usage, planned.Shards, planned.ReadUnits)
		if got := walk.Usage.ReadUnits(); got > budget {
			t.Errorf("a budget of %.0f: %.0f spent", budget, got)
		}
		if planned.Shards != walk.Walked || math.Abs(planned.ReadUnits/walk.Usage.ReadUnits()-1) > 0.1 {
			t.Errorf("a budget of %.0f: %d shards planned at %.0f, %d walked at %.0f", budget, planned.Shards, planned.ReadUnits, walk.Walked, walk.Usage.ReadUnits())
		}
	}
}

func TestRollingStartsColdFromASample(t *testing.T) {
	s := newSeason(t, 32, draw(100_000, lognormal))
	walk := s.walk(0, sampler.Options{Method: sampler.Counted, Head: 1000, Shards: 4, ReadBudget: 130})
	var m measured
	m.compare(walk.Points, s.sorted(), false)
	t.Logf("%d of 32 shards: mean error %.2f %%, %.1f %% inside", walk.Walked, 100*m.err/m.n, 100*m.inside/m.n)
	if walk.Walked > 16 || m.inside < 0.95*m.n || m.err/m.n > 0.05 {
		t.Errorf("%d walked, mean error %.2f %%, %.1f %% inside", walk.Walked, 100*m.err/m.n, 100*m.inside/m.n)
	}
	if walk.Horizon != 0 {
		t.Errorf("a first walk looks %v ahead", walk.Horizon)
	}
}

// TestRollingForgetsWhatNoLongerHolds changes a board, or the clock, so that what
// was seen of it is no guide.
func TestRollingForgetsWhatNoLongerHolds(t *testing.T) {
	o := sampler.Options{Method: sampler.Counted, Head: 500, Shards: 4}
	begin := func(t *testing.T) *season {
		t.Helper()
		s := newSeason(t, 16, draw(50_000, lognormal))
		full := o
		full.Full = true
		s.walk(10, full)
		for at := 11; at < 15; at++ {
			s.walk(at, o)
		}
		return s
	}
	check := func(t *testing.T, s *season, walk sampler.Walk) {
		t.Helper()
		var m measured
		m.compare(walk.Points, s.sorted(), false)
		if m.inside < 0.9*m.n || math.Abs(float64(walk.Entries)/float64(len(s.scores))-1) > 0.1 {
			t.Errorf("%d entries of %d, %.1f %% of %v inside", walk.Entries, len(s.scores), 100*m.inside/m.n, m.n)
		}
	}
	t.Run("wiped", func(t *testing.T) {
		s := begin(t)
		s.scores, s.shards = s.scores[:2500], s.shards[:2500]
		check(t, s, s.walk(15, o))
	})
	t.Run("ten times as large", func(t *testing.T) {
		s := begin(t)
		for range 450_000 {
			s.scores = append(s.scores, int64(math.Exp(9+1.5*s.random.NormFloat64())))
			s.shards = append(s.shards, s.random.IntN(16))
		}
		check(t, s, s.walk(15, o))
	})
	t.Run("another shard count", func(t *testing.T) {
		s := begin(t)
		s.board.Shards = 12
		for i := range s.shards {
			s.shards[i] = s.random.IntN(12)
		}
		check(t, s, s.walk(15, o))
	})
	t.Run("a clock that jumped back", func(t *testing.T) {
		s := begin(t)
		check(t, s, s.walk(12, o)) // 12, 13 and 14 are the future now
		for _, sighting := range s.state.History.Sightings {
			if at := dawn.Add(12 * tick); sighting.At.After(at) {
				t.Errorf("a sighting at %v is kept at %v", sighting.At, at)
			}
		}
		check(t, s, s.walk(2, o)) // before anything was seen
	})
	t.Run("emptied", func(t *testing.T) {
		s := begin(t)
		s.scores, s.shards = nil, nil
		if walk := s.walk(15, o); walk.Entries != 0 {
			t.Errorf("%d entries on an empty board", walk.Entries)
		}
	})
}

// lame is partitions of which some fail a number of times.
type lame struct {
	store.Partitions
	fails map[int]int
}

func (l lame) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if q.Limit == 0 && l.fails[q.Partition.Shard] > 0 { // a walk's rows, not the head's
		l.fails[q.Partition.Shard]--
		return store.Page{}, fmt.Errorf("read partition %s: %w", q.Partition, errBroken)
	}
	return l.Partitions.Rows(ctx, q)
}

func TestAShardThatFailsTwiceIsCarriedForward(t *testing.T) {
	o := sampler.Options{Method: sampler.Counted, Head: 500, Shards: 4, Parallel: 1}
	s := newSeason(t, 16, draw(50_000, lognormal))
	full := o
	full.Full = true
	s.walk(0, full)

	walk := s.walkOn(lame{s.store(), map[int]int{2: 1}}, 1, o)
	if walk.Walked != 4 || len(walk.Failed) != 0 {
		t.Errorf("after one failure %d shards were walked: %v", walk.Walked, walk.Failed)
	}
	walk = s.walkOn(lame{s.store(), map[int]int{6: 2}}, 2, o)
	if walk.Walked != 3 || len(walk.Failed) != 1 || !strings.Contains(walk.Failed[0].Error(), "shard 6") {
		t.Errorf("after two failures %d shards were walked: %v", walk.Walked, walk.Failed)
	}
	var m measured
	m.compare(walk.Points, s.sorted(), false)
	if m.inside < 0.9*m.n {
		t.Errorf("%.1f %% inside", 100*m.inside/m.n)
	}
	if walk = s.walk(3, o); !slices.ContainsFunc(walk.State.History.Sightings, func(s kriging.Sighting) bool { return s.Shard == 6 && s.At.Equal(dawn.Add(3*tick)) }) {
		t.Error("the shard that failed is not the first one walked next")
	}
	if _, err := s.try(lame{s.store(), map[int]int{11: 9, 12: 9, 13: 9}}, 4, o); !errors.Is(err, errBroken) {
		t.Errorf("three of four shards failed: %v", err)
	}
}

func TestAWholeWalkForetellsFromTheOnesBefore(t *testing.T) {
	s := newSeason(t, 8, draw(60_000, lognormal))
	var later measured
	var last sampler.Walk
	for at := range 12 {
		if at > 0 {
			s.gain(0.01)
		}
		if at > 5 {
			for _, p := range last.Points {
				if p.LaterError > 0 {
					p.Open = true
					later.compare([]predictor.Point{p, p}, s.sorted(), true)
				}
			}
		}
		last = s.walk(at, sampler.Options{Method: sampler.Scores})
		if at > 0 && last.Horizon != tick {
			t.Fatalf("looks %v ahead", last.Horizon)
		}
	}
	t.Logf("%.0f places a tick later: mean error %.3f %%, %.1f %% inside", later.n, 100*later.err/later.n, 100*later.inside/later.n)
	if later.n == 0 || later.inside < 0.93*later.n {
		t.Errorf("%.1f %% of %.0f inside", 100*later.inside/later.n, later.n)
	}
}

// TestTheForecastHelpsBetweenRefreshes compares, a tick after a refresh, the curve moved
// on by its forecast with the curve as it was.
func TestTheForecastHelpsBetweenRefreshes(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic on one goroutine, for a minute; run without -short")
	}
	for _, part := range []float64{0.005, 0.05} {
		s := newSeason(t, 32, draw(200_000, lognormal))
		options := sampler.Options{Method: sampler.Counted, Head: 2000, Shards: 2}
		full := options
		full.Full = true
		s.walk(0, full)
		var still, moved measured
		var last sampler.Walk
		for at := 1; at <= 28; at++ {
			s.gain(part)
			if at > 20 {
				truth := s.sorted()
				still.compare(last.Points, truth, false)
				moved.compare(last.Points, truth, true)
			}
			last = s.walk(at, options)
		}
		t.Logf("%.1f %% of the owners gain a tick: a tick later %.3f %% off, and %.3f %% with the forecast", 100*part, 100*still.err/still.n, 100*moved.err/moved.n)
		if moved.err > 0.8*still.err {
			t.Errorf("%.1f %% of the owners gain a tick: the forecast is off by %.3f %%, the curve as it was by %.3f %%", 100*part, 100*moved.err/moved.n, 100*still.err/still.n)
		}
	}
}
