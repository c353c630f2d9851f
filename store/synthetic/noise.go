package synthetic

import "math"

// Noise stands on a grid of times, so many to a tick.
const (
	timesPerTick = 64
	lastTime     = MaxTick * timesPerTick
)

// A noise is how, at one time, to read any of endlessly many independent processes,
// each known by its key: stationary, standard normal at each time, and with the
// correlation exp(-rate*dt) between two (an Ornstein-Uhlenbeck process). Its value is a
// sum of independent standard normal draws at a few times, which are the same for
// all processes, so they are found once.
//
// The draws are those of Levy's construction: the ends of a stretch of time first,
// then its middle, which given the two ends is normal with the mean
// (a+b)/(2 cosh(rate*h)) and the variance tanh(rate*h), h being half the stretch;
// and so on into the half that holds the time. Ends that are 8/rate or more
// apart are taken for independent; their correlation is 3e-4 at most.
type noise []draw

type draw struct {
	time   uint64
	weight float64 // the squares of all sum to 1
}

// still is the noise of processes that do not change.
func still() noise { return noise{{time: 0, weight: 1}} }

// noiseAt is the noise of processes with a rate per tick, at a time of the grid.
func noiseAt(rate float64, time uint64) noise {
	if rate == 0 {
		return still()
	}
	const independent = 8
	stretch := uint64(1)
	for stretch < lastTime && float64(stretch)*rate < independent*timesPerTick {
		stretch *= 2
	}
	from := time / stretch * stretch
	var p path
	if stretch == lastTime { // all time is one stretch, and its ends do depend on each other
		from = 0
		r := math.Exp(-rate * MaxTick)
		p.add(from, 1, r)
		p.add(from+stretch, 0, math.Sqrt(1-r*r))
	} else {
		p.add(from, 1, 0)
		p.add(from+stretch, 0, 1)
	}
	return p.descend(rate, time, from, stretch)
}

// A path is the two ends of a stretch, as sums of the same draws.
type path struct {
	times []uint64
	a, b  []float64
}

func (p *path) add(time uint64, a, b float64) {
	p.times, p.a, p.b = append(p.times, time), append(p.a, a), append(p.b, b)
}

func (p *path) descend(rate float64, time, from, stretch uint64) noise {
	for time != from && time != from+stretch {
		stretch /= 2
		h := rate * float64(stretch) / timesPerTick
		share, own := 1/(2*math.Cosh(h)), math.Sqrt(math.Tanh(h))
		right := time >= from+stretch
		for i := range p.times {
			middle := share * (p.a[i] + p.b[i])
			if right {
				p.a[i] = middle
			} else {
				p.b[i] = middle
			}
		}
		if right {
			p.add(from+stretch, own, 0)
			from += stretch
		} else {
			p.add(from+stretch, 0, own)
		}
	}
	if time == from {
		return weighted(p.times, p.a)
	}
	return weighted(p.times, p.b)
}

// weighted leaves out what does not count, and makes the variance 1 to the last bit.
func weighted(times []uint64, weights []float64) (n noise) {
	const negligible = 1e-8 // of the variance
	var sum float64
	for i, w := range weights {
		if w*w > negligible {
			n = append(n, draw{times[i], w})
			sum += w * w
		}
	}
	for i := range n {
		n[i].weight /= math.Sqrt(sum)
	}
	return n
}

// normal is the value of the process of a key.
func (n noise) normal(key uint64) float64 {
	var z float64
	for _, d := range n {
		z += d.weight * normalOf(mix(key+d.time*0x9e3779b97f4a7c15))
	}
	return z
}

// uniform is the same value as a number from 0 to 1: the part of all values below it.
func (n noise) uniform(key uint64) float64 {
	if len(n) == 1 {
		return uniformOf(mix(key + n[0].time*0x9e3779b97f4a7c15))
	}
	return below(n.normal(key))
}
