package kriging

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
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

// drifts are how large the shared line's slope may be, as the standard deviation of
// what is expected of it. Averaging over a small one, too, keeps what two samples
// differ by from being taken for a drift.
var drifts = []float64{0.03, 1, 30}

// plausible is the weight of parameters before anything is seen: a board is more
// likely to be quiet. It matters while there are few sightings, and not after.
func (p parameters) plausible() float64 {
	return -(math.Log1p(p.level/0.1) + math.Log1p(p.slope/1e-2)) / 2
}

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

	factor    blas64.Triangular // upper: the covariance of the groups' means is its square
	contrasts [][]float64       // inverse covariance of one shard in each group, times by times; nil of a single one
	logDet    float64
	design    blas64.General // the line and the targets' covariances, whitened
	log       float64        // of the parameters' weight before anything is seen
	slants    []slant
}

// A slant is a model with one of the bends and one of the drifts.
type slant struct {
	slope   int // which of the design's slopes
	line    line
	targets [targetColumns]target
}

// A target is a number to be predicted, a whole board's now or later: how it depends
// on the line, beyond what its covariance with the sightings says, and its variance
// once they are known.
type target struct {
	level, slope float64
	variance     float64
}

// bends are how much of the growth that is seen the shared line is bent by: a board
// that grew tenfold may go on so, or have come to rest.
var bends = [...]float64{0, 0.5, 1}

// The columns of the design: the level, a slope for every bend, and the targets' covariances,
// now's and then's.
const (
	slopeColumns  = len(bends)
	targetColumns = 2
	designColumns = 1 + slopeColumns + targetColumns
)

// newModel factors; nil if the numbers do not allow it.
func newModel(h *history, p parameters, growth float64, clock []float64) *model {
	m := &model{parameters: p, history: h, growth: growth, clock: clock, log: p.plausible()}
	if !m.factorize() || !m.factorizeContrasts() {
		return nil
	}
	m.whitenDesign()
	m.solveTargets()
	return m
}

// size is what the shared number was (or will be) at an age on the clock, as a part of what it
// is now.
func (m *model) size(age float64) float64 {
	if age < 0 {
		return max(0.1, 1-m.growth*age)
	}
	return math.Exp(-m.growth * age)
}

// trend is what the shared number's line does with age: straight on a board at rest,
// and bent as a board bends that grows or shrinks by the same part all the time. Ahead
// of now it goes straight on: what has grown so far may stop.
func (m *model) trend(bend, age float64) float64 {
	oldest := m.history.ages[len(m.history.ages)-1]
	if bend*m.growth == 0 || oldest == 0 || age <= 0 {
		return -age
	}
	perTime := bend * m.growth * m.clock[len(m.clock)-1] / oldest
	return math.Expm1(-perTime*age) / perTime
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
	c := symmetric(m.history.size)
	for gi, g := range m.history.groups {
		for i, ti := range g.times {
			row := c.Data[(g.at+i)*c.Stride:]
			for j := i; j < g.rows(); j++ {
				row[g.at+j] = m.shared(ti, g.times[j]) + m.deviation(m.clock[ti], m.clock[g.times[j]])/float64(len(g.shards))
			}
			row[g.at+i] += jitter
			for _, o := range m.history.groups[gi+1:] {
				for j, tj := range o.times {
					row[o.at+j] = m.shared(ti, tj)
				}
			}
		}
	}
	factor, ok := lapack64.Potrf(c)
	if ok {
		m.factor = factor
		m.logDet += logDet(factor)
	}
	return ok
}

