package sampler

import (
	"context"

	"github.com/rankcurve/rankcurve/predictor"
)

// scores is the walk that reads every key. Under a budget one shard is read first,
// which tells what all will take.
func (w *Walker) scores(ctx context.Context) (Walk, error) {
	if w.pilot == nil && w.options.ReadBudget > 0 {
		if err := w.readPilot(ctx); err != nil {
			return Walk{}, err
		}
		if all := w.pilotUnits * float64(w.board.Shards); !w.affordable(all) {
			return Walk{}, w.tooExpensive(all)
		}
	}
	runs := make([][]int64, w.board.Shards)
	err := w.each(ctx, w.board.Shards, func(ctx context.Context, shard int) error {
		return w.from(ctx, shard, func() (err error) {
			runs[shard], err = w.keys(ctx, shard)
			return err
		})
	})
	if err != nil {
		return Walk{}, err
	}
	keys := mergeRuns(runs, descending)
	return Walk{
		Points: predictor.PointsOf(keys), Entries: int64(len(keys)), Method: Scores,
		State: State{Entries: int64(len(keys))},
	}, nil
}

func descending(a, b int64) bool { return a >= b }
func ascending(a, b int64) bool  { return a <= b }

// mergeRuns merges sorted runs, two at a time, into one. before says that a may
// stand before b.
func mergeRuns(runs [][]int64, before func(a, b int64) bool) []int64 {
	for len(runs) > 1 {
		var merged [][]int64
		for i := 0; i < len(runs); i += 2 {
			if i+1 == len(runs) {
				merged = append(merged, runs[i])
				continue
			}
			merged = append(merged, mergeTwo(runs[i], runs[i+1], before))
		}
		runs = merged
	}
	if len(runs) == 0 {
		return nil
	}
	return runs[0]
}

func mergeTwo(a, b []int64, before func(a, b int64) bool) []int64 {
	merged := make([]int64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if before(a[0], b[0]) {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	return append(append(merged, a...), b...)
}
