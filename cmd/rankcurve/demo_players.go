package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// newcomerScore is what every player starts on.
const newcomerScore = 1000

// players are the demo's: their scores, by number.
type players struct {
	scores []int64
	ranked []int32 // numbers, the best player first
}

// newPlayers makes lognormal experience, as games see it: most have little, a few
// have a hundred times as much, and 30 % have just begun. The seed is fixed, so
// that two runs can be compared.
func newPlayers(n int) players {
	random := rand.New(rand.NewPCG(2026, 11))
	p := players{make([]int64, n), make([]int32, n)}
	for i := range p.scores {
		p.scores[i], p.ranked[i] = newcomerScore, int32(i)
		if random.Float64() >= 0.3 {
			p.scores[i] += int64(math.Exp(8 + 1.2*random.NormFloat64()))
		}
	}
	slices.SortFunc(p.ranked, func(a, b int32) int { return cmp.Compare(p.scores[b], p.scores[a]) })
	return p
}

func playerName(number int) string { return fmt.Sprintf("player-%07d", number+1) }

// entries are the rows of some players.
func (p players) entries(from, to int) []store.Entry {
	entries := make([]store.Entry, 0, to-from)
	for i := from; i < to; i++ {
		entries = append(entries, store.Entry{Owner: playerName(i), Scores: map[string]int64{demoColumn: p.scores[i]}})
	}
	return entries
}

// deep picks players at geometric depths, from rank 100 to the end of the board.
func (p players) deep(n int) []string {
	names := make([]string, n)
	step := math.Pow(float64(len(p.ranked))/100, 1/float64(n-1))
	for i := range names {
		rank := int(100 * math.Pow(step, float64(i)))
		names[i] = playerName(int(p.ranked[min(rank, len(p.ranked))-1]))
	}
	return names
}

// typical picks players who stand for all: one of each n-th part of the board.
func (p players) typical(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = playerName(int(p.ranked[(2*i+1)*len(p.ranked)/(2*n)]))
	}
	return names
}
