package memcache

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// What a Cache does without options.
const (
	DefaultTimeout    = 250 * time.Millisecond
	DefaultIdleConns  = 64
	DefaultExpiration = 10 * time.Minute // two intervals of the default schedule: while a worker publishes, nothing expires
)

// MaxExpiration is the longest that is not never: memcached reads a larger number as a
// date, in 1970.
const MaxExpiration = 30 * 24 * time.Hour

// Option changes how a [Cache] works.
type Option func(*options)

type options struct {
	timeout    time.Duration
	idleConns  int
	expiration time.Duration
	onFault    func(error)
	dial       func(ctx context.Context, network, address string) (net.Conn, error) // nil: as gomemcache does
}

// Timeout bounds every connect, read and write. Defaults to [DefaultTimeout].
func Timeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// IdleConns is how many connections to each server are kept while nobody uses
// them; it should be as many as calls at the same time, for each one above it dials
// anew. Defaults to [DefaultIdleConns].
func IdleConns(n int) Option { return func(o *options) { o.idleConns = n } }

// Expiration makes memcached drop a curve so long after it was put there, by whoever did:
// at least a second, rounded up to whole ones, and at most [MaxExpiration]. The next
// reader puts the durable one there, which costs it a read of the store. So a publisher
// that cannot reach memcached keeps readers that can from what is durable for no longer
// than this. Defaults to [DefaultExpiration]; 0 is never. Whoever puts curves into one
// memcached, readers too, should say the same.
func Expiration(d time.Duration) Option { return func(o *options) { o.expiration = d } }

// OnFault is told of everything that went wrong with memcached and that no caller
// sees, for the store answered instead. It is called from many goroutines at once,
// as often as there are faults, and must not block. Errors wrap
// [store.ErrUnavailable], [store.ErrCorrupt] for a value that is no whole curve, or
// [store.ErrInvalid] for a curve that memcached cannot hold.
func OnFault(f func(error)) Option { return func(o *options) { o.onFault = f } }

// validate reports every fault at once, as [store.ErrInvalid].
func (o options) validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(format+": %w", append(args, store.ErrInvalid)...))
	}
	if o.timeout <= 0 {
		fault("timeout %s is not above 0", o.timeout)
	}
	if o.idleConns < 1 {
		fault("%d idle connections are not 1 or more", o.idleConns)
	}
	if o.expiration != 0 && (o.expiration < time.Second || o.expiration > MaxExpiration) {
		fault("expiration %s is neither 0 nor in 1s..%s", o.expiration, MaxExpiration)
	}
	return errors.Join(faults...)
}

// seconds is the expiration as memcached takes it.
func (o options) seconds() int32 { return int32((o.expiration + time.Second - 1) / time.Second) }

// Dial makes a client of memcached servers, each HOST:PORT or the path of a Unix
// socket. No connection is made and no name is looked up, so that servers may come up
// later; [Cache.Ping] asks them. A name is looked up for each new connection: a server
// that has moved is found again, and a name that cannot be looked up is a fault like
// any other. Of several servers each key lives on one, by the CRC-32 of the key modulo
// their number, so every client must list the same servers in the same order. An
// empty list, an address that is neither, and options that cannot be are
// [store.ErrInvalid].
func Dial(servers []string, opts ...Option) (*Cache, error) {
	o := options{timeout: DefaultTimeout, idleConns: DefaultIdleConns, expiration: DefaultExpiration}
	for _, option := range opts {
		option(&o)
	}
	selector, err := selectorOf(servers)
	if err := errors.Join(o.validate(), err); err != nil {
		return nil, fmt.Errorf("dial memcached: %w", err)
	}
	c := &Cache{servers: selector, timeout: o.timeout, dial: o.dial, expiration: o.seconds(), onFault: o.onFault}
	c.client = c.clientOf(selector)
	c.client.MaxIdleConns = o.idleConns
	return c, nil
}
