package dynamo

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/rankcurve/rankcurve/store"
)

const (
	// dateStep is the resolution of an answer's Date.
	dateStep = time.Second

	// skewError is how far off the skew may be that one answer tells. Another is believed if
	// it differs by more: a clock that is corrected by it does not go to and fro.
	skewError = 3 * time.Second

	// slowAnswer is what an answer may take to be as good: its date is of any moment
	// between the request and the answer, and of the second that it has begun.
	slowAnswer = 2*skewError - dateStep
)

// A clock is how far ours is ahead of DynamoDB's, by the dates of its answers, those that
// refuse a request too. It is safe for concurrent use.
type clock struct{ skew atomic.Pointer[time.Duration] }

var _ store.Clocked = (*Store)(nil)

// Skew implements [store.Clocked].
func (s *Store) Skew() (ahead time.Duration, known bool) {
	if skew := s.options.clock.skew.Load(); skew != nil {
		return *skew, true
	}
	return 0, false
}

// watch is a part of the SDK's handling of a request: it is handed on, and its answer dated.
func (c *clock) watch(stack *middleware.Stack) error {
	handle := func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
		asked := time.Now()
		out, metadata, err := next.HandleDeserialize(ctx, in)
		if response, ok := out.RawResponse.(*smithyhttp.Response); ok && response != nil {
			c.see(response.Header.Get("Date"), asked, time.Since(asked))
		}
		return out, metadata, err
	}
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("rankcurve clock", handle), middleware.Before)
}

// see takes over the date of an answer to what was asked then and took so long.
func (c *clock) see(date string, asked time.Time, took time.Duration) {
	theirs, err := http.ParseTime(date)
	if err != nil || took > slowAnswer {
		return
	}
	skew := asked.Add(took / 2).Sub(theirs.Add(dateStep / 2))
	if old := c.skew.Load(); old == nil || (skew-*old).Abs() > skewError {
		c.skew.Store(&skew)
	}
}