// factorizeContrasts inverts the covariance of a shard's deviations in every group
// that has several shards.
func (m *model) factorizeContrasts() bool {
	m.contrasts = make([][]float64, len(m.history.groups))
	for gi, g := range m.history.groups {
		if len(g.shards) < 2 {
			continue
		}
		c := symmetric(g.rows())
		for i, ti := range g.times {
			for j := i; j < g.rows(); j++ {
				c.Data[i*c.Stride+j] = m.deviation(m.clock[ti], m.clock[g.times[j]])
			}
			c.Data[i*c.Stride+i] += jitter
		}
		factor, ok := lapack64.Potrf(c)
		if !ok {
			return false
		}
		m.logDet += float64(len(g.shards)-1) * logDet(factor)
		if _, ok = lapack64.Potri(factor); !ok {
			return false
		}
		mirror(c)
		m.contrasts[gi] = c.Data
	}
	return true
}

// symmetric makes a matrix whose upper half is to be filled.
func symmetric(n int) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
}

// mirror fills the lower half.
func mirror(c blas64.Symmetric) {
	for i := range c.N {
		for j := range i {
			c.Data[i*c.Stride+j] = c.Data[j*c.Stride+i]
		}
	}
}

// logDet is of the matrix that a factor is the square root of.
func logDet(factor blas64.Triangular) (sum float64) {
	for i := range factor.N {
		sum += 2 * math.Log(factor.Data[i*factor.Stride+i])
	}
	return sum
}

// whitenDesign whitens the line and the targets' covariances with what was seen.
func (m *model) whitenDesign() {
	h := m.history
	m.design = general(h.size, designColumns)
	for _, g := range h.groups {
		for i, t := range g.times {
			row := rowOf(m.design, g.at+i)
			row[0] = 1
			for j, bend := range bends {
				row[1+j] = m.trend(bend, h.ages[t])
			}
			row[1+slopeColumns] = m.deviation(m.clock[t], 0)
			row[2+slopeColumns] = m.deviation(m.clock[t], -h.horizon)
		}
	}
	m.whiten(m.design)
}

// solveTargets works out what does not depend on the counts, for every slant.
func (m *model) solveTargets() {
	for i := range bends {
		xx, tx, tt := m.squares(1 + i)
		if len(m.history.ages) == 1 {
			m.slants = append(m.slants, m.slanted(i, solveLine(xx, 0), tx, tt)) // one time says nothing of a slope
			return
		}
		for _, drift := range drifts {
			m.slants = append(m.slants, m.slanted(i, solveLine(xx, drift), tx, tt))
		}
		if m.growth == 0 {
			return // all bends are straight
		}
	}
}

// squares are the products of the level and one of the slopes with each other (xx),
// of the targets with them (tx), and of each target with itself (tt).
func (m *model) squares(slope int) (xx [2][2]float64, tx [targetColumns][2]float64, tt [targetColumns]float64) {
	for i := range m.history.size {
		row := rowOf(m.design, i)
		x, t := [2]float64{row[0], row[slope]}, row[1+slopeColumns:]
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
	return xx, tx, tt
}

// slanted is what the targets are under a line: before anything is seen, the shards'
// own deviations, and ahead of now what the shared walks may do until then.
func (m *model) slanted(bend int, l line, tx [targetColumns][2]float64, tt [targetColumns]float64) slant {
	n, ahead := float64(m.history.shards), m.history.horizon
	s := slant{slope: bend, line: l, targets: [targetColumns]target{
		{level: n, variance: n},
		{level: n, slope: n * ahead, variance: n*m.size(-ahead) + n*n*ahead*(m.level+m.slope*ahead*ahead/3)},
	}}
	for i := range s.targets {
		t := &s.targets[i]
		t.level -= tx[i][0]
		t.slope -= tx[i][1]
		a, b := l.times([2]float64{t.level, t.slope})
		t.variance = max(0, t.variance-tt[i]+t.level*a+t.slope*b)
	}
	return s
}

// whiten solves half of the system for columns, in place: what was correlated becomes
// independent, of variance one.
func (m *model) whiten(columns blas64.General) {
	blas64.Trsm(blas.Left, blas.Trans, 1, m.factor, columns)
}

func general(rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns)}
}

func rowOf(g blas64.General, i int) []float64 { return g.Data[i*g.Stride : i*g.Stride+g.Cols] }
