package churn

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// Population is the owners of a board, known by their numbers from 0, and their scores.
// It is not safe for concurrent use.
type Population struct {
	scores []int64
	model  Model
	board  Board
	random *rand.Rand
	tick   int
}

// New makes so many owners of a board that will change by a model.
func New(m Model, b Board, entries int, seed uint64) *Population {
	p := &Population{
		scores: make([]int64, entries), model: m, board: b,
		random: rand.New(rand.NewPCG(seed, 0x6368_7572_6e)),
	}
	if m == Season {
		return p
	}
	for i := range p.scores {
		p.scores[i] = b.draw(p.random)
	}
	return p
}

// Len is the number of owners.
func (p *Population) Len() int { return len(p.scores) }

// Score is an owner's.
func (p *Population) Score(owner int) int64 { return p.scores[owner] }

// Step lets one tick pass. It returns the owners whose scores have changed, in the order
// of their numbers; newcomers have the numbers behind all others.
func (p *Population) Step() (changed []int) {
	p.tick++
	switch p.model {
	case Calm:
		changed = p.gain(CalmShare)
	case Busy:
		changed = p.gain(BusyShare)
	case Season:
		changed = p.each(SeasonShare, func(score int64) int64 { return score + p.small() })
	case Growth:
		changed = append(p.gain(CalmShare), p.join(GrowthShare)...)
	case Bursts:
		if p.tick%BurstEvery == 0 {
			changed = p.gain(BurstShare)
		}
	case Decay:
		changed = p.decay()
	}
	slices.Sort(changed)
	return slices.Compact(changed)
}

// gain lets a part of the owners gain a part of their scores.
func (p *Population) gain(share float64) []int {
	return p.each(share, func(score int64) int64 {
		return score + int64(p.board.measure(score)*MostGain*p.random.Float64())
	})
}

// each picks a part of the owners, one by one and so now and then one twice, and gives
// them new scores.
func (p *Population) each(share float64, play func(score int64) int64) (changed []int) {
	for range int(math.Round(share * float64(len(p.scores)))) {
		owner := p.random.IntN(len(p.scores))
		score := min(play(p.scores[owner]), store.MaxScore)
		if score != p.scores[owner] {
			p.scores[owner] = score
			changed = append(changed, owner)
		}
	}
	return changed
}

// join adds newcomers.
func (p *Population) join(share float64) (joined []int) {
	for range int(math.Round(share * float64(len(p.scores)))) {
		joined = append(joined, len(p.scores))
		p.scores = append(p.scores, p.small())
	}
	return joined
}

// small is what a season's players earn and newcomers have.
func (p *Population) small() int64 { return int64(begin * float64(p.board.draw(p.random))) }

func (p *Population) decay() (changed []int) {
	for owner, score := range p.scores {
		if fallen := score - int64(math.Round(DecayShare*p.board.measure(score))); fallen != score {
			p.scores[owner] = fallen
			changed = append(changed, owner)
		}
	}
	return changed
}
