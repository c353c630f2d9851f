package plan

import "math"

// seconds is what a walk lasts: what one partition has to give, at the pace, or what the
// requests take one after another, whichever is longer.
func (b Board) seconds(lane float64, requests int) float64 {
	waiting := float64(requests) * Latency.Seconds() / float64(b.parallel())
	return max(waiting, b.paced(lane))
}

// paced is how long a partition takes to give so many read units: the rate climbs from
// the pace's start to its maximum in half a minute (sampler.Pace).
func (b Board) paced(units float64) float64 {
	p := b.Walk.Pace
	if p.Max <= 0 {
		return 0
	}
	rate := p.Start
	if rate <= 0 || rate > p.Max {
		rate = p.Max
	}
	const climb = 30 // seconds from nothing to the maximum
	slope := p.Max / climb
	rising := (p.Max - rate) / slope
	if soon := (rate + p.Max) / 2 * rising; units > soon {
		return rising + (units-soon)/p.Max
	}
	return (math.Sqrt(rate*rate+2*slope*units) - rate) / slope
}
