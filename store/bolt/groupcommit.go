package bolt

import (
	"context"
	"errors"
	"fmt"
	"sync"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// Write is one change of the file in two steps. Check reads, and may refuse;
// apply changes, and fails only when the file cannot be written. So a refused
// write has touched nothing, and those it shares a transaction with go on. Both
// may run again, check always first.
type write struct {
	check func(tx *bbolt.Tx) error
	apply func(tx *bbolt.Tx) error
	err   error // the outcome
}

// MaxGroup bounds the writes of one transaction, and with it how long the first
// of them waits.
const maxGroup = 4096

// Committer commits all writes that wait at the same time in one transaction,
// hence one fsync. Its own goroutine and not db.Batch, which rolls back and
// repeats everything for one failing write, and waits before it begins.
type committer struct {
	db       *bbolt.DB
	queue    chan request
	finished chan struct{}
	broken   error // set by the goroutine once a commit has panicked

	mu     sync.RWMutex // held for reading while submitting
	closed bool
}

type request struct {
	writes []*write
	done   chan struct{}
}

func newCommitter(db *bbolt.DB) *committer {
	c := &committer{db: db, queue: make(chan request), finished: make(chan struct{})}
	go c.run()
	return c
}

// Submit waits until the writes are decided; each has its outcome in err. An
// error of submit itself means that none was begun.
func (c *committer) submit(ctx context.Context, writes []*write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := request{writes: writes, done: make(chan struct{})}
	if err := c.enqueue(ctx, r); err != nil {
		return err
	}
	<-r.done
	return nil
}

func (c *committer) enqueue(ctx context.Context, r request) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return store.ErrClosed
	}
	select {
	case c.queue <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *committer) close() {
	c.mu.Lock()
	c.closed = true
	close(c.queue)
	c.mu.Unlock()
	<-c.finished
}

func (c *committer) run() {
	defer close(c.finished)
	for r := range c.queue {
		group := c.collect(r)
		var writes []*write
		for _, r := range group {
			writes = append(writes, r.writes...)
		}
		c.commit(writes)
		for _, r := range group {
			close(r.done)
		}
	}
}

// Collect takes the requests that wait already; it does not wait for more, so
// that a lone writer loses no time.
func (c *committer) collect(first request) []request {
	group, size := []request{first}, len(first.writes)
	for size < maxGroup {
		select {
		case r, open := <-c.queue:
			if !open {
				return group
			}
			group, size = append(group, r), size+len(r.writes)
		default:
			return group
		}
	}
	return group
}

// Commit decides the writes together, or each alone when together they failed:
// the fault of one must not be the others'.
func (c *committer) commit(writes []*write) {
	err := c.transact(writes)
	if err == nil {
		return
	}
	for _, w := range writes {
		if len(writes) > 1 {
			err = c.transact([]*write{w})
		}
		if err != nil {
			w.err = err
		}
	}
}

// Transact tries the writes in one transaction. With an error nothing is stored;
// without, each write has its own outcome.
func (c *committer) transact(writes []*write) error {
	if c.broken != nil {
		return c.broken
	}
	tx, err := c.db.Begin(true)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	changed := false
	err = guard(func() (err error) {
		changed, err = runAll(tx, writes)
		return err
	})
	if err != nil || !changed {
		return errors.Join(err, tx.Rollback())
	}
	return c.finish(tx)
}

func runAll(tx *bbolt.Tx, writes []*write) (changed bool, err error) {
	for _, w := range writes {
		if w.err = w.check(tx); w.err != nil {
			continue
		}
		if err := w.apply(tx); err != nil {
			return false, err
		}
		changed = true
	}
	return changed, nil
}

// Finish commits. A panic in there leaves bbolt's free pages in an unknown
// state, so that no later write can be trusted: the file must be opened again.
func (c *committer) finish(tx *bbolt.Tx) error {
	returned := false
	err := guard(func() error {
		err := tx.Commit()
		returned = true
		return err
	})
	switch {
	case !returned:
		c.broken = err
		_ = guard(tx.Rollback) // or Close would wait for the transaction for ever
	case err != nil:
		err = fmt.Errorf("commit transaction: %w", err)
	}
	return err
}
