package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

var column = store.Column{Name: "xp", Order: store.Desc, Operator: store.Set}

// open makes a board of the keys in a store of its own.
func open(t *testing.T, shards int, keys []int64) (store.Store, store.Board) {
	t.Helper()
	st, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	board := store.Board{Name: "games", Shards: shards, Columns: []store.Column{column}}
	if err := st.CreateBoard(context.Background(), board); err != nil {
		t.Fatal(err)
	}
	put(t, st, board, keys)
	return st, board
}

// put stores the keys; owner i always gets keys[i].
func put(t *testing.T, st store.Store, board store.Board, keys []int64) {
	t.Helper()
	entries := make([]store.Entry, len(keys))
	for i, key := range keys {
		entries[i] = store.Entry{Owner: fmt.Sprintf("player-%06d", i), Scores: map[string]int64{"xp": key}}
	}
	if _, err := st.Load(context.Background(), board, entries); err != nil {
		t.Fatal(err)
	}
}

func draw(n int, key func(r *rand.Rand) int64) []int64 {
	r := rand.New(rand.NewPCG(5, 6))
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = key(r)
	}
	return keys
}

func lognormal(r *rand.Rand) int64 { return int64(math.Exp(9 + 1.5*r.NormFloat64())) }
func withAtom(r *rand.Rand) int64 {
	if r.Float64() < 0.3 {
		return 1000
	}
	return lognormal(r)
}

// exact fails unless every point of the walk is the truth.
func exact(t *testing.T, walk sampler.Walk, keys []int64) {
	t.Helper()
	sorted := slices.Clone(keys)
	slices.Sort(sorted)
	better := func(key int64) int64 {
		i, _ := slices.BinarySearch(sorted, key+1)
		return int64(len(sorted) - i)
	}
	if walk.Entries != int64(len(keys)) {
		t.Fatalf("walk saw %d entries of %d", walk.Entries, len(keys))
	}
	for i, p := range walk.Points {
		if truth := better(p.Key); truth != p.Better {
			t.Fatalf("point %d: %d entries better than %d, the walk says %d", i, truth, p.Key, p.Better)
		}
		if i > 0 && !p.Open && better(p.Key) != better(walk.Points[i-1].Key-1) {
			t.Fatalf("entries between the closed points %d and %d", i-1, i)
		}
	}
	if len(keys) == 0 {
		return
	}
	if first, last := walk.Points[0], walk.Points[len(walk.Points)-1]; first.Better != 0 || last.Better != int64(len(keys)) {
		t.Fatalf("points go from %+v to %+v", first, last)
	}
}

func TestEveryWalkIsExactAtItsPoints(t *testing.T) {
	for _, tc := range []struct {
		name   string
		shards int
		keys   []int64
	}{
		{"empty", 4, nil},
		{"one entry", 4, []int64{7}},
		{"all on one score", 4, draw(3000, func(*rand.Rand) int64 { return 5 })},
		{"lognormal", 8, draw(20000, lognormal)},
		{"one shard", 1, draw(5000, lognormal)},
		{"an atom", 8, draw(20000, withAtom)},
		{"few scores", 8, draw(20000, func(r *rand.Rand) int64 { return r.Int64N(11) })},
		{"negative", 3, draw(9000, func(r *rand.Rand) int64 { return -lognormal(r) })},
		{"half at the limit", 4, draw(5000, func(r *rand.Rand) int64 { return -store.MaxScore * r.Int64N(2) })},
		{"extremes", 2, []int64{store.MaxScore, -store.MaxScore, 0, store.MaxScore, -store.MaxScore}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			st, board := open(t, tc.shards, tc.keys)
			for _, method := range []sampler.Method{sampler.Scores, sampler.Counted, sampler.Auto} {
				var state sampler.State
				for round := range 3 { // cold, and twice from its own state
					w := sampler.New(st, board, column, sampler.Options{Method: method, Head: 100})
					walk, err := w.Walk(context.Background(), state)
					if err != nil {
						t.Fatalf("%s walk %d: %v", method, round, err)
					}
					exact(t, walk, tc.keys)
					state = reencoded(t, walk.State)
				}
			}
		})
	}
}

func reencoded(t *testing.T, s sampler.State) sampler.State {
	t.Helper()
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := sampler.DecodeState(data)
	if err != nil {
		t.Fatal(err)
	}
	if back.Entries != s.Entries || fmt.Sprint(back.Cutpoints) != fmt.Sprint(s.Cutpoints) {
		t.Fatal("the state changed in its encoding")
	}
	return back
}

func TestCutpointsFollowABoardThatMoves(t *testing.T) {
	keys := draw(30000, lognormal)
	st, board := open(t, 8, keys)
	options := sampler.Options{Method: sampler.Counted, Head: 200}
	walk, err := sampler.New(st, board, column, options).Walk(context.Background(), sampler.State{})
	if err != nil {
		t.Fatal(err)
	}
	before := walk.Intervals
	for i := range keys { // half the board moves onto one score, outside all cutpoints' sense
		if i%2 == 0 {
			keys[i] = 4321
		}
	}
	put(t, st, board, keys)
	for range 3 {
		if walk, err = sampler.New(st, board, column, options).Walk(context.Background(), walk.State); err != nil {
			t.Fatal(err)
		}
		exact(t, walk, keys)
	}
	var sides int
	for _, p := range walk.Points {
		if p.Key == 4321 || p.Key == 4320 {
			sides++
		}
	}
	if sides != 2 {
		t.Errorf("the atom at 4321 has %d of its 2 sides among the cutpoints", sides)
	}
	for i := 1; i < len(walk.Points); i++ {
		p, q := walk.Points[i-1], walk.Points[i]
		depth := min(q.Better, walk.Entries-p.Better)
		if n := q.Better - p.Better; q.Open && p.Key-q.Key > 1 && float64(n) > 2.5*sampler.DefaultFraction*float64(max(depth, 200)) {
			t.Errorf("an interval of %d entries at depth %d was left", n, depth)
		}
	}
	if walk.Intervals > 2*before {
		t.Errorf("%d intervals after the move, %d before: light ones are not merged", walk.Intervals, before)
	}
}

