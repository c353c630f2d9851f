package kriging_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor/kriging"
)

// BenchmarkCombine is one refresh's combination of 300 cutpoints: shards walked in
// sets, each seen three times.
func BenchmarkCombine(b *testing.B) {
	for _, size := range []struct{ shards, walked int }{{16, 1}, {64, 4}, {1024, 16}, {1024, 1}} {
		b.Run(fmt.Sprintf("%d of %d", size.walked, size.shards), func(b *testing.B) {
			sightings := rotations(rand.New(rand.NewPCG(1, 2)), size.shards, size.walked, 300, 3)
			now := sightings[len(sightings)-1].At
			for b.Loop() {
				if _, _, err := kriging.Combine(sightings, size.shards, now, 5*time.Minute, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// rotations walks shards in sets, a few times round, on a board at rest.
func rotations(r *rand.Rand, shards, walked, cutpoints, rounds int) (sightings []kriging.Sighting) {
	counts := make([][]int64, shards)
	for k := range counts {
		better := int64(0)
		for range cutpoints {
			better += r.Int64N(100)
			counts[k] = append(counts[k], better)
		}
	}
	at := time.Unix(1_000_000_000, 0)
	for i := range rounds * shards {
		if i%walked == 0 {
			at = at.Add(5 * time.Minute)
		}
		sightings = append(sightings, kriging.Sighting{Shard: i % shards, At: at, Better: counts[i%shards]})
	}
	return sightings
}
