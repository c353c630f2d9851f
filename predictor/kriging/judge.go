package kriging

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// An answer is a model's prediction of one target.
type answer struct{ mean, variance float64 }

// prior is how many sightings the variance that the hash promises counts for: a
// shard's count is Poisson, so its variance is its mean.
const prior = 30

// products is what a cutpoint's whitened means make with themselves and with the
// design.
type products struct {
	yy float64
	xy [lineColumns]float64
	ty [targetColumns]float64
}

// multiply makes the products of every column of the whitened means.
func (m *model) multiply(whitened blas64.General, to []products) {
	clear(to)
	for i := range whitened.Rows {
		d := rowOf(m.design, i)
		for j, y := range rowOf(whitened, i) {
			p := &to[j]
			p.yy += y * y
			p.xy[0] += y * d[0]
			p.xy[1] += y * d[1]
			p.ty[0] += y * d[2]
			p.ty[1] += y * d[3]
		}
	}
}

// judge is a model's log restricted likelihood for one cutpoint, up to a constant,
// and its predictions: generalised least squares for the line, and the best linear
// unbiased predictor for the targets (Cressie, Statistics for Spatial Data, 3.4;
// Patterson and Thompson 1971 for the likelihood).
func (m *model) judge(p products, c counts) (float64, [targetColumns]answer) {
	level, slope := m.line.times(p.xy)
	residual := max(0, p.yy-level*p.xy[0]-slope*p.xy[1]) + m.contrast(c)
	var answers [targetColumns]answer
	for i, t := range m.targets {
		answers[i] = answer{mean: p.ty[i] + t.level*level + t.slope*slope, variance: t.variance}
	}
	free := float64(m.history.counts - m.line.rank)
	expected := max(1, answers[0].mean) / float64(m.history.shards)
	variance := (prior*expected + residual) / (prior + free)
	for i := range answers {
		answers[i].variance *= variance
	}
	log := -(m.logDet+m.line.logDet)/2 - (prior+free)/2*math.Log(variance) + prior/2*math.Log(expected)
	return log, answers
}

// contrast is what the shards' differences from their groups' means add to the
// residual.
func (m *model) contrast(c counts) (sum float64) {
	for i, inverse := range m.contrasts {
		if inverse == nil {
			continue
		}
		for j, v := range inverse {
			sum += v * c.scatter[i][j]
		}
	}
	return sum
}

// A line is the inverse of the two normal equations of level and slope, or of the
// level's alone.
type line struct {
	inverse [2][2]float64
	logDet  float64
	rank    int
}

func solveLine(xx [2][2]float64, levelOnly bool) line {
	det := xx[0][0]*xx[1][1] - xx[0][1]*xx[1][0]
	if levelOnly || det <= 1e-12*xx[0][0]*xx[1][1] {
		return line{inverse: [2][2]float64{{1 / xx[0][0], 0}, {0, 0}}, logDet: math.Log(xx[0][0]), rank: 1}
	}
	return line{
		inverse: [2][2]float64{{xx[1][1] / det, -xx[0][1] / det}, {-xx[1][0] / det, xx[0][0] / det}},
		logDet:  math.Log(det), rank: 2,
	}
}

func (l line) times(v [2]float64) (float64, float64) {
	return l.inverse[0][0]*v[0] + l.inverse[0][1]*v[1], l.inverse[1][0]*v[0] + l.inverse[1][1]*v[1]
}
