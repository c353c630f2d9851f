package predictor_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
)

var meta = predictor.Meta{Board: "games", Column: "xp", Decimals: 2, Ascending: true, Generation: 42, AsOf: time.UnixMilli(1_700_000_000_123).UTC()}

// builds is every way a curve is made.
var builds = []predictor.Options{
	{},
	{Bytes: predictor.MinBytes},
	{Bytes: 4096},
	{Bytes: 4096, Shape: predictor.Abs},
	{Bytes: 65536, Shape: predictor.Abs},
}

func build(tb testing.TB, points []predictor.Point, o predictor.Options) (*predictor.Curve, []byte) {
	tb.Helper()
	curve, data, err := predictor.Build(meta, points, o)
	if err != nil {
		tb.Fatal(err)
	}
	return curve, data
}

// TestEveryOwnerLiesInTheBand is the oracle: the curve of all scores, against a
// plain count, at every key of every shape of board, before and after the codec.
func TestEveryOwnerLiesInTheBand(t *testing.T) {
	for _, b := range boards {
		for _, n := range []int{1, 2, 99, 100, 101, 3000, 50_000} {
			points := predictor.PointsOf(b.keys(n))
			for _, o := range builds {
				curve, data := build(t, points, o)
				again, err := predictor.Decode(data)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range points {
					e := curve.Held(p.Key, 0)
					if e.Low > p.Better || e.High < p.Better || e.Better < e.Low || e.Better > e.High {
						t.Fatalf("%s, %d entries, %+v: at %d the truth is %d, the estimate %+v", b.name, n, o, p.Key, p.Better, e)
					}
					if again.Held(p.Key, 0) != e || again.Estimate(p.Key, 0) != curve.Estimate(p.Key, 0) {
						t.Fatalf("%s: the codec changed the estimate at %d", b.name, p.Key)
					}
				}
			}
		}
	}
}

// TestAnyKeyLiesInTheWiderBand asks for keys that nobody has too.
func TestAnyKeyLiesInTheWiderBand(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, b := range boards {
		keys := b.keys(20_000)
		points := predictor.PointsOf(keys)
		curve, _ := build(t, points, predictor.Options{Bytes: 4096})
		best, worst := keys[0], keys[len(keys)-1]
		for range 20_000 {
			key := keys[r.IntN(len(keys))] + r.Int64N(7) - 3
			if r.IntN(4) == 0 && best > worst {
				key = worst + r.Int64N(best-worst)
			}
			truth := better(keys, key)
			if e := curve.Estimate(key, 0); e.Low > truth || e.High < truth {
				t.Fatalf("%s: at %d the truth is %d, the estimate %+v", b.name, key, truth, e)
			}
		}
	}
}

// better counts the keys strictly larger in keys sorted best first.
func better(sorted []int64, key int64) int64 {
	i, _ := slices.BinarySearchFunc(sorted, key, func(a, b int64) int {
		if a > b {
			return -1
		}
		return 1
	})
	return int64(i)
}

func TestTheBest100AreExactAndTheEndsFixed(t *testing.T) {
	for _, b := range boards {
		points := predictor.PointsOf(b.keys(30_000))
		for _, o := range builds {
			curve, _ := build(t, points, o)
			for _, p := range points {
				e := curve.Estimate(p.Key, 0)
				if p.Better < 100 && (e.Low != p.Better || e.High != p.Better) {
					t.Fatalf("%s: rank %d is %+v", b.name, p.Better+1, e)
				}
			}
			first, last := points[0], points[len(points)-1]
			if curve.Better(first.Key) != 0 || curve.Better(math.MaxInt64/2) != 0 {
				t.Fatalf("%s: somebody is better than the best", b.name)
			}
			if int64(curve.Better(last.Key)) != curve.Total() || int64(curve.Better(-math.MaxInt64/2)) != curve.Total() {
				t.Fatalf("%s: not all are better than what is below the worst", b.name)
			}
		}
	}
}

