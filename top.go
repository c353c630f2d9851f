package rankcurve

import (
	"context"
	"errors"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// MaxTop is the most rows that [Board.Top] answers at once.
const MaxTop = 100_000

// Row is one place of the board.
type Row struct {
	Rank  int64 // 1 + the number of entries strictly better
	Owner string
	Score int64 // in units of 10^-decimals of the column
}

// Top is the exact best of a board.
type Top struct {
	Column   store.Column
	Rows     []Row // in rank order, equals by owner
	RowsRead int   // index rows that it took, over all shards
	Usage    store.Usage
	AsOf     time.Time // when the reading began
}

// Top reads the best n entries of a column, exactly. The empty column is the first
// one. n is 1 to [MaxTop], or it is [store.ErrInvalid]; a board with fewer
// entries answers all of them.
func (b *Board) Top(ctx context.Context, column string, n int) (Top, error) {
	return Top{}, errors.ErrUnsupported
}
