package synthetic_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

// keyAt is about the key that a part u of a uniform column's entries is better than.
func keyAt(u float64) int64 { return int64((1 - u) * 1e12) }

var uniform = synthetic.Model{Shape: synthetic.Uniform, Scale: 1e12}

// deviations are how far each shard's number is from its part of the board's.
func deviations(tb testing.TB, st *synthetic.Store, column int, key int64) (deviations []float64, mean float64) {
	tb.Helper()
	board, err := st.Board(bg, "games")
	if err != nil {
		tb.Fatal(err)
	}
	for shard := range board.Shards {
		n, err := st.BetterIn(column, shard, key)
		if err != nil {
			tb.Fatal(err)
		}
		deviations = append(deviations, float64(n))
		mean += float64(n) / float64(board.Shards)
	}
	for i := range deviations {
		deviations[i] -= mean
	}
	return deviations, mean
}

// Hash shards share out the entries better than any score as a multinomial draw:
// sum((n_k - mean)^2 / mean) is a chi square of shards-1 degrees of freedom.
func TestShardsAreRandomSamples(t *testing.T) {
	for _, c := range []struct {
		entries int64
		shards  int
	}{{20_000, 37}, {2_000_000, 1024}, {1_000_000_000, 1024}, {synthetic.MaxEntries, 1296}} {
		for _, churned := range churns {
			board := boardOf(c.shards, column)
			st := made(t, board, synthetic.Options{Entries: c.entries, Seed: 5, Model: uniform, Churn: synthetic.Churn{
				Rescored: churned.churn.Rescored, Replaced: churned.churn.Replaced,
			}}).At(churned.tick)
			for _, u := range []float64{0.0003, 0.01, 0.2, 0.5, 0.93, 1} {
				off, mean := deviations(t, st, 0, keyAt(u)-1)
				if mean < 3 {
					continue
				}
				chi := 0.0
				for _, d := range off {
					chi += d * d / mean
				}
				freedom := float64(c.shards - 1)
				if z := (chi - freedom) / math.Sqrt(2*freedom); math.Abs(z) > 4 {
					t.Errorf("%d entries, %d shards, %s, quantile %v: chi square %.0f, %.1f standard deviations off", c.entries, c.shards, churned.name, u, chi, z)
				}
				// and the board's own number is a binomial draw, of standard deviation 1/sqrt
				whole := float64(c.entries) * u
				if z := (mean*float64(c.shards) - whole) / math.Sqrt(whole*(1-u)+1); math.Abs(z) > 4 {
					t.Errorf("%d entries, quantile %v: %.0f better, want about %.0f", c.entries, u, mean*float64(c.shards), whole)
				}
			}
		}
	}
}

func correlation(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	return ab / math.Sqrt(aa*bb)
}

// What a shard deviates by is forgotten at the rates of the churn.
func TestDeviationsDecorrelate(t *testing.T) {
	const shards = 1024
	board := boardOf(shards, column)
	for _, churn := range []synthetic.Churn{{}, {Rescored: 0.02}, {Replaced: 0.02}, {Rescored: 0.015, Replaced: 0.005}} {
		st := made(t, board, synthetic.Options{Entries: 5_000_000, Seed: 11, Model: uniform, Churn: churn})
		for _, u := range []float64{0.02, 0.4, 0.8, 1} {
			const from = 30
			before, _ := deviations(t, st.At(from), 0, keyAt(u)-1)
			line := ""
			for _, dt := range []float64{1, 10, 50, 100} {
				after, _ := deviations(t, st.At(from+dt), 0, keyAt(u)-1)
				got := correlation(before, after)
				want := (1-u)*math.Exp(-(churn.Rescored+churn.Replaced)*dt) + u*math.Exp(-churn.Replaced*dt)
				line += fmt.Sprintf("  %v ticks %.3f (%.3f)", dt, got, want)
				if math.Abs(got-want) > 4*(1-want*want)/math.Sqrt(shards)+0.01 {
					t.Errorf("%+v, quantile %v, %v ticks apart: correlation %.3f, want %.3f", churn, u, dt, got, want)
				}
			}
			t.Logf("rescored %v, replaced %v, quantile %v:%s", churn.Rescored, churn.Replaced, u, line)
		}
	}
}

// Shards deviate on their own, and so do columns, as far as one shard is not larger.
func TestDeviationsAreIndependent(t *testing.T) {
	other := store.Column{Name: "time", Order: store.Desc, Operator: store.Set}
	board := boardOf(1024, column, other)
	o := synthetic.Options{Entries: 5_000_000, Seed: 3, Model: uniform}
	st := made(t, board, o)
	o.Seed = 4
	reseeded := made(t, board, o)
	const u = 0.01
	xp, _ := deviations(t, st, 0, keyAt(u))
	elsewhere, _ := deviations(t, reseeded, 0, keyAt(u))
	ofTime, _ := deviations(t, st, 1, keyAt(u))
	for what, c := range map[string]float64{
		"of two columns":         correlation(xp, ofTime),
		"of two seeds":           correlation(xp, elsewhere),
		"of neighbouring shards": correlation(xp[1:], xp[:len(xp)-1]),
	} {
		if math.Abs(c) > 4/math.Sqrt(1024) {
			t.Errorf("deviations %s have the correlation %.3f", what, c)
		}
	}
}
