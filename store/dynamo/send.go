package dynamo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// method is one of the SDK's.
type method[In, Out any] func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error)

// sent is what became of a request: how often it was sent, and whether an attempt
// that failed may have been carried out all the same.
type sent struct {
	requests int
	unsure   bool
}

// read sends a request until it succeeds, fails for good, or its attempts or its
// context are used up. The error is one of store's, or the context's.
func read[In, Out any](ctx context.Context, o options, t target, m method[In, Out], in *In) (*Out, sent, error) {
	return attempts(ctx, o, t, func(ctx context.Context) (*Out, error) { return m(ctx, in, o.once) })
}

// write is read for what changes the table. An attempt under way is carried
// through when the context ends, though not waited for: Close does that.
func write[In, Out any](ctx context.Context, s *Store, m method[In, Out], in *In) (*Out, sent, error) {
	return attempts(ctx, s.options, target{table: s.table}, func(attempt context.Context) (*Out, error) {
		if ctx.Done() == nil {
			return m(attempt, in, s.options.once)
		}
		return carryThrough(ctx, s, func(detached context.Context) (*Out, error) { return m(detached, in, s.options.once) })
	})
}

func carryThrough[Out any](ctx context.Context, s *Store, call func(context.Context) (*Out, error)) (*Out, error) {
	type answer struct {
		out *Out
		err error
	}
	answered := make(chan answer, 1)
	s.work.Add(1) // beside the caller's own, so it is not zero
	go func() {
		defer s.work.Done()
		detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.timeout)
		defer cancel()
		out, err := call(detached)
		answered <- answer{out, err}
	}()
	select {
	case a := <-answered:
		return a.out, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func attempts[Out any](ctx context.Context, o options, t target, call func(context.Context) (*Out, error)) (*Out, sent, error) {
	var n sent
	for {
		attempt, cancel := context.WithTimeout(ctx, o.timeout)
		out, err := call(attempt)
		cancel()
		n.requests++
		if err == nil {
			return out, n, nil
		}
		v := judge(err)
		n.unsure = n.unsure || v.unsure
		if v.throttle && o.onThrottle != nil {
			o.onThrottle(throttleCause(err))
		}
		if ended := ctx.Err(); ended != nil {
			return nil, n, ended
		}
		if !v.retry || n.requests >= o.attempts || v.throttle && o.showThrottles {
			return nil, n, tried(n.requests, t.explain(err))
		}
		if o.pause(ctx, n.requests) != nil {
			return nil, n, fmt.Errorf("%w, waiting for another try after: %w", ctx.Err(), t.explain(err))
		}
	}
}

func tried(times int, err error) error {
	if times == 1 {
		return err
	}
	return fmt.Errorf("tried %d times: %w", times, err)
}

// pause waits after so many attempts for a time drawn from all of 0 up to a bound
// that doubles: requests that failed together do not come back together.
func (o options) pause(ctx context.Context, attempts int) error {
	bound := min(o.firstPause<<min(attempts-1, 10), longestPause)
	timer := time.NewTimer(rand.N(bound + 1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
