package sampler

import (
	"context"
	"errors"
	"time"

	"golang.org/x/time/rate"

	"github.com/rankcurve/rankcurve/store"
)

// The limiter's tokens are half read units, the least that a read takes.
const laneBurst = 16

func halves(units float64) rate.Limit { return rate.Limit(2 * units) }

// A lane is the pace of one partition. Who has entered it may use it, until it is left.
type lane struct {
	turn    chan struct{} // whose place is taken reads
	limiter *rate.Limiter

	rate    float64 // read units a second now
	ceiling float64 // what the partition is thought to give
	max     float64
	raised  time.Time // when the rate was last looked at
	halved  time.Time // when it was last throttled
	probed  time.Time // when the ceiling was last moved
	page    float64   // read units of the last page
}

func newLane(p Pace) *lane {
	return &lane{
		turn: make(chan struct{}, 1), limiter: rate.NewLimiter(halves(p.Start), laneBurst),
		rate: p.Start, ceiling: p.Max, max: p.Max, raised: time.Now(),
	}
}

// enter waits until the lane is free and in debt no more. Nobody knows what a page costs
// before it has come, so pages that are sent beside each other overrun the partition
// together, and are throttled together.
func (l *lane) enter(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case l.turn <- struct{}{}:
	}
	err := Await(ctx, l.limiter)
	if err != nil {
		<-l.turn
	}
	return err
}

// read reads a page, and leaves the lane.
func (l *lane) read(ctx context.Context, within time.Duration, read func(context.Context) (store.Usage, error)) error {
	defer func() { <-l.turn }()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	usage, err := read(ctx)
	l.spend(usage.ReadUnits())
	switch {
	case err == nil:
		l.succeed(usage.ReadUnits())
	case errors.Is(err, store.ErrThrottled):
		l.throttled()
	}
	return err
}

// spend takes what a read consumed beyond the token it waited for. It does not
// wait: the next read does.
func (l *lane) spend(units float64) {
	for tokens := int(2*units+0.5) - 1; tokens > 0; tokens -= laneBurst {
		l.limiter.ReserveN(time.Now(), min(tokens, laneBurst))
	}
}

func (l *lane) succeed(units float64) {
	l.page = units
	if l.ceiling < l.max && time.Since(l.probed) > probeAfter {
		l.ceiling, l.probed = min(l.max, 1.1*l.ceiling), time.Now()
	}
	rise := l.max / climb.Seconds() * time.Since(l.raised).Seconds()
	l.raised = time.Now()
	l.set(min(l.ceiling, l.rate+rise))
}

// givesOf is what a partition gives, as a part of the rate at which it was throttled. What
// it saved while it was idle, a second's worth or more, had to be used up first, and the
// rate climbed on meanwhile: at 50 to 200 units a second to 1.3 to 1.6 times that.
const givesOf = 0.6

// throttled halves the rate, at most twice a second: small pages meet one shortage many
// times. The lane waits as if the page had been read: a page of many units that is tried
// again at once is throttled again.
func (l *lane) throttled() {
	const shortage = 500 * time.Millisecond
	if now := time.Now(); now.Sub(l.halved) >= shortage {
		l.ceiling, l.halved, l.probed, l.raised = max(leastPace, givesOf*l.rate), now, now, now
		l.set(max(leastPace, l.rate/2))
	}
	l.spend(l.page)
}

func (l *lane) set(units float64) {
	if units != l.rate {
		l.rate = units
		l.limiter.SetLimit(halves(units))
	}
}
