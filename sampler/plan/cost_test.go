package plan_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/sampler/plan"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

// A tally is a store that adds up what the table's own items take at a refresh.
type tally struct {
	store.Store
	usage store.Usage
}

func (s *tally) State(ctx context.Context, key store.CurveKey) ([]byte, store.Usage, error) {
	data, u, err := s.Store.State(ctx, key)
	s.usage.Add(u)
	return data, u, err
}

func (s *tally) SaveState(ctx context.Context, key store.CurveKey, data []byte) (store.Usage, error) {
	u, err := s.Store.SaveState(ctx, key, data)
	s.usage.Add(u)
	return u, err
}

func (s *tally) Publish(ctx context.Context, key store.CurveKey, p store.Published) (store.Usage, error) {
	u, err := s.Store.Publish(ctx, key, p)
	s.usage.Add(u)
	return u, err
}

// costs holds plans against refreshes, to 15 %. What a refresh writes to the table is a
// matter of how well its curve and state are packed, and not of money: to a half.
func (c *churning) costs(walks ...int) {
	c.t.Helper()
	counted := &tally{Store: c.store}
	c.store = counted
	for _, walked := range walks {
		options := jobs.Options{Method: sampler.Counted, Shards: walked}
		if walked == c.board.Shards {
			options.Shards = 0
		}
		rotation := (c.board.Shards + walked - 1) / walked
		var report jobs.Report
		for range 3*rotation + 1 {
			counted.usage = store.Usage{}
			report = c.refresh(options)
			c.now = c.now.Add(every)
		}
		b := c.plan()
		b.Walk.Method = sampler.Counted
		planned := b.Refresh(walked)
		c.t.Logf("%d of %d shards: planned %.1f read units in %d requests, %.0f of the table and %.0f write units; took %s and of the table %s",
			walked, c.board.Shards, planned.ReadUnits, planned.Requests, planned.TableReads, planned.WriteUnits, report.Usage, counted.usage)
		if report.Walked != walked || report.Method != planned.Method {
			c.t.Errorf("walked %d shards, %s; planned %d, %s", report.Walked, report.Method, walked, planned.Method)
		}
		agree := func(what string, planned, took, within float64) {
			c.t.Helper()
			if math.Abs(planned-took) > within*took+1 {
				c.t.Errorf("%d of %d shards: planned %.1f %s, took %.1f", walked, c.board.Shards, planned, what, took)
			}
		}
		agree("read units", planned.ReadUnits, report.Usage.ReadUnits(), 0.15)
		agree("requests", float64(planned.Requests), float64(report.Usage.Requests), 0.15)
		agree("read units of the table", planned.TableReads, counted.usage.ReadUnits(), 0.5)
		agree("write units", planned.WriteUnits, counted.usage.WriteUnits()+2, 0.5)
	}
}

func TestPlannedCostsOnTheEmbeddedStore(t *testing.T) {
	newChurning(t, 200_000, 16).costs(16, 2)
}

// A board whose shards are too large to have their rows read, and one whose scores are
// all read.
func TestPlannedCostsOfLargeAndSmallBoards(t *testing.T) {
	for _, tc := range []struct {
		entries int64
		shards  int
		walked  int
	}{{10_000_000, 8, 2}, {10_000_000, 8, 8}, {3_000_000, 64, 5}, {60_000, 16, 16}, {60_000, 16, 2}, {300_000, 1, 1}} {
		board := boardOf(tc.shards)
		st, err := synthetic.New(board, synthetic.Options{Entries: tc.entries})
		if err != nil {
			t.Fatal(err)
		}
		b := plan.Board{Entries: tc.entries, Shards: tc.shards, EntryBytes: bytesIn(t, st, board), Every: every}
		var state sampler.State
		var walk sampler.Walk
		for i := range 2 {
			options := sampler.Options{Shards: tc.walked, AsOf: time.UnixMilli(1_700_000_000_000).Add(time.Duration(i) * every)}
			if walk, err = sampler.New(st, board, board.Columns[0], options).Walk(context.Background(), state); err != nil {
				t.Fatal(err)
			}
			state = walk.State
		}
		planned := b.Refresh(tc.walked)
		t.Logf("%+v: planned %+v, took %s", tc, planned, walk.Usage)
		if planned.Method != walk.Method || math.Abs(planned.ReadUnits/walk.Usage.ReadUnits()-1) > 0.15 || math.Abs(float64(planned.Requests)/float64(walk.Usage.Requests)-1) > 0.15 {
			t.Errorf("%+v: planned %+v, took %s by %s", tc, planned, walk.Usage, walk.Method)
		}
	}
}

// bytesIn is what an entry of a store takes, by the price of counting a shard.
func bytesIn(t *testing.T, st store.Partitions, board store.Board) float64 {
	t.Helper()
	q := store.Query{Partition: board.Partition("xp", 0), From: store.MaxScore, To: -store.MaxScore}
	var rows int64
	var blocks float64
	for {
		page, err := st.Count(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		rows += page.Count
		blocks += 2*page.Usage.ReadUnits() - 0.5
		if page.Last == nil {
			return blocks * 4096 / float64(rows)
		}
		q.After = page.Last
	}
}

// The planned time is what the pacer takes, on a clock of the test's own.
func TestPlannedSecondsAreThePacers(t *testing.T) {
	for _, tc := range []struct {
		entries        int64
		shards, walked int
	}{{10_000_000, 16, 16}, {10_000_000, 16, 2}, {10_000_000, 16, 1}, {3_000_000, 32, 20}} {
		board := boardOf(tc.shards)
		st, err := synthetic.New(board, synthetic.Options{Entries: tc.entries})
		if err != nil {
			t.Fatal(err)
		}
		b := plan.Board{Entries: tc.entries, Shards: tc.shards, EntryBytes: bytesIn(t, st, board), Every: every}
		b.Walk.Pace = sampler.DefaultPace
		options := sampler.Options{Shards: tc.walked, Pace: sampler.DefaultPace}
		var took time.Duration
		synctest.Test(t, func(t *testing.T) {
			var state sampler.State
			for range 2 { // the first has other cutpoints to find
				began := time.Now()
				options.AsOf = began
				walk, err := sampler.New(st, board, board.Columns[0], options).Walk(context.Background(), state)
				if err != nil {
					t.Fatal(err)
				}
				state, took = walk.State, time.Since(began)
				time.Sleep(every)
			}
		})
		planned := b.Refresh(tc.walked).Seconds
		t.Logf("%+v: planned %.1f s, took %s of the pacer's time", tc, planned, took)
		if math.Abs(planned/took.Seconds()-1) > 0.25 {
			t.Errorf("%+v: planned %.1f s, took %s", tc, planned, took)
		}
	}
}