func TestAnAtomIsExactOnBothSides(t *testing.T) {
	keys := boards[6].keys(100_000) // 30 % on 1000
	curve, _ := build(t, predictor.PointsOf(keys), predictor.Options{Bytes: 4096})
	for _, key := range []int64{1000, 999} {
		if got, want := curve.Held(key, 0).Better, better(keys, key); got != want {
			t.Errorf("at %d: %d better, the truth is %d", key, got, want)
		}
	}
}

func TestLookupIsMonotone(t *testing.T) {
	for _, b := range boards {
		keys := b.keys(20_000)
		curve, _ := build(t, predictor.PointsOf(keys), predictor.Options{Bytes: 2048})
		var asked []int64
		for _, k := range keys {
			asked = append(asked, k-1, k, k+1)
		}
		slices.Sort(asked)
		for i := 1; i < len(asked); i++ {
			if curve.Better(asked[i]) > curve.Better(asked[i-1]) {
				t.Fatalf("%s: better grows from %d to %d", b.name, asked[i-1], asked[i])
			}
		}
	}
}

// TestLookupAgreesWithBinarySearch checks the radix against sort.Search over the
// same knots.
func TestLookupAgreesWithBinarySearch(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, b := range boards {
		keys := b.keys(50_000)
		curve, _ := build(t, predictor.PointsOf(keys), predictor.Options{})
		reference := newSearched(curve)
		for range 50_000 {
			key := keys[r.IntN(len(keys))] + r.Int64N(5) - 2
			if got, want := curve.Better(key), reference.betterAt(key); math.Abs(got-want) > 0.01 {
				t.Fatalf("%s: at %d %v, by binary search %v", b.name, key, got, want)
			}
		}
	}
}

func TestKeyAtIsTheLookupBackwards(t *testing.T) {
	for _, b := range boards {
		keys := b.keys(20_000)
		curve, _ := build(t, predictor.PointsOf(keys), predictor.Options{})
		for rank := int64(1); rank <= 100; rank++ {
			if got := curve.KeyAt(rank, 0); got != keys[rank-1] {
				t.Fatalf("%s: rank %d is at %d, the truth is %d", b.name, rank, got, keys[rank-1])
			}
		}
		for rank := int64(101); rank <= int64(len(keys)); rank += 17 {
			key := curve.KeyAt(rank, 0)
			if above, here := curve.Better(key), curve.Better(key-1); above > float64(rank) || here < float64(rank)-1 {
				t.Fatalf("%s: rank %d is at %d, where %v are better, and %v just below", b.name, rank, key, above, here)
			}
		}
		if curve.KeyAt(0, 0) != curve.KeyAt(1, 0) || curve.KeyAt(1<<50, 0) != curve.KeyAt(curve.Total(), 0) {
			t.Errorf("%s: ranks outside the board are not taken to its ends", b.name)
		}
	}
}

func TestBuildKeepsItsBudgetAndItsMeta(t *testing.T) {
	for _, b := range boards {
		points := predictor.PointsOf(b.keys(50_000))
		for _, o := range builds {
			curve, data := build(t, points, o)
			if limit := max(o.Bytes, 0); limit > 0 && len(data) > limit || len(data) > 65536 {
				t.Errorf("%s: %d bytes of %d", b.name, len(data), limit)
			}
			if curve.Meta() != meta {
				t.Fatalf("meta came back as %+v", curve.Meta())
			}
			if o == (predictor.Options{}) && curve.MemoryBytes() > 64<<10 {
				t.Errorf("%s: %d bytes of memory for a default curve", b.name, curve.MemoryBytes())
			}
		}
	}
}

// TestCountedIntervalsWidenTheBand builds from cutpoints and rows at the ends, as
// a counted walk sees a board.
func TestCountedIntervalsWidenTheBand(t *testing.T) {
	for _, b := range boards {
		keys := b.keys(200_000)
		truth := predictor.PointsOf(keys)
		curve, _ := build(t, counted(truth, 5000, 0.04), predictor.Options{})
		var inside, owners int64
		for i, p := range truth[:len(truth)-1] {
			e, n := curve.Held(p.Key, 0), truth[i+1].Better-p.Better
			owners += n
			if e.Low <= p.Better && p.Better <= e.High {
				inside += n
			}
		}
		if share := float64(inside) / float64(owners); share < 0.95 {
			t.Errorf("%s: %.1f %% of the owners in the band", b.name, 100*share)
		}
	}
}

