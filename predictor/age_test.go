package predictor_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/predictor/internal/curvepb"
)

const horizon = 40 * time.Minute

// ahead is meta with a horizon.
func ahead() predictor.Meta {
	m := meta
	m.Horizon = horizon
	return m
}

// ages are asked of every curve.
var ages = []time.Duration{-time.Hour, 0, 1, time.Millisecond, time.Second, horizon / 3, horizon - 1, horizon, horizon + time.Second, 7 * horizon, math.MaxInt64}

// drawPoints makes up a board: counted and estimated intervals, atoms, neighbours
// without a gap, forecasts that cross each other, and points without one.
func drawPoints(t *rapid.T) []predictor.Point {
	amount := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 50_000))
	gap := rapid.OneOf(rapid.Just(int64(1)), rapid.Int64Range(1, 1000), rapid.Int64Range(1, 1<<52))
	err := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 300))
	p := predictor.Point{Key: rapid.Int64Range(-1<<60, 1<<60).Draw(t, "best")}
	n := rapid.IntRange(1, 30).Draw(t, "points")
	points := append(make([]predictor.Point, 0, 1+n), p)
	for range n {
		p.Key -= gap.Draw(t, "gap")
		p.Better += amount.Draw(t, "entries")
		p.Open = rapid.Bool().Draw(t, "open")
		p.Error = err.Draw(t, "error")
		p.Later, p.LaterError = 0, 0
		if rapid.IntRange(0, 3).Draw(t, "forecast") > 0 {
			p.Later = float64(p.Better) * rapid.Float64Range(-0.1, 2.5).Draw(t, "change")
			p.LaterError = p.Error + err.Draw(t, "later error")
		}
		points = append(points, p)
	}
	last := &points[len(points)-1]
	last.Better++
	last.Later, last.LaterError = float64(last.Better)*rapid.Float64Range(0.1, 3).Draw(t, "growth"), last.Error+err.Draw(t, "later error")
	return points
}

// around is every place where a curve may turn, and places between them, from the
// best down.
func around(points []predictor.Point, c *predictor.Curve) []int64 {
	var keys []int64
	add := func(key int64) { keys = append(keys, key+1, key, key-1) }
	for i, p := range points {
		add(p.Key)
		if i > 0 {
			add(p.Key + (points[i-1].Key-p.Key)/3)
		}
	}
	for _, v := range c.Vertices() {
		add(v.Key)
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	return slices.Compact(keys)
}

func TestAgedCurvesAreMonotoneAndInTheirBand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t)
		o := predictor.Options{Head: rapid.SampledFrom([]int{-1, 1, 100, 20_000}).Draw(t, "head"), Shape: rapid.SampledFrom([]predictor.Shape{predictor.Sqrt, predictor.Abs}).Draw(t, "shape")}
		o.Bytes = rapid.SampledFrom([]int{predictor.MinBytes, predictor.DefaultBytes}).Draw(t, "bytes")
		curve, data, err := predictor.Build(ahead(), points, o)
		if errors.Is(err, predictor.ErrTooSmall) && o.Bytes == predictor.MinBytes {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			if e := curve.Held(p.Key, 0); e.Low > p.Better || e.High < p.Better {
				t.Fatalf("%+v is not in the band %+v", p, e)
			}
		}
		again, err := predictor.Decode(data)
		if err != nil || again.Meta() != ahead() {
			t.Fatalf("%+v, %v", again.Meta(), err)
		}
		for _, age := range ages {
			previous := 0.0
			for _, key := range around(points, curve) {
				better := curve.BetterAt(key, age)
				if better < previous {
					t.Fatalf("after %s better falls from %v to %v as the key falls to %d", age, previous, better, key)
				}
				previous = better
				held, asked := curve.Held(key, age), curve.Estimate(key, age)
				for _, e := range []predictor.Estimate{held, asked} {
					if e.Better != int64(better+0.5) || e.Low < 0 || e.Low > e.Better || e.High < e.Better || e.High > curve.TotalAt(age) {
						t.Fatalf("after %s %v of %d are better than %d, the estimate is %+v", age, better, curve.TotalAt(age), key, e)
					}
				}
				if asked.Low > held.Low || asked.High < held.High {
					t.Fatalf("after %s at %d: any key has %+v, a held one %+v", age, key, asked, held)
				}
				if again.Held(key, age) != held || again.Estimate(key, age) != asked || again.BetterAt(key, age) != better {
					t.Fatalf("the codec changed the estimate at %d after %s", key, age)
				}
			}
			if total := curve.TotalAt(age); int64(previous+0.5) != total {
				t.Fatalf("after %s %v of %d are better than what is below all", age, previous, total)
			}
		}
	})
}

