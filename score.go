package rankcurve

import (
	"context"
	"errors"
	"time"
)

// ScoreAt is the score that a rank takes, by the curve.
type ScoreAt struct {
	Board      string
	Column     string
	Score      int64 // in units of 10^-Decimals
	Decimals   int
	Rank       int64   // the one asked for
	Low, High  int64   // the band of the rank that an entry with Score has
	Of         int64   // entries in the column
	Percent    float64 // 100 * Rank / Of
	Exact      bool    // the curve holds this place exactly, as of AsOf
	AsOf       time.Time
	Generation int64 // of the curve
}

// ScoreAtRank estimates the score of the entry at a rank.
func (b *Board) ScoreAtRank(ctx context.Context, column string, rank int64) (ScoreAt, error) {
	return ScoreAt{}, errors.ErrUnsupported
}

// ScoreAtPercent estimates the score that it takes to be in the top so many percent.
func (b *Board) ScoreAtPercent(ctx context.Context, column string, percent float64) (ScoreAt, error) {
	return ScoreAt{}, errors.ErrUnsupported
}
