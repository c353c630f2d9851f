package sampler

import (
	"context"

	"github.com/rankcurve/rankcurve/predictor"
)

// A cut is a cutpoint with what all shards together hold between it and the cut
// before: the entries with keys in (key, previous key].
type cut struct {
	key     int64
	entries int64
}

// counted is the walk that counts the intervals between cutpoints, and reads the
// rows at both ends. When a shard is lost on the way it is done again without it, but for
// the counts of the others.
func (w *Walker) counted(ctx context.Context, cutpoints []int64) (Walk, error) {
	w.rememberCounts(cutpoints)
	for {
		lost, pieces := len(w.failures()), w.pieces
		walk, err := w.countedOnce(ctx, cutpoints)
		if err != nil || len(w.failures()) == lost {
			return walk, err
		}
		w.pieces = pieces
	}
}

func (w *Walker) countedOnce(ctx context.Context, cutpoints []int64) (Walk, error) {
	head, err := w.readEnd(ctx, false)
	if err != nil {
		return Walk{}, err
	}
	tail := end{}
	if !head.whole {
		if tail, err = w.readEnd(ctx, true); err != nil {
			return Walk{}, err
		}
	}
	if head.whole || tail.whole || tail.edge > head.edge {
		return fromEnds(head, tail), nil
	}
	last := tail.edge - 1
	if len(tail.keys) > 0 {
		last = tail.keys[len(tail.keys)-1]
	}
	cuts := cutsBetween(cutpoints, head.edge, last)
	if err := w.countCuts(ctx, head.edge, cuts); err != nil {
		return Walk{}, err
	}
	cuts, err = w.splitHeavy(ctx, head, cuts, len(tail.keys))
	if err != nil {
		return Walk{}, err
	}
	return w.assemble(head, cuts, tail), nil
}

// cutsBetween makes the cuts of the middle: the cutpoints strictly between two
// keys, and the lower of the two.
func cutsBetween(cutpoints []int64, from, to int64) []cut {
	var cuts []cut
	for _, key := range cutpoints {
		if key < from && key > to {
			cuts = append(cuts, cut{key: key})
		}
	}
	return append(cuts, cut{key: to})
}

// countCuts fills in the entries of cuts that follow from, in every shard.
func (w *Walker) countCuts(ctx context.Context, from int64, cuts []cut) error {
	shards := w.board.Shards
	spans := make([]span, len(cuts))
	for i, c := range cuts {
		spans[i] = span{from, c.key + 1}
		from = c.key
	}
	if err := w.countKnown(ctx, spans); err != nil {
		return err
	}
	counts := make([]int64, shards*len(cuts))
	err := w.each(ctx, len(counts), func(ctx context.Context, i int) error {
		// Neighbouring requests go to different partitions, so that none is hot.
		shard, s := i%shards, spans[i/shards]
		return w.from(ctx, shard, func() (err error) {
			counts[i], err = w.count(ctx, shard, s.from, s.to)
			return err
		})
	})
	if err != nil {
		return err
	}
	for i := range cuts {
		cuts[i].entries = 0
		for shard, n := range counts[i*shards : (i+1)*shards] {
			if !w.isLost(shard) {
				cuts[i].entries += n
			}
		}
	}
	return nil
}

// countKnown counts what takes no reads: the pilot's shard, so that a walk that goes on with
// this one need not read it again, and what such a one is spared by that.
func (w *Walker) countKnown(ctx context.Context, spans []span) error {
	for _, s := range spans {
		if w.pilot != nil {
			if _, err := w.count(ctx, w.pilotShard, s.from, s.to); err != nil {
				return err
			}
		}
		for shard := range w.board.Shards {
			if w.isLost(shard) {
				continue
			}
			if _, known := w.counts.recall(shard, s); known && w.resumed != nil {
				w.pieces.resumed++
			}
			w.pieces.all++
		}
	}
	return nil
}

// assemble puts the two ends and the counted middle together.
func (w *Walker) assemble(head end, cuts []cut, tail end) Walk {
	points := predictor.PointsOf(head.keys)
	if len(points) > 0 {
		points = points[:len(points)-1] // what lies below the head's last key is not nothing
	}
	better := int64(len(head.keys))
	points = append(points, predictor.Point{Key: head.edge, Better: better})
	for _, c := range cuts {
		better += c.entries
		points = append(points, predictor.Point{Key: c.key, Better: better, Open: true})
	}
	points = append(points, below(tail.keys, better)...)
	entries := better + int64(len(tail.keys))
	return Walk{
		Points: points, Entries: entries, Method: Counted, Intervals: len(cuts),
		State: State{Entries: entries, Cutpoints: w.mergeLight(int64(len(head.keys)), cuts, entries)},
	}
}

// below turns the rows of the tail, worst first, into the points that follow its
// best key's own.
func below(worstFirst []int64, better int64) []predictor.Point {
	bestFirst := make([]int64, len(worstFirst))
	for i, key := range worstFirst {
		bestFirst[len(bestFirst)-1-i] = key
	}
	points := predictor.PointsOf(bestFirst)
	for i := range points {
		points[i].Better += better
	}
	if len(points) > 0 {
		points = points[1:] // the last cut is the tail's best key
	}
	return points
}

// fromEnds is the walk of a board whose two ends met.
func fromEnds(head, tail end) Walk {
	keys := head.keys
	if tail.whole {
		keys = nil
	}
	rest := tail.keys // worst first: those the head did not reach
	for i := len(rest) - 1; i >= 0; i-- {
		if tail.whole || !head.whole && rest[i] <= head.edge {
			keys = append(keys, rest[i])
		}
	}
	return Walk{Points: predictor.PointsOf(keys), Entries: int64(len(keys)), Method: Scores, State: State{Entries: int64(len(keys))}}
}
