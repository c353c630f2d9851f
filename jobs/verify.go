package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// Verifier holds a curve against the board itself. It is safe for concurrent use.
type Verifier struct {
	Store store.Store
	Pace  sampler.Pace     // of each partition; the zero value does not pace
	Now   func() time.Time // the clock; nil: time.Now
}

// VerifyOptions say whom to ask, and what that may cost.
type VerifyOptions struct {
	Sample     int     // owners to ask, more than 0; all of a board that has no more
	Seed       uint64  // of what is left to chance: on a quiet board the same seed asks the same owners
	ReadBudget float64 // read units of the table and the index together; 0: no limit
	DownTo     int64   // ask no owner below about this rank; 0: all of the board
	Fit        bool    // go no deeper than the budget pays for, rather than refuse

	// Progress, if set, is called as partitions are counted. It must be safe for
	// concurrent use.
	Progress func(done, total int)
}

// Verification is what became of it.
type Verification struct {
	Board, Column string
	Generation    int64     // of the curve
	AsOf          time.Time // of the curve
	At            time.Time // when the owners' scores were read, and their ranks estimated
	Of            int64     // entries, as the curve says of that time
	Entries       int64     // entries, as counted; -1 if the count did not go down to the last
	DownTo        int64     // the deepest rank that was to be asked; 0: all of the board
	Seed          uint64
	Checks        []Check // one for each owner, the best rank first
	Gone          int     // owners that left the column between being picked and being looked up
	Unreadable    int     // owners that were picked and whose row cannot be read back
	Predicted     float64 // read units that it was thought to take
	Usage         store.Usage
	Duration      time.Duration
}

// A Check is one owner's rank, estimated and counted.
type Check struct {
	Owner     string
	Score     int64 // in the column's units
	Rank      int64 // counted
	Estimate  int64 // what the curve says
	Low, High int64 // and between which it says that the rank is
}

// Verify picks owners at random, at all depths alike, counts their ranks, and says
// beside them what the curve estimates. The owners' scores are read anew and then
// counted at once, in about the order of their ranks: on a board that rests the counts
// are exact, and on another they are off by the posts of those seconds.
//
// It costs about one pass over the index down to the deepest owner, whatever their
// number, and one read unit more for each of them. If that is thought to pass the
// budget nothing but the best rows is read and the error is an [*OverBudgetError], as it
// is when the budget is spent before all is counted. Reads are paced.
func (v Verifier) Verify(ctx context.Context, b store.Board, curve *predictor.Curve, o VerifyOptions) (Verification, error) {
	m := curve.Meta()
	c, err := b.Column(m.Column)
	if err != nil {
		return Verification{}, err
	}
	started := v.now()
	s := newSurvey(v, b, c, curve, o)
	err = s.run(ctx)
	s.found.Usage, s.found.Duration = s.ledger.spent(), v.now().Sub(started)
	if err != nil {
		return s.found, fmt.Errorf("verify %s: %w", b.CurveKey(c.Name), err)
	}
	return s.found, nil
}

func (v Verifier) now() time.Time {
	if v.Now != nil {
		return v.Now().UTC()
	}
	return time.Now().UTC()
}

// A survey is one verification under way.
type survey struct {
	verifier   Verifier
	partitions store.Partitions // paced
	board      store.Board
	column     store.Column
	curve      *predictor.Curve
	age        time.Duration // of the curve, at the beginning
	options    VerifyOptions
	ledger     *ledger
	head       head
	rowBytes   float64 // of one index entry
	found      Verification
}

func newSurvey(v Verifier, b store.Board, c store.Column, curve *predictor.Curve, o VerifyOptions) *survey {
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	m, now := curve.Meta(), v.now()
	age := now.Sub(m.AsOf)
	return &survey{
		verifier: v, partitions: sampler.Paced(v.Store, v.Pace), board: b, column: c, curve: curve, age: age, options: o,
		ledger: &ledger{budget: o.ReadBudget},
		found:  Verification{Board: b.Name, Column: c.Name, Generation: m.Generation, AsOf: m.AsOf, At: now, Of: curve.TotalAt(age), Entries: -1, Seed: o.Seed},
	}
}

func (s *survey) run(ctx context.Context) error {
	if least := leastUnits * float64(s.board.Shards); s.options.ReadBudget > 0 && least > s.options.ReadBudget {
		return s.overBeforehand()
	}
	if err := s.readHead(ctx); err != nil {
		// Spent on the best rows, before what all takes was known.
		if over := s.overBeforehand(); errors.Is(err, store.ErrTooExpensive) && over.Units > over.Budget {
			return over
		}
		return err
	}
	depth, err := s.depth()
	if err != nil {
		return err
	}
	owners, err := s.pick(ctx, depth)
	if err != nil {
		return err
	}
	keys, err := s.lookUp(ctx, owners)
	if err != nil {
		return err
	}
	whole := depth == s.total()
	if !whole {
		s.found.DownTo = depth
	}
	return s.count(ctx, keys, whole)
}

// total is how many entries the board has, as far as is known before it is counted.
func (s *survey) total() int64 {
	if s.head.whole {
		return int64(len(s.head.rows))
	}
	return max(s.curve.TotalAt(s.age), int64(len(s.head.rows)))
}

// lookUp reads the owners' rows as they are now, and asks the curve. The checks that it
// leaves have no counted rank yet; their keys stand beside them.
func (s *survey) lookUp(ctx context.Context, owners []string) (keys []int64, err error) {
	if len(owners) == 0 {
		return nil, nil
	}
	if err := s.ledger.affords(); err != nil {
		return nil, err
	}
	entries, usage, err := s.verifier.Store.EntriesOf(ctx, s.board, owners)
	s.ledger.add(usage)
	var some *store.UnreadableError
	if errors.As(err, &some) { // no fault of the curve's
		s.found.Unreadable, err = len(some.Rows), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the owners' scores: %w", err)
	}
	s.found.At = s.verifier.now()
	age := s.found.At.Sub(s.found.AsOf)
	s.found.Of = s.curve.TotalAt(age)
	for _, e := range entries {
		if some != nil && some.Rows[e.Owner] != nil {
			continue
		}
		score, there := e.Scores[s.column.Name]
		if !there || e.Hidden || e.Version == 0 {
			s.found.Gone++
			continue
		}
		key := s.column.Key(score)
		told := s.curve.Held(key, age)
		keys = append(keys, key)
		s.found.Checks = append(s.found.Checks, Check{
			Owner: e.Owner, Score: score,
			Estimate: told.Better + 1, Low: told.Low + 1, High: told.High + 1,
		})
	}
	return keys, nil
}
