package jobs

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// An imprint is what a board looks like in a few places: the best rows of every shard, and
// rows of one shard from places all the way down. Two that are equal say that hardly
// anything has changed; how much can be missed is what decisions.md says.
type imprint struct {
	Generation int64   `json:"generation"` // of the curve that the places were chosen by
	Shard      int     `json:"shard"`
	From       []int64 `json:"from"`           // keys at which rows of the shard are read
	Sums       []int64 `json:"sums,omitempty"` // of the rows at each place, then of every shard's best; none before it is taken
}

// same says that two imprints of the same places are equal.
func (p *imprint) same(other *imprint) bool {
	return p.taken() && slices.Equal(p.Sums, other.Sums)
}

// taken says that there is an imprint, and that its rows were read.
func (p *imprint) taken() bool { return p != nil && len(p.Sums) > 0 }

// printLasts is for how many generations the places of an imprint are kept.
const printLasts = 32

const (
	printPlaces = 16  // all the way down one shard
	printRows   = 250 // read at each place, and as the best of each shard
)

// printUnits is about what an imprint costs, in read units, before one is taken.
func printUnits(shards int) float64 { return 1.5 * float64(shards+printPlaces) }

// imprintOf says where a board is to be looked at.
func imprintOf(b store.Board, curve *predictor.Curve) *imprint {
	p := &imprint{Generation: curve.Meta().Generation, Shard: int(curve.Meta().Generation % int64(b.Shards))}
	for i := range printPlaces {
		rank := 1 + int64(float64(i)/printPlaces*float64(curve.Total()))
		p.From = append(p.From, curve.KeyAt(rank, 0))
	}
	return p
}

// take reads the rows of an imprint.
func (p *imprint) take(ctx context.Context, st store.Partitions, b store.Board, column string) (store.Usage, error) {
	var usage store.Usage
	p.Sums = nil
	add := func(shard int, from int64) error {
		page, err := st.Rows(ctx, store.Query{Partition: b.Partition(column, shard), From: from, To: -store.MaxScore, Limit: printRows})
		if err != nil {
			return err
		}
		usage.Add(page.Usage)
		p.Sums = append(p.Sums, sum(page.Rows))
		return nil
	}
	for _, from := range p.From {
		if err := add(p.Shard, from); err != nil {
			return usage, err
		}
	}
	for shard := range b.Shards {
		if err := add(shard, store.MaxScore); err != nil {
			return usage, err
		}
	}
	return usage, nil
}

// sum is of rows in any order: those of one key come in none.
func sum(rows []store.Position) int64 {
	var total uint64
	var key [8]byte
	for _, row := range rows {
		h := fnv.New64a()
		binary.BigEndian.PutUint64(key[:], uint64(row.Key))
		_, _ = h.Write(key[:])
		_, _ = h.Write([]byte(row.Owner))
		total += h.Sum64()
	}
	return int64(total & math.MaxInt64)
}
