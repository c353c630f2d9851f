package synthetic

import (
	"math"
	"testing"
)

// covariance of the values of one process at two times: they are sums of
// independent draws of variance 1, so only those that both have count.
func covariance(a, b noise) (sum float64) {
	weights := map[uint64]float64{}
	for _, d := range a {
		weights[d.time] = d.weight
	}
	for _, d := range b {
		sum += weights[d.time] * d.weight
	}
	return sum
}

func TestNoiseIsStationaryWithExponentialCorrelation(t *testing.T) {
	for _, rate := range []float64{0, 1e-7, 1e-4, 0.005, 0.1, 1, 20, 64} {
		worst := 0.0
		for _, from := range []float64{0, 1, 17, 100.5, 1599, 1600, 20_000, MaxTick - 1} {
			a := noiseAt(rate, timeOf(from))
			if v := covariance(a, a); math.Abs(v-1) > 1e-9 {
				t.Errorf("rate %v, tick %v: variance %v", rate, from, v)
			}
			for _, dt := range []float64{-100, -1, 1. / 64, 0.5, 1, 2, 3, 10, 77, 500, 3000, 100_000} {
				if from+dt < 0 || from+dt > MaxTick {
					continue
				}
				got, want := covariance(a, noiseAt(rate, timeOf(from+dt))), math.Exp(-rate*math.Abs(dt))
				worst = max(worst, math.Abs(got-want))
			}
		}
		t.Logf("rate %v: %d draws, correlations off by %.1e at most", rate, len(noiseAt(rate, timeOf(777))), worst)
		if worst > 1e-3 {
			t.Errorf("rate %v: a correlation is off by %v", rate, worst)
		}
	}
}

func TestNoiseIsNormal(t *testing.T) {
	const draws = 200_000
	for _, n := range []noise{still(), noiseAt(0.01, timeOf(777))} {
		var sums [5]float64 // of powers
		var under [20]float64
		for key := range uint64(draws) {
			z := n.normal(keyed(1, key))
			for power := range sums {
				sums[power] += math.Pow(z, float64(power)) / draws
			}
			under[int(20*n.uniform(keyed(1, key)))]++
		}
		// Standard errors of the moments: 1, sqrt 2, sqrt 15, sqrt 96 over sqrt draws.
		for power, want := range map[int]float64{1: 0, 2: 1, 3: 0, 4: 3} {
			if got := sums[power]; math.Abs(got-want) > 4*math.Sqrt(96./draws) {
				t.Errorf("moment %d is %v, want %v", power, got, want)
			}
		}
		chi := 0.0
		for _, seen := range under {
			chi += (seen - draws/20) * (seen - draws/20) / (draws / 20)
		}
		if chi > 43.8 { // 19 degrees of freedom: 1 in 1,000
			t.Errorf("the uniform values have a chi square of %.1f over 20 classes", chi)
		}
	}
}
