package kriging

import "math"

// counts is what a history's sightings say of one cutpoint.
type counts struct {
	means   []float64   // of the groups at their times: the rows of the system
	scatter [][]float64 // of each group: its shards' squared differences from the means, times by times
	usual   float64     // a shard's count, averaged
	growth  float64     // e-folds over the whole history, about
}

func (h *history) countsAt(cutpoint int) counts {
	c := counts{means: make([]float64, h.size), scatter: make([][]float64, len(h.groups))}
	var first, last, sightings float64
	for gi, g := range h.groups {
		rows := g.rows()
		means := c.means[g.at : g.at+rows]
		for _, shard := range g.shards {
			for i, s := range shard {
				n := float64(s.Better[cutpoint])
				means[i] += n / float64(len(g.shards))
				c.usual += n
				sightings++
			}
			if rows > 1 {
				first += float64(shard[0].Better[cutpoint])
				last += float64(shard[rows-1].Better[cutpoint])
			}
		}
		c.scatter[gi] = g.scatter(cutpoint, means)
	}
	c.usual /= sightings
	if first+last > 0 {
		// What changed between the first and the last sightings, drawn out to the whole
		// history; most shards were not seen all that long.
		c.growth = math.Log((last+1)/(first+1)) * h.stretch()
	}
	return c
}

func (g group) scatter(cutpoint int, means []float64) []float64 {
	rows := g.rows()
	s := make([]float64, rows*rows)
	for _, shard := range g.shards {
		for i := range rows {
			a := float64(shard[i].Better[cutpoint]) - means[i]
			for j := range rows {
				s[i*rows+j] += a * (float64(shard[j].Better[cutpoint]) - means[j])
			}
		}
	}
	return s
}

// stretch is how much longer the history is than a shard's own, on average.
func (h *history) stretch() float64 {
	var own, shards float64
	for _, g := range h.groups {
		if g.rows() > 1 {
			n := float64(len(g.shards))
			own += n * (h.ages[g.times[0]] - h.ages[g.times[g.rows()-1]])
			shards += n
		}
	}
	if own == 0 {
		return 1
	}
	return h.ages[len(h.ages)-1] / (own / shards)
}

// growths are the e-folds over a history that models are made for.
var growths = []float64{-10, -4, -2.5, -1.6, -1, -0.6, -0.3, -0.1, 0, 0.1, 0.3, 0.6, 1, 1.6, 2.5, 4, 10}

// nearestGrowth is the place in growths of what was seen.
func nearestGrowth(seen float64) int {
	best := 0
	for i, g := range growths {
		if math.Abs(g-seen) < math.Abs(growths[best]-seen) {
			best = i
		}
	}
	return best
}
