package kriging_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor/kriging"
)

var dawn = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

const tick = 5 * time.Minute

func at(i int) time.Time { return dawn.Add(time.Duration(i) * tick) }

func combine(t *testing.T, sightings []kriging.Sighting, shards int, now time.Time, known []kriging.Interval) ([]kriging.Forecast, []kriging.Interval) {
	t.Helper()
	f, intervals, err := kriging.Combine(sightings, shards, now, tick, known)
	if err != nil {
		t.Fatal(err)
	}
	return f, intervals
}

func TestShardsAllSeenNowAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sightings := make([]kriging.Sighting, 0, 48)
	sums := make([]float64, 3)
	for round := range 3 {
		clear(sums)
		for k := range 16 {
			s := kriging.Sighting{Shard: k, At: at(round)}
			for c := range sums {
				n := r.Int64N(1000)
				s.Better = append(s.Better, n)
				sums[c] += float64(n)
			}
			sightings = append(sightings, s)
		}
	}
	f, _ := combine(t, sightings, 16, at(2), nil)
	for c, sum := range sums {
		if math.Abs(f[c].Better-sum) > 0.5 || f[c].Error > 1 {
			t.Errorf("cutpoint %d: %.2f ± %.2f, the sum is %.0f", c, f[c].Better, f[c].Error, sum)
		}
	}
}

// TestOneSampleIsScaledUp: m of K shards seen once say K times their mean, with the
// standard error of a sample without replacement, K sqrt(mean/m (1 - m/K)).
func TestOneSampleIsScaledUp(t *testing.T) {
	const shards, seen, mean = 64, 8, 400
	r := rand.New(rand.NewPCG(5, 6))
	sightings := make([]kriging.Sighting, 0, seen)
	var sum int64
	for k := range seen {
		n := poisson(r, mean)
		sum += n
		sightings = append(sightings, kriging.Sighting{Shard: k, At: at(0), Better: []int64{n}})
	}
	f, _ := combine(t, sightings, shards, at(0), nil)
	if want := float64(sum) * shards / seen; math.Abs(f[0].Better-want) > 1 {
		t.Errorf("%.1f, scaled up it is %.1f", f[0].Better, want)
	}
	if want := shards * math.Sqrt(mean/float64(seen)*(1-float64(seen)/shards)); math.Abs(f[0].Error/want-1) > 0.25 {
		t.Errorf("± %.1f, a sample's is %.1f", f[0].Error, want)
	}
}

func TestAStraightLineIsCarriedOn(t *testing.T) {
	const shards, walked = 16, 2
	sightings := make([]kriging.Sighting, 0, 3*shards)
	line := func(k, i int) int64 { return int64(5000 + 100*k + 7*i) }
	var now int
	for i := range 3 * shards {
		now = i / walked
		sightings = append(sightings, kriging.Sighting{Shard: i % shards, At: at(now), Better: []int64{line(i%shards, now)}})
	}
	f, _ := combine(t, sightings, shards, at(now), nil)
	var better, later float64
	for k := range shards {
		better += float64(line(k, now))
		later += float64(line(k, now+1))
	}
	if math.Abs(f[0].Better-better) > 1 || math.Abs(f[0].Later-later) > 1 {
		t.Errorf("%.1f and later %.1f; the line goes through %.0f and %.0f", f[0].Better, f[0].Later, better, later)
	}
	if f[0].Error > 20 || f[0].LaterError < f[0].Error {
		t.Errorf("± %.1f, later ± %.1f on a line that was met exactly", f[0].Error, f[0].LaterError)
	}
}

// A crowd is a board by cutpoint and shard, whose entries cross cutpoints up and
// down at random: what the model supposes, at rates that it does not know.
type crowd struct {
	random *rand.Rand
	better [][]int64 // by shard, then cutpoint
	seen   []kriging.Sighting
	known  []kriging.Interval
}

func newCrowd(shards int, sizes ...float64) *crowd {
	c := &crowd{random: rand.New(rand.NewPCG(7, 8))}
	for range shards {
		row := make([]int64, 0, len(sizes))
		for _, size := range sizes {
			row = append(row, poisson(c.random, size/float64(shards)))
		}
		c.better = append(c.better, row)
	}
	return c
}

