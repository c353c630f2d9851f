package jobs_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// soakVariable asks for the long simulation; `make soak` sets it.
const soakVariable = "RANKCURVE_TEST_SOAK"

const soakWorkers = 3

// Three workers on one store and one real memcached, by a clock that jumps from one event
// to the next. In every hour one of them is killed at a random call and memcached is killed, every ten
// minutes one is stopped for longer than its lease; 2 % of the calls of the store fail, and
// partitions throttle. Every curve stays within twice its interval, no generation goes
// backwards, no tick is done twice, nothing leaks.
//
// The clock is synctest's: it stands still while anything runs or waits for the network.
// The store is a file of the embedded one.
func TestWorkersSurviveADay(t *testing.T) {
	boards, hours := 16, 3
	if os.Getenv(soakVariable) != "" {
		boards, hours = 200, 24
	} else if testing.Short() {
		boards, hours = 8, 2
	}
	leaks := goleak.IgnoreCurrent()
	memcached := servers.NewMemcached(t)
	outside := newOutside(t)
	synctest.Test(t, func(t *testing.T) {
		d := newSoak(t, memcached, outside, boards, hours)
		for hour := range hours {
			d.hour(hour)
		}
		d.end()
	})
	outside.end()
	goleak.VerifyNone(t, leaks) // those of the bubble would have failed it already
}

// outside does work by the machine's clock, for a test in a bubble: who waits for it there
// holds the bubble's clock.
type outside struct {
	work chan func()
	done chan struct{}
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{make(chan func()), make(chan struct{})}
	go func() {
		for f := range o.work {
			f()
			o.done <- struct{}{}
		}
		close(o.done)
	}()
	return o
}

func (o *outside) do(f func()) {
	o.work <- f
	<-o.done
}

func (o *outside) end() {
	close(o.work)
	<-o.done
}

// A soak is the simulated day.
type soak struct {
	t       *testing.T
	store   store.Store
	mu      sync.RWMutex // of boards, which workers ask for
	boards  map[string]*soaked
	names   []string
	ledger  *ledger
	log     *soakLog
	random  *rand.Rand
	crew    []*crewman
	hired   int
	readers []*appServer

	memcached   *servers.Memcached
	outside     *outside
	cacheIsAway bool

	began         time.Time // by the machine's clock
	kills, stops  int
	cacheRestarts int
	outcomes      map[jobs.Outcome]int // of workers that have ended
	heap, threads uint64               // after the second hour
	heaps         []string             // after every sixth
	crewFaults    atomic.Int64         // of memcached, as workers saw them
}

// A crewman is a worker, its process and its cache.
type crewman struct {
	*hand
	process *mortal
	cache   *memcache.Cache
}

// An appServer reads curves as an app server does, through a cache of its own.
type appServer struct {
	store      *memcache.Store
	cache      *memcache.Cache
	generation map[string]int64
	oldest     time.Duration
}

func newSoak(t *testing.T, memcached *servers.Memcached, o *outside, boards, hours int) *soak {
	t.Helper()
	d := &soak{
		t: t, store: newBoards(t, 0), memcached: memcached, outside: o, random: rand.New(rand.NewPCG(9, 9)),
		outcomes: map[jobs.Outcome]int{}, log: &soakLog{t: t, lines: map[string][]string{}},
	}
	o.do(func() { d.began = time.Now() })
	d.boards = population(t, d.store, boards, hours)
	d.names = slices.Sorted(maps.Keys(d.boards))
	d.ledger = newLedger(t, func(board string, asOf time.Time) time.Time { return d.of(board).tick(asOf) })
	time.Sleep(90 * time.Second) // a bubble begins at midnight: so nobody looks at a due time
	for range soakWorkers {
		d.hire()
	}
	for range 2 {
		cache := d.dial(nil)
		d.readers = append(d.readers, &appServer{store: memcache.Wrap(unclosed{d.store}, cache, "soak"), cache: cache, generation: map[string]int64{}})
	}
	return d
}

// of is a board of the day.
func (d *soak) of(name string) *soaked {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.boards[name]
}

// unclosed is a store that stays open when one of its users ends.
type unclosed struct{ store.Store }

func (unclosed) Close() error { return nil }

