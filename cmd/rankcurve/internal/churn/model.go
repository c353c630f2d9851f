package churn

import "fmt"

// Model names a way in which a board changes.
type Model string

// The models; the numbers are for each tick.
const (
	Calm   Model = "a" // 0.5 % of the owners gain up to half of their score
	Busy   Model = "b" // 5 % do
	Season Model = "c" // all begin at 0, and 5 % of the owners earn a tenth of a draw of the board
	Growth Model = "d" // 1 % newcomers with a tenth of a draw each, and 0.5 % of all gain as in a
	Bursts Model = "e" // nothing, and every 24th tick 10 % gain as in a
	Decay  Model = "f" // all scores fall by 1 %
)

// The numbers of the models. A part of a score is, on an Elo board, one of its spread.
const (
	CalmShare   = 0.005
	BusyShare   = 0.05
	SeasonShare = 0.05
	GrowthShare = 0.01
	BurstShare  = 0.1
	BurstEvery  = 24
	MostGain    = 0.5 // of a score, at once
	DecayShare  = 0.01
	begin       = 0.1 // of a draw, which newcomers have and a season's players earn
)

var texts = map[Model]string{
	Calm:   "0.5 % of the owners gain up to half of their score",
	Busy:   "5 % of the owners gain up to half of their score",
	Season: "a season's start: all begin at 0, 5 % of the owners earn points",
	Growth: "1 % newcomers, 0.5 % of the owners gain up to half of their score",
	Bursts: "every 24th tick 10 % of the owners gain up to half of their score",
	Decay:  "all scores fall by 1 %",
}

// Models lists all of them.
func Models() []Model { return []Model{Calm, Busy, Season, Growth, Bursts, Decay} }

// ParseModel reads a model's letter.
func ParseModel(letter string) (Model, error) {
	if _, known := texts[Model(letter)]; !known {
		return "", fmt.Errorf("%q is none of a, b, c, d, e, f", letter)
	}
	return Model(letter), nil
}

// Text says what happens at a tick, for a person.
func (m Model) Text() string { return texts[m] }
