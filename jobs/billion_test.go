package jobs_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

// TestBillion refreshes a churning board of a billion entries in 1,024 shards, a
// sixty-fourth of them at a time, and holds it to a fixed memory: make scale.
func TestBillion(t *testing.T) {
	if testing.Short() {
		t.Skip("computes a billion entries; run without -short")
	}
	const memory = 256 << 20
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory * 3 / 4))
	debug.FreeOSMemory()
	before := resident()
	peak := watchMemory(t)

	board := store.Board{Name: "planet", Shards: 1024, Columns: []store.Column{{Name: "score", Order: store.Desc, Operator: store.Set}}}
	tick := 0.0
	st, err := synthetic.New(board, synthetic.Options{
		Entries: 1_000_000_000, Seed: 1, Clock: func() float64 { return tick },
		Churn: synthetic.Churn{Rescored: 0.001, Replaced: 0.0002, Gain: 0.001},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	refresher := jobs.Refresher{Store: st, Holder: "test", Now: func() time.Time { return now }}

	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "refresh\twalked\trequests\tread units\tseconds\terror at rank 10k\t100k\t1M\t10M\t100M\tin the band\t")
	var inside, asked float64
	for i := range refreshes(t) {
		started := time.Now()
		report, err := refresher.Refresh(context.Background(), board, "", jobs.Options{Method: sampler.Counted, Shards: 16, ReadBudget: 80_500})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(started)
		published, _, err := st.Curve(context.Background(), store.CurveKey{Board: board.Name, Column: "score"})
		if err != nil {
			t.Fatal(err)
		}
		curve, err := predictor.Decode(published.Data)
		if err != nil {
			t.Fatal(err)
		}
		here, n := 0.0, 0.0
		var errors [5]float64
		for e := 4.0; e <= 8.5; e += 0.1 {
			key := curve.KeyAt(int64(math.Pow(10, e)), 0)
			truth, guess := trueBetter(t, st, key), curve.Held(key, 0)
			n++
			if guess.Low <= truth && truth <= guess.High {
				here++
			}
			if d := int(math.Round(e)); math.Abs(e-float64(d)) < 0.01 {
				errors[d-4] = math.Abs(float64(guess.Better-truth)) / float64(truth+1)
			}
		}
		inside, asked = inside+here, asked+n
		_, _ = fmt.Fprintf(w, "%d\t%d\t%d\t%.0f\t%.1f\t%.3f %%\t%.3f %%\t%.3f %%\t%.3f %%\t%.3f %%\t%.0f %%\t\n", i+1, report.Walked, report.Usage.Requests, report.Usage.ReadUnits(), took.Seconds(),
			100*errors[0], 100*errors[1], 100*errors[2], 100*errors[3], 100*errors[4], 100*here/n)
		if report.Walked != 16 {
			t.Errorf("refresh %d walked %d shards of 16", i+1, report.Walked)
		}
		tick++
		now = now.Add(5 * time.Minute)
	}
	_ = w.Flush()
	held := peak() - before
	t.Logf("a billion entries, 1,024 shards, 16 walked a refresh; %d MB of memory beyond what the test began with\n%s", held>>20, table.String())
	if held > memory {
		t.Errorf("%d MB of memory", held>>20)
	}
	if inside < 0.95*asked {
		t.Errorf("%.1f %% of %0.f true ranks are in the band", 100*inside/asked, asked)
	}
}

// refreshes is how many to run: 8, or what the environment says; 64 go once round.
func refreshes(t *testing.T) int {
	t.Helper()
	text := os.Getenv("RANKCURVE_TEST_REFRESHES")
	if text == "" {
		return 8
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("RANKCURVE_TEST_REFRESHES: %v", err)
	}
	return n
}

func trueBetter(t *testing.T, st *synthetic.Store, key int64) int64 {
	t.Helper()
	better, err := st.Better("score", key)
	if err != nil {
		t.Fatal(err)
	}
	return better
}

// watchMemory looks at the memory until the largest that it saw is asked for.
func watchMemory(t *testing.T) (peak func() uint64) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for {
			most = max(most, resident())
			select {
			case <-ticker.C:
			case <-stop:
				done <- most
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-done
	}
}

// resident is the memory that the runtime holds of the system's.
func resident() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
