package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// limited is a store of empty counts that cost a read unit each, allows so many
// units a second in each partition, and throttles what comes above. Its clock is
// the test's.
type limited struct {
	units float64
	fail  error // instead of an answer, every time

	mu               sync.Mutex
	left             map[int]float64
	seen             map[int]time.Time
	calls, throttles int
	firstSecond      int
	started          time.Time
}

func (l *limited) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	page, err := l.Count(ctx, q)
	return store.Page{Usage: page.Usage}, err
}

func (l *limited) Count(_ context.Context, q store.Query) (store.CountPage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if l.fail != nil {
		return store.CountPage{}, l.fail
	}
	shard, now := q.Partition.Shard, time.Now()
	if l.left == nil {
		l.left, l.seen, l.started = map[int]float64{}, map[int]time.Time{}, now
	}
	if last, ok := l.seen[shard]; ok {
		l.left[shard] = min(l.units, l.left[shard]+l.units*now.Sub(last).Seconds())
	} else {
		l.left[shard] = l.units
	}
	l.seen[shard] = now
	if l.left[shard] < 1 {
		l.throttles++
		return store.CountPage{}, fmt.Errorf("%s: %w", q.Partition, store.ErrThrottled)
	}
	l.left[shard]--
	if now.Sub(l.started) < time.Second {
		l.firstSecond++
	}
	return store.CountPage{Count: 1, Usage: store.Usage{IndexReads: 1, Requests: 1}}, nil
}

func TestThePaceFollowsWhatThePartitionGives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &limited{units: 100}
		p := sampler.Paced(st, sampler.Pace{Start: 50, Max: 300})
		started := time.Now()
		var reads sync.WaitGroup
		for range 4 { // readers of one partition at once
			reads.Go(func() {
				for range 2000 {
					if _, err := p.Count(context.Background(), store.Query{}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		reads.Wait()
		took := time.Since(started)
		t.Logf("%d reads, %d throttled, %v", st.calls, st.throttles, took)
		if st.throttles*100 > st.calls {
			t.Errorf("%d of %d reads were throttled, more than 1 %%", st.throttles, st.calls)
		}
		if st.firstSecond > 100 {
			t.Errorf("%d reads in the first second of a pace that starts at 50", st.firstSecond)
		}
		if took > 160*time.Second { // at 100 a second: 80 s
			t.Errorf("8,000 reads took %v of the partition's time", took)
		}
	})
}

func TestThePaceKeepsItsMaximum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &limited{units: 3000}
		p := sampler.Paced(st, sampler.Pace{Start: 50, Max: 300})
		started := time.Now()
		for range 30_000 {
			if _, err := p.Count(context.Background(), store.Query{}); err != nil {
				t.Fatal(err)
			}
		}
		if perSecond := 30_000 / time.Since(started).Seconds(); perSecond > 305 || perSecond < 200 {
			t.Errorf("%.0f read units a second, allowed 300", perSecond)
		}
	})
}

func TestThePaceGivesUp(t *testing.T) {
	for _, tc := range []struct {
		fail  error
		calls int
	}{
		{store.ErrThrottled, 13}, {store.ErrUnavailable, 13}, {store.ErrDenied, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			st := &limited{fail: tc.fail}
			_, err := sampler.Paced(st, sampler.DefaultPace).Rows(context.Background(), store.Query{})
			if !errors.Is(err, tc.fail) || st.calls != tc.calls {
				t.Errorf("%v after %d calls, want %d", err, st.calls, tc.calls)
			}
		})
	}
}

// A page that is never answered is tried as long as the patience lasts, and its error
// says how long that was. What a slow lane waits for its pace is no trying.
func TestThePaceHasPatienceForSoLong(t *testing.T) {
	for _, tc := range []struct {
		pace   sampler.Pace
		within time.Duration
	}{
		{sampler.DefaultPace, sampler.DefaultPatience},
		{sampler.Pace{Start: 50, Max: 300, Patience: 15 * time.Second}, 15 * time.Second},
		{sampler.Pace{Start: 1, Max: 1, Patience: 15 * time.Second}, 15 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			st := &hanging{}
			p := sampler.Paced(st, tc.pace)
			if _, err := p.Count(context.Background(), store.Query{}); err != nil { // leaves the lane in debt
				t.Fatal(err)
			}
			_, err := p.Count(context.Background(), store.Query{})
			if !errors.Is(err, store.ErrUnavailable) || st.waited > tc.within || st.calls < 3 {
				t.Errorf("%v after %d calls that took %v, allowed %v", err, st.calls, st.waited, tc.within)
			}
			var tries int
			var said string
			if _, scanErr := fmt.Sscanf(fmt.Sprint(err), "gave up after %d tries in %s no answer in time", &tries, &said); scanErr != nil || tries != st.calls-1 {
				t.Errorf("%v, want how often and how long it was tried", err)
			}
			const longestPause = 5 * time.Second
			d, parseErr := time.ParseDuration(strings.TrimSuffix(said, ":"))
			if parseErr != nil || d > tc.within || d < tc.within-longestPause || d < st.waited-time.Second {
				t.Errorf("%v, want a time up to %v, of which the calls took %v", err, tc.within, st.waited)
			}
		})
	}
}

// hanging is a store that answers the first call, for 100 units, and no other.
type hanging struct {
	calls  int
	waited time.Duration // for calls that were not answered
}

func (h *hanging) Rows(context.Context, store.Query) (store.Page, error) {
	return store.Page{}, store.ErrInvalid // not asked for
}

func (h *hanging) Count(ctx context.Context, _ store.Query) (store.CountPage, error) {
	h.calls++
	if h.calls == 1 {
		return store.CountPage{Usage: store.Usage{IndexReads: 100}}, nil
	}
	began := time.Now()
	<-ctx.Done()
	h.waited += time.Since(began)
	return store.CountPage{}, ctx.Err()
}

func TestThePaceEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := sampler.Paced(&limited{fail: store.ErrThrottled}, sampler.DefaultPace).Count(ctx, store.Query{})
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() == nil {
			t.Errorf("%v", err)
		}
	})
}

func TestNoPaceIsTheStoreItself(t *testing.T) {
	st := &limited{units: 1}
	if p := sampler.Paced(st, sampler.Pace{}); p != store.Partitions(st) {
		t.Errorf("%T", p)
	}
}
