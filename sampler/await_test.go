package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// A wait for a token that comes too late lasts as long as its context, and not less: who
// waits would take a refusal while there is time for a failure. The token is left to others.
func TestAWaitEndsWithItsContextAndLeavesItsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := rate.NewLimiter(rate.Every(10*time.Second), 1)
		began := time.Now()
		if err := sampler.Await(t.Context(), l); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %s for a token that is there", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		if err := sampler.Await(ctx, l); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() == nil || time.Since(began) != 4*time.Second {
			t.Errorf("%v after %s, the context had four seconds: %v", err, time.Since(began), ctx.Err())
		}
		if err := sampler.Await(ctx, l); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 4*time.Second {
			t.Errorf("%v after %s, the context had ended", err, time.Since(began))
		}
		if err := sampler.Await(t.Context(), l); err != nil || time.Since(began).Round(time.Millisecond) != 10*time.Second {
			t.Errorf("%v after %s: the next token is there after ten seconds", err, time.Since(began))
		}
	})
}

// A walk that is out of time says so. That is no fault of its shards.
func TestAWalkOutOfTimeBlamesNoShard(t *testing.T) {
	board := store.Board{Name: "games", Shards: 4, Columns: []store.Column{column}}
	keys := newInMemory(board, draw(400_000, lognormal))
	for name, o := range map[string]sampler.Options{
		"scores": {Method: sampler.Scores}, "counted": {Method: sampler.Counted, Head: 10}, "rolling": {Method: sampler.Counted, Head: 10, Shards: 2},
	} {
		for _, after := range []time.Duration{20 * time.Second, time.Minute, 3 * time.Minute} {
			t.Run(fmt.Sprintf("%s, %s", name, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), after)
					defer cancel()
					o.Pace = sampler.Pace{Start: 1, Max: 1}
					walk, err := sampler.New(keys, board, column, o).Walk(ctx, sampler.State{})
					if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() == nil || strings.Contains(err.Error(), "shard") || len(walk.Failed) > 0 {
						t.Errorf("%v, and %d shards failed; the context: %v", err, len(walk.Failed), ctx.Err())
					}
				})
			})
		}
	}
}
