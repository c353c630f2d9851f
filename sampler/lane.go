package sampler

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The limiter's tokens are half read units, the least that a read takes.
const laneBurst = 16

func halves(units float64) rate.Limit { return rate.Limit(2 * units) }

// A lane is the pace of one partition.
type lane struct {
	limiter *rate.Limiter

	mu      sync.Mutex
	rate    float64 // read units a second now
	ceiling float64 // three quarters of where it was last throttled
	max     float64
	raised  time.Time // when the rate was last looked at
	halved  time.Time // when it was last throttled
	probed  time.Time // when the ceiling was last moved
	page    float64   // read units of the last page
}

// spend takes what a read consumed beyond the token it waited for. It does not
// wait: the next read does.
func (l *lane) spend(units float64) {
	for tokens := int(2*units+0.5) - 1; tokens > 0; tokens -= laneBurst {
		l.limiter.ReserveN(time.Now(), min(tokens, laneBurst))
	}
}

func (l *lane) succeed(units float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.page = units
	if l.ceiling < l.max && time.Since(l.probed) > probeAfter {
		l.ceiling, l.probed = min(l.max, 1.1*l.ceiling), time.Now()
	}
	rise := l.max / climb.Seconds() * time.Since(l.raised).Seconds()
	l.raised = time.Now()
	l.set(min(l.ceiling, l.rate+rise))
}

// throttled halves the rate, once for all reads that were under way together. What the
// partition saved while it was idle lets the rate run past what it gives, so the
// ceiling is well below. The lane waits as if the page had been read: a page of many
// units that is tried again at once is throttled again.
func (l *lane) throttled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	const together = 500 * time.Millisecond
	now := time.Now()
	if now.Sub(l.halved) < together {
		return
	}
	l.ceiling, l.halved, l.probed, l.raised = max(leastPace, 0.75*l.rate), now, now, now
	l.set(max(leastPace, l.rate/2))
	l.spend(l.page)
}

func (l *lane) set(units float64) {
	if units != l.rate {
		l.rate = units
		l.limiter.SetLimit(halves(units))
	}
}
