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
	"github.com/rankcurve/rankcurve/sampler/plan"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

const every = 5 * time.Minute

// A churning board is lognormal, and at each tick a part of its owners gain.
type churning struct {
	t      *testing.T
	board  store.Board
	store  store.Store
	random *rand.Rand
	scores []int64
	now    time.Time
	put    func([]store.Entry) error // stores rows
}

func boardOf(shards int) store.Board {
	return store.Board{Name: "games", Shards: shards, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}}
}

func newChurning(t *testing.T, entries, shards int) *churning {
	t.Helper()
	st, err := bolt.Open(filepath.Join(t.TempDir(), "games.db"), bolt.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return churningIn(t, st, boardOf(shards), entries, func(rows []store.Entry) error {
		_, err := st.Load(context.Background(), boardOf(shards), rows)
		return err
	})
}

// churningIn makes the board in a store and fills it.
func churningIn(t *testing.T, st store.Store, board store.Board, entries int, put func([]store.Entry) error) *churning {
	t.Helper()
	if err := st.CreateBoard(context.Background(), board); err != nil {
		t.Fatal(err)
	}
	c := &churning{t: t, board: board, store: st, random: rand.New(rand.NewPCG(3, 4)), now: time.UnixMilli(1_700_000_000_000), put: put}
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
			entries[i] = store.Entry{Owner: ownerOf(owner), Scores: map[string]int64{"xp": c.scores[owner]}}
		}
		if err := c.put(entries); err != nil {
			c.t.Fatal(err)
		}
	}
}

func ownerOf(i int) string { return fmt.Sprintf("player-%07d", i) }

// entryBytes is what an entry takes in the index, on average.
func (c *churning) entryBytes() float64 {
	sum := 0.0
	for i, score := range c.scores {
		sum += float64(store.IndexEntrySize(c.board.Partition("xp", 0), score, ownerOf(i)))
	}
	return sum / float64(len(c.scores))
}

// plan is the board as a plan has it.
func (c *churning) plan() plan.Board {
	return plan.Board{Entries: int64(len(c.scores)), EntryBytes: c.entryBytes(), Shards: c.board.Shards, Every: every}
}

// tick lets a part of the owners gain up to half of their score.
func (c *churning) tick(part float64) {
	c.t.Helper()
	owners := c.random.Perm(len(c.scores))[:int(part*float64(len(c.scores)))]
	for _, owner := range owners {
		c.scores[owner] = int64(float64(c.scores[owner]) * (1 + 0.5*c.random.Float64()))
	}
	c.load(owners)
	c.now = c.now.Add(every)
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

// off is how far the published curve is off at that age, in units of the planned deviation at the rank, root mean
// square over ranks evenly spread by their logarithm. It measures what verify does: the
// curve's rank for an owner against the counted one.
func (c *churning) off(from, to int, age time.Duration, planned func(rank int64) float64) float64 {
	c.t.Helper()
	p, _, err := c.store.Curve(context.Background(), c.board.CurveKey("xp"))
	if err != nil {
		c.t.Fatal(err)
	}
	curve, err := predictor.Decode(p.Data)
	if err != nil {
		c.t.Fatal(err)
	}
	falling := func(a, b int64) int { return cmp.Compare(b, a) }
	sorted := slices.Clone(c.scores)
	slices.SortFunc(sorted, falling)
	const ranks = 400
	sum := 0.0
	for i := range ranks {
		rank := int(float64(from) * math.Pow(float64(to)/float64(from), (float64(i)+0.5)/ranks))
		score := sorted[rank-1]
		better, _ := slices.BinarySearchFunc(sorted, score, falling)
		off := (curve.BetterAt(score, age) - float64(better)) / planned(int64(rank))
		sum += off * off
	}
	return math.Sqrt(sum / ranks)
}
