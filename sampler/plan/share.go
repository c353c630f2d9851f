package plan

import "math"

// OneRound is the probability that the exact best n of a board come with the first read
// of so many rows from every shard, at least. A shard is asked again if its rows run out
// before the n-th is out: if so many or more of the best n-1 are in it, whose number is
// binomial for the hash deals each of them a shard of its own. That any shard has so
// many is at most as probable as all the shards' chances together (Boole's bound); the
// binomial's tail is summed exactly.
func OneRound(n, shards, rows int) float64 {
	if rows >= n {
		return 1
	}
	return max(0, 1-float64(shards)*binomialTail(n-1, 1/float64(shards), rows))
}

// binomialTail is the probability of at least so many successes in n trials.
func binomialTail(n int, p float64, least int) float64 {
	if p >= 1 {
		if n >= least {
			return 1
		}
		return 0
	}
	sum := 0.0
	for i := least; i <= n; i++ {
		term := math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		sum += term
		if float64(i) > p*float64(n) && term < 1e-18*sum {
			break
		}
	}
	return min(1, sum)
}

func logChoose(n, k int) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}
