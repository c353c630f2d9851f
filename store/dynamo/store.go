package dynamo

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/rankcurve/rankcurve/store"
)

// Store is one table. It implements [store.Store]; all methods are safe for
// concurrent use. Make one with [Open].
type Store struct {
	api     API
	table   string
	options options

	boards  sync.Map // name -> store.Board; a definition never changes
	lookups singleflight.Group
	queues  queues

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup
}

var _ store.Store = (*Store)(nil)

// Table names the table.
func (s *Store) Table() string { return s.table }

// Close waits for the calls under way. The client stays the caller's.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.work.Wait()
	return nil
}

// begin lets a call in, unless its context has ended or the store is closed. The
// caller must call s.work.Done at its end.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.work.Add(1)
	return nil
}

type options struct {
	attempts      int
	timeout       time.Duration
	firstPause    time.Duration
	showThrottles bool
	writers       int
	onThrottle    func(reason string)
	onList        func(readUnits float64)
	clock         *clock
}

// What a Store does without options.
const (
	DefaultAttempts = 8
	DefaultTimeout  = 10 * time.Second
	DefaultWriters  = 32
)

// The pause before attempt n+1 is drawn from 0 up to firstPause << n, or longestPause.
const (
	firstPause   = 25 * time.Millisecond
	longestPause = 2 * time.Second
)

// Option changes how a [Store] or a [Table] works.
type Option func(*options)

func optionsOf(opts []Option) options {
	o := options{attempts: DefaultAttempts, timeout: DefaultTimeout, firstPause: firstPause, writers: DefaultWriters, clock: new(clock)}
	for _, option := range opts {
		option(&o)
	}
	return o
}

// Attempts says how often a request is sent at most. It is the whole number: the
// SDK's own retries are switched off. Defaults to [DefaultAttempts]; 2 or 3 suit
// a program that somebody waits for.
func Attempts(n int) Option { return func(o *options) { o.attempts = max(1, n) } }

// Timeout bounds each attempt. The context bounds the whole call. Defaults to
// [DefaultTimeout].
func Timeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// ShowThrottles returns the first throttle as [store.ErrThrottled], for callers
// that pace themselves and must see it. Defaults to trying again.
func ShowThrottles() Option { return func(o *options) { o.showThrottles = true } }

// OnList is told the read units of each page of the registry, which [Store.Boards] does not
// answer with. It is called from many goroutines at once.
func OnList(told func(readUnits float64)) Option { return func(o *options) { o.onList = told } }

// OnThrottle is told of each attempt that is throttled, with DynamoDB's reason for it, such
// as TableReadKeyRangeThroughputExceeded: there are few of them, so they suit as a metric's
// label. It may be called from several goroutines at once, and must not block. Defaults to
// nobody.
func OnThrottle(told func(reason string)) Option { return func(o *options) { o.onThrottle = told } }

// Writers says how many rows of one PutAll or Load are written at the same time.
// Defaults to [DefaultWriters]; the client's connection pool should hold as many.
func Writers(n int) Option { return func(o *options) { o.writers = max(1, n) } }
