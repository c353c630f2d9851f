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
	line      line
	targets   [targetColumns]target
}

// A target is a number to be predicted, a whole board's now or later: how it depends
// on the line, beyond what its covariance with the sightings says, and its variance
// once they are known.
type target struct {
	level, slope float64
	variance     float64
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
	m.whitenDesign()
	m.solveTargets()
	return m
}

// size is what the shared number was (or will be) at an age on the clock, as a part of what it
// is now.
func (m *model) size(age float64) float64 { return math.Exp(-m.growth * age) }

// trend is what the shared number's line does with age: straight on a board at rest,
// and bent as a board bends that grows or shrinks by the same part all the time.
func (m *model) trend(age float64) float64 {
	if oldest := m.history.ages[len(m.history.ages)-1]; m.growth != 0 && oldest > 0 {
		perTime := m.growth * m.clock[len(m.clock)-1] / oldest
		return math.Expm1(-perTime*age) / perTime
	}
	return -age
}

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

// whitenDesign whitens the line and the targets' covariances with what was seen.
func (m *model) whitenDesign() {
	h := m.history
	columns := mat.NewDense(h.size, lineColumns+targetColumns, nil)
	for _, g := range h.groups {
		for i, t := range g.times {
			columns.SetRow(g.at+i, []float64{
				1, m.trend(h.ages[t]),
				m.deviation(m.clock[t], 0), m.deviation(m.clock[t], -h.horizon),
			})
		}
	}
	m.whiten(&m.design, columns)
}

// solveTargets works out what does not depend on the counts.
func (m *model) solveTargets() {
	h := m.history
	var xx [lineColumns][lineColumns]float64
	var tx [targetColumns][lineColumns]float64
	var tt [targetColumns]float64
	for i := range h.size {
		row := m.design.RawRowView(i)
		x, t := row[:lineColumns], row[lineColumns:]
		for a := range x {
			for b := range x {
				xx[a][b] += x[a] * x[b]
			}
		}
		for a := range t {
			tt[a] += t[a] * t[a]
			for b := range x {
				tx[a][b] += t[a] * x[b]
			}
		}
	}
	m.line = solveLine(xx, len(h.ages) == 1)
	n, ahead := float64(h.shards), h.horizon
	// Before anything is seen: the shards' own deviations, and ahead of now what the
	// shared walks may do until then.
	m.targets = [targetColumns]target{
		{level: n, variance: n},
		{level: n, slope: n * m.trend(-ahead), variance: n*m.size(-ahead) + n*n*ahead*(m.level+m.slope*ahead*ahead/3)},
	}
	for i := range m.targets {
		t := &m.targets[i]
		t.level -= tx[i][0]
		t.slope -= tx[i][1]
		a, b := m.line.times([lineColumns]float64{t.level, t.slope})
		t.variance = max(0, t.variance-tt[i]+t.level*a+t.slope*b)
	}
}

// whiten solves half of the system for columns: what was correlated becomes independent, of variance one.
func (m *model) whiten(to *mat.Dense, columns *mat.Dense) {
	// An ill-conditioned system is told as an error and solved all the same; the
	// likelihood judges it.
	_ = m.factor.SolveTo(to, true, columns)
}