func (d *soak) dial(onFault func(error)) *memcache.Cache {
	d.t.Helper()
	if onFault == nil {
		onFault = func(error) {}
	}
	// The timeout is one of the machine's clock, on a machine that may be busy.
	cache, err := memcache.Dial([]string{d.memcached.Addr}, memcache.Timeout(20*time.Second), memcache.OnFault(onFault))
	if err != nil {
		d.t.Fatal(err)
	}
	return cache
}

// hire begins a worker in the place of one that was killed.
func (d *soak) hire() {
	d.t.Helper()
	n := d.hired
	d.hired++
	m := &mortal{Store: d.store, name: fmt.Sprint("worker ", n), ledger: d.ledger, random: rand.New(rand.NewPCG(uint64(n), 1))}
	c := &crewman{process: m, cache: d.dial(func(error) { d.crewFaults.Add(1) })}
	c.hand = &hand{t: d.t, registry: prometheus.NewRegistry(), ended: make(chan error, 1), log: &lines{}}
	skew := time.Duration(n%7-3) * time.Second
	r := jobs.Refresher{
		Store: memcache.Wrap(m, c.cache, "soak"), Holder: m.name, Now: func() time.Time { return time.Now().Add(skew) },
		Log: d.log.of(m.name),
	}
	s := jobs.Settings{Concurrent: 4, Jitter: 5 * time.Second, Plan: func(b store.Board) (jobs.Plan, error) {
		plan := d.of(b.Name).plan
		plan.Options.Pace = sampler.Pace{Max: 3000}
		return plan, nil
	}}
	c.worker = jobs.NewWorker(r, s, jobs.NewMetrics(c.registry))
	c.work()
	d.crew = append(d.crew, c)
}

// hour is one of the day's, with its accidents.
func (d *soak) hour(hour int) {
	d.t.Helper()
	killAt, stopAt, cacheAt, newAt := d.random.IntN(60), d.random.IntN(10), d.random.IntN(60), d.random.IntN(60)
	back := cacheAt + d.random.IntN(10)
	for minute := range 60 {
		time.Sleep(time.Minute)
		if minute == killAt {
			d.crew[d.random.IntN(len(d.crew))].process.kill(1+d.random.IntN(100), d.kills%2 == 0)
			d.kills++
		}
		if minute%10 == stopAt {
			d.crew[d.random.IntN(len(d.crew))].process.stop(1+d.random.IntN(100), time.Duration(65+d.random.IntN(120))*time.Second)
			d.stops++
		}
		if minute == cacheAt {
			d.outside.do(d.memcached.Kill)
			d.cacheIsAway = true
		}
		if d.cacheIsAway && minute >= min(back, 59) {
			d.outside.do(func() {
				if err := d.memcached.Start(); err != nil {
					d.t.Error(err)
				}
			})
			d.cacheIsAway = false
			d.cacheRestarts++
		}
		if minute == newAt {
			name := fmt.Sprintf("late-%02d", hour)
			s := &soaked{board: named(name), plan: everyFive(d.t), since: time.Now(), owners: 25}
			d.mu.Lock()
			d.boards[name] = s
			d.mu.Unlock()
			d.names = append(d.names, name)
			s.create(d.t, d.store)
		}
		d.replaceTheDead()
		d.post()
		d.look()
	}
	if hour == 1 {
		d.heap, d.threads = d.flat()
	}
	if hour%6 == 5 {
		heap, goroutines := d.flat()
		d.heaps = append(d.heaps, fmt.Sprintf("%.1f MB and %d", mb(heap), goroutines))
	}
}

// replaceTheDead takes away workers that were killed, a while after, and begins others.
func (d *soak) replaceTheDead() {
	for i := 0; i < len(d.crew); i++ {
		if c := d.crew[i]; c.process.isDead() && d.random.IntN(2) == 0 {
			d.dismiss(c)
			d.crew = slices.Delete(d.crew, i, i+1)
			d.hire()
			return
		}
	}
}

// dismiss ends a worker. Of one that is dead already it takes down what is left of it in
// this process: nothing of that reaches the store.
func (d *soak) dismiss(c *crewman) {
	c.stop()
	for _, o := range append(jobs.Outcomes(), "missed") {
		d.outcomes[o] += c.count(o)
	}
	_ = c.cache.Close()
}