// While nothing is forecast to change, an older answer says less and never something
// else.
func TestBandsOfAQuietBoardAreNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t)
		for i, p := range points {
			if p.Later != 0 || p.LaterError != 0 {
				points[i].Later = float64(p.Better)
			}
		}
		curve, _, err := predictor.Build(ahead(), points, predictor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range around(points, curve) {
			inner := curve.Held(key, 0)
			for _, age := range ages {
				outer := curve.Held(key, age)
				if outer.Better != inner.Better || outer.Low > inner.Low || outer.High < inner.High {
					t.Fatalf("at %d after %s: %+v, before %+v", key, age, outer, inner)
				}
				inner = outer
			}
		}
	})
}

// forecast turns counted points into estimates of a board that grows by a tenth in one
// horizon, each off by so many roots of its place.
func forecast(points []predictor.Point, noise float64) []predictor.Point {
	points = slices.Clone(points)
	total := float64(points[len(points)-1].Better)
	for i := range points {
		p := &points[i]
		at := float64(p.Better)
		p.Later = at * 1.1
		p.LaterError = 2 * noise * math.Sqrt(at)
		if p.Open {
			p.Error = noise * math.Sqrt(min(at, total-at))
		}
	}
	return points
}

func TestACurveIsWhatIsForecastOneHorizonLater(t *testing.T) {
	for _, b := range boards {
		points := forecast(counted(predictor.PointsOf(b.keys(50_000)), 3000, 0.04), 0.3)
		curve, _, err := predictor.Build(ahead(), points, predictor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			off := 0.51 // the grain of a knot, and the fit at the points that were counted
			if !p.Open {
				scale, shape := curve.Tolerance()
				if off += scale; shape == predictor.Sqrt {
					off += scale * 1.1 * math.Sqrt(float64(p.Better))
				}
			}
			for _, at := range []struct{ horizons, grown float64 }{{0, 1}, {0.25, 1.025}, {1, 1.1}, {5, 1.1}} {
				age := time.Duration(at.horizons * float64(horizon))
				if got, want := curve.BetterAt(p.Key, age), float64(p.Better)*at.grown; math.Abs(got-want) > off {
					t.Fatalf("%s: %v better than %d after %s, want %v", b.name, got, p.Key, age, want)
				}
			}
		}
		if now, later := curve.TotalAt(0), curve.TotalAt(horizon); now != 50_000 || later != 55_000 {
			t.Errorf("%s: %d entries, later %d", b.name, now, later)
		}
	}
}

