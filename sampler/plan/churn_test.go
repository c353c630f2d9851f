package plan_test

import (
	"math"
	"testing"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
)

// The planned error is the measured one to a factor of 2, at every depth, just after a
// refresh and just before the next, on boards of which a part of the owners gain 0 to 50 %
// between two refreshes.
func TestPlannedErrorsAreThoseOfRefreshes(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates days of churn")
	}
	for _, tc := range []struct {
		name                    string
		entries, shards, walked int
		churn                   float64
	}{
		{"0.5 %, 2 of 16 shards", 200_000, 16, 2, 0.005},
		{"5 %, 3 of 8 shards", 200_000, 8, 3, 0.05},
		{"0.5 %, all of 8 shards", 200_000, 8, 8, 0.005},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newChurning(t, tc.entries, tc.shards)
			b := c.plan()
			b.Churn = tc.churn
			options := jobs.Options{Method: sampler.Counted, Shards: tc.walked}
			depths := []int{10_100, 30_000, 80_000, tc.entries * 6 / 10}
			fresh, old := make([]float64, len(depths)), make([]float64, len(depths))
			settled, measured := 2*(tc.shards+tc.walked-1)/tc.walked, 6
			for tick := range settled + measured {
				c.refresh(options)
				if tick >= settled {
					for i := range len(depths) - 1 {
						off := c.off(depths[i], depths[i+1], 0, func(rank int64) float64 { return b.ErrorAt(rank, tc.walked).Fresh() })
						fresh[i] += off * off / float64(measured)
					}
				}
				c.tick(tc.churn)
				if tick >= settled {
					for i := range len(depths) - 1 {
						off := c.off(depths[i], depths[i+1], every, func(rank int64) float64 { return b.ErrorAt(rank, tc.walked).Oldest() })
						old[i] += off * off / float64(measured)
					}
				}
			}
			for i := range len(depths) - 1 {
				for name, off := range map[string]float64{"after a refresh": math.Sqrt(fresh[i]), "before the next": math.Sqrt(old[i])} {
					t.Logf("ranks %d to %d, %s: %.2f times the planned error", depths[i], depths[i+1], name, off)
					if off > 2 || off < 0.5 {
						t.Errorf("ranks %d to %d, %s: the error is %.2f times the planned one, want 0.5 to 2", depths[i], depths[i+1], name, off)
					}
				}
			}
		})
	}
}