// post changes some of the boards.
func (d *soak) post() {
	for range 10 {
		s := d.boards[d.names[d.random.IntN(len(d.names))]]
		if s.board.Name == quietBoard || s.ended(time.Now()) || s.board.Expired(time.Now()) {
			continue
		}
		if !s.plan.Ends.IsZero() && time.Now().After(s.plan.Ends) {
			continue
		}
		s.post(d.t, d.store, d.random)
	}
}

// look reads every curve, past the cache and as app servers do.
func (d *soak) look() {
	d.t.Helper()
	now := time.Now()
	for _, name := range d.names {
		s := d.boards[name]
		if s.board.Expired(now) {
			d.drop(s, now)
			continue
		}
		c := publishedOf(d.t, d.store, name)
		switch {
		case c == nil && now.Sub(s.since) > s.allowed(now):
			d.t.Fatalf("%s has no curve %s after it was made", name, now.Sub(s.since))
		case c == nil:
		case s.ended(now):
			if c.Meta().AsOf.Before(s.plan.Ends) || s.ending > 0 && c.Meta().Generation != s.ending {
				d.t.Errorf("%s ended at %s; its curve is of generation %d as of %s", name, s.plan.Ends, c.Meta().Generation, c.Meta().AsOf)
			}
			s.ending = c.Meta().Generation
		default:
			age := now.Sub(c.Meta().AsOf)
			s.oldest = max(s.oldest, age)
			if age > s.allowed(now) {
				d.t.Errorf("%s: %s: the curve is %s old, allowed are %s; the log's last lines of it:\n%s", now.Format(time.TimeOnly), name, age, s.allowed(now), d.log.lately(name))
			}
		}
		for _, r := range d.readers {
			r.read(d.t, s)
		}
	}
}

// drop drops a board that has expired, once, and sees that nothing comes back.
func (d *soak) drop(s *soaked, now time.Time) {
	d.t.Helper()
	if !s.dropped {
		if now.Sub(s.board.Expires) < time.Minute {
			return // a refresh that was under way may end yet
		}
		s.dropped = true
		if err := d.store.DropBoard(context.Background(), s.board.Name, now); err != nil {
			d.t.Error(err)
		}
		return
	}
	if c := publishedOf(d.t, d.store, s.board.Name); c != nil {
		d.t.Errorf("%s was dropped and has a curve as of %s", s.board.Name, c.Meta().AsOf)
	}
}

// read holds what an app server sees against what it saw before.
func (r *appServer) read(t *testing.T, s *soaked) {
	t.Helper()
	p, _, err := r.store.Curve(context.Background(), s.key())
	if err != nil {
		if r.generation[s.board.Name] > 0 || time.Since(s.since) > s.allowed(time.Now()) {
			t.Errorf("an app server has no curve of %s: %v", s.board.Name, err)
		}
		return
	}
	curve, err := predictor.Decode(p.Data)
	if err != nil || curve.Meta().Generation != p.Generation || p.Generation < r.generation[s.board.Name] {
		t.Errorf("an app server reads generation %d of %s after %d: %v", p.Generation, s.board.Name, r.generation[s.board.Name], err)
		return
	}
	r.generation[s.board.Name] = p.Generation
	if age := time.Since(curve.Meta().AsOf); age > s.allowed(time.Now()) && !s.ended(time.Now()) {
		t.Errorf("an app server sees a curve of %s that is %s old", s.board.Name, age)
	}
	if s.plan.Schedule.Interval(time.Now()) == 5*time.Minute && s.plan.IdleMax == 0 && !s.ended(time.Now()) {
		r.oldest = max(r.oldest, time.Since(curve.Meta().AsOf))
	}
}

// flat is what must not grow with time, once no worker is stopped: what such a one has
// begun waits for it.
func (d *soak) flat() (heap, goroutines uint64) {
	for range 4 {
		time.Sleep(time.Minute)
		synctest.Wait()
		runtime.GC()
		runtime.GC() // what finalizers have let go
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if n := uint64(runtime.NumGoroutine()); goroutines == 0 || n < goroutines {
			heap, goroutines = m.HeapAlloc, n
		}
	}
	return heap, goroutines
}