// counted keeps the points at both ends and only some between, but both sides of
// an atom.
func counted(all []predictor.Point, ends int64, fraction float64) []predictor.Point {
	total := all[len(all)-1].Better
	var kept []predictor.Point
	for i, p := range all {
		distance := min(p.Better, total-p.Better)
		atom := i+1 < len(all) && all[i+1].Better-p.Better > total/100 || i > 0 && p.Better-all[i-1].Better > total/100
		if len(kept) > 0 && !atom && distance > ends && float64(p.Better-kept[len(kept)-1].Better) < fraction*float64(distance) {
			continue
		}
		p.Open = i > 0 && kept[len(kept)-1].Key != all[i-1].Key
		kept = append(kept, p)
	}
	return kept
}

func TestBuildRefusesWhatIsNoBoard(t *testing.T) {
	type points = []predictor.Point
	for name, bad := range map[string]points{
		"no points":        nil,
		"one point":        {{Key: 5}},
		"better first":     {{Key: 5, Better: 1}, {Key: 4, Better: 2}},
		"keys not falling": {{Key: 5}, {Key: 5, Better: 2}},
		"better falling":   {{Key: 5}, {Key: 4, Better: 3}, {Key: 3, Better: 2}},
		"no entries":       {{Key: 5}, {Key: 4}},
		"key too large":    {{Key: math.MaxInt64}, {Key: 4, Better: 1}},
	} {
		if _, _, err := predictor.Build(meta, bad, predictor.Options{}); !errors.Is(err, predictor.ErrPoints) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBuildSaysWhenTheBudgetIsTooSmall(t *testing.T) {
	points := make([]predictor.Point, 0, 2000)
	for i := range int64(2000) { // 2000 counted intervals, none of which may be bent
		points = append(points, predictor.Point{Key: -i * i * 1_000_003, Better: i * (i + 7), Open: i > 0})
	}
	if _, _, err := predictor.Build(meta, points, predictor.Options{Bytes: 1024}); !errors.Is(err, predictor.ErrTooSmall) {
		t.Errorf("%v", err)
	}
	if _, _, err := predictor.Build(meta, points, predictor.Options{Bytes: 100}); err == nil {
		t.Error("a budget of 100 bytes was taken")
	}
}

func TestTheEmptyBoardHasACurve(t *testing.T) {
	_, data, err := predictor.Empty(meta)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := predictor.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if e := curve.Estimate(5, 0); e != (predictor.Estimate{}) || curve.Total() != 0 || curve.Meta() != meta {
		t.Errorf("%+v of %d", e, curve.Total())
	}
	curve.KeyAt(1, 0) // must not panic
}

func TestDecodeRefusesEveryDamage(t *testing.T) {
	points := forecast(counted(predictor.PointsOf(boards[1].keys(5000)), 300, 0.04), 0.3)
	_, data, err := predictor.Build(ahead(), points, predictor.Options{Bytes: 2048})
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for bit := range 8 {
			bad := slices.Clone(data)
			bad[i] ^= 1 << bit
			if _, err := predictor.Decode(bad); !errors.Is(err, predictor.ErrCurve) {
				t.Fatalf("bit %d of byte %d flipped: %v", bit, i, err)
			}
		}
		if _, err := predictor.Decode(data[:i]); !errors.Is(err, predictor.ErrCurve) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
}

func TestLookupAllocatesNothing(t *testing.T) {
	keys := boards[1].keys(10_000)
	curve, _, err := predictor.Build(ahead(), forecast(predictor.PointsOf(keys), 0.3), predictor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		sink += curve.Better(keys[500]) + curve.BetterAt(keys[500], time.Minute) + float64(curve.Held(keys[7000], 0).Low+curve.Held(keys[7000], time.Minute).Low+curve.TotalAt(time.Minute))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
