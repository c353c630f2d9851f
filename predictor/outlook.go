package predictor

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/rankcurve/rankcurve/predictor/internal/curvepb"
)

// An outlook is what the points of a body say of one horizon later; nil without a
// horizon.
type outlook struct {
	points       []Point
	changes      []float64 // Later less Better, of every point
	errors       []float64 // LaterError of every point
	drift, noise float64   // of the head
}

// outlookOf fills in what points leave open: between two that have a forecast, the
// change and its variance are straight lines over Better, for both are sums over the
// entries that lie between.
func outlookOf(points []Point, horizon time.Duration) (*outlook, error) {
	switch ms := horizon.Milliseconds(); {
	case horizon < 0 || ms > maxHorizon:
		return nil, fmt.Errorf("horizon of %s: not in 0..%s", horizon, time.Duration(maxHorizon)*time.Millisecond)
	case ms == 0:
		return nil, nil
	}
	o := &outlook{points: points, changes: make([]float64, len(points)), errors: make([]float64, len(points))}
	var from anchor // nobody is better than the best, now or later
	filled, head := 0, false
	for i, p := range points {
		if p.Later == 0 && p.LaterError == 0 {
			continue
		}
		to := anchorOf(p)
		if !head && p.Better > 0 {
			o.drift, o.noise, head = max(-1, to.change/to.better), min(to.variance/to.better, maxTotal), true
		}
		for ; filled <= i; filled++ {
			o.fill(filled, from, to)
		}
		from = to
	}
	if filled == 0 {
		return nil, fmt.Errorf("a horizon of %s, and no point tells what is forecast: %w", horizon, ErrPoints)
	}
	for ; filled < len(points); filled++ { // below the last one that has a forecast
		o.fill(filled, from, from)
	}
	return o, nil
}

// An anchor is a point that has a forecast.
type anchor struct{ better, change, variance float64 }

func anchorOf(p Point) anchor {
	e := max(p.Error, p.LaterError)
	return anchor{float64(p.Better), p.Later - float64(p.Better), e * e}
}

// fill sets a point from the anchors around it.
func (o *outlook) fill(i int, from, to anchor) {
	p := o.points[i]
	part := 1.0
	if to.better > from.better {
		part = (float64(p.Better) - from.better) / (to.better - from.better)
	}
	o.changes[i] = from.change + part*(to.change-from.change)
	o.errors[i] = max(p.Error, math.Sqrt(from.variance+part*(to.variance-from.variance)))
}

// at is what the knots are one horizon later: never falling with depth, nor less than
// 0. A knot keeps what the fit left between it and the observation, so that the later
// curve is as smooth as the present one.
func (o *outlook) at(knots []knot) []float64 {
	laters := make([]float64, len(knots))
	floor := 0.0
	for i, k := range knots {
		j := sort.Search(len(o.points)-1, func(j int) bool { return o.points[j].Key <= k.key })
		floor = max(floor, k.better+o.changes[j])
		laters[i] = floor
	}
	return laters
}

// writeForecast writes what the draft knows of later.
func (d *draft) writeForecast(m *curvepb.Curve, grains float64) {
	if d.outlook == nil {
		return
	}
	m.HorizonMs = uint64(d.meta.Horizon.Milliseconds())
	m.HeadDrift, m.HeadNoise = d.outlook.drift, d.outlook.noise
	m.LaterSpreads = d.laterSpreads
	m.LaterRises = make([]uint64, len(d.knots)-1)
	written := uint64(0)
	for i, later := range d.outlook.at(d.knots) {
		value := uint64(math.Round(later * grains))
		if i == 0 {
			m.LaterFirst = value
		} else {
			m.LaterRises[i-1] = value - written
		}
		written = value
	}
}
