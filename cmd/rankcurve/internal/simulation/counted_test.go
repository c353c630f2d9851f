package simulation

import (
	"context"
	"testing"
)

// growing is a view at a tick of a board on which shard k has 100 k entries better than
// any key, and 10 k more each tick.
type growing int

func (g growing) entries() int64 { return 0 }

func (g growing) counts(_ context.Context, shard int, keys []int64) ([]int64, error) {
	counts := make([]int64, len(keys))
	for i := range counts {
		counts[i] = int64(shard) * (100 + 10*int64(g))
	}
	return counts, nil
}

func (g growing) held(context.Context, []int64, func(int64) int64) ([]int64, error) { return nil, nil }

func TestWaysThatCount(t *testing.T) {
	c := newCounted(Options{Shards: 4})
	at := func(tick int, shards ...int) { c.saw(shards, tick, growing(tick)) }
	check := func(what string, fresh, rolled float64) {
		t.Helper()
		gotFresh, err := c.freshShards(context.Background(), []int64{7})
		if err != nil {
			t.Fatal(err)
		}
		gotRolled, err := c.rollingSum(context.Background(), []int64{7})
		if err != nil {
			t.Fatal(err)
		}
		if gotFresh[0] != fresh || gotRolled[0] != rolled {
			t.Errorf("%s: fresh shards %v, rolling sum %v; want %v and %v", what, gotFresh[0], gotRolled[0], fresh, rolled)
		}
	}
	at(0, 0, 1, 2, 3)
	check("all of them", 600, 600)
	at(1, 0, 1) // 0 and 110
	check("two once, two twice", 220, 110+500)
	at(2, 2, 3) // 240 and 360: the others were 0 and 110, and are carried on
	check("all twice", 1200, 120+600)
	at(5, 0) // the others go on as they went, which is what they do
	check("one for all", 0, 150*6)
}