// The half width at a point that was estimated is 1.96 of its errors at least, now and
// later, and no more than a spread's steps more.
func TestErrorsOfPointsWidenTheBand(t *testing.T) {
	const step = 1.1 // a spread is written as a power of 2^(1/8)
	points := []predictor.Point{
		{Key: 1000},
		{Key: 900, Better: 1, LaterError: 0.1, Later: 1},
		{Key: 500, Better: 10_000, Open: true, Error: 30, Later: 10_400, LaterError: 80},
		{Key: 499, Better: 30_000, Open: true, Error: 40, Later: 30_500, LaterError: 90},
		{Key: 100, Better: 50_000, Open: true, Error: 50, Later: 50_600, LaterError: 200},
		{Key: 0, Better: 50_001, Open: true, Later: 50_601, LaterError: 10},
	}
	curve, _, err := predictor.Build(ahead(), points, predictor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	half := func(key int64, age time.Duration) float64 {
		e := curve.Held(key, age)
		return float64(e.High-e.Low) / 2
	}
	within := func(entries, err float64) float64 { return 1.96 * math.Sqrt(entries/4+err*err) }
	for _, want := range []struct {
		key        int64
		now, later float64
	}{
		{500, within(9999, 30), within(9999, 80)}, // a knot lies on the line above it
		{499, within(0, 40), within(0, 90)},       // one key wide: nothing lies inside
		{300, within(20_000, 50), within(20_000, 200)},
	} {
		for age, least := range map[time.Duration]float64{0: want.now, horizon: want.later, 2 * horizon: math.Sqrt(2*want.later*want.later - want.now*want.now*step*step)} {
			if got := half(want.key, age); got < least || age <= horizon && got > least*step+2 {
				t.Errorf("half width at %d after %s: %v, want %v", want.key, age, got, least)
			}
		}
	}
}

// In the head the change is a birth and death of single entries: its variance goes
// with the age and with the number above.
func TestTheHeadLosesItsCertaintyWithTheAge(t *testing.T) {
	points := make([]predictor.Point, 0, 201)
	for i := range int64(200) { // the best 200 are known, one score each
		points = append(points, predictor.Point{Key: 10_000 - 10*i, Better: i})
	}
	points = append(points, predictor.Point{Key: 1000, Better: 10_000, Open: true, Error: 5, Later: 10_500, LaterError: 200})
	curve, _, err := predictor.Build(ahead(), points, predictor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const drift, noise = 0.05, 4
	for _, b := range []int64{0, 1, 7, 50, 99} {
		key := 10_000 - 10*b
		if e := curve.Held(key, 0); e != (predictor.Estimate{Better: b, Low: b, High: b}) {
			t.Errorf("%d above: %+v", b, e)
		}
		for _, part := range []float64{0.1, 0.5, 1, 3} {
			better := float64(b) * (1 + drift*min(1, part))
			half := 1.96*math.Sqrt(noise*max(1, float64(b))*part) + drift*float64(b)*max(0, part-1)
			want := predictor.Estimate{Better: int64(better + 0.5), Low: max(0, int64(math.Floor(better-half))), High: int64(math.Ceil(better + half))}
			if e := curve.Held(key, time.Duration(part*float64(horizon))); e != want {
				t.Errorf("%d above, %v horizons later: %+v, want %+v", b, part, e, want)
			}
		}
	}
}

func TestKeyAtIsTheAgedLookupBackwards(t *testing.T) {
	for _, b := range boards {
		points := forecast(counted(predictor.PointsOf(b.keys(20_000)), 1000, 0.04), 0.3)
		curve, _, err := predictor.Build(ahead(), points, predictor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, age := range ages {
			total := curve.TotalAt(age)
			for rank := int64(1); rank <= total; rank += 1 + rank/50 {
				key := curve.KeyAt(rank, age)
				if above, here := curve.BetterAt(key, age), curve.BetterAt(key-1, age); above > float64(rank) || here < float64(rank)-1 {
					t.Fatalf("%s after %s: rank %d is at %d, where %v are better, and %v just below", b.name, age, rank, key, above, here)
				}
			}
			if curve.KeyAt(0, age) != curve.KeyAt(1, age) || curve.KeyAt(1<<50, age) != curve.KeyAt(total, age) {
				t.Errorf("%s after %s: ranks outside the board are not taken to its ends", b.name, age)
			}
		}
	}
}

// A curve says at any age what it says at once if it was given no horizon.
func TestWithoutAHorizonNothingAges(t *testing.T) {
	points := forecast(counted(predictor.PointsOf(boards[1].keys(20_000)), 1000, 0.04), 0.3)
	for _, none := range []time.Duration{0, time.Millisecond - 1} { // finer is not written
		m := meta
		m.Horizon = none
		curve, _, err := predictor.Build(m, points, predictor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range around(points, curve) {
			for _, age := range ages {
				if curve.BetterAt(key, age) != curve.Better(key) || curve.Held(key, age) != curve.Held(key, 0) || curve.TotalAt(age) != curve.Total() {
					t.Fatalf("the answer at %d is another after %s", key, age)
				}
			}
		}
	}
}

// TestBudgetsHoldARollingWalk: 450 estimates and a head of long keys in 16 KB, 250 in
// 4 KB.
func TestBudgetsHoldARollingWalk(t *testing.T) {
	for _, size := range []struct{ points, bytes int }{{450, 16384}, {250, 4096}} {
		for _, gap := range []int64{9, 1_000_003, 1 << 40} {
			points := rolling(size.points, 1<<50, gap, gap/3)
			curve, data, err := predictor.Build(ahead(), points, predictor.Options{Bytes: size.bytes})
			if err != nil {
				t.Errorf("%d points with gaps of %d in %d bytes: %v", size.points, gap, size.bytes, err)
				continue
			}
			t.Logf("%d points with gaps of %d: %d bytes of %d, at most %.2f of an error off", size.points, gap, len(data), size.bytes, worstMiss(t, curve, points))
			if curve.MemoryBytes() > 64<<10 {
				t.Errorf("%d bytes of memory", curve.MemoryBytes())
			}
		}
	}
}

// worstMiss is how far the curve passes from an estimate at most, in its error. The
// band holds it everywhere.
func worstMiss(t *testing.T, curve *predictor.Curve, points []predictor.Point) (worst float64) {
	t.Helper()
	for _, p := range points {
		off := math.Abs(curve.Better(p.Key) - float64(p.Better))
		if e := curve.Held(p.Key, 0); off > p.Error/4 || float64(e.High-p.Better) < 1.96*p.Error-1 || float64(p.Better-e.Low) < 1.96*p.Error-1 && e.Low > 0 {
			t.Fatalf("at %d: %+v, want %+v", p.Key, e, p)
		}
		if off > 0 {
			worst = max(worst, off/p.Error)
		}
	}
	return worst
}

// rolling is a head of single entries and so many estimated points, 2.5 % of their depth
// apart, on keys that are more or less evenly apart.
func rolling(n int, headGap, gap, rough int64) []predictor.Point {
	key, better := int64(1<<60), int64(0)
	var points []predictor.Point
	for ; better < 100; better++ {
		points = append(points, predictor.Point{Key: key, Better: better})
		key -= headGap
	}
	points = append(points, predictor.Point{Key: key, Better: better})
	for i := range int64(n) {
		key -= gap + i*i%7*rough
		better += max(4, better/40)
		e := math.Sqrt(float64(better))
		points = append(points, predictor.Point{Key: key, Better: better, Open: true, Error: e, Later: float64(better) * 1.01, LaterError: 3 * e})
	}
	last := &points[len(points)-1]
	last.Error, last.LaterError = 0, 0
	return points
}

// Where the bytes do not suffice, estimates are missed by a part of their error, and
// the band says so.
func TestEstimatesAreEasedBeforeABuildFails(t *testing.T) {
	points := rolling(200, 1<<30, 1<<30, 0)
	o := predictor.Options{Bytes: 1800}
	curve, _, err := predictor.Build(ahead(), points, o)
	if err != nil {
		t.Fatal(err)
	}
	if miss := worstMiss(t, curve, points); miss == 0 {
		t.Error("all points are passed exactly: the test needs a smaller budget")
	}
	for i := range points {
		points[i].Error = 0
	}
	if _, _, err := predictor.Build(ahead(), points, o); !errors.Is(err, predictor.ErrTooSmall) {
		t.Errorf("%v, want that what was counted does not fit", err)
	}
}

func TestBuildRefusesWhatCannotBeAForecast(t *testing.T) {
	for name, bad := range map[string]predictor.Point{
		"error below 0":   {Error: -1},
		"no error":        {Error: math.NaN()},
		"later error":     {LaterError: math.Inf(1)},
		"later too large": {Later: 1e12},
		"later no number": {Later: math.NaN()},
	} {
		bad.Key, bad.Better = 3, 4
		if _, _, err := predictor.Build(ahead(), []predictor.Point{{Key: 5}, bad}, predictor.Options{}); !errors.Is(err, predictor.ErrPoints) {
			t.Errorf("%s: %v", name, err)
		}
	}
	points := []predictor.Point{{Key: 5}, {Key: 3, Better: 4}}
	if _, _, err := predictor.Build(ahead(), points, predictor.Options{}); !errors.Is(err, predictor.ErrPoints) {
		t.Errorf("a horizon without a forecast: %v", err)
	}
	points[1].Later = 5
	for _, h := range []time.Duration{-1, math.MaxInt64} {
		m := meta
		m.Horizon = h
		if _, _, err := predictor.Build(m, points, predictor.Options{}); err == nil {
			t.Errorf("a horizon of %s was taken", h)
		}
	}
}

// Decode takes no forecast that would break what a curve promises.
func TestDecodeRefusesWhatIsNoForecast(t *testing.T) {
	curve := forecast(counted(predictor.PointsOf(boards[1].keys(5000)), 500, 0.04), 0.3)
	_, data, err := predictor.Build(ahead(), curve, predictor.Options{Bytes: 4096})
	if err != nil {
		t.Fatal(err)
	}
	for name, harm := range map[string]func(m *curvepb.Curve){
		"no horizon":       func(m *curvepb.Curve) { m.HorizonMs = 0 },
		"endless horizon":  func(m *curvepb.Curve) { m.HorizonMs = 1 << 60 },
		"few rises":        func(m *curvepb.Curve) { m.LaterRises = m.LaterRises[1:] },
		"few spreads":      func(m *curvepb.Curve) { m.LaterSpreads = m.LaterSpreads[1:] },
		"narrower spread":  func(m *curvepb.Curve) { m.LaterSpreads[20] = m.Spreads[20] - 1 },
		"endless spread":   func(m *curvepb.Curve) { m.LaterSpreads[20] = 1000 },
		"endless start":    func(m *curvepb.Curve) { m.LaterFirst = 1 << 60 },
		"endless rise":     func(m *curvepb.Curve) { m.LaterRises[0] = 1 << 60 },
		"less than nobody": func(m *curvepb.Curve) { m.HeadDrift = -1.5 },
		"no drift":         func(m *curvepb.Curve) { m.HeadDrift = math.NaN() },
		"no noise":         func(m *curvepb.Curve) { m.HeadNoise = -1 },
	} {
		var envelope curvepb.Envelope
		var m curvepb.Curve
		if err := errors.Join(proto.Unmarshal(data, &envelope), proto.Unmarshal(envelope.Curve, &m)); err != nil {
			t.Fatal(err)
		}
		harm(&m)
		inner, err := proto.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := predictor.Decode(seal(t, inner)); !errors.Is(err, predictor.ErrCurve) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
