package simulation

import (
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/churn"
)

// What promises_test.go holds at scale, at one that every test run has time for, with slack.
func TestSmallBoardsUnderChurn(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic of half a minute; run without -short")
	}
	for _, m := range []churn.Model{churn.Calm, churn.Bursts} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			r := simulate(t, Options{
				Model: m, Board: churn.Lognormal, Store: Memory, Entries: 200_000, Shards: 24, Walk: 2,
				Ticks: 36, Every: 5 * time.Minute, Seed: 1,
			})
			overall, each := 0.95, 0.90
			if m == churn.Bursts { // nobody knows of one before the tick that it is in
				overall, each = 0.90, 0.80
			}
			if r.All.Inside < overall || r.All.InsideAged < 0.9*overall {
				t.Errorf("%.1f %% inside the band, %.1f %% a tick later", 100*r.All.Inside, 100*r.All.InsideAged)
			}
			for _, b := range r.Bands {
				if b.Inside < each {
					t.Errorf("from rank %d: %.1f %% inside the band", b.From, 100*b.Inside)
				}
				if gain, ok := b.Gain(); ok && b.From >= 10_000 && gain < 1.5 {
					t.Errorf("from rank %d: off by %.3f %%, and the better of full walk (%.3f %%) and fresh shards (%.3f %%) by %.2f times that",
						b.From, 100*b.Ours, 100*b.FullWalk, 100*b.FreshShards, gain)
				}
			}
			if m == churn.Calm && r.Deep.Width > 0.01 {
				t.Errorf("the band is %.2f %% of the rank wide in the median", 100*r.Deep.Width)
			}
		})
	}
}
