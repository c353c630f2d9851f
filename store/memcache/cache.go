package memcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	gomemcache "github.com/bradfitz/gomemcache/memcache"

	"github.com/rankcurve/rankcurve/store"
)

// MaxValue is the largest curve that is cached, in bytes: memcached's default item
// size of 1 MiB, less room for the key and its own header.
const MaxValue = 1<<20 - 512

// putTries bounds how often a put meets others' writes. Each time one of them has
// won, so with n writers of different generations n tries are enough.
const putTries = 32

// Cache is a client of memcached, made by [Dial]. It is safe for concurrent use.
type Cache struct {
	client     *gomemcache.Client
	servers    selector
	timeout    time.Duration
	dial       func(ctx context.Context, network, address string) (net.Conn, error)
	expiration int32 // seconds; 0: never
	onFault    func(error)
}

// Ping asks every server for its version, over new connections. Each that does not
// answer is [store.ErrUnavailable] and named.
func (c *Cache) Ping() error {
	var faults []error
	for _, server := range c.servers {
		client := c.clientOf(selector{server})
		if err := client.Ping(); err != nil {
			faults = append(faults, fmt.Errorf("ping memcached %s: %w: %w", server, err, store.ErrUnavailable))
		}
		_ = client.Close()
	}
	return errors.Join(faults...)
}

func (c *Cache) clientOf(servers selector) *gomemcache.Client {
	client := gomemcache.NewFromSelector(servers)
	client.Timeout, client.DialContext = c.timeout, c.dial
	return client
}

// Close drops the idle connections. It is safe to call at any time; a later call
// connects anew.
func (c *Cache) Close() error {
	if err := c.client.Close(); err != nil {
		return fmt.Errorf("close memcached: %w", err)
	}
	return nil
}

// get reads a value; a missing one is nil without an error.
func (c *Cache) get(key string) (*gomemcache.Item, error) {
	item, err := c.client.Get(key)
	if broken(err) {
		c.dropIdle()
		item, err = c.client.Get(key)
	}
	if timedOut(err) {
		c.dropIdle()
	}
	switch {
	case errors.Is(err, gomemcache.ErrCacheMiss):
		return nil, nil //nolint:nilnil // a miss is what its callers ask about
	case err != nil:
		return nil, fmt.Errorf("get: %w", unavailable(err))
	}
	return item, nil
}

// put stores a curve unless the one that is there is as new or newer. What is there
// and cannot be read is replaced.
func (c *Cache) put(key string, k store.CurveKey, p store.Published) error {
	if len(p.Data) > MaxValue {
		return fmt.Errorf("put: %d bytes, the limit is %d: %w", len(p.Data), MaxValue, store.ErrInvalid)
	}
	generation, err := generationOf(k, p.Data)
	if err == nil && generation != p.Generation {
		err = fmt.Errorf("its bytes say generation %d: %w", generation, store.ErrCorrupt)
	}
	if err != nil {
		return fmt.Errorf("put generation %d: %w", p.Generation, err)
	}
	mended := false
	for range putTries {
		stored, err := c.tryPut(key, k, p)
		switch {
		case broken(err) && !mended:
			mended = true
			c.dropIdle()
		case err != nil:
			return fmt.Errorf("put generation %d: %w", p.Generation, unavailable(err))
		case stored:
			return nil
		}
	}
	return fmt.Errorf("put generation %d: others wrote %d times meanwhile: %w", p.Generation, putTries, store.ErrUnavailable)
}

// tryPut looks and writes once; false if another wrote in between.
func (c *Cache) tryPut(key string, k store.CurveKey, p store.Published) (bool, error) {
	there, err := c.get(key)
	if err != nil {
		return false, err
	}
	if there == nil {
		err = c.client.Add(&gomemcache.Item{Key: key, Value: p.Data, Expiration: c.expiration})
	} else {
		if generation, err := generationOf(k, there.Value); err == nil && generation >= p.Generation {
			return true, nil
		}
		there.Value, there.Flags, there.Expiration = p.Data, 0, c.expiration
		err = c.client.CompareAndSwap(there)
	}
	switch {
	case errors.Is(err, gomemcache.ErrNotStored), errors.Is(err, gomemcache.ErrCASConflict), errors.Is(err, gomemcache.ErrCacheMiss):
		return false, nil
	}
	return err == nil, err
}

// drop removes a value that must not be served any more and could not be replaced.
func (c *Cache) drop(key string) error {
	err := c.client.Delete(key)
	if err == nil || errors.Is(err, gomemcache.ErrCacheMiss) {
		return nil
	}
	return fmt.Errorf("delete: %w", unavailable(err))
}

// unavailable says of a fault that memcached was of no help, once.
func unavailable(err error) error {
	if errors.Is(err, store.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", err, store.ErrUnavailable)
}

// dropIdle closes the idle connections: where one of them was cut, by a server that
// has been restarted say, the others were too.
func (c *Cache) dropIdle() { _ = c.client.Close() }

// timedOut says that a server did not answer in time. It may have moved without a word,
// and the idle connections be to where it was; new ones look for it.
func timedOut(err error) bool {
	var fault net.Error
	return errors.As(err, &fault) && fault.Timeout()
}

// broken says that a connection was cut, which a new one may mend. A server that is
// slow or away is not asked again.
func broken(err error) bool {
	for _, cut := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, cut) {
			return true
		}
	}
	return false
}
