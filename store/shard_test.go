package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

// The numbers are SHA-256's, computed by another program: another language must
// find the same shards.
func TestShardOfKnownVectors(t *testing.T) {
	for _, c := range []struct {
		owner      string
		of16, of37 int
	}{
		{"ann", 14, 7},
		{"bob", 10, 23},
		{"player-00000001", 10, 13},
		{"日本", 11, 8},
		{"", 4, 1},
	} {
		if a, b := store.ShardOf(c.owner, 16), store.ShardOf(c.owner, 37); a != c.of16 || b != c.of37 {
			t.Errorf("owner %q is in shard %d of 16 and %d of 37, want %d and %d", c.owner, a, b, c.of16, c.of37)
		}
		if got := store.ShardOf(c.owner, 1); got != 0 {
			t.Errorf("owner %q is in shard %d of 1", c.owner, got)
		}
	}
}

// Owners that count upwards are as good as random ones: the chi-square statistic
// of their shards stays near its mean, the number of shards less one.
func TestShardOfIsUniform(t *testing.T) {
	const n = 100_000
	for _, format := range []string{"%d", "player-%08d", "user:%d@example"} {
		for _, shards := range []int{2, 16, 37, 1296} {
			seen := make([]int, shards)
			for i := range n {
				seen[store.ShardOf(fmt.Sprintf(format, i), shards)]++
			}
			expected, chi := float64(n)/float64(shards), 0.0
			for _, o := range seen {
				chi += (float64(o) - expected) * (float64(o) - expected) / expected
			}
			degrees := float64(shards - 1)
			if z := (chi - degrees) * (chi - degrees); z > 25*2*degrees+60 { // five standard deviations
				t.Errorf("%q over %d shards: chi-square %.1f, mean %.0f", format, shards, chi, degrees)
			}
		}
	}
}

func TestPartitionNames(t *testing.T) {
	for shard, want := range map[int]string{0: "missions#00", 35: "missions#0z", 36: "missions#10", 1295: "missions#zz"} {
		p := store.Board{Name: "missions"}.Partition("xp", shard)
		if got := p.HashKey(); got != want {
			t.Errorf("shard %d has hash key %s, want %s", shard, got, want)
		}
	}
	if got := (store.Partition{Board: "b", Column: "xp", Shard: 3}).String(); got != "b.xp shard 3" {
		t.Errorf("partition prints as %s", got)
	}
	if got := (store.CurveKey{Board: "b", Column: "xp"}).String(); got != "b.xp" {
		t.Errorf("curve key prints as %s", got)
	}
}

// The best n of a board nearly always lie in the shares of its shards: here in all
// of 2,000 draws of 1,000 over 32.
func TestShardShare(t *testing.T) {
	for _, c := range []struct{ n, shards, want int }{{1, 1, 1}, {1, 16, 1}, {10, 1, 10}, {100, 16, 17}, {1000, 32, 52}, {10_000, 16, 703}} {
		if got := store.ShardShare(c.n, c.shards); got != c.want {
			t.Errorf("ShardShare(%d, %d) = %d, want %d", c.n, c.shards, got, c.want)
		}
	}
	var passed int
	for draw := range 2000 {
		var held [32]int
		for i := range 1000 {
			held[store.ShardOf(fmt.Sprintf("%d/%d", draw, i), 32)]++
		}
		if slices.Max(held[:]) > store.ShardShare(1000, 32) {
			passed++
		}
	}
	if passed > 100 { // one draw in twenty-five, with 32 shards at three deviations each
		t.Errorf("%d of 2,000 draws hold more than the share somewhere", passed)
	}
}
