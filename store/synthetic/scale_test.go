package synthetic_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

var atom = synthetic.Atom{Share: 0.3, Score: 1000}

// A walk that counts every shard knows the truth at each of its cutpoints.
func TestCountedWalkOfTenMillionIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("walks ten million entries; run without -short")
	}
	board := boardOf(16, column)
	st := made(t, board, synthetic.Options{
		Entries: 10_000_000, Seed: 1, Model: synthetic.Model{Atom: atom},
		Churn: synthetic.Churn{Rescored: 0.01, Newcomers: 0.0001, Gain: 0.001},
	})
	var state sampler.State
	for _, tick := range []float64{0, 40} {
		now := st.At(tick)
		began := time.Now()
		walk, err := sampler.New(now, board, column, sampler.Options{Method: sampler.Counted, Fraction: 0.04}).Walk(bg, state)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("tick %v: %d entries, %d intervals, %v, in %v", tick, walk.Entries, walk.Intervals, walk.Usage, time.Since(began).Round(time.Millisecond))
		if n := size(t, now); walk.Entries != n || walk.Intervals < 200 {
			t.Errorf("tick %v: walked %d entries of %d, in %d intervals", tick, walk.Entries, n, walk.Intervals)
		}
		step := max(1, len(walk.Points)/3000)
		for i, p := range walk.Points {
			if !p.Open && i%step != 0 {
				continue // of the rows read at both ends some are enough
			}
			if truth := better(t, now, p.Key); truth != p.Better {
				t.Fatalf("tick %v: %d entries better than key %d, the truth is %d", tick, p.Better, p.Key, truth)
			}
		}
		state = walk.State
	}
}

// counting reads through a store, and notes what that took.
type counting struct {
	store.Partitions
	entries atomic.Int64
}

func (c *counting) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	page, err := c.Partitions.Count(ctx, q)
	c.entries.Add(page.Count)
	return page, err
}

// The unit of work of a refresh at scale: all intervals of 16 shards of 1,024, counted
// page by page as DynamoDB would, of a board of a billion that churns.
func TestCountOneSixtyFourthOfABillion(t *testing.T) {
	if testing.Short() {
		t.Skip("counts tens of millions of entries; run without -short")
	}
	board := boardOf(1024, column)
	st := made(t, board, synthetic.Options{
		Entries: 1_000_000_000, Seed: 1, Model: synthetic.Model{Scale: 1e6, Atom: atom},
		Churn: synthetic.Churn{Rescored: 0.005, Newcomers: 0.0001, Gain: 0.001},
	}).At(100)
	cuts := []int64{store.MaxScore}
	for key := int64(400_000_000); key > 0; key -= 1 + key/25 {
		cuts = append(cuts, key)
	}
	cuts = append(cuts, -store.MaxScore-1)
	reads := &counting{Partitions: st}
	var usage store.Usage
	began := time.Now()
	for shard := 0; shard < board.Shards; shard += 64 {
		var sum int64
		for i := 1; i < len(cuts); i++ {
			q := store.Query{Partition: board.Partition("xp", shard), From: cuts[i-1], To: cuts[i] + 1}
			for {
				page, err := reads.Count(bg, q)
				if err != nil {
					t.Fatal(err)
				}
				sum += page.Count
				usage.Add(page.Usage)
				if page.Last == nil {
					break
				}
				q.After = page.Last
			}
			if truth, err := st.BetterIn(0, shard, cuts[i]); err != nil || sum != truth {
				t.Fatalf("shard %d: counted %d better than key %d, the truth is %d, %v", shard, sum, cuts[i], truth, err)
			}
		}
	}
	t.Logf("%d shards of %d entries: %d intervals each, %d entries counted, %v, in %v",
		board.Shards/64, size(t, st), len(cuts)-1, reads.entries.Load(), usage, time.Since(began).Round(time.Millisecond))
	if n := reads.entries.Load(); n < 15_000_000 || n > 17_000_000 {
		t.Errorf("counted %d entries, a 64th of the board is about 15.8 million", n)
	}
	// The owner has 14 bytes, nearly all numbers 3 to 6; an interval is rounded up to 4 KB.
	row := float64(store.IndexEntryBase(board.Partition("xp", 0)) + 14)
	least, most := float64(reads.entries.Load())*(row+3)/8192, float64(reads.entries.Load())*(row+6)/8192+0.5*16*float64(len(cuts))
	if usage.IndexReads < least || usage.IndexReads > most {
		t.Errorf("counting used %.0f read units, want %.0f to %.0f", usage.IndexReads, least, most)
	}
}

// A whole refresh by the job that workers run: curve and state are in the store
// afterwards, and the curve is near the truth.
func TestRefreshOfTenMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("walks ten million entries; run without -short")
	}
	board := boardOf(64, column)
	st := made(t, board, synthetic.Options{Entries: 10_000_000, Seed: 3, Churn: synthetic.Churn{Rescored: 0.01, Gain: 0.001}})
	for generation, tick := range []float64{0, 1} {
		now := st.At(tick)
		report, err := jobs.Refresher{Store: now, Holder: "test"}.Refresh(bg, board, "xp", jobs.Options{Method: sampler.Counted})
		if err != nil {
			t.Fatal(err)
		}
		published, _, err := now.Curve(bg, board.CurveKey("xp"))
		if err != nil || published.Generation != int64(generation+1) {
			t.Fatalf("curve of generation %d, %v", published.Generation, err)
		}
		curve, err := predictor.Decode(published.Data)
		if err != nil {
			t.Fatal(err)
		}
		off := 0
		r := rand.New(rand.NewPCG(1, uint64(generation)))
		const asked = 400
		for range asked {
			owner, err := st.Owner(r.Int64N(10_000_000))
			if err != nil {
				t.Fatal(err)
			}
			e, _, err := now.Entry(bg, board, owner)
			if err != nil {
				t.Fatal(err)
			}
			key := column.Key(e.Scores["xp"])
			truth := float64(better(t, now, key))
			fromEnd := min(truth, 10_000_000-truth)
			if math.Abs(curve.Better(key)-truth) > 0.01*fromEnd+10 {
				off++
			}
		}
		t.Logf("tick %v: %d entries, %d requests, %.0f read units, %d knots; %d of %d owners off by more than 1 %%",
			tick, report.Entries, report.Usage.Requests, report.Usage.ReadUnits(), report.Knots, off, asked)
		if off > asked/100 {
			t.Errorf("tick %v: the curve is off by more than 1 %% for %d of %d owners", tick, off, asked)
		}
	}
}

// Nothing that a store holds grows with the board.
func TestMemoryDoesNotGrowWithTheBoard(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	board := boardOf(store.MaxShards, column)
	st := made(t, board, synthetic.Options{Entries: synthetic.MaxEntries, Churn: synthetic.Churn{Rescored: 0.01, Replaced: 0.01}})
	for i := range 2000 {
		q := store.Query{Partition: board.Partition("xp", i%board.Shards), From: store.MaxScore, To: -store.MaxScore}
		if _, err := st.At(float64(i)).Count(bg, q); err != nil {
			t.Fatal(err)
		}
		if _, err := st.Count(bg, q); err != nil {
			t.Fatal(err)
		}
	}
	if held := int64(heap()) - int64(before); held > 1<<20 {
		t.Errorf("a store of %d entries in %d shards holds %d bytes", int64(synthetic.MaxEntries), board.Shards, held)
	}
	runtime.KeepAlive(st)
}
