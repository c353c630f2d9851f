package memcache

import (
	"errors"
	"fmt"
	"slices"
	"time"

	gomemcache "github.com/bradfitz/gomemcache/memcache"

	"github.com/rankcurve/rankcurve/store"
)

// What a Cache does without options.
const (
	DefaultTimeout   = 250 * time.Millisecond
	DefaultIdleConns = 64
)

// maxExpiration is the longest time that memcached takes for one; it reads a larger
// number as a date, in 1970.
const maxExpiration = 30 * 24 * time.Hour

// Option changes how a [Cache] works.
type Option func(*options)

type options struct {
	timeout    time.Duration
	idleConns  int
	expiration time.Duration
	onFault    func(error)
}

// Timeout bounds every connect, read and write. Defaults to [DefaultTimeout].
func Timeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// IdleConns is how many connections to each server are kept while nobody uses
// them; it should be as many as calls at the same time, for each one above it dials
// anew. Defaults to [DefaultIdleConns].
func IdleConns(n int) Option { return func(o *options) { o.idleConns = n } }

// Expiration makes memcached drop a curve so long after it was put there, in whole
// seconds, at least one and at most 30 days. The next reader puts it back. Defaults
// to 0: never.
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
	if o.expiration != 0 && (o.expiration < time.Second || o.expiration > maxExpiration) {
		fault("expiration %s is neither 0 nor in 1s..%s", o.expiration, maxExpiration)
	}
	return errors.Join(faults...)
}

// Dial makes a client of memcached servers, each HOST:PORT or the path of a Unix
// socket. Names are looked up once, here: one that cannot be is an error that names
// it. No connection is made, so that servers may come up later; [Cache.Ping] asks
// them. Of several servers each key lives on one, by the CRC-32 of the key modulo
// their number, so every client must list the same servers in the same order. An
// empty list and options that cannot be are [store.ErrInvalid].
func Dial(servers []string, opts ...Option) (*Cache, error) {
	o := options{timeout: DefaultTimeout, idleConns: DefaultIdleConns}
	for _, option := range opts {
		option(&o)
	}
	faults := []error{o.validate()}
	if len(servers) == 0 {
		faults = append(faults, fmt.Errorf("no servers are named: %w", store.ErrInvalid))
	}
	for _, server := range servers { // one by one: the client's own error may not name the server
		var err error
		if server == "" { // would be looked up as no address at all
			err = fmt.Errorf("it is empty: %w", store.ErrInvalid)
		} else {
			err = new(gomemcache.ServerList).SetServers(server)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("look up server %q (HOST:PORT): %w", server, err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("dial memcached: %w", err)
	}
	list := new(gomemcache.ServerList)
	if err := list.SetServers(servers...); err != nil {
		return nil, fmt.Errorf("dial memcached: %w", err)
	}
	client := gomemcache.NewFromSelector(list)
	client.Timeout, client.MaxIdleConns = o.timeout, o.idleConns
	return &Cache{client: client, servers: slices.Clone(servers), timeout: o.timeout, expiration: int32(o.expiration / time.Second), onFault: o.onFault}, nil
}
