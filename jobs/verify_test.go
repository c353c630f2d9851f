package jobs_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// truthOf is every owner's rank, counted by hand.
func truthOf(board store.Board, scores []int64) func(owner string) int64 {
	keys := make([]int64, len(scores))
	for i, score := range scores {
		keys[i] = board.Columns[0].Key(score)
	}
	sorted := slices.Clone(keys)
	slices.SortFunc(sorted, func(a, b int64) int { return cmp.Compare(b, a) })
	return func(owner string) int64 {
		var i int
		if _, err := fmt.Sscanf(owner, "owner-%d", &i); err != nil {
			return 0
		}
		at, _ := slices.BinarySearchFunc(sorted, keys[i], func(a, b int64) int { return cmp.Compare(b, a) })
		return int64(at) + 1
	}
}

// refreshed loads scores, makes a curve and reads it back.
func refreshed(t *testing.T, d dataset, scores []int64, method sampler.Method) (store.Store, store.Board, *predictor.Curve) {
	t.Helper()
	st, board := load(t, d, scores)
	refresh(t, st, board, jobs.Options{Method: method, Head: 500})
	return st, board, curveOf(t, st, board)
}

func refresh(t *testing.T, st store.Store, board store.Board, o jobs.Options) jobs.Report {
	t.Helper()
	report, err := jobs.Refresher{Store: st, Holder: "test"}.Refresh(context.Background(), board, "", o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func curveOf(t *testing.T, st store.Store, board store.Board) *predictor.Curve {
	t.Helper()
	p, _, err := st.Curve(context.Background(), board.CurveKey(board.Columns[0].Name))
	if err != nil {
		t.Fatal(err)
	}
	curve, err := predictor.Decode(p.Data)
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

func verify(t *testing.T, st store.Store, board store.Board, curve *predictor.Curve, o jobs.VerifyOptions) jobs.Verification {
	t.Helper()
	v, err := jobs.Verifier{Store: st}.Verify(context.Background(), board, curve, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVerifyCountsTheTrueRanks(t *testing.T) {
	const n, sample = 60_000, 500
	for _, d := range []dataset{datasets[3], datasets[5], datasets[8], datasets[9]} { // lognormal, elo, an atom, 101 scores
		t.Run(d.name, func(t *testing.T) {
			scores := d.generate(n)
			st, board, curve := refreshed(t, d, scores, sampler.Counted)
			v := verify(t, st, board, curve, jobs.VerifyOptions{Sample: sample, Seed: 7})
			rankOf, seen := truthOf(board, scores), map[string]bool{}
			for _, c := range v.Checks {
				e := curve.Held(c.Score, v.At.Sub(v.AsOf))
				want := jobs.Check{Owner: c.Owner, Score: c.Score, Rank: rankOf(c.Owner), Estimate: e.Better + 1, Low: e.Low + 1, High: e.High + 1}
				if c != want || seen[c.Owner] {
					t.Fatalf("got %+v, want %+v, and each owner once (%t)", c, want, seen[c.Owner])
				}
				seen[c.Owner] = true
			}
			total := v.Total()
			if v.Entries != n || v.Of != n || v.DownTo != 0 || v.Gone != 0 || total.Owners < sample*9/10 || total.Owners > sample {
				t.Errorf("%d owners, %d entries of %d, down to %d, %d gone", total.Owners, v.Entries, v.Of, v.DownTo, v.Gone)
			}
			if total.Coverage() < 0.95 || total.Median > 0.002 || v.Broken(jobs.Promise{Coverage: jobs.StatedCoverage, MaxError: 0.02, FromRank: 1000}) != nil {
				t.Errorf("coverage %.3f, median error %.4f, broken: %q", total.Coverage(), total.Median, v.Broken(jobs.Promise{Coverage: 0.95, MaxError: 0.02, FromRank: 1000}))
			}
		})
	}
}

func TestVerifyAsksEveryDepthAlike(t *testing.T) {
	st, board, curve := refreshed(t, datasets[6], datasets[6].generate(60_000), sampler.Scores)
	v := verify(t, st, board, curve, jobs.VerifyOptions{Sample: 610, Seed: 3})
	depths := v.Depths()
	if len(depths) != 5 || depths[0].From != 1 || depths[0].To != 10 || depths[4].From != 10_001 || depths[4].To != 100_000 {
		t.Fatalf("depths: %+v", depths)
	}
	// The first has but 10 owners, the second 90; the last is three quarters of a decade.
	for i, want := range []int{10, 90, 184, 184, 143} {
		if n := depths[i].Owners; math.Abs(float64(n-want)) > 0.1*float64(want) || i < 2 && n != want {
			t.Errorf("ranks %d to %d: %d owners, want about %d", depths[i].From, depths[i].To, n, want)
		}
	}
	// Inside a decade, too, they are spread: each third of the last has its part.
	var thirds [3]int
	for _, c := range v.Checks {
		if c.Rank > 10_000 {
			thirds[min(2, (c.Rank-10_001)*3/50_000)]++
		}
	}
	for i, n := range thirds {
		if n < 35 || n > 60 {
			t.Errorf("third %d of the last decade: %d owners of 143", i, n)
		}
	}
	if last := v.Checks[len(v.Checks)-1]; last.Rank < 59_900 {
		t.Errorf("the deepest owner asked is at rank %d of 60,000: the end is not looked at", last.Rank)
	}
}

// A few entries beyond a power of ten are no depth of their own.
func TestVerifyAsksFewOfAStub(t *testing.T) {
	st, board, curve := refreshed(t, datasets[6], datasets[6].generate(10_050), sampler.Scores)
	v := verify(t, st, board, curve, jobs.VerifyOptions{Sample: 400, Seed: 1})
	depths := v.Depths()
	if n := v.Total().Owners; len(depths) != 5 || n < 380 || depths[4].Owners < 1 || depths[4].Owners > 20 {
		t.Errorf("%d owners: %+v", n, depths)
	}
}

func TestVerifyAsksTheSameBySeed(t *testing.T) {
	st, board, curve := refreshed(t, datasets[6], datasets[6].generate(30_000), sampler.Scores)
	ask := func(seed uint64) []jobs.Check {
		return verify(t, st, board, curve, jobs.VerifyOptions{Sample: 200, Seed: seed}).Checks
	}
	first := ask(1)
	if !reflect.DeepEqual(first, ask(1)) {
		t.Error("the same seed asks others")
	}
	if reflect.DeepEqual(first, ask(2)) {
		t.Error("another seed asks the same")
	}
}

func TestVerifyCostsOnePass(t *testing.T) {
	st, board, curve := refreshed(t, datasets[3], datasets[3].generate(200_000), sampler.Scores)
	whole := refresh(t, st, board, jobs.Options{Method: sampler.Scores}).Usage.ReadUnits()
	for _, sample := range []int{50, 1000} {
		v := verify(t, st, board, curve, jobs.VerifyOptions{Sample: sample, Seed: 1})
		took := v.Usage.ReadUnits()
		if limit := 1.1*whole + 1.05*float64(sample) + 50; took > limit || took < whole {
			t.Errorf("%d owners take %.0f read units, one pass is %.0f", sample, took, whole)
		}
		if math.Abs(v.Predicted-took) > 0.05*took {
			t.Errorf("%d owners: %.0f read units predicted, %.0f taken", sample, v.Predicted, took)
		}
	}
}

func TestVerifyOverBudget(t *testing.T) {
	const n = 100_000
	st, board, curve := refreshed(t, datasets[3], datasets[3].generate(n), sampler.Scores)
	ask := func(o jobs.VerifyOptions) (jobs.Verification, error) {
		o.Sample, o.Seed = 100, 1
		return jobs.Verifier{Store: st}.Verify(context.Background(), board, curve, o)
	}
	v, err := ask(jobs.VerifyOptions{ReadBudget: 300})
	var over *jobs.OverBudgetError
	if !errors.As(err, &over) || !errors.Is(err, store.ErrTooExpensive) || over.Spent || over.Units < 400 || over.DownTo < 5000 || over.DownTo > 60_000 {
		t.Fatalf("%v: %+v", err, over)
	}
	if text := err.Error(); !strings.Contains(text, "verify accuracy.score: takes about") || !strings.Contains(text, fmt.Sprintf("deeper than rank %d", over.DownTo)) {
		t.Error(text)
	}
	if v.Usage.ReadUnits() > 30 {
		t.Errorf("refused, and %.0f read units taken", v.Usage.ReadUnits())
	}
	for _, o := range []jobs.VerifyOptions{{ReadBudget: 300, DownTo: over.DownTo}, {ReadBudget: 300, Fit: true}} {
		v, err := ask(o)
		if err != nil {
			t.Fatal(err)
		}
		deepest := v.Checks[len(v.Checks)-1].Rank
		if took := v.Usage.ReadUnits(); took > 300 || took < 150 || v.DownTo < 5000 || v.Entries != -1 || deepest < v.DownTo/2 || deepest > v.DownTo*11/10 {
			t.Errorf("%+v: %.0f read units, down to %d, the deepest at %d, %d entries", o, took, v.DownTo, deepest, v.Entries)
		}
	}
	if _, err := ask(jobs.VerifyOptions{ReadBudget: 7, Fit: true}); !errors.As(err, &over) {
		t.Errorf("16 shards on 7 read units: %v", err)
	}
}

// A budget that is spent on the best rows is too small, and not the curve wrong: the
// error says what all takes, and that is enough.
func TestVerifyOverBudgetAtTheBestRows(t *testing.T) {
	st, board := load(t, datasets[6], nil)
	entries := make([]store.Entry, 5000)
	for i := range entries {
		entries[i] = store.Entry{Owner: fmt.Sprintf("%0200d", i), Scores: map[string]int64{"score": int64(i)}}
	}
	if _, err := st.Load(context.Background(), board, entries); err != nil {
		t.Fatal(err)
	}
	refresh(t, st, board, jobs.Options{})
	curve := curveOf(t, st, board)
	for _, budget := range []float64{1, 8, 20, 30, 60} {
		o := jobs.VerifyOptions{Sample: 50, Seed: 1, ReadBudget: budget}
		for try := 0; ; try++ {
			v, err := jobs.Verifier{Store: st}.Verify(context.Background(), board, curve, o)
			if err == nil {
				if v.Entries != 5000 {
					t.Errorf("%d entries counted", v.Entries)
				}
				break
			}
			var over *jobs.OverBudgetError
			if !errors.As(err, &over) || over.Spent || over.Budget != o.ReadBudget || over.Units <= over.Budget || try == 3 {
				t.Fatalf("a budget of %v: %v", o.ReadBudget, err)
			}
			o.ReadBudget = 1.1 * over.Units
		}
	}
}

// A curve that knows a tenth of the board predicts a tenth of the price. The budget
// holds all the same.
func TestVerifyStopsWhenTheBudgetIsSpent(t *testing.T) {
	scores := datasets[3].generate(200_000)
	st, board, curve := refreshed(t, datasets[3], scores[:20_000], sampler.Scores)
	put(t, st, board, scores)
	v, err := jobs.Verifier{Store: st}.Verify(context.Background(), board, curve, jobs.VerifyOptions{Sample: 100, Seed: 1, ReadBudget: 400})
	var over *jobs.OverBudgetError
	if !errors.As(err, &over) || !over.Spent || !strings.Contains(err.Error(), "is spent") {
		t.Fatalf("%v", err)
	}
	const page = store.PageBytes / 8192
	if took := v.Usage.ReadUnits(); took < 400 || took > 400+sampler.DefaultParallel*page {
		t.Errorf("%.0f read units taken of 400", took)
	}
}

func TestVerifyFindsAWrongCurve(t *testing.T) {
	scores := datasets[6].generate(50_000)
	st, board := load(t, datasets[6], scores)
	wrong := slices.Clone(scores)
	for i := range wrong {
		wrong[i] += wrong[i] / 20 // as if all had 5 % more
	}
	slices.SortFunc(wrong, func(a, b int64) int { return cmp.Compare(b, a) })
	curve, _, err := predictor.Build(predictor.Meta{Board: board.Name, Column: "score", Generation: 1, AsOf: time.Now()}, predictor.PointsOf(wrong), predictor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := verify(t, st, board, curve, jobs.VerifyOptions{Sample: 300, Seed: 1})
	rankOf := truthOf(board, scores)
	for _, c := range v.Checks {
		if c.Rank != rankOf(c.Owner) {
			t.Fatalf("%+v is at rank %d: a wrong curve misled the count", c, rankOf(c.Owner))
		}
	}
	broken := v.Broken(jobs.Promise{Coverage: jobs.StatedCoverage, MaxError: 0.01, FromRank: 1000})
	if len(broken) != 2 || !strings.Contains(broken[0], "the band held") || !strings.Contains(broken[0], "promised are 95 %") || !strings.Contains(broken[1], "allowed is 1 % from rank 1000 on") {
		t.Errorf("broken: %q", broken)
	}
}

func TestVerifySeesWhatCameInBelowTheCurve(t *testing.T) {
	scores := make([]int64, 20_000)
	for i := range scores {
		scores[i] = int64(40_000 - i)
	}
	st, board, curve := refreshed(t, datasets[6], scores[:10_000], sampler.Scores)
	put(t, st, board, scores)
	v := verify(t, st, board, curve, jobs.VerifyOptions{Sample: 200, Seed: 1})
	if v.Of != 10_000 || v.Entries != 20_000 {
		t.Errorf("%d entries said, %d counted", v.Of, v.Entries)
	}
	if last := v.Checks[len(v.Checks)-1]; last.Rank < 19_000 || last.Inside() || v.Total().Max < 0.4 {
		t.Errorf("the deepest owner asked: %+v; largest error %.2f", last, v.Total().Max)
	}
}

func TestVerifyOfSmallBoards(t *testing.T) {
	for _, n := range []int{0, 1, 7, 300, 3000} {
		st := newGames(t, n) // ascending, with decimals
		refresh(t, st, games, jobs.Options{})
		v := verify(t, st, games, published(t, st), jobs.VerifyOptions{Sample: 400, Seed: 1})
		want := min(n, 400)
		if v.Total().Owners > want || v.Total().Owners < want*9/10 || v.Entries != int64(n) || v.Broken(jobs.Promise{Coverage: 0.95, MaxError: 0.001, FromRank: 1}) != nil {
			t.Errorf("%d entries: %+v, %d counted", n, v.Total(), v.Entries)
		}
		for _, c := range v.Checks {
			if c.Rank != c.Score { // player i has the time i+1
				t.Errorf("%d entries: %+v", n, c)
			}
		}
	}
}

// A board that was refreshed while it was empty has a curve that knows of nobody.
func TestVerifyOfAnEmptyCurve(t *testing.T) {
	st, board, curve := refreshed(t, datasets[6], nil, sampler.Scores)
	put(t, st, board, datasets[6].generate(5000))
	v := verify(t, st, board, curve, jobs.VerifyOptions{Sample: 100, Seed: 1})
	if v.Entries != 5000 || v.Total().Owners < 90 || v.Broken(jobs.Promise{Coverage: 0.95}) == nil {
		t.Errorf("%d entries, %+v", v.Entries, v.Total())
	}
}

func TestVerifyOnManyShards(t *testing.T) {
	st := newGames(t, 0)
	board := store.Board{Name: "wide", Shards: 500, Columns: []store.Column{{Name: "score", Order: store.Desc, Operator: store.Set}}}
	if err := st.CreateBoard(context.Background(), board); err != nil {
		t.Fatal(err)
	}
	scores := datasets[6].generate(40_000)
	put(t, st, board, scores)
	refresh(t, st, board, jobs.Options{Method: sampler.Scores})
	v := verify(t, st, board, curveOf(t, st, board), jobs.VerifyOptions{Sample: 400, Seed: 1})
	rankOf := truthOf(board, scores)
	for _, c := range v.Checks {
		if c.Rank != rankOf(c.Owner) {
			t.Fatalf("%+v is at rank %d", c, rankOf(c.Owner))
		}
	}
	for i, want := range []int{10, 90, 115, 115, 70} {
		if d := v.Depths()[i]; d.Owners < want*8/10 || d.Owners > want*12/10 {
			t.Errorf("ranks %d to %d: %d owners, want about %d", d.From, d.To, d.Owners, want)
		}
	}
}

// moving is a store whose players go on while they are asked: one of every four has
// left, one has another score than in the index.
type moving struct{ store.Store }

func (m moving) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	entries, u, err := m.Store.EntriesOf(ctx, b, owners)
	for i := range entries {
		switch i % 4 {
		case 0:
			entries[i].Hidden = true
		case 1:
			entries[i].Scores = map[string]int64{"time": 2000}
		}
	}
	return entries, u, err
}

func TestVerifyAsksByTheScoresOfNow(t *testing.T) {
	st := newGames(t, 3000)
	refresh(t, st, games, jobs.Options{})
	v := verify(t, moving{st}, games, published(t, st), jobs.VerifyOptions{Sample: 200, Seed: 1})
	if v.Gone < 45 || v.Gone > 50 || v.Gone+len(v.Checks) < 180 {
		t.Errorf("%d gone, %d asked", v.Gone, len(v.Checks))
	}
	moved := 0
	for _, c := range v.Checks {
		if c.Rank != c.Score {
			t.Errorf("%+v", c)
		}
		if c.Rank == 2000 {
			moved++
		}
	}
	if moved < 45 {
		t.Errorf("%d owners asked by the score that they have now", moved)
	}
}

// unreadable is a store in which every fourth row cannot be read back.
type unreadable struct{ store.Store }

func (u unreadable) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	entries, usage, err := u.Store.EntriesOf(ctx, b, owners)
	faults := map[string]error{}
	for i := 0; i < len(owners); i += 4 {
		entries[i], faults[owners[i]] = store.Entry{Owner: owners[i]}, store.ErrCorrupt
	}
	return entries, usage, errors.Join(err, store.Unreadable(faults))
}

func TestVerifyAsksTheOthersBesideUnreadableRows(t *testing.T) {
	st := newGames(t, 3000)
	refresh(t, st, games, jobs.Options{})
	v := verify(t, unreadable{st}, games, published(t, st), jobs.VerifyOptions{Sample: 200, Seed: 1})
	if v.Unreadable < 45 || v.Unreadable > 50 || v.Gone != 0 || v.Unreadable+len(v.Checks) < 180 {
		t.Errorf("%d unreadable, %d gone, %d asked", v.Unreadable, v.Gone, len(v.Checks))
	}
	for _, c := range v.Checks {
		if c.Rank != c.Score { // player i has the time i+1
			t.Errorf("%+v", c)
		}
	}
}

func TestVerifyNamesWhatItCannotRead(t *testing.T) {
	st := newGames(t, 3000)
	refresh(t, st, games, jobs.Options{})
	curve := published(t, st)
	ask := func(st store.Store, b store.Board) error {
		_, err := jobs.Verifier{Store: st}.Verify(context.Background(), b, curve, jobs.VerifyOptions{Sample: 10})
		return err
	}
	if err := ask(unread{st}, games); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "verify games.time: read the owners' scores") {
		t.Errorf("%v", err)
	}
	if err := ask(st, store.Board{Name: "games", Shards: 4}); !errors.Is(err, store.ErrNoColumn) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (jobs.Verifier{Store: st}).Verify(ctx, games, curve, jobs.VerifyOptions{Sample: 10}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// unread is a store whose rows cannot be read.
type unread struct{ store.Store }

func (unread) EntriesOf(context.Context, store.Board, []string) ([]store.Entry, store.Usage, error) {
	return nil, store.Usage{}, store.ErrUnavailable
}

// At the stated coverage a kept promise is called broken once in a hundred samples at
// most: 88 of 100 inside come with a chance of 0.43 %, 89 with 1.15 %.
func TestBrokenIsMoreThanChance(t *testing.T) {
	for _, c := range []struct {
		inside, owners int
		coverage       float64
		broken         bool
	}{
		{88, 100, 0.95, true},
		{89, 100, 0.95, false},
		{932, 1000, 0.95, true},  // 0.74 %
		{933, 1000, 0.95, false}, // 1.06 %
		{0, 1, 0.95, false},
		{0, 2, 0.95, true},
		{0, 0, 0.95, false},
		{100_000, 100_000, 0.95, false},
		{94_000, 100_000, 0.95, true},
		{99, 100, 1, true},
		{100, 100, 1, false},
		{0, 100, 0, false},
	} {
		v := jobs.Verification{Checks: make([]jobs.Check, c.owners)}
		for i := range v.Checks {
			v.Checks[i] = jobs.Check{Rank: 5, Estimate: 5, Low: 4, High: 6}
			if i >= c.inside {
				v.Checks[i].Low, v.Checks[i].High = 6, 7
			}
		}
		if broken := v.Broken(jobs.Promise{Coverage: c.coverage}); len(broken) > 0 != c.broken {
			t.Errorf("%d of %d inside, %v promised: %q, want broken %t", c.inside, c.owners, c.coverage, broken, c.broken)
		}
	}
}

// Judging curves that cover exactly what they promise: few are called broken.
func TestBrokenByChanceIsRare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const runs = 3000
	broken := 0
	for range runs {
		v := jobs.Verification{Checks: make([]jobs.Check, 300)}
		for i := range v.Checks {
			v.Checks[i] = jobs.Check{Rank: 5, Low: 5, High: 5}
			if r.Float64() > 0.95 {
				v.Checks[i].Low, v.Checks[i].High = 6, 7
			}
		}
		if v.Broken(jobs.Promise{Coverage: 0.95}) != nil {
			broken++
		}
	}
	if broken == 0 || broken > runs*jobs.Significance*3/2 {
		t.Errorf("%d of %d sound curves are called broken", broken, runs)
	}
}

func TestAccuracyOfChecks(t *testing.T) {
	v := jobs.Verification{}
	for i := range int64(100) { // off by 0..99 of rank 1000, in a band of 120 that holds the first 61
		v.Checks = append(v.Checks, jobs.Check{Owner: fmt.Sprint(i), Rank: 1000, Estimate: 1000 + i, Low: 940 + i, High: 1060 + i})
	}
	want := jobs.Accuracy{Owners: 100, Inside: 61, Median: 0.049, P90: 0.089, P99: 0.098, Max: 0.099, Width: 0.12}
	if got := v.Total(); got != want || got.Coverage() != 0.61 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	promise := jobs.Promise{MaxError: 0.05, FromRank: 1000}
	if broken := v.Broken(promise); len(broken) != 1 || !strings.Contains(broken[0], `"99" is at rank 1000 and was estimated at 1099, an error of 9.9 %; allowed is 5 % from rank 1000 on`) {
		t.Errorf("broken: %q", broken)
	}
	if promise.FromRank++; v.Broken(promise) != nil {
		t.Errorf("an error above rank %d counts", promise.FromRank)
	}
}
