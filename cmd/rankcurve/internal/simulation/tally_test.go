package simulation

import (
	"math"
	"testing"

	"github.com/rankcurve/rankcurve/predictor"
)

func TestTally(t *testing.T) {
	tally := newTally(1_000_000)
	estimate := func(better, half int64) predictor.Estimate {
		return predictor.Estimate{Better: better, Low: better - half, High: better + half}
	}
	// Ranks 20,000 and 25,000, and one that is too near the top to be asked for.
	tally.add(answer{better: 19_999, fullWalk: 20_199, fullWalkForecast: 19_999, freshShards: 19_799, rolled: 19_999, ours: estimate(20_039, 50), aged: estimate(20_099, 50)})
	tally.add(answer{better: 24_999, fullWalk: 24_999, fullWalkForecast: 25_249, freshShards: 24_499, rolled: 24_999, ours: estimate(24_999, 0), aged: estimate(24_999, 125)})
	tally.add(answer{better: 5, fullWalk: 1e6})
	tally.add(answer{better: 999})
	tally.add(answer{better: 950_000, fullWalk: 950_000, fullWalkForecast: 950_000, freshShards: 950_000, rolled: 950_000, ours: estimate(950_000, 1), aged: estimate(950_000, 1)})

	b := tally.bands[3].band()
	want := Band{
		From: 10_000, To: 30_000, Answers: 2, FullWalk: 0.005, FullWalkForecast: 0.005, FreshShards: 0.015, RollingSum: 0,
		Ours: 0.001, OursAged: 0.0025, Inside: 1, InsideAged: 0.5, Width: 0.005, WidthAged: 0.01,
	}
	if b != want {
		t.Errorf("%+v\nwant %+v", b, want)
	}
	if gain, ok := b.Gain(); !ok || math.Abs(gain-5) > 1e-9 {
		t.Errorf("gain %v, %v", gain, ok)
	}
	last := tally.bands[len(tally.bands)-1].band()
	if last.From != 400_000 || last.To != 0 || last.Answers != 1 || last.Inside != 1 {
		t.Errorf("the last band is %+v", last)
	}
	if _, ok := last.Gain(); ok {
		t.Error("an exact curve gains a number")
	}
	if deep := tally.deep.band(); deep.Answers != 3 || deep.From != 10_000 || deep.To != 0 {
		t.Errorf("deep: %+v", deep)
	}
	if all := tally.all.band(); all.Answers != 4 || all.From != 10 || all.To != 0 {
		t.Errorf("all: %+v", all)
	}
}

// The bands reach as far as the board, and the last of them is no sliver.
func TestBandsFollowTheBoard(t *testing.T) {
	for entries, last := range map[int]int64{50_000: 30_000, 100_000: 30_000, 200_000: 75_000, 1_000_000: 400_000, 10_000_000: 3_000_000, 2_000_000_000: 1_000_000_000} {
		tally := newTally(entries)
		if got := tally.bands[len(tally.bands)-1].From; got != last {
			t.Errorf("%d entries: the last band begins at %d, want %d", entries, got, last)
		}
		for i := 1; i < len(tally.bands); i++ {
			if tally.bands[i-1].To != tally.bands[i].From {
				t.Errorf("%d entries: band %d ends at %d, the next begins at %d", entries, i-1, tally.bands[i-1].To, tally.bands[i].From)
			}
		}
	}
}
