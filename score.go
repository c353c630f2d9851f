package rankcurve

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// ScoreAt is the score that a rank takes, by the curve.
type ScoreAt struct {
	Board      string
	Column     string
	Score      int64 // in units of 10^-Decimals
	Decimals   int
	Rank       int64     // the one asked for
	ScoreRank  int64     // the one that an entry with Score has; equals share it, so it may lie above Rank
	Low, High  int64     // the band of ScoreRank: it is read from a curve, never counted
	Of         int64     // entries in the column, as forecast for now
	Percent    float64   // 100 * Rank / Of
	AsOf       time.Time // of the curve
	Generation int64     // of the curve
}

// ScoreAtRank estimates the score of the entry at a rank: the curve backwards, with
// no index read. The empty column is the first one. A rank that is not in 1..Of is
// [store.ErrInvalid] and names Of, any on an empty board is [store.ErrNotFound]; without
// a curve it is [ErrNoCurve] or [ErrBadCurve].
func (b *Board) ScoreAtRank(ctx context.Context, column string, rank int64) (ScoreAt, error) {
	c, curve, err := b.backwards(ctx, column)
	if err != nil {
		return ScoreAt{}, err
	}
	return b.scoreAtRank(c, curve, rank, b.age(curve))
}

func (b *Board) scoreAtRank(c *column, curve *predictor.Curve, rank int64, age time.Duration) (ScoreAt, error) {
	of := curve.TotalAt(age)
	if of == 0 {
		return ScoreAt{}, b.noEntries(c)
	}
	if rank < 1 || rank > of {
		return ScoreAt{}, fmt.Errorf("find score at rank %d of board %q: the rank is not in 1..%d: %w", rank, b.def.Name, of, store.ErrInvalid)
	}
	return b.scoreAt(c, curve, rank, age), nil
}

// ScoreAtPercent estimates the score that it takes to be in the top so many percent:
// that of the entry at rank percent/100*Of, rounded up. Percent is above 0 and at
// most 100, or it is [store.ErrInvalid]. The errors are else those of
// [Board.ScoreAtRank].
func (b *Board) ScoreAtPercent(ctx context.Context, column string, percent float64) (ScoreAt, error) {
	if err := b.checkPercent(percent); err != nil {
		return ScoreAt{}, err
	}
	c, curve, err := b.backwards(ctx, column)
	if err != nil {
		return ScoreAt{}, err
	}
	return b.scoreAtPercent(c, curve, percent, b.age(curve))
}

func (b *Board) checkPercent(percent float64) error {
	if !(percent > 0 && percent <= 100) { // not a number fails too
		return fmt.Errorf("find score of the top %v %% of board %q: the percentage is not above 0 and at most 100: %w", percent, b.def.Name, store.ErrInvalid)
	}
	return nil
}

func (b *Board) scoreAtPercent(c *column, curve *predictor.Curve, percent float64, age time.Duration) (ScoreAt, error) {
	of := curve.TotalAt(age)
	if of == 0 {
		return ScoreAt{}, b.noEntries(c)
	}
	const slack = 1 - 1e-12 // 7 % of 100 is 7, not what rounds up to 8
	rank := int64(math.Ceil(percent * float64(of) / 100 * slack))
	return b.scoreAt(c, curve, min(max(rank, 1), of), age), nil
}

// noEntries says that there is no score to be found, by the curve at least.
func (b *Board) noEntries(c *column) error {
	return advise(store.ErrNotFound, nil, "find score on board %q: the board has no entries in column %q by its curve", b.def.Name, c.Name)
}

func (b *Board) backwards(ctx context.Context, name string) (*column, *predictor.Curve, error) {
	c, err := b.column(name)
	if err != nil {
		return nil, nil, err
	}
	curve, _, err := b.curve(ctx, c)
	if err != nil {
		return nil, nil, fmt.Errorf("find score on board %q: %w", b.def.Name, err)
	}
	return c, curve, nil
}

// scoreAt asks a curve of an age.
func (b *Board) scoreAt(c *column, curve *predictor.Curve, rank int64, age time.Duration) ScoreAt {
	key := curve.KeyAt(rank, age)
	place, meta, of := curve.Estimate(key, age), curve.Meta(), curve.TotalAt(age)
	low := place.Low + 1
	return ScoreAt{
		Board: b.def.Name, Column: c.Name,
		Score: c.Score(key), Decimals: c.Decimals,
		Rank: rank, ScoreRank: place.Better + 1, Low: low, High: max(low, min(place.High+1, of)), Of: of,
		Percent: 100 * float64(rank) / float64(of),
		AsOf:    meta.AsOf, Generation: meta.Generation,
	}
}
