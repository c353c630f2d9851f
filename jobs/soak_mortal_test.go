package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A mortal store is what one worker's process has of the store: some calls fail, with and
// without being carried out, some partitions throttle, and at any call, before or after it
// is carried out, the process may be killed, or stopped for a while.
type mortal struct {
	store.Store
	name   string
	ledger *ledger

	mu      sync.Mutex
	random  *rand.Rand
	dead    bool
	stopped time.Time // no call goes on before
	dies    int       // at this call from now on; 0: not
	amid    bool      // of those made under a lease
	stops   int       // at this call under a lease from now on, for as long as pause
	pause   time.Duration
}

var errDead = errors.New("the process is dead")

// So many of a thousand calls: 2 % fail, one in four of them after it was carried out.
const (
	fails, losesAnswer, throttles = 15, 5, 20
	ofCalls                       = 1000
)

// A kind of call.
type kind int

const (
	anyCall       kind = iota
	leasedCall         // of a refresh under way
	partitionCall      // the same, of an index
)

// A fate is what becomes of a call.
type fate int

const (
	passes fate = iota
	failsBefore
	failsAfter
	isThrottled
	diesBefore
	diesAfter
)

// draw decides what becomes of the next call.
func (m *mortal) draw(k kind) fate {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return diesBefore
	}
	if m.stops > 0 && k != anyCall {
		if m.stops--; m.stops == 0 {
			m.stopped = time.Now().Add(m.pause)
			m.ledger.stopped(m.name, m.stopped)
		}
	}
	if m.dies > 0 && (k != anyCall || !m.amid) {
		if m.dies--; m.dies == 0 {
			m.dead = true
			m.ledger.died(m.name)
			return diesBefore + fate(m.random.IntN(2))
		}
	}
	switch n := m.random.IntN(ofCalls); {
	case n < fails:
		return failsBefore
	case n < fails+losesAnswer:
		return failsAfter
	case n < fails+losesAnswer+throttles && k == partitionCall:
		return isThrottled
	}
	return passes
}

// halt waits while the process is stopped.
func (m *mortal) halt() {
	m.mu.Lock()
	until := m.stopped
	m.mu.Unlock()
	if wait := time.Until(until); wait > 0 {
		time.Sleep(wait)
	}
}

// call carries a call out, or not.
func (m *mortal) call(k kind, do func() error) error {
	f := m.draw(k)
	m.halt()
	switch f {
	case diesBefore:
		return errDead
	case diesAfter:
		_ = do()
		return errDead
	case failsBefore:
		return fmt.Errorf("on purpose: %w", store.ErrUnavailable)
	case failsAfter:
		_ = do()
		return fmt.Errorf("on purpose, but it is done: %w", store.ErrUnavailable)
	case isThrottled:
		return fmt.Errorf("on purpose: %w", store.ErrThrottled)
	}
	err := do()
	m.halt() // the answer is read when the process goes on
	return err
}

// kill lets the process die at its n-th call from now on, or the n-th amid a refresh.
func (m *mortal) kill(n int, amid bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dies, m.amid = n, amid
}

// stop lets the process be stopped at its n-th call amid a refresh, for so long.
func (m *mortal) stop(n int, pause time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stops, m.pause = n, pause
}

// spare takes back what was to come.
func (m *mortal) spare() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dies, m.stops = 0, 0
}

func (m *mortal) isDead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

func (m *mortal) Boards(ctx context.Context) (all []store.Board, err error) {
	err = m.call(anyCall, func() (err error) { all, err = m.Store.Boards(ctx); return err })
	return all, err
}

func (m *mortal) Rows(ctx context.Context, q store.Query) (page store.Page, err error) {
	m.ledger.walks(m.name, q.Partition)
	err = m.call(partitionCall, func() (err error) { page, err = m.Store.Rows(ctx, q); return err })
	return page, err
}

func (m *mortal) Count(ctx context.Context, q store.Query) (page store.CountPage, err error) {
	m.ledger.walks(m.name, q.Partition)
	err = m.call(partitionCall, func() (err error) { page, err = m.Store.Count(ctx, q); return err })
	return page, err
}

func (m *mortal) Curve(ctx context.Context, k store.CurveKey) (p store.Published, u store.Usage, err error) {
	err = m.call(anyCall, func() (err error) { p, u, err = m.Store.Curve(ctx, k); return err })
	return p, u, err
}

func (m *mortal) Publish(ctx context.Context, k store.CurveKey, p store.Published) (u store.Usage, err error) {
	err = m.call(leasedCall, func() (err error) {
		if u, err = m.Store.Publish(ctx, k, p); err == nil {
			m.ledger.published(k, p)
		}
		return err
	})
	return u, err
}

func (m *mortal) State(ctx context.Context, k store.CurveKey) (data []byte, u store.Usage, err error) {
	err = m.call(anyCall, func() (err error) { data, u, err = m.Store.State(ctx, k); return err })
	return data, u, err
}

func (m *mortal) SaveState(ctx context.Context, k store.CurveKey, data []byte) (u store.Usage, err error) {
	err = m.call(leasedCall, func() (err error) { u, err = m.Store.SaveState(ctx, k, data); return err })
	return u, err
}

func (m *mortal) Archive(ctx context.Context, k store.CurveKey, a store.Archived) (u store.Usage, err error) {
	err = m.call(leasedCall, func() (err error) { u, err = m.Store.Archive(ctx, k, a); return err })
	return u, err
}

func (m *mortal) PruneArchive(ctx context.Context, k store.CurveKey, before time.Time) (n int, u store.Usage, err error) {
	err = m.call(leasedCall, func() (err error) { n, u, err = m.Store.PruneArchive(ctx, k, before); return err })
	return n, u, err
}

func (m *mortal) Acquire(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (l store.Lease, err error) {
	err = m.call(anyCall, func() (err error) {
		if l, err = m.Store.Acquire(ctx, name, holder, now, ttl); err == nil {
			m.ledger.leased(name, m.name)
		}
		return err
	})
	return l, err
}

func (m *mortal) Renew(ctx context.Context, lease store.Lease, now time.Time, ttl time.Duration) (l store.Lease, err error) {
	err = m.call(leasedCall, func() (err error) { l, err = m.Store.Renew(ctx, lease, now, ttl); return err })
	return l, err
}

func (m *mortal) Release(ctx context.Context, l store.Lease) error {
	return m.call(leasedCall, func() error {
		err := m.Store.Release(ctx, l)
		if err == nil {
			m.ledger.leased(l.Name, "")
		}
		return err
	})
}
