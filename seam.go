package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// seamAge is how long one count of the seam serves.
const seamAge = 10 * time.Second

// A seam joins counted ranks to estimated ones. It is the key that the curve has at
// the exact top's rank: keys from there up are counted, and every entry below has
// all of those above it, so that none is told a better rank than one of them.
type seam struct {
	turn chan struct{} // whose place is taken counts

	mu       sync.Mutex
	held     counted
	counting counted // what was raised while the next count is under way
}

func newSeam() *seam { return &seam{turn: make(chan struct{}, 1)} }

// counted is what the last count of the seam found.
type counted struct {
	curve  *predictor.Curve // that says where the seam is
	better int64            // entries at or above it, or so many that were told they are
	tooBig bool             // counting it is over the budget: better is no count of all
	at     time.Time
}

func (c counted) fresh(curve *predictor.Curve, now time.Time) bool {
	age := now.Sub(c.at)
	return c.curve == curve && age >= 0 && age < seamAge
}

func (s *seam) load() counted {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

func (s *seam) begin(c counted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counting = c
}

// end keeps a count, with what was raised meanwhile: entries that came behind the
// place that it had reached.
func (s *seam) end(c counted) counted {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.better = max(c.better, s.counting.better)
	s.held, s.counting = c, counted{}
	return c
}

// raise tells the seam of entries that were just counted above it, and answers how
// many it knows of.
func (s *seam) raise(curve *predictor.Curve, better int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counting.curve == curve {
		s.counting.better = max(s.counting.better, better)
	}
	if s.held.curve != curve {
		return better
	}
	s.held.better = max(s.held.better, better)
	return s.held.better
}

// seamKey is the worst key that is counted, the same for as long as the curve is.
func (b *Board) seamKey(curve *predictor.Curve) int64 {
	if b.isTop(curve) {
		return -store.MaxScore
	}
	return curve.KeyAt(b.options.exactTop, 0)
}

// isTop says that the whole board is the exact top, as far as its curve knows, if there
// is one.
func (b *Board) isTop(curve *predictor.Curve) bool {
	return curve == nil || curve.Total() <= b.options.exactTop
}

// countSeam answers from the last count of this curve's seam, or counts again. A
// seam over the budget is remembered as such, so that asking again is free.
func (b *Board) countSeam(ctx context.Context, c *column, curve *predictor.Curve) (counted, store.Usage, error) {
	if held := c.seam.load(); held.fresh(curve, b.options.clock()) {
		return held, store.Usage{}, nil
	}
	if err := take(ctx, c.seam.turn); err != nil {
		return counted{}, store.Usage{}, fmt.Errorf("count the top: %w", err)
	}
	defer func() { <-c.seam.turn }()
	if held := c.seam.load(); held.fresh(curve, b.options.clock()) {
		return held, store.Usage{}, nil
	}
	found := counted{curve: curve, at: b.options.clock()}
	c.seam.begin(found)
	n := b.newCount(c, curve)
	counts, err := n.between(ctx, store.MaxScore, []int64{b.seamKey(curve)})
	switch {
	case errors.Is(err, store.ErrTooExpensive):
		found.tooBig = true
	case err != nil:
		return counted{}, n.usage, err
	default:
		found.better = counts[0]
	}
	return c.seam.end(found), n.usage, nil
}
