package simulation

import (
	"context"
	"fmt"
	"math"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/churn"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

// A syntheticWorld is a board that nobody holds.
type syntheticWorld struct {
	board  *synthetic.Store // at any tick
	shards int
	tick   int
	now    *synthetic.Store
}

// driftOf is what a synthetic board has in place of a model. It does not follow owners:
// where some of them gain, all scores grow by what that adds on average, and as many
// draw theirs anew, so that as much of a shard changes as if each of them had
// gone past every other. That is a harder board than the model's.
func driftOf(m churn.Model, b churn.Board) (synthetic.Churn, error) {
	switch m {
	case churn.Calm:
		return moved(b, churn.CalmShare*churn.MostGain/2, synthetic.Churn{Rescored: churn.CalmShare}), nil
	case churn.Busy:
		return moved(b, churn.BusyShare*churn.MostGain/2, synthetic.Churn{Rescored: churn.BusyShare}), nil
	case churn.Growth:
		return moved(b, churn.CalmShare*churn.MostGain/2, synthetic.Churn{Rescored: churn.CalmShare, Newcomers: churn.GrowthShare}), nil
	case churn.Decay:
		return moved(b, -churn.DecayShare, synthetic.Churn{}), nil
	}
	return synthetic.Churn{}, fmt.Errorf("a synthetic board drifts evenly and knows no model %s; use a, b, d or f, or --store memory", m)
}

// moved adds that all scores change by a part, of themselves or of an Elo board's spread.
func moved(b churn.Board, part float64, c synthetic.Churn) synthetic.Churn {
	if b == churn.Elo {
		c.Shift = part * churn.EloSpread
	} else {
		c.Gain = math.Log1p(part)
	}
	return c
}

func modelOf(b churn.Board) synthetic.Model {
	lognormal := synthetic.Model{Shape: synthetic.Lognormal, Scale: math.Exp(9), Spread: 1.5, Step: 1}
	switch b {
	case churn.Elo:
		return synthetic.Model{Shape: synthetic.Elo, Scale: 1500, Spread: churn.EloSpread, Step: 1}
	case churn.Atom:
		lognormal.Atom = synthetic.Atom{Share: churn.AtomShare, Score: churn.AtomScore}
	}
	return lognormal
}

func newSyntheticWorld(o Options) (*syntheticWorld, error) {
	drift, err := driftOf(o.Model, o.Board)
	if err != nil {
		return nil, err
	}
	board, err := synthetic.New(o.definition(), synthetic.Options{
		Entries: int64(o.Entries), Seed: o.Seed, Model: modelOf(o.Board), Churn: drift,
	})
	if err != nil {
		return nil, err
	}
	w := &syntheticWorld{board: board, shards: o.Shards, now: board.At(0)}
	if _, err := board.At(float64(o.Ticks)).Size(); err != nil { // too many newcomers by then
		return nil, err
	}
	return w, nil
}

func (w *syntheticWorld) advance(ctx context.Context) error {
	w.tick++
	w.now = w.board.At(float64(w.tick))
	return ctx.Err()
}

func (w *syntheticWorld) store() store.Store { return w.now }
func (w *syntheticWorld) close() error       { return w.board.Close() }

func (w *syntheticWorld) view() view { return syntheticView{w.now, w.shards} }

type syntheticView struct {
	at     *synthetic.Store
	shards int
}

func (v syntheticView) entries() int64 {
	n, err := v.at.Size()
	if err != nil {
		return 0 // newSyntheticWorld has looked at the last tick
	}
	return n
}

// counts counts between each key and the next.
func (v syntheticView) counts(ctx context.Context, shard int, keys []int64) ([]int64, error) {
	counts := make([]int64, len(keys))
	from, sum := store.MaxScore, int64(0)
	for i, key := range keys {
		if key < from { // else nothing lies between
			n, err := v.count(ctx, store.Query{Partition: v.partition(shard), From: from, To: key + 1})
			if err != nil {
				return nil, err
			}
			from, sum = key, sum+n
		}
		counts[i] = sum
	}
	return counts, nil
}

func (v syntheticView) count(ctx context.Context, q store.Query) (n int64, err error) {
	for {
		page, err := v.at.Count(ctx, q)
		if err != nil {
			return 0, err
		}
		n += page.Count
		if page.Last == nil {
			return n, nil
		}
		q.After = page.Last
	}
}

func (v syntheticView) partition(shard int) store.Partition {
	return store.Partition{Board: boardName, Column: columnName, Shard: shard}
}

// held takes the next key that some shard holds from where a curve says that the depths
// are: to search for each would take a count of all shards at every step.
func (v syntheticView) held(ctx context.Context, depths []int64, guess func(int64) int64) ([]int64, error) {
	var keys []int64
	for i, depth := range depths {
		from := guess(depth)
		page, err := v.at.Rows(ctx, store.Query{Partition: v.partition(i % v.shards), From: from, To: -store.MaxScore, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(page.Rows) > 0 {
			keys = append(keys, page.Rows[0].Key)
		}
	}
	return keys, nil
}