// move lets a part of the entries cross each cutpoint down, and others, who come to
// every shard alike, up.
func (c *crowd) move(up, down float64) {
	for i := range c.better[0] {
		usual := c.total(i) / float64(len(c.better))
		for _, row := range c.better {
			row[i] = max(0, row[i]+poisson(c.random, up*usual)-poisson(c.random, down*float64(row[i])))
		}
	}
}

func (c *crowd) walk(i int, shards ...int) {
	for _, k := range shards {
		c.seen = append(c.seen, kriging.Sighting{Shard: k, At: at(i), Better: slices.Clone(c.better[k])})
		if old := slices.IndexFunc(c.seen, func(s kriging.Sighting) bool { return s.Shard == k }); c.times(k) > 3 {
			c.seen = slices.Delete(c.seen, old, old+1)
		}
	}
}

func (c *crowd) times(shard int) (n int) {
	for _, s := range c.seen {
		if s.Shard == shard {
			n++
		}
	}
	return n
}

func (c *crowd) total(cutpoint int) (sum float64) {
	for _, row := range c.better {
		sum += float64(row[cutpoint])
	}
	return sum
}

func TestTheBandHoldsTheTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic on one goroutine, for a minute; run without -short")
	}
	for _, test := range []struct {
		name     string
		up, down float64
	}{{"rest", 0, 0}, {"both ways", 0.01, 0.01}, {"growth", 0.03, 0.002}, {"decay", 0.001, 0.02}} {
		t.Run(test.name, func(t *testing.T) {
			const shards, walked = 32, 2
			c := newCrowd(shards, 3000, 20_000, 20_000, 100_000, 100_000, 400_000)
			all := make([]int, shards)
			for k := range all {
				all[k] = k
			}
			c.walk(0, all...)
			var n, inside, nLater, insideLater float64
			var last []kriging.Forecast
			for i := 1; i <= 40; i++ {
				c.move(test.up, test.down)
				first := (i - 1) * walked % shards
				for j := range last {
					nLater++
					if math.Abs(last[j].Later-c.total(j)) <= 1.96*last[j].LaterError+1 {
						insideLater++
					}
				}
				c.walk(i, first, first+1)
				f, known := combine(t, c.seen, shards, at(i), c.known)
				c.known = known
				if i < 10 {
					continue
				}
				last = f
				for j := range f {
					n++
					if math.Abs(f[j].Better-c.total(j)) <= 1.96*f[j].Error+1 {
						inside++
					}
				}
			}
			t.Logf("%.1f %% inside, %.1f %% a tick later", 100*inside/n, 100*insideLater/nLater)
			if inside < 0.9*n || insideLater < 0.9*nLater {
				t.Errorf("%.1f %% inside, %.1f %% a tick later, of %.0f", 100*inside/n, 100*insideLater/nLater, n)
			}
		})
	}
}

func TestABurstIsFoundAndTheRestStaysQuiet(t *testing.T) {
	const shards, walked, burst = 32, 2, 25
	c := newCrowd(shards, 10_000, 20_000, 50_000, 100_000, 150_000, 200_000)
	all := make([]int, shards)
	for k := range all {
		all[k] = k
	}
	c.walk(0, all...)
	var f []kriging.Forecast
	for i := 1; i <= burst+3; i++ {
		if i == burst {
			c.move(0.12, 0.02)
		}
		first := (i - 1) * walked % shards
		c.walk(i, first, first+1)
		f, c.known = combine(t, c.seen, shards, at(i), c.known)
		if i < burst && len(c.known) != 0 {
			t.Fatalf("tick %d: %v is said of a board at rest", i, c.known)
		}
	}
	if len(c.known) != 1 || !c.known[0].End.Equal(at(burst)) || c.known[0].Activity < 100 {
		t.Errorf("a burst at %v; found %v", at(burst), c.known)
	}
	for j := range f {
		if off := math.Abs(f[j].Better/c.total(j) - 1); off > 0.02 {
			t.Errorf("cutpoint %d: off by %.1f %% three ticks behind the burst, which moved it by a tenth", j, 100*off)
		}
	}
}