func TestLightIntervalsAreMerged(t *testing.T) {
	keys := draw(50_000, lognormal)
	st, board := open(t, 4, keys)
	options := sampler.Options{Method: sampler.Counted, Head: 500, Fraction: 0.01}
	fine, err := sampler.New(st, board, column, options).Walk(context.Background(), sampler.State{})
	if err != nil {
		t.Fatal(err)
	}
	options.Fraction = 0.05
	walk, err := sampler.New(st, board, column, options).Walk(context.Background(), fine.State)
	if err != nil {
		t.Fatal(err)
	}
	if got, was := len(walk.State.Cutpoints), fine.Intervals; got > was/3 {
		t.Errorf("%d cutpoints are kept of %d that lie five times too close", got, was)
	}
}

func TestWalkCostsWhatItReadsAndPredictSaysSo(t *testing.T) {
	keys := draw(200_000, lognormal)
	st, board := open(t, 16, keys)
	for _, method := range []sampler.Method{sampler.Scores, sampler.Counted} {
		options := sampler.Options{Method: method}
		predicted, err := sampler.New(st, board, column, options).Predict(context.Background(), sampler.State{})
		if err != nil {
			t.Fatal(err)
		}
		walk, err := sampler.New(st, board, column, options).Walk(context.Background(), sampler.State{})
		if err != nil {
			t.Fatal(err)
		}
		var bytes int
		for i, key := range keys {
			bytes += store.IndexEntrySize(board.Partition("xp", 0), key, fmt.Sprintf("player-%06d", i))
		}
		least := float64(bytes) / 8192
		t.Logf("%s: %s, %.2f times the bytes; predicted %.0f read units, %d requests", walk.Method, walk.Usage, walk.Usage.ReadUnits()/least, predicted.ReadUnits, predicted.Requests)
		if got := walk.Usage.ReadUnits(); got > 1.4*least || walk.Usage.Requests > 2000 {
			t.Errorf("%s walk cost %s, %.2f times the bytes", method, walk.Usage, got/least)
		}
		if off := math.Abs(predicted.ReadUnits/walk.Usage.ReadUnits() - 1); off > 0.1 {
			t.Errorf("%s: predicted %.0f read units, took %.0f", method, predicted.ReadUnits, walk.Usage.ReadUnits())
		}
	}
}

func TestBudgetStopsAWalkBeforeItIsSpent(t *testing.T) {
	for _, method := range []sampler.Method{sampler.Scores, sampler.Counted, sampler.Auto} {
		shards := 16
		if method != sampler.Scores {
			shards = 1 // of several it would walk fewer
		}
		st, board := open(t, shards, draw(50_000, lognormal))
		w := sampler.New(st, board, column, sampler.Options{Method: method, ReadBudget: 100})
		walk, err := w.Walk(context.Background(), sampler.State{})
		if !errors.Is(err, store.ErrTooExpensive) {
			t.Fatalf("%s: %v", method, err)
		}
		if spent := walk.Usage.ReadUnits(); spent > 20 && shards > 1 { // one shard of 16
			t.Errorf("%s: spent %.0f read units of a budget of 100", method, spent)
		}
		w = sampler.New(st, board, column, sampler.Options{Method: method, ReadBudget: 100, Full: true})
		if _, err := w.Walk(context.Background(), sampler.State{}); err != nil {
			t.Errorf("%s: a full walk ignores the budget, got %v", method, err)
		}
	}
}

// failing is a store whose one partition cannot be read.
type failing struct {
	store.Partitions
	shard int
}

var errBroken = errors.New("broken")

func (f failing) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if q.Partition.Shard == f.shard {
		return store.Page{}, fmt.Errorf("read partition %s: %w", q.Partition, errBroken)
	}
	return f.Partitions.Rows(ctx, q)
}

func TestTheOnlyShardFailsTheWalkAndIsNamed(t *testing.T) {
	st, board := open(t, 1, draw(2000, lognormal))
	for _, method := range []sampler.Method{sampler.Scores, sampler.Counted} {
		w := sampler.New(failing{st, 0}, board, column, sampler.Options{Method: method})
		_, err := w.Walk(context.Background(), sampler.State{})
		if !errors.Is(err, errBroken) || err.Error() != "read partition games.xp shard 0: broken" {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestACancelledWalkEnds(t *testing.T) {
	st, board := open(t, 8, draw(2000, lognormal))
	ctx, cancel := context.WithCancel(context.Background())
	w := sampler.New(st, board, column, sampler.Options{Method: sampler.Scores, Parallel: 1, Progress: func(int, int) { cancel() }})
	if _, err := w.Walk(ctx, sampler.State{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestDecodeStateRefusesDamage(t *testing.T) {
	data, err := sampler.State{Entries: 5, Cutpoints: []int64{9, 4, -3}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{nil, data[:3], append([]byte{0xff}, data...)} {
		if _, err := sampler.DecodeState(bad); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%x: %v", bad, err)
		}
	}
}
