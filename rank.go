package rankcurve

import (
	"context"
	"errors"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Rank is the place of a score on a board.
type Rank struct {
	Owner      string // empty if a bare score was asked
	Board      string
	Column     string
	Score      int64 // in units of 10^-Decimals
	Decimals   int
	Rank       int64   // 1 + the number of entries strictly better
	Low, High  int64   // the band that the rank lies in; both are Rank where it is exact
	Of         int64   // entries in the column
	Percent    float64 // 100 * Rank / Of; 0 on an empty board
	Exact      bool    // counted, not estimated
	AsOf       time.Time
	Generation int64 // of the curve; 0 where the rank was counted
}

// Answer is the rank of one owner, or why there is none: an Err that wraps
// [store.ErrNotFound] says that the owner is not on the board, is hidden, or has no
// score in the column; one that wraps [store.ErrInvalid] that it cannot be an owner.
type Answer struct {
	Rank
	Err error
}

// Rank finds the ranks of owners, answered in the order asked. The empty column is
// the first one, the empty mode is [Auto].
func (b *Board) Rank(ctx context.Context, column string, mode Mode, owners ...string) ([]Answer, store.Usage, error) {
	return nil, store.Usage{}, errors.ErrUnsupported
}

// RankOfScore finds the rank that an entry with this score has, or would have.
func (b *Board) RankOfScore(ctx context.Context, column string, mode Mode, score int64) (Rank, store.Usage, error) {
	return Rank{}, store.Usage{}, errors.ErrUnsupported
}
