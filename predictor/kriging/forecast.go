package kriging

import (
	"math"
	"slices"
	"time"
)

// Combine predicts the whole board at every cutpoint, now and one horizon later,
// from the last sightings of its shards; shards that were never seen count with
// their expectation. Known is what earlier calls learnt of the board's activity; the
// intervals returned are for the next call. Cutpoints are taken one by one: the
// answers of two neighbours may cross, by less than their errors. Of sightings of one
// shard that is the board, less than [Apart] from each other, the newest counts.
//
// It takes some 400 Cholesky factors of the groups' means: for 64 shards seen three
// times in sets of four, about a second for 300 cutpoints. Errors wrap
// [ErrSightings].
func Combine(sightings []Sighting, shards int, now time.Time, horizon time.Duration, known []Interval) ([]Forecast, []Interval, error) {
	if shards == 1 {
		sightings = apart(sightings)
	}
	sightings = coarse(sightings)
	h, err := arrange(sightings, shards, now, horizon, known)
	if err != nil {
		return nil, nil, err
	}
	all := h.countsOf(len(sightings[0].Better))
	h.learnActivity(all)
	known = h.intervals()
	forecasts := make([]Forecast, len(all))
	for kept, members := range byMemory(all) {
		if len(members) == 0 {
			continue
		}
		h, err := arrange(latest(sightings, kept), shards, now, horizon, known)
		if err != nil {
			return nil, nil, err
		}
		some := pick(h.countsOf(len(all)), members)
		clock := h.clock()
		for growth, places := range byGrowth(some) {
			if len(places) == 0 {
				continue
			}
			for i, f := range h.average(h.grid(), growths[growth], clock, pick(some, places)) {
				forecasts[members[places[i]]] = f
			}
		}
	}
	return forecasts, known, nil
}

func (h *history) countsOf(cutpoints int) []counts {
	all := make([]counts, cutpoints)
	for i := range all {
		all[i] = h.countsAt(i)
	}
	return all
}

// byMemory says how many of a shard's last sightings serve at each cutpoint: its
// place is under that number, or under 0 for all. Where the board has grown or shrunk
// many times over, the oldest say how it moved long ago, and say it surely, for their
// variance is small beside now's: a prediction would follow them.
func byMemory(all []counts) [3][]int {
	const several, many = 2, 6 // e-folds
	var members [3][]int
	for i, c := range all {
		kept := 0
		switch growth := math.Abs(c.growth); {
		case growth > many:
			kept = 1
		case growth > several:
			kept = 2
		}
		members[kept] = append(members[kept], i)
	}
	return members
}

// latest is the last so many sightings of every shard; 0: all.
func latest(sightings []Sighting, kept int) []Sighting {
	if kept == 0 {
		return sightings
	}
	newest := NewestFirst(sightings)
	seen := map[int]int{}
	return slices.DeleteFunc(newest, func(s Sighting) bool {
		seen[s.Shard]++
		return seen[s.Shard] > kept
	})
}

// grid is the parameters that are averaged over.
func (h *history) grid() []parameters {
	const large = 150
	switch {
	case len(h.ages) == 1:
		return []parameters{{}} // one time says nothing of time
	case h.size > large:
		return grid(fewLevels, slopes, fewCrossings)
	}
	return grid(levels, slopes, crossings)
}

// byGrowth puts the cutpoints together that share a model: their places, for each
// of growths.
func byGrowth(all []counts) [][]int {
	members := make([][]int, len(growths))
	for i, c := range all {
		g := nearestGrowth(c.growth)
		members[g] = append(members[g], i)
	}
	return members
}

func pick(all []counts, members []int) []counts {
	some := make([]counts, len(members))
	for i, at := range members {
		some[i] = all[at]
	}
	return some
}

// A mixture is the average of the models' answers for one cutpoint, gathered one
// model at a time. Weights are relative to the largest so far.
type mixture struct {
	log    float64 // of the largest likelihood so far
	weight float64
	sums   [targetColumns]struct{ mean, square, variance float64 }
}

// add takes a model's answers with its log likelihood.
func (m *mixture) add(log float64, answers [targetColumns]answer) {
	if m.weight == 0 || log > m.log {
		m.rescale(math.Exp(m.log - log))
		m.log = log
	}
	w := math.Exp(log - m.log)
	m.weight += w
	for i, a := range answers {
		m.sums[i].mean += w * a.mean
		m.sums[i].square += w * a.mean * a.mean
		m.sums[i].variance += w * a.variance
	}
}

func (m *mixture) rescale(by float64) {
	if m.weight == 0 {
		return
	}
	m.weight *= by
	for i := range m.sums {
		m.sums[i].mean *= by
		m.sums[i].square *= by
		m.sums[i].variance *= by
	}
}

// total is the log of the average likelihood.
func (m *mixture) total(models int) float64 { return m.log + math.Log(m.weight/float64(models)) }

func (m *mixture) forecast() Forecast {
	var mean, sd [targetColumns]float64
	for i, s := range m.sums {
		mean[i] = s.mean / m.weight
		// What the models say of themselves, and how they differ from each other.
		sd[i] = math.Sqrt(max(0, s.variance/m.weight+s.square/m.weight-mean[i]*mean[i]))
	}
	return Forecast{Better: mean[0], Error: sd[0], Later: mean[1], LaterError: max(sd[0], sd[1])}
}

// average asks every model and returns a forecast for each of some cutpoints.
func (h *history) average(all []parameters, growth float64, clock []float64, some []counts) []Forecast {
	mixtures, _ := h.mix(all, growth, clock, some)
	forecasts := make([]Forecast, len(some))
	for i := range mixtures {
		forecasts[i] = mixtures[i].forecast()
	}
	return forecasts
}

// mix asks every model about some cutpoints. It also says how many models could be
// asked.
func (h *history) mix(all []parameters, growth float64, clock []float64, some []counts) ([]mixture, int) {
	columns, whitened := general(h.size, len(some)), general(h.size, len(some))
	for i, c := range some {
		for row, mean := range c.means {
			columns.Data[row*columns.Stride+i] = mean
		}
	}
	perUnit := 0.0
	if last := clock[len(clock)-1]; last > 0 {
		perUnit = growth / last
	}
	mixtures := make([]mixture, len(some))
	models := 0
	multiplied := make([]products, len(some))
	for _, p := range all {
		m := newModel(h, p, perUnit, clock)
		if m == nil {
			continue
		}
		models++
		copy(whitened.Data, columns.Data)
		m.whiten(whitened)
		m.multiply(whitened, multiplied)
		for i, c := range some {
			m.judge(multiplied[i], c, &mixtures[i])
		}
	}
	return mixtures, models
}
