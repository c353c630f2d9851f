package kriging

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// An answer is a model's prediction of one target.
type answer struct{ mean, variance float64 }

// prior is how many sightings the variance that the hash promises counts for: a
// shard's count is Poisson, so its variance is its mean.
const prior = 30

// judge is a model's log restricted likelihood for one cutpoint, up to a constant,
// and its predictions: generalised least squares for the line, and the best linear
// unbiased predictor for the targets (Cressie, Statistics for Spatial Data, 3.4;
// Patterson and Thompson 1971 for the likelihood). Y is the whitened means.
func (m *model) judge(y mat.Vector, c counts) (float64, [targetColumns]answer) {
	var yy float64
	var xx [2][2]float64
	var xy [2]float64
	var ty, tt [targetColumns]float64
	var tx [targetColumns][2]float64
	for i := range y.Len() {
		row := m.design.RawRowView(i)
		x, t, v := row[:lineColumns], row[lineColumns:], y.AtVec(i)
		yy += v * v
		for a := range x {
			xy[a] += x[a] * v
			for b := range x {
				xx[a][b] += x[a] * x[b]
			}
		}
		for a := range t {
			ty[a] += t[a] * v
			tt[a] += t[a] * t[a]
			for b := range x {
				tx[a][b] += t[a] * x[b]
			}
		}
	}
	line := solveLine(xx, len(m.history.ages) == 1)
	level, slope := line.times(xy)
	residual := max(0, yy-level*xy[0]-slope*xy[1]) + m.contrast(c)

	var answers [targetColumns]answer
	for i, t := range []target{m.now, m.then} {
		dLevel, dSlope := t.level-tx[i][0], t.slope-tx[i][1]
		a, b := line.times([2]float64{dLevel, dSlope})
		answers[i].mean = ty[i] + dLevel*level + dSlope*slope
		answers[i].variance = max(0, t.variance-tt[i]+dLevel*a+dSlope*b)
	}
	free := float64(m.history.counts - line.rank)
	expected := max(1, answers[0].mean) / float64(m.history.shards)
	variance := (prior*expected + residual) / (prior + free)
	for i := range answers {
		answers[i].variance *= variance
	}
	log := -(m.logDet+line.logDet)/2 - (prior+free)/2*math.Log(variance) + prior/2*math.Log(expected)
	return log, answers
}

// contrast is what the shards' differences from their groups' means add to the
// residual.
func (m *model) contrast(c counts) (sum float64) {
	for i, inverse := range m.contrasts {
		if inverse == nil {
			continue
		}
		rows := m.history.groups[i].rows()
		for a := range rows {
			for b := range rows {
				sum += inverse.At(a, b) * c.scatter[i][a*rows+b]
			}
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
