package plan_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/sampler/plan"
)

var onDemand = plan.Prices{ReadUnitMillion: 0.125, WriteUnitMillion: 0.625, RAMGBMonth: 12}

func tenMillion() plan.Board {
	return plan.Board{Entries: 10_000_000, EntryBytes: 100, Every: every, Churn: 0.06, Walk: sampler.Options{Pace: sampler.DefaultPace}}
}

func choose(t *testing.T, b plan.Board, w plan.Wishes) plan.Choice {
	t.Helper()
	w.Prices = onDemand
	c, err := plan.Choose(b, w)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestShardsForWrites(t *testing.T) {
	for changes, want := range map[float64]int{0: 1, 1: 1, 250: 1, 250.1: 2, 2000: 8, 1e6: 4000} {
		if got := plan.ShardsForWrites(changes); got != want {
			t.Errorf("%v changes a second: %d shards, want %d", changes, got, want)
		}
	}
}

// The numbers of the design: 10 million entries of 100 bytes are 122,000 read units,
// $0.015, and one partition gives 300 units a second.
func TestAFullWalkOfTenMillion(t *testing.T) {
	b := tenMillion()
	b.Shards = 16
	c := b.Refresh(16)
	if c.ReadUnits < 122_000 || c.ReadUnits > 126_000 || c.Requests > 5000 || c.Method != sampler.Counted {
		t.Errorf("%+v", c)
	}
	if m := b.Monthly(c, onDemand); m.Dollars < 133 || m.Dollars > 140 { // 8,760 times $0.015, and writes
		t.Errorf("%+v", m)
	}
	k, ok := b.ShardsForWalk()
	if !ok {
		t.Fatal("no number of shards is walked within half of the interval")
	}
	b.Shards = k
	if s := b.Refresh(k).Seconds; s > 150 {
		t.Errorf("with %d shards it takes %.0f s", k, s)
	}
	if b.Shards--; b.Refresh(b.Shards).Seconds <= 150 {
		t.Errorf("%d shards would do too", b.Shards)
	}
	b.Every = time.Second
	if k, ok := b.ShardsForWalk(); ok {
		t.Errorf("%d shards are walked in half a second", k)
	}
}

func TestASmallBoardNeedsNoShards(t *testing.T) {
	b := tenMillion()
	b.Entries, b.Churn = 50_000, 0.012
	c := choose(t, b, plan.Wishes{Writes: 2})
	if c.Board.Shards != 1 || c.Walked != 1 || c.Cost.Method != sampler.Scores {
		t.Errorf("%+v", c)
	}
	if c = choose(t, b, plan.Wishes{Writes: 2000}); c.Board.Shards != 8 {
		t.Errorf("2,000 changes a second: %d shards", c.Board.Shards)
	}
}

// A budget pays for so many shards and for no more; an accuracy takes so many and no
// fewer.
func TestWishesAreKeptAndNotOverdone(t *testing.T) {
	b := tenMillion()
	for _, w := range []plan.Wishes{
		{Writes: 2000, Shards: 64, Budget: 20},
		{Writes: 2000, Shards: 8, Budget: 100},
		{Writes: 10, Budget: 5},
		{Writes: 2000, Shards: 64, Accuracy: 0.005},
		{Writes: 2000, Shards: 8, Accuracy: 0.002},
		{Writes: 10, Accuracy: 0.01},
		{Writes: 2000, Budget: 100, Accuracy: 0.005},
		{Writes: 2000},
	} {
		c := choose(t, b, w)
		other := c.Board
		if w.Accuracy == 0 && w.Budget == 0 {
			w.Accuracy = plan.DefaultAccuracy
		}
		if w.Budget > 0 && c.Monthly.Dollars > w.Budget || w.Accuracy > 0 && c.Off() > w.Accuracy || c.Cost.Seconds > every.Seconds() {
			t.Errorf("%+v: %+v", w, c)
		}
		if w.Accuracy == 0 && c.Walked < other.Shards && other.Monthly(other.Refresh(c.Walked+1), onDemand).Dollars <= w.Budget {
			t.Errorf("%+v: %d of %d shards, and the budget pays for more", w, c.Walked, other.Shards)
		}
		if w.Accuracy > 0 && c.Walked > 1 && c.Rotation() < 16 && plan.NinetyFive*other.ErrorAt(10_001, c.Walked-1).Fresh()/10_001 <= w.Accuracy {
			t.Errorf("%+v: %d of %d shards, and fewer would do", w, c.Walked, other.Shards)
		}
		if w.Shards > 0 && other.Shards != w.Shards {
			t.Errorf("%+v: %d shards", w, other.Shards)
		}
	}
}

func TestWishesThatNoPlanKeeps(t *testing.T) {
	b := tenMillion()
	scores, hurried := b, b
	scores.Walk.Method = sampler.Scores
	hurried.Every = time.Second
	for _, tc := range []struct {
		board plan.Board
		w     plan.Wishes
		wish  plan.Wish
	}{
		{b, plan.Wishes{Writes: 2000, Budget: 0.1}, plan.Budget},
		{scores, plan.Wishes{Writes: 2000, Budget: 50}, plan.Budget}, // all shards or none
		{b, plan.Wishes{Writes: 2000, Accuracy: 1e-5}, plan.Accuracy},
		{b, plan.Wishes{Writes: 2000, Accuracy: 1e-3, Budget: 10}, plan.Accuracy},
		{hurried, plan.Wishes{Writes: 2000, Shards: 8}, plan.Time},
	} {
		tc.w.Prices = onDemand
		_, err := plan.Choose(tc.board, tc.w)
		var no *plan.ImpossibleError
		if !errors.As(err, &no) || no.Wish != tc.wish || no.Cheapest.Walked == 0 || (tc.wish == plan.Accuracy) != (no.Surest.Walked > 0) {
			t.Errorf("%+v: %v", tc.w, err)
		}
	}
}

func TestErrorsGrowWithWhatIsNotWalked(t *testing.T) {
	b := tenMillion()
	b.Shards = 64
	for _, rank := range b.Depths() {
		before := 0.0
		for walked := 64; walked >= 1; walked /= 2 {
			e := b.ErrorAt(rank, walked)
			if e.Fresh() < before || e.Oldest() < e.Fresh() {
				t.Errorf("rank %d, %d of 64 shards: %+v, and %.1f with more", rank, walked, e, before)
			}
			before = e.Fresh()
			// The walked shards alone are a sample of the board.
			if sample := b.Carried(float64(rank), walked); sample*sample > float64(rank)*(64/float64(walked)-1)*1.0001 {
				t.Errorf("rank %d, %d of 64 shards: %.1f is worse than scaling them up", rank, walked, sample)
			}
		}
	}
	b.Churn = 0
	if e := b.ErrorAt(1_000_000, 1); e.Carried != 0 || e.Aged != 0 {
		t.Errorf("a board at rest: %+v", e)
	}
}

func TestAlternatives(t *testing.T) {
	b := tenMillion()
	b.Shards = 16
	if units := b.CountUnits(5_000_000); units < 61_035 || units > 61_200 {
		t.Errorf("counting 5,000,000 takes %.0f read units", units)
	}
	if units := b.CountUnits(1); units != 8 {
		t.Errorf("counting one takes %v read units, half a one for each shard", units)
	}
	gigabytes, dollars := b.RAMMonth(onDemand)
	if gigabytes < 1.32 || gigabytes > 1.33 || dollars != 12*gigabytes {
		t.Errorf("%v GB for $%v", gigabytes, dollars)
	}
}
