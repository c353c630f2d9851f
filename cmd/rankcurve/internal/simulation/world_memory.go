package simulation

import (
	"context"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/churn"
	"github.com/rankcurve/rankcurve/store"
)

// A memoryWorld is a population and its ranking.
type memoryWorld struct {
	options Options
	owners  *churn.Population
	shards  []uint16 // of each owner
	ranked  *ranked
	kept    ledger
}

func newMemoryWorld(o Options) (*memoryWorld, error) {
	w := &memoryWorld{options: o, owners: churn.New(o.Model, o.Board, o.Entries, o.Seed)}
	var err error
	if w.kept, err = newLedger(o, func() store.Partitions { return w.ranked }); err != nil {
		return nil, err
	}
	w.rank()
	return w, nil
}

// rank makes the ranking of the scores as they are now.
func (w *memoryWorld) rank() {
	for owner := len(w.shards); owner < w.owners.Len(); owner++ {
		w.shards = append(w.shards, uint16(store.ShardOf(playerName(owner), w.options.Shards)))
	}
	sizes := make([]int, w.options.Shards)
	for _, shard := range w.shards {
		sizes[shard]++
	}
	shards := make([][]int64, w.options.Shards)
	for shard, size := range sizes {
		shards[shard] = make([]int64, 0, size)
	}
	for owner, shard := range w.shards {
		shards[shard] = append(shards[shard], w.owners.Score(owner))
	}
	w.ranked = rank(w.options, shards)
}

func (w *memoryWorld) advance(ctx context.Context) error {
	if len(w.owners.Step()) > 0 {
		w.rank()
	}
	return ctx.Err()
}

func (w *memoryWorld) store() store.Store { return w.kept }
func (w *memoryWorld) view() view         { return w.ranked }
func (w *memoryWorld) close() error       { return nil }
