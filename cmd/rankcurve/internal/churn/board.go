package churn

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Board names a distribution of scores.
type Board string

// The boards.
const (
	Lognormal Board = "lognormal" // most have little, a few a hundred times as much
	Elo       Board = "elo"       // a bell around 1500 in whole points, so that hundreds share each score
	Atom      Board = "atom"      // lognormal, but for 30 % who all have AtomScore
)

// AtomScore is the score of those who have only begun, and AtomShare their part of an
// Atom board.
const (
	AtomScore = 1000
	AtomShare = 0.3
)

// Boards lists all of them.
func Boards() []Board { return []Board{Lognormal, Elo, Atom} }

// ParseBoard reads a board's name.
func ParseBoard(name string) (Board, error) {
	for _, b := range Boards() {
		if name == string(b) {
			return b, nil
		}
	}
	return "", fmt.Errorf("%q is none of lognormal, elo, atom", name)
}

// EloSpread is the standard deviation of an Elo board.
const EloSpread = 300

// measure is what a part of a score is taken of: the score, or where the scale has no
// natural nought, as an Elo rating has none, the board's spread.
func (b Board) measure(score int64) float64 {
	if b == Elo {
		return EloSpread
	}
	return float64(score)
}

// draw is one score.
func (b Board) draw(r *rand.Rand) int64 {
	switch {
	case b == Elo:
		return max(0, int64(math.Round(1500+EloSpread*r.NormFloat64())))
	case b == Atom && r.Float64() < AtomShare:
		return AtomScore
	}
	return int64(math.Exp(9 + 1.5*r.NormFloat64()))
}
