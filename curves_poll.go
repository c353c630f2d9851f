package rankcurve

import (
	"context"
	"errors"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// pollPatience ends a poll of a store that hangs.
const pollPatience = 30 * time.Second

// A poll asks the store for a column's curve, for all who want it at that time.
type poll struct {
	done  chan struct{}
	found *polled // set when done is closed
}

// wait waits for the poll, as long as the context lasts.
func (p *poll) wait(ctx context.Context) (*polled, error) {
	select {
	case <-p.done:
		return p.found, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// beginPoll begins a poll, or finds the one under way. The poll outlives the call
// that began it: it ends with the store's answer, or when its patience does.
func (b *Board) beginPoll(ctx context.Context, c *column) *poll {
	for {
		if p := c.curves.poll.Load(); p != nil {
			return p
		}
		p := &poll{done: make(chan struct{})}
		if !c.curves.poll.CompareAndSwap(nil, p) {
			continue
		}
		held := c.curves.held.Load()
		if held != nil && held.fresh(b.options.clock(), b.options.curvePoll) { // another's has ended since the caller looked
			c.curves.poll.Store(nil)
			p.found = held
			close(p.done)
			return p
		}
		go b.runPoll(context.WithoutCancel(ctx), c, p, held)
		return p
	}
}

// runPoll asks the store and keeps what it says. An error of the store is kept
// only beside a curve of the same board: without one the next call asks again.
func (b *Board) runPoll(ctx context.Context, c *column, p *poll, held *polled) {
	ctx, cancel := context.WithTimeout(ctx, pollPatience)
	defer cancel()
	p.found = b.ask(ctx, c, held)
	switch {
	case p.found.err == nil || unusable(p.found.err):
		c.curves.held.Store(p.found)
	case held != nil && held.id != p.found.id:
		c.curves.held.Store(nil)
	}
	c.curves.poll.Store(nil)
	close(p.done)
}

// ask reads the published curve; the copy that is held stays where there is no
// newer one of the same board.
func (b *Board) ask(ctx context.Context, c *column, held *polled) *polled {
	b.identify(ctx)
	key := b.curveKey(c)
	found := &polled{at: b.options.clock(), id: key.ID}
	published, usage, err := b.store.Curve(ctx, key)
	found.usage = usage
	has := held != nil && held.curve != nil && held.id == key.ID
	switch {
	case err == nil && has && published.Generation <= held.generation:
		found.curve, found.generation = held.curve, held.generation
		return found
	case err == nil:
		found.generation = published.Generation
		found.curve, found.err = b.decode(c, published)
	case errors.Is(err, store.ErrNotFound):
		found.err = noCurve(key)
	case errors.Is(err, store.ErrCorrupt):
		found.err = badCurve(key, err)
	default:
		found.err = err // which names the curve
	}
	if found.err != nil && has {
		found.curve, found.generation = held.curve, held.generation
		found.err, found.fault = nil, found.err
	}
	return found
}

// take waits for a turn, as long as the context lasts.
func take(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
