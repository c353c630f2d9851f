package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// soakVariable asks for the long simulation; `make soak` sets it.
const soakVariable = "RANKCURVE_TEST_SOAK"

// A ledger notes what was published, of all workers.
type ledger struct {
	mu    sync.Mutex
	t     *testing.T
	asOf  map[string]time.Time
	last  map[string]int64
	ticks map[string]int // board and tick -> publications
}

func (l *ledger) published(k store.CurveKey, p store.Published) {
	curve, err := predictor.Decode(p.Data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.t.Errorf("%s: a curve that cannot be read: %v", k, err)
		return
	}
	asOf := curve.Meta().AsOf
	if p.Generation <= l.last[k.Board] || asOf.Before(l.asOf[k.Board]) {
		l.t.Errorf("%s: generation %d as of %s after %d as of %s", k, p.Generation, asOf, l.last[k.Board], l.asOf[k.Board])
	}
	l.last[k.Board], l.asOf[k.Board] = p.Generation, asOf
	tick := k.Board + asOf.Truncate(5*time.Minute).Format(time.RFC3339)
	if l.ticks[tick]++; l.ticks[tick] > 1 {
		l.t.Errorf("%s: the tick was done twice", tick)
	}
}

// A mortal store is what one worker's process has of the store: some calls fail, with and
// without being carried out, and once it is dead none is.
type mortal struct {
	store.Store
	ledger *ledger
	dead   atomic.Bool
	mu     sync.Mutex
	random *rand.Rand
}

var errDead = errors.New("the process is dead")

// Some of a thousand calls.
const (
	fails, losesAnswer, throttles = 15, 5, 10
	ofCalls                       = 1000
)

// call carries a call out, or not.
func (m *mortal) call(partition bool, do func() error) error {
	if m.dead.Load() {
		return errDead
	}
	m.mu.Lock()
	n := m.random.IntN(ofCalls)
	m.mu.Unlock()
	switch {
	case n < fails:
		return fmt.Errorf("on purpose: %w", store.ErrUnavailable)
	case n < fails+losesAnswer:
		_ = do()
		return fmt.Errorf("on purpose, but it is done: %w", store.ErrUnavailable)
	case n < fails+losesAnswer+throttles && partition:
		return fmt.Errorf("on purpose: %w", store.ErrThrottled)
	}
	return do()
}

func (m *mortal) Boards(ctx context.Context) (all []store.Board, err error) {
	err = m.call(false, func() (err error) { all, err = m.Store.Boards(ctx); return err })
	return all, err
}

func (m *mortal) Rows(ctx context.Context, q store.Query) (page store.Page, err error) {
	err = m.call(true, func() (err error) { page, err = m.Store.Rows(ctx, q); return err })
	return page, err
}

func (m *mortal) Count(ctx context.Context, q store.Query) (page store.CountPage, err error) {
	err = m.call(true, func() (err error) { page, err = m.Store.Count(ctx, q); return err })
	return page, err
}

func (m *mortal) Curve(ctx context.Context, k store.CurveKey) (p store.Published, u store.Usage, err error) {
	err = m.call(false, func() (err error) { p, u, err = m.Store.Curve(ctx, k); return err })
	return p, u, err
}

func (m *mortal) Publish(ctx context.Context, k store.CurveKey, p store.Published) (u store.Usage, err error) {
	err = m.call(false, func() (err error) {
		if u, err = m.Store.Publish(ctx, k, p); err == nil {
			m.ledger.published(k, p)
		}
		return err
	})
	return u, err
}

func (m *mortal) State(ctx context.Context, k store.CurveKey) (data []byte, u store.Usage, err error) {
	err = m.call(false, func() (err error) { data, u, err = m.Store.State(ctx, k); return err })
	return data, u, err
}

func (m *mortal) SaveState(ctx context.Context, k store.CurveKey, data []byte) (u store.Usage, err error) {
	err = m.call(false, func() (err error) { u, err = m.Store.SaveState(ctx, k, data); return err })
	return u, err
}