func TestTheOrderOfSightingsDoesNotMatter(t *testing.T) {
	sightings := rotations(rand.New(rand.NewPCG(3, 3)), 8, 2, 5, 3)
	now := sightings[len(sightings)-1].At
	want, _ := combine(t, sightings, 8, now, nil)
	slices.Reverse(sightings)
	got, _ := combine(t, sightings, 8, now, nil)
	for i := range want {
		if math.Abs(got[i].Better-want[i].Better) > 1e-6*want[i].Better || math.Abs(got[i].Error-want[i].Error) > 1e-3*want[i].Error+1e-6 {
			t.Errorf("cutpoint %d: %v and %v", i, got[i], want[i])
		}
	}
}

// TestManyTimesAreTakenTogether: a board of which one shard is walked at a time has as
// many times as shards; they are taken together, and the band still holds.
func TestManyTimesAreTakenTogether(t *testing.T) {
	const shards = 256
	c := newCrowd(shards, 30_000, 100_000, 400_000)
	var inside, n float64
	for i := 1; i <= 2*shards; i++ {
		if i%16 == 0 {
			c.move(0.005, 0.005)
		}
		c.walk(i, (i-1)%shards)
		if i < shards || i%32 != 0 {
			continue
		}
		f, known := combine(t, c.seen, shards, at(i), c.known)
		c.known = known
		for j := range f {
			n++
			if math.Abs(f[j].Better-c.total(j)) <= 1.96*f[j].Error+1 {
				inside++
			}
		}
	}
	t.Logf("%.1f %% of %.0f inside", 100*inside/n, n)
	if inside < 0.9*n {
		t.Errorf("%.1f %% of %.0f inside", 100*inside/n, n)
	}
}

// What a board was seen to hold a moment before it was seen again says nothing of how it
// changes.
func TestOfSightingsOfAMomentTheNewestCounts(t *testing.T) {
	const walks = 6
	sightings, moments := make([]kriging.Sighting, 0, walks), make([]kriging.Sighting, 0, 2*walks)
	for i := range walks {
		s := kriging.Sighting{Shard: 0, At: at(i), Better: []int64{int64(400 + i%5)}}
		before := s
		before.At, before.Better = s.At.Add(-kriging.Apart/2), []int64{200}
		sightings, moments = append(sightings, s), append(moments, s, before)
	}
	now := at(walks)
	want, _ := combine(t, sightings, 1, now, nil)
	got, _ := combine(t, moments, 1, now, nil)
	if want[0] != got[0] {
		t.Errorf("%+v, without what was seen a moment before %+v", got[0], want[0])
	}
}

func TestCombineRefusesWhatCannotBe(t *testing.T) {
	good := kriging.Sighting{Shard: 0, At: at(0), Better: []int64{1, 2}}
	for name, sightings := range map[string][]kriging.Sighting{
		"none":              nil,
		"no such shard":     {good, {Shard: 4, At: at(0), Better: []int64{1, 2}}},
		"another list":      {good, {Shard: 1, At: at(0), Better: []int64{1}}},
		"the future":        {good, {Shard: 1, At: at(2), Better: []int64{1, 2}}},
		"twice at one time": {good, good},
	} {
		if _, _, err := kriging.Combine(sightings, 4, at(1), tick, nil); !errors.Is(err, kriging.ErrSightings) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNothingThereStaysNothing(t *testing.T) {
	sightings := make([]kriging.Sighting, 0, 12)
	for i := range 12 {
		sightings = append(sightings, kriging.Sighting{Shard: i % 4, At: at(i), Better: []int64{0}})
	}
	f, _ := combine(t, sightings, 4, at(11), nil)
	if math.Abs(f[0].Better) > 1e-6 || math.IsNaN(f[0].Error) || f[0].Error > 5 {
		t.Errorf("%v of a board without entries", f[0])
	}
}

// poisson draws a count with a mean.
func poisson(r *rand.Rand, mean float64) int64 {
	if mean > 50 {
		return int64(math.Round(max(0, mean+math.Sqrt(mean)*r.NormFloat64())))
	}
	n, p := int64(0), math.Exp(-mean)
	for u := r.Float64(); u > p; u *= r.Float64() {
		n++
	}
	return n
}
