package memcache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/rankcurve/rankcurve/store"
)

// patience bounds a read of the durable copy that many callers may wait for; each
// of them waits no longer than its own context.
const patience = 15 * time.Second

// Store is a store whose published curves go through memcached; all else goes to
// the store inside as it is. Make one with [Wrap]. Curves of a table may be
// wrapped in many processes at once.
type Store struct {
	store.Store // the durable one
	cache       *Cache
	table       string

	reads  singleflight.Group
	floors *floors

	ending context.Context // ends when Close begins
	end    context.CancelFunc
	busy   sync.RWMutex // held for reading by what Close waits for
}

var _ store.Store = (*Store)(nil)

// Wrap puts a cache before a store. The table's name keeps apart the curves of
// several stores in one memcached; every process of one store gives the same.
// [Store.Close] closes the store inside and the cache's idle connections.
func Wrap(inner store.Store, c *Cache, table string) *Store {
	s := &Store{Store: inner, cache: c, table: table, floors: newFloors(c.expiration)}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

var _ store.Cached = (*Store)(nil)

// Durable implements [store.Cached].
func (s *Store) Durable() store.Store { return s.Store }

// found is what a read answers. Its data is shared.
type found struct {
	curve store.Published
	usage store.Usage
}

// Curve implements [store.Curves]: memcached's copy, or else the durable one, which
// is put into memcached unless memcached has a fault. Callers that ask at the same
// time share one read, whose usage one of them reports. A hit costs no read units
// and no request; its generation may be older than the durable one while another
// process cannot reach memcached, for as long as the [Expiration], but not older than any
// this process has seen published.
func (s *Store) Curve(ctx context.Context, k store.CurveKey) (store.Published, store.Usage, error) {
	if err := ctx.Err(); err != nil {
		return store.Published{}, store.Usage{}, fmt.Errorf("read curve %s: %w", k, err)
	}
	var usage store.Usage // stays empty in those who only share the read
	key := Key(s.table, k)
	read := s.reads.DoChan(key, func() (any, error) {
		f, err := s.read(ctx, key, k)
		usage = f.usage
		return f.curve, err
	})
	select {
	case r := <-read:
		p := r.Val.(store.Published)
		p.Data = bytes.Clone(p.Data)
		return p, usage, r.Err
	case <-ctx.Done():
		return store.Published{}, store.Usage{}, fmt.Errorf("read curve %s: %w", k, ctx.Err())
	}
}

// read asks memcached, then the store. It goes on when the caller that began it has
// left, for others may wait for it and the next one needs it.
func (s *Store) read(ctx context.Context, key string, k store.CurveKey) (found, error) {
	s.busy.RLock()
	defer s.busy.RUnlock()
	if s.ending.Err() != nil {
		return found{}, fmt.Errorf("read curve %s: %w", k, store.ErrClosed)
	}
	cached, fill := s.cached(key, k)
	if cached != nil {
		return found{curve: *cached}, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	p, usage, err := s.Store.Curve(ctx, k)
	if err != nil && s.ending.Err() != nil {
		err = fmt.Errorf("read curve %s: %w", k, store.ErrClosed)
	}
	if err == nil && fill {
		s.floors.raise(key, p.Generation)
		s.fault(k, s.cache.put(key, k, p))
	}
	return found{p, usage}, err
}

// cached is memcached's copy if it can be used, and else whether memcached is there
// to be filled.
func (s *Store) cached(key string, k store.CurveKey) (p *store.Published, fill bool) {
	item, err := s.cache.get(key)
	if err != nil {
		s.fault(k, err)
		return nil, false
	}
	if item == nil {
		return nil, true
	}
	generation, err := generationOf(k, item.Value)
	if err != nil {
		s.fault(k, fmt.Errorf("get: %w", err))
		return nil, true
	}
	if !s.floors.raise(key, generation) {
		return nil, true
	}
	return &store.Published{Generation: generation, Data: item.Value}, true
}

// Publish implements [store.Curves]: the durable copy first, then memcached's. Only
// the first can fail the call; a fault of the second goes to [OnFault]. It is then
// attempted to delete memcached's older copy, and this process does not use it
// again. A generation that the store refuses with [store.ErrStale] costs a read of
// the newer one, which is put into memcached: whoever counted on from an older copy
// there finds the right one next time.
func (s *Store) Publish(ctx context.Context, k store.CurveKey, p store.Published) (store.Usage, error) {
	s.busy.RLock() // Close waits for memcached's copy too
	defer s.busy.RUnlock()
	usage, err := s.Store.Publish(ctx, k, p)
	stale := errors.Is(err, store.ErrStale)
	if err != nil && !stale {
		return usage, err
	}
	key := Key(s.table, k)
	if stale {
		newer, read, readErr := s.Store.Curve(ctx, k)
		usage.Add(read)
		if readErr != nil {
			return usage, err
		}
		p = newer
	}
	s.floors.raise(key, p.Generation)
	s.reads.Forget(key) // those who ask from here on must not share a read of the old one
	if fault := s.cache.put(key, k, p); fault != nil {
		s.fault(k, withLeftover(fault, s.cache.drop(key)))
	}
	return usage, err
}

// withLeftover adds to why a curve could not be put that its predecessor could not be
// deleted either, and the reason if that is another.
func withLeftover(put, drop error) error {
	switch {
	case drop == nil:
		return put
	case errors.Is(put, store.ErrUnavailable):
		return fmt.Errorf("%w, and an older one may stay there", put)
	}
	return fmt.Errorf("%w, and an older one may stay there: %w", put, drop)
}

func (s *Store) fault(k store.CurveKey, err error) {
	if err != nil && s.cache.onFault != nil {
		s.cache.onFault(fmt.Errorf("curve %s in memcached: %w", k, err))
	}
}

// Close implements [store.Store]: it waits for reads and writes of memcached under
// way, closes the store inside, and drops the cache's idle connections.
func (s *Store) Close() error {
	s.end()
	s.busy.Lock()
	defer s.busy.Unlock()
	return errors.Join(s.Store.Close(), s.cache.Close())
}

// DropBoard implements [store.Boards]: the durable board first, then memcached's
// copies of its curves. A fault of the second goes to [OnFault]: nobody asks for them
// any more.
func (s *Store) DropBoard(ctx context.Context, name string, now time.Time) error {
	s.busy.RLock()
	defer s.busy.RUnlock()
	b, err := s.Board(ctx, name)
	if err != nil {
		return err
	}
	if err := s.Store.DropBoard(ctx, name, now); err != nil {
		return err
	}
	for _, c := range b.Columns {
		k := b.CurveKey(c.Name)
		key := Key(s.table, k)
		s.reads.Forget(key)
		s.floors.forget(key)
		s.fault(k, s.cache.drop(key))
	}
	return nil
}
