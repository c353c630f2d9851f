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
	xy [1 + slopeColumns]float64
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
			for k := range p.xy {
				p.xy[k] += y * d[k]
			}
			for k := range p.ty {
				p.ty[k] += y * d[len(p.xy)+k]
			}
		}
	}
}

// judge adds a model's answers for one cutpoint to a mixture, each slant with its log
// restricted likelihood up to a constant: generalised least squares for the line, with
// what is expected of its slope, and the best linear unbiased predictor for the targets
// (Cressie, Statistics for Spatial Data, 3.4; Patterson and Thompson 1971 for the
// likelihood).
func (m *model) judge(p products, c counts, to *mixture) {
	contrast := m.contrast(c)
	for i := range m.slants {
		s := &m.slants[i]
		xy := [2]float64{p.xy[0], p.xy[1+s.slope]}
		level, slope := s.line.times(xy)
		residual := max(0, p.yy-level*xy[0]-slope*xy[1]) + contrast
		var answers [targetColumns]answer
		for j, t := range s.targets {
			answers[j] = answer{mean: p.ty[j] + t.level*level + t.slope*slope, variance: t.variance}
		}
		free := float64(m.history.counts - 1)
		expected := max(1, answers[0].mean) / float64(m.history.shards)
		variance := (prior*expected + residual) / (prior + free)
		for j := range answers {
			answers[j].variance *= variance
		}
		to.add(m.log-(m.logDet+s.line.logDet)/2-(prior+free)/2*math.Log(variance)+prior/2*math.Log(expected), answers)
	}
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

// A line is the inverse of the two normal equations of level and slope.
type line struct {
	inverse [2][2]float64
	logDet  float64
}

// solveLine inverts them, for a slope that is expected to be nought, give or take a
// drift; a drift of 0 leaves the level alone.
func solveLine(xx [2][2]float64, drift float64) line {
	if drift == 0 {
		return line{inverse: [2][2]float64{{1 / xx[0][0], 0}, {0, 0}}, logDet: math.Log(xx[0][0])}
	}
	xx[1][1] += 1 / (drift * drift)
	det := xx[0][0]*xx[1][1] - xx[0][1]*xx[1][0]
	return line{
		inverse: [2][2]float64{{xx[1][1] / det, -xx[0][1] / det}, {-xx[1][0] / det, xx[0][0] / det}},
		logDet:  math.Log(det * drift * drift),
	}
}

func (l line) times(v [2]float64) (float64, float64) {
	return l.inverse[0][0]*v[0] + l.inverse[0][1]*v[1], l.inverse[1][0]*v[0] + l.inverse[1][1]*v[1]
}
