package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// A shardless store answers nothing of one shard.
type shardless struct {
	store.Store
	shard int
}

func (d shardless) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if q.Partition.Shard == d.shard {
		return store.Page{}, fmt.Errorf("read partition %s: %w", q.Partition, errors.ErrUnsupported)
	}
	return d.Store.Rows(ctx, q)
}

func (d shardless) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	if q.Partition.Shard == d.shard {
		return store.CountPage{}, fmt.Errorf("read partition %s: %w", q.Partition, errors.ErrUnsupported)
	}
	return d.Store.Count(ctx, q)
}

// A shard that cannot be read costs the curve its exactness, not its freshness: it is
// published with a band that the true ranks are in, and the log names the shard.
func TestARefreshDoesWithoutAShardThatCannotBeRead(t *testing.T) {
	const owners = 20_000
	inside, asked := 0, 0
	for shard := range games.Shards {
		st := newGames(t, owners)
		var log bytes.Buffer
		r := jobs.Refresher{Store: shardless{st, shard}, Holder: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}
		for generation, method := range []sampler.Method{sampler.Scores, sampler.Counted} {
			report, err := r.Refresh(context.Background(), games, "", jobs.Options{Method: method, Head: 500})
			if err != nil {
				t.Fatal(err)
			}
			if report.Generation != int64(generation+1) || report.Walked != games.Shards-1 {
				t.Errorf("%+v", report)
			}
			curve := published(t, st)
			for rank := int64(1); rank <= owners; rank += 1 + rank/20 {
				e := curve.Held(-rank, 0) // whoever is at that rank has that time
				if asked++; e.Low < rank && rank <= e.High+1 {
					inside++
				}
			}
			if e := curve.Held(-2000, 0); e.Low == e.High {
				t.Errorf("the rank of an owner at 2,000 is told without a band: %+v", e)
			}
		}
		if want := fmt.Sprintf("read partition games.time shard %d", shard); !strings.Contains(log.String(), want) || !strings.Contains(log.String(), "level=WARN") {
			t.Errorf("no %q in\n%s", want, &log)
		}
	}
	t.Logf("%.1f %% of %d ranks are in the band", 100*float64(inside)/float64(asked), asked)
	if float64(inside) < 0.9*float64(asked) {
		t.Errorf("%d of %d inside", inside, asked)
	}
}

// A look at a quiet board that a shard does not answer is no look: the board is walked.
func TestALookThatFailsIsFollowedByAWalk(t *testing.T) {
	st := large(t, &atomic.Int64{})
	b, err := st.Board(context.Background(), "large")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	tick := func(st store.Store) jobs.TickReport {
		now = now.Add(5 * time.Minute)
		r := jobs.Refresher{Store: st, Holder: "a", Now: func() time.Time { return now }}
		report, err := r.Tick(context.Background(), b, "xp", jobs.Tick{Due: now, Interval: 5 * time.Minute, IdleMax: 15 * time.Minute}, jobs.Options{Method: sampler.Counted})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	for _, want := range []jobs.Outcome{jobs.Refreshed, jobs.Refreshed, jobs.Unchanged} {
		if report := tick(st); report.Outcome != want {
			t.Fatalf("%s, want %s", report.Outcome, want)
		}
	}
	now = now.Add(time.Hour)
	if report := tick(shardless{st, 2}); report.Outcome != jobs.Refreshed || report.Walked != b.Shards-1 {
		t.Errorf("%s, %d shards walked", report.Outcome, report.Walked)
	}
}
