package sampler_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// A rebuilt is a board of so many entries that somebody rebuilds by hand.
type rebuilt struct {
	*season
}

func newRebuilt(t *testing.T) *rebuilt {
	t.Helper()
	r := &rebuilt{season: newSeason(t, 1, nil)}
	r.board = store.Board{Name: "games", Shards: 1, Columns: []store.Column{column}}
	return r
}

// at walks the board when it has so many entries.
func (r *rebuilt) at(after time.Duration, entries int) sampler.Walk {
	r.t.Helper()
	r.scores, r.shards = nil, make([]int, entries)
	for i := range entries {
		r.scores = append(r.scores, int64(100_000-100*i))
	}
	walk, err := sampler.New(r.store(), r.board, column, sampler.Options{AsOf: dawn.Add(after)}).Walk(context.Background(), r.state)
	if err != nil {
		r.t.Fatal(err)
	}
	data, err := walk.State.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	if r.state, err = sampler.DecodeState(data); err != nil {
		r.t.Fatal(err)
	}
	return walk
}

// curve is what the last walk publishes.
func (r *rebuilt) curve(walk sampler.Walk) *predictor.Curve {
	r.t.Helper()
	c, _, err := predictor.Build(predictor.Meta{Board: "games", Column: "xp", AsOf: dawn, Horizon: walk.Horizon}, walk.Points, predictor.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// What was changed by hand between two rebuilds goes on at that speed in nobody's mind.
func TestWalksInQuickSuccessionForetellNothing(t *testing.T) {
	for name, sizes := range map[string][]int{"removed": {4, 2}, "came": {4, 6}, "to and fro": {4, 2, 4}, "many": {1000, 1300}} {
		for _, gap := range []time.Duration{time.Millisecond, 300 * time.Millisecond, 5 * time.Second} {
			r := newRebuilt(t)
			var walk sampler.Walk
			for i, n := range sizes {
				walk = r.at(time.Duration(i)*gap, n)
			}
			c := r.curve(walk)
			for _, age := range []time.Duration{gap, time.Minute, time.Hour} {
				if e, want := c.Held(100_000, age), (predictor.Estimate{}); c.TotalAt(age) != walk.Entries || e != want {
					t.Errorf("%s, %v apart: %v later the best of %d has %+v better, of %d", name, gap, age, walk.Entries, e, c.TotalAt(age))
				}
			}
		}
	}
}

// Of walks in quick succession the last is what the board came to, and the one before
// them is what it is held against.
func TestAQuickSuccessionIsOneSighting(t *testing.T) {
	r := newRebuilt(t)
	r.at(0, 600)
	r.at(time.Hour, 600)
	r.at(2*time.Hour, 600)
	walk := r.at(2*time.Hour+time.Second, 400)
	if want := time.Hour + time.Second; walk.Horizon != want {
		t.Errorf("looks %v ahead, want %v", walk.Horizon, want)
	}
	walk = r.at(2*time.Hour+2*time.Second, 590)
	if want := time.Hour + 2*time.Second; walk.Horizon != want {
		t.Errorf("looks %v ahead, want %v", walk.Horizon, want)
	}
	walk = r.at(26*time.Hour, 590)
	if want := 24*time.Hour - 2*time.Second; walk.Horizon != want {
		t.Errorf("looks %v ahead, want %v", walk.Horizon, want)
	}
	last := walk.Points[len(walk.Points)-1]
	if math.Abs(last.Later-590) > 10 {
		t.Errorf("%.1f entries are foretold of a board that had 600 for two hours and 590 for a day", last.Later)
	}
}

// Who refreshes every ten seconds has a forecast all the same.
func TestFrequentWalksLookBackFarEnough(t *testing.T) {
	r := newRebuilt(t)
	var last sampler.Walk
	for i := range 40 {
		walk := r.at(time.Duration(i)*10*time.Second, 1000+10*i)
		if i >= 3 && (walk.Horizon < 30*time.Second || walk.Horizon > 70*time.Second) {
			t.Fatalf("walk %d looks %v ahead", i, walk.Horizon)
		}
		last = walk
	}
	if n := len(last.State.History.Sightings); n != 6 {
		t.Errorf("%d sightings are kept", n)
	}
	now, later := float64(last.Entries), last.Points[len(last.Points)-1].Later
	if want := now + last.Horizon.Seconds(); math.Abs(later-want) > 10 {
		t.Errorf("%.0f entries are foretold %v on, want about %.0f", later, last.Horizon, want)
	}
}

// Two of a few that came or went are chance, as far as anybody knows: the band tells it.
func TestAChangeWithinItsErrorMovesNothing(t *testing.T) {
	for _, sizes := range [][]int{{4, 6}, {6, 4}, {4, 4, 4, 6}, {8, 6, 4}, {100, 102}} {
		r := newRebuilt(t)
		var walk sampler.Walk
		for i, n := range sizes {
			walk = r.at(time.Duration(i)*time.Minute, n)
		}
		c := r.curve(walk)
		for _, age := range []time.Duration{time.Minute, time.Hour} {
			e := c.Held(100_000-100*(walk.Entries/2), age)
			if c.TotalAt(age) != walk.Entries || e.Better != walk.Entries/2 || e.Low == e.Better || e.High == e.Better {
				t.Errorf("%v: after %v %+v of %d, want %d and a band", sizes, age, e, c.TotalAt(age), walk.Entries/2)
			}
		}
	}
	r := newRebuilt(t)
	var walk sampler.Walk
	for i := range 4 {
		walk = r.at(time.Duration(i)*time.Minute, 1000+100*i)
	}
	if later := r.curve(walk).TotalAt(time.Minute); later < 1390 || later > 1410 {
		t.Errorf("%d entries are foretold of 1000, 1100, 1200 and 1300", later)
	}
}
