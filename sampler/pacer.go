package sampler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Pace bounds what a walk takes of each partition, so that it leaves the rest of
// a partition's 3,000 read units a second to those who play. The zero value does
// not pace at all.
type Pace struct {
	Start float64 // read units a second at first
	Max   float64 // read units a second at most; 0: no pacing

	// Patience is how long one page is tried in vain, the waits for the pace left out;
	// 0: DefaultPatience.
	Patience time.Duration
}

// DefaultPace is for a shared table: a tenth of what a partition gives.
var DefaultPace = Pace{Start: 50, Max: 300}

// DefaultPatience outlasts a partition that is split and a service that restarts.
const DefaultPatience = 2 * time.Minute

const (
	leastPace    = 5 // read units a second, however often it is throttled
	paceTries    = 12
	firstBackoff = 25 * time.Millisecond
	lastBackoff  = 5 * time.Second
	pageDeadline = 10 * time.Second
	climb        = 30 * time.Second // from nothing to the maximum
	probeAfter   = 30 * time.Second // without a throttle, until a bit more is tried
)

// A pacer reads partitions at a pace, one page of each at a time. It spends what a page
// is found to have consumed, not what it was thought to: a lane in debt waits. On a
// throttle the lane halves its rate, then climbs to a bit more than half of where it was
// throttled (additive increase, multiplicative decrease), and it tries the page again
// when the lane could have paid for it, after a backoff.
type pacer struct {
	store store.Partitions
	pace  Pace

	mu    sync.Mutex
	lanes map[store.Partition]*lane
}

// Paced is the store at a pace, or the store itself without one. It is safe for
// concurrent use. A page that is throttled, cannot be reached, or takes longer than
// ten seconds is tried again, up to 12 times and within the pace's patience; its error
// then says how often and how long it was tried.
func Paced(st store.Partitions, pace Pace) store.Partitions {
	if pace.Max <= 0 {
		return st
	}
	if pace.Start <= 0 || pace.Start > pace.Max {
		pace.Start = pace.Max
	}
	if pace.Patience <= 0 {
		pace.Patience = DefaultPatience
	}
	return &pacer{store: st, pace: pace, lanes: map[store.Partition]*lane{}}
}

// Rows is store.Partitions' Rows at the pace.
func (p *pacer) Rows(ctx context.Context, q store.Query) (page store.Page, err error) {
	err = p.run(ctx, q.Partition, func(ctx context.Context) (store.Usage, error) {
		page, err = p.store.Rows(ctx, q)
		return page.Usage, err
	})
	return page, err
}

// Count is store.Partitions' Count at the pace.
func (p *pacer) Count(ctx context.Context, q store.Query) (page store.CountPage, err error) {
	err = p.run(ctx, q.Partition, func(ctx context.Context) (store.Usage, error) {
		page, err = p.store.Count(ctx, q)
		return page.Usage, err
	})
	return page, err
}

func (p *pacer) run(ctx context.Context, partition store.Partition, read func(context.Context) (store.Usage, error)) error {
	lane := p.lane(partition)
	var tried time.Duration
	for try := 0; ; try++ {
		if err := lane.enter(ctx); err != nil {
			return fmt.Errorf("wait for the pace: %w", err)
		}
		began := time.Now()
		err := lane.read(ctx, min(pageDeadline, p.pace.Patience-tried), read)
		switch {
		case err == nil:
			return nil
		case timedOut(ctx, err):
			err = fmt.Errorf("no answer in time: %w", store.ErrUnavailable)
		case !errors.Is(err, store.ErrThrottled) && !errors.Is(err, store.ErrUnavailable):
			return err
		}
		pause := rand.N(min(lastBackoff, firstBackoff<<try)) // full jitter
		tried += time.Since(began)
		if try == paceTries || tried+pause >= p.pace.Patience {
			return fmt.Errorf("gave up after %s in %s: %w", times(try+1), tried.Round(100*time.Millisecond), err)
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		tried += pause
	}
}

func times(tries int) string {
	if tries == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", tries)
}

// timedOut reports whether it was the page's own deadline that ended a read.
func timedOut(ctx context.Context, err error) bool {
	return ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (p *pacer) lane(partition store.Partition) *lane {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[partition]
	if l == nil {
		l = newLane(p.pace)
		p.lanes[partition] = l
	}
	return l
}
