package kriging

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// parameters of the covariance. Variances are in units of a shard's own, times in
// units of the usual distance of two refreshes.
type parameters struct {
	level    float64 // variance of the shared level's walk
	slope    float64 // variance of the shared slope's walk
	crossing float64 // rate at which a shard's deviation is forgotten
}

// The grid: what is plausible, from a board at rest to one that is another after
// every refresh.
var (
	levels    = []float64{0, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100}
	slopes    = []float64{0, 1e-6, 1e-4, 1e-2, 1}
	crossings = []float64{1e-6, 1e-5, 1e-4, 5e-4, 2e-3, 1e-2, 5e-2, 0.3, 2}
)

// fewLevels and the others are for histories of shards that were all seen at
// different times, whose systems are large, and for the search for activity.
var (
	fewLevels    = []float64{1e-5, 1e-3, 0.1, 1, 10}
	fewSlopes    = []float64{0, 1e-4}
	fewCrossings = []float64{1e-6, 1e-4, 1e-3, 1e-2, 0.1}
)

func grid(levels, slopes, crossings []float64) (all []parameters) {
	for _, s := range slopes {
		for _, q := range levels {
			for _, l := range crossings {
				all = append(all, parameters{q, s, l})
			}
		}
	}
	return all
}

// jitter keeps a covariance of perfectly repeating counts invertible.
const jitter = 1e-9

// A model is a history's covariance under some parameters, factored.
type model struct {
	parameters
	history *history
	growth  float64   // of the shared number, in e-folds per unit of the clock
	clock   []float64 // ages on the active clock

	factor    mat.TriDense    // upper: the covariance of the groups' means is its square
	contrasts []*mat.SymDense // inverse covariance of one shard in each group; nil of a single one
	logDet    float64
	design    mat.Dense // the line and the targets' covariances, whitened
	now, then target
}

// A target is a number to be predicted: a whole board's, at an age (negative: ahead).
type target struct {
	level, slope float64 // how it depends on the line
	variance     float64 // before anything is seen
}

const (
	lineColumns   = 2 // level and slope; with a single time the level alone counts
	targetColumns = 2 // now and then
)

// newModel factors; nil if the numbers do not allow it.
func newModel(h *history, p parameters, growth float64, clock []float64) *model {
	m := &model{parameters: p, history: h, growth: growth, clock: clock}
	if !m.factorize() || !m.factorizeContrasts() {
		return nil
	}
	n := float64(h.shards)
	ahead := h.horizon
	m.now = target{level: n, variance: n}
	m.then = target{
		level: n, slope: n * ahead,
		variance: n*m.size(-ahead) + n*n*(p.level*ahead+p.slope*ahead*ahead*ahead/3),
	}
	m.solveDesign()
	return m
}

// size is what the shared number was (or will be) at an age on the clock, as a part of what it
// is now.
func (m *model) size(age float64) float64 { return math.Exp(-m.growth * age) }

// deviation is the covariance of one shard's deviations at two ages on the clock.
func (m *model) deviation(a, b float64) float64 {
	return min(m.size(a), m.size(b)) * math.Exp(-m.crossing*math.Abs(a-b))
}

// shared is the covariance of what the shards share, beyond the line, at two times
// in the past. It is measured from now, where it is nought.
func (m *model) shared(i, j int) float64 {
	a, b := m.history.ages[i], m.history.ages[j]
	if a > b {
		a, b = b, a
	}
	return m.level*min(m.clock[i], m.clock[j]) + m.slope*a*a*(3*b-a)/6
}

func (m *model) factorize() bool {
	c := mat.NewSymDense(m.history.size, nil)
	for gi, g := range m.history.groups {
		for i, ti := range g.times {
			for j, tj := range g.times[:i+1] {
				v := m.shared(ti, tj) + m.deviation(m.clock[ti], m.clock[tj])/float64(len(g.shards))
				if i == j {
					v += jitter
				}
				c.SetSym(g.at+i, g.at+j, v)
			}
			for _, o := range m.history.groups[:gi] {
				for j, tj := range o.times {
					c.SetSym(g.at+i, o.at+j, m.shared(ti, tj))
				}
			}
		}
	}
	var ch mat.Cholesky
	if !ch.Factorize(c) {
		return false
	}
	ch.UTo(&m.factor)
	m.logDet += ch.LogDet()
	return true
}

// factorizeContrasts factors the covariance of a shard's deviations in every group
// that has several shards.
func (m *model) factorizeContrasts() bool {
	m.contrasts = make([]*mat.SymDense, len(m.history.groups))
	for gi, g := range m.history.groups {
		if len(g.shards) < 2 {
			continue
		}
		c := mat.NewSymDense(g.rows(), nil)
		for i, ti := range g.times {
			for j, tj := range g.times[:i+1] {
				v := m.deviation(m.clock[ti], m.clock[tj])
				if i == j {
					v += jitter
				}
				c.SetSym(i, j, v)
			}
		}
		var ch mat.Cholesky
		if !ch.Factorize(c) {
			return false
		}
		m.contrasts[gi] = mat.NewSymDense(g.rows(), nil)
		if ch.InverseTo(m.contrasts[gi]) != nil {
			return false
		}
		m.logDet += float64(len(g.shards)-1) * ch.LogDet()
	}
	return true
}

// solveDesign solves the system for the line and for the targets' covariances with
// what was seen.
func (m *model) solveDesign() {
	h := m.history
	columns := mat.NewDense(h.size, lineColumns+targetColumns, nil)
	for _, g := range h.groups {
		for i, t := range g.times {
			columns.SetRow(g.at+i, []float64{
				1, -h.ages[t],
				m.deviation(m.clock[t], 0), m.deviation(m.clock[t], -h.horizon),
			})
		}
	}
	m.whiten(&m.design, columns)
}

// whiten solves half of the system for columns: what was correlated becomes independent, of variance one.
func (m *model) whiten(to *mat.Dense, columns *mat.Dense) {
	// An ill-conditioned system is told as an error and solved all the same; the
	// likelihood judges it.
	_ = m.factor.SolveTo(to, true, columns)
}
