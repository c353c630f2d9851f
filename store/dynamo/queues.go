package dynamo

import (
	"context"
	"slices"
	"sync"

	"github.com/rankcurve/rankcurve/store"
)

// Queues let the writes of one row go one after the other, each with all its attempts. A
// write whose answer was lost is looked for by its token, of which a row keeps so many:
// until it has been, no other write of this Store pushes the token out.
type queues struct {
	mu   sync.Mutex
	rows map[rowKey][]*place // in the order of their coming; the first one writes
}

type rowKey struct{ board, owner string }

// A place is one write's in the queue of its row.
type place struct {
	in    *queues
	row   rowKey
	first chan struct{} // closed when it is

	// passed is a version that was made while this one waited, 0 if none was: after the
	// caller had read the row.
	passed int64
}

// wait waits until a write is the first of its row; it must leave then. The error is the
// context's.
func (q *queues) wait(ctx context.Context, b store.Board, owner string) (*place, error) {
	mine := &place{in: q, row: rowKey{b.Name, owner}, first: make(chan struct{})}
	q.mu.Lock()
	if q.rows == nil {
		q.rows = map[rowKey][]*place{}
	}
	q.rows[mine.row] = append(q.rows[mine.row], mine)
	alone := len(q.rows[mine.row]) == 1
	q.mu.Unlock()
	if alone {
		return mine, nil
	}
	select {
	case <-mine.first:
		return mine, nil
	case <-ctx.Done():
		mine.leave(0)
		return nil, ctx.Err()
	}
}

// leave lets the next one write, and tells all others what version was made; 0: none.
func (p *place) leave(made int64) {
	p.in.mu.Lock()
	defer p.in.mu.Unlock()
	all := p.in.rows[p.row]
	at := slices.Index(all, p)
	all = slices.Delete(all, at, at+1)
	if len(all) == 0 {
		delete(p.in.rows, p.row)
		return
	}
	p.in.rows[p.row] = all
	for _, other := range all {
		other.passed = max(other.passed, made)
	}
	if at == 0 {
		close(all[0].first)
	}
}

// missed says of a write on a version of the row that another one of this Store came
// before it. It takes no request to know that the row is not what its caller has read.
func (p *place) missed(version int64) bool {
	p.in.mu.Lock()
	defer p.in.mu.Unlock()
	return version < p.passed
}
