package plan

import (
	"math"

	"github.com/rankcurve/rankcurve/store"
)

// WritesPerShard is how many score changes a second one shard is given at most. A
// change is a deletion and an insertion in the index, 2 write units, and a partition takes 1,000
// units a second: 500 changes, of which half stay free for the hash's unevenness over a
// second and for growth, since a board keeps its shards for life.
const WritesPerShard = 250

// ShardsForWrites is the least number of shards that take so many score changes a
// second at peak.
func ShardsForWrites(changes float64) int { return max(1, int(math.Ceil(changes/WritesPerShard))) }

// ShardsForWalk is the least number of shards with which a walk of all of them, at the
// pace, ends within half of the interval, and whether there is one.
func (b Board) ShardsForWalk() (int, bool) {
	fits := func(shards int) bool {
		b.Shards = shards
		return b.full().Seconds <= b.Every.Seconds()/2
	}
	for high := 1; ; high *= 2 {
		high = min(high, store.MaxShards)
		if fits(high) {
			low := high / 2 // does not fit
			for high-low > 1 {
				if mid := (low + high) / 2; fits(mid) {
					high = mid
				} else {
					low = mid
				}
			}
			return high, true
		}
		if high == store.MaxShards {
			return 0, false
		}
	}
}