func (m *mortal) Acquire(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (l store.Lease, err error) {
	err = m.call(false, func() (err error) { l, err = m.Store.Acquire(ctx, name, holder, now, ttl); return err })
	return l, err
}

func (m *mortal) Renew(ctx context.Context, lease store.Lease, now time.Time, ttl time.Duration) (l store.Lease, err error) {
	err = m.call(false, func() (err error) { l, err = m.Store.Renew(ctx, lease, now, ttl); return err })
	return l, err
}

func (m *mortal) Release(ctx context.Context, l store.Lease) error {
	return m.call(false, func() error { return m.Store.Release(ctx, l) })
}

// Three workers on a store that fails now and then, one of them killed at random in every
// hour and another started: every curve stays within twice its interval, no generation goes
// backwards, no tick is done twice, nothing leaks.
func TestWorkersSurviveADay(t *testing.T) {
	boards, hours := 12, 3
	if os.Getenv(soakVariable) != "" {
		boards, hours = 200, 24
	} else if testing.Short() {
		boards, hours = 5, 2
	}
	synctest.Test(t, func(t *testing.T) {
		names := make([]string, boards)
		for i := range names {
			names[i] = fmt.Sprintf("board-%03d", i)
		}
		st := newBoards(t, 25, names...)
		l := &ledger{t: t, asOf: map[string]time.Time{}, last: map[string]int64{}, ticks: map[string]int{}}
		var hands []*hand
		var lives []*mortal
		var heap uint64
		begin := func(seed uint64) {
			m := &mortal{Store: st, ledger: l, random: rand.New(rand.NewPCG(seed, 1))}
			plan := everyFive(t)
			plan.Options.Pace = sampler.Pace{Max: 3000}
			h := &hand{t: t, registry: prometheus.NewRegistry(), ended: make(chan error, 1), log: &lines{}}
			skew := time.Duration(seed%7)*time.Second - 3*time.Second
			r := jobs.Refresher{Store: m, Holder: fmt.Sprint("hand ", seed), Now: func() time.Time { return time.Now().Add(skew) }}
			h.worker = jobs.NewWorker(r, settled(plan), jobs.NewMetrics(h.registry))
			hands, lives = append(hands, h.work()), append(lives, m)
		}
		time.Sleep(time.Minute)
		for seed := range uint64(3) {
			begin(seed)
		}
		oldest := time.Duration(0)
		random := rand.New(rand.NewPCG(9, 9))
		for hour := range hours {
			at := random.IntN(60)
			for minute := range 60 {
				time.Sleep(time.Minute)
				if minute == at {
					victim := random.IntN(3)
					lives[victim].dead.Store(true)
					hands[victim].stop()
					hands, lives = append(hands[:victim], hands[victim+1:]...), append(lives[:victim], lives[victim+1:]...)
					begin(uint64(hour) + 10)
				}
				for _, name := range names {
					c := publishedOf(t, st, name)
					if c == nil && hour == 0 && minute < 10 {
						continue // the first refresh may fail too
					}
					if c == nil {
						t.Fatalf("%s has no curve", name)
					}
					oldest = max(oldest, time.Since(c.Meta().AsOf))
				}
			}
			if hour == 1 {
				heap = heapNow()
			}
		}
		for _, h := range hands {
			h.stop()
		}
		grown := float64(heapNow()) / float64(max(heap, 1))
		t.Logf("%d boards, %d hours, %d refreshes; the oldest curve was %s old; the heap is %.2f times that of the second hour", boards, hours, len(l.ticks), oldest, grown)
		if oldest > 10*time.Minute {
			t.Errorf("a curve was %s old, with an interval of 5m", oldest)
		}
		if want := boards * hours * 12; len(l.ticks) < want*98/100 {
			t.Errorf("%d ticks were done of %d", len(l.ticks), want)
		}
		if hours > 12 && grown > 1.5 {
			t.Errorf("the heap has grown %.2f times", grown)
		}
	})
}

func heapNow() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
