package plan_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/sampler/plan"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// A churning board is lognormal, and at each tick a part of its owners gain.
type churning struct {
	t      *testing.T
	board  store.Board
	store  store.Store
	random *rand.Rand
	scores []int64
	now    time.Time
}

func newChurning(t *testing.T, entries, shards int) *churning {
	t.Helper()
	board := store.Board{Name: "games", Shards: shards, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}}
	st, err := bolt.Open(filepath.Join(t.TempDir(), "games.db"), bolt.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if err := st.CreateBoard(context.Background(), board); err != nil {
		t.Fatal(err)
	}
	c := &churning{t: t, board: board, store: st, random: rand.New(rand.NewPCG(3, 4)), now: time.UnixMilli(1_700_000_000_000)}
	c.scores = make([]int64, entries)
	owners := make([]int, entries)
	for i := range c.scores {
		c.scores[i], owners[i] = int64(math.Exp(12+plan.Spread*c.random.NormFloat64())), i
	}
	c.load(owners)
	return c
}

func (c *churning) load(owners []int) {
	c.t.Helper()
	for part := range slices.Chunk(owners, 25_000) {
		entries := make([]store.Entry, len(part))
		for i, owner := range part {
			entries[i] = store.Entry{Owner: fmt.Sprintf("player-%07d", owner), Scores: map[string]int64{"xp": c.scores[owner]}}
		}
		if _, err := c.store.Load(context.Background(), c.board, entries); err != nil {
			c.t.Fatal(err)
		}
	}
}

// tick lets a part of the owners gain up to most of their score.
func (c *churning) tick(part, most float64) {
	c.t.Helper()
	owners := c.random.Perm(len(c.scores))[:int(part*float64(len(c.scores)))]
	for _, owner := range owners {
		c.scores[owner] = int64(float64(c.scores[owner]) * (1 + most*c.random.Float64()))
	}
	c.load(owners)
	c.now = c.now.Add(5 * time.Minute)
}

func (c *churning) refresh(o jobs.Options) jobs.Report {
	c.t.Helper()
	r := jobs.Refresher{Store: c.store, Holder: "test", Now: func() time.Time { return c.now }}
	report, err := r.Refresh(context.Background(), c.board, "xp", o)
	if err != nil {
		c.t.Fatal(err)
	}
	return report
}

// errors are how far the published curve is off, in entries, at each of some ranks and
// around it, root mean square.
func (c *churning) errors(ranks []int64, age time.Duration) []float64 {
	c.t.Helper()
	p, _, err := c.store.Curve(context.Background(), c.board.CurveKey("xp"))
	if err != nil {
		c.t.Fatal(err)
	}
	curve, err := predictor.Decode(p.Data)
	if err != nil {
		c.t.Fatal(err)
	}
	sorted := slices.Clone(c.scores)
	slices.SortFunc(sorted, func(a, b int64) int { return cmp.Compare(b, a) })
	sums := make([]float64, len(ranks))
	for i, rank := range ranks {
		const around = 200
		for j := range around {
			at := int(float64(rank) * (0.9 + 0.2*float64(j)/around))
			first, _ := slices.BinarySearchFunc(sorted, sorted[at-1], func(a, b int64) int { return cmp.Compare(b, a) })
			off := curve.BetterAt(sorted[at-1], age) - float64(first)
			sums[i] += off * off / around
		}
	}
	return sums
}

func TestExperiment(t *testing.T) {
	for _, k := range []struct{ shards, walked, entries int; churn float64 }{{16, 2, 400_000, 0.005}, {16, 1, 400_000, 0.005},{64, 4, 400_000, 0.005}, {8, 2, 400_000, 0.05}} {
		c := newChurning(t, k.entries, k.shards)
		b := plan.Board{Entries: int64(k.entries), EntryBytes: 40, Shards: k.shards, Every: 5 * time.Minute, Churn: k.churn, Gain: 0.25}
		ranks := []int64{5_000, 20_000, 60_000, int64(k.entries / 2)}
		sums, olds := make([]float64, len(ranks)), make([]float64, len(ranks))
		rotation := k.shards / k.walked
		o := jobs.Options{Shards: k.walked, Method: sampler.Counted}
		var report jobs.Report
		ticks := rotation*2 + 12
		n := 0.0
		for tick := range ticks {
			report = c.refresh(o)
			if tick >= 2*rotation {
				for i, s := range c.errors(ranks, 0) { sums[i] += s }
			}
			c.tick(k.churn, 0.5)
			if tick >= 2*rotation {
				n++
				for i, s := range c.errors(ranks, 5*time.Minute) { olds[i] += s }
			}
		}
		t.Logf("%+v: %v units %v requests, tolerance %v, knots %d bytes %d; plan %+v", k, report.Usage.ReadUnits(), report.Usage.Requests, report.Tolerance, report.Knots, report.Bytes, b.Refresh(k.walked))
		state, _, _ := c.store.State(context.Background(), c.board.CurveKey("xp"))
		t.Logf("state %d bytes", len(state))
		for i, rank := range ranks {
			e := b.ErrorAt(rank, k.walked)
			t.Logf("rank %d: off by %.1f, aged %.1f; planned %.1f, %.1f (%+v, crossings %.0f)", rank, math.Sqrt(sums[i]/n), math.Sqrt(olds[i]/n), e.Fresh(), e.Oldest(), e, b.Crossings(float64(rank)))
		}
		full := c.refresh(jobs.Options{Full: true, Method: sampler.Counted})
		full = c.refresh(jobs.Options{Method: sampler.Counted})
		f := c.errors(ranks, 0)
		t.Logf("full %v units %v requests tol %v; plan %+v", full.Usage.ReadUnits(), full.Usage.Requests, full.Tolerance, b.Refresh(k.shards))
		for i, rank := range ranks {
			t.Logf("rank %d: off by %.1f; planned %.1f", rank, math.Sqrt(f[i]), b.ErrorAt(rank, k.shards).Fresh())
		}
		full = c.refresh(jobs.Options{Full: true, Method: sampler.Scores})
		f = c.errors(ranks, 0)
		t.Logf("scores %v units %v requests tol %v", full.Usage.ReadUnits(), full.Usage.Requests, full.Tolerance)
		for i, rank := range ranks {
			t.Logf("rank %d: off by %.1f", rank, math.Sqrt(f[i]))
		}
		state, _, _ = c.store.State(context.Background(), c.board.CurveKey("xp"))
		t.Logf("state %d bytes", len(state))
	}
}
