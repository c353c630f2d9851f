package sampler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/predictor/kriging"
	"github.com/rankcurve/rankcurve/store"
)

// from reads of a shard, and once more if that fails and other shards do answer: a store
// that is away as a whole ends the walk. A shard that fails twice is lost: from then on the
// walk does without it, and nothing is read of it. It is an error where fewer than half of
// the shards would be left.
func (w *Walker) from(ctx context.Context, shard int, read func() error) error {
	if w.isLost(shard) {
		return nil
	}
	err := read()
	if err == nil || !itsOwn(ctx, err) || !w.othersAnswer(ctx, shard) {
		return err
	}
	if err = read(); err == nil || !itsOwn(ctx, err) {
		return err
	}
	return w.lose(shard, err)
}

// othersAnswer says whether one of a few other shards can be read.
func (w *Walker) othersAnswer(ctx context.Context, shard int) bool {
	const few = 4
	ctx, answered := context.WithCancel(ctx)
	defer answered()
	var answers atomic.Int64
	var asking sync.WaitGroup
	for i, asked := 1, 0; i < w.board.Shards && asked < few; i++ {
		other := (shard + i) % w.board.Shards
		if w.isLost(other) {
			continue
		}
		asked++
		asking.Go(func() {
			page, err := w.store.Count(ctx, store.Query{Partition: w.partition(other), From: bestKey, To: worstKey, Limit: 1})
			if errors.Join(err, w.spent(page.Usage)) == nil {
				answers.Add(1)
				answered() // the others need not
			}
		})
	}
	asking.Wait()
	return answers.Load() > 0
}

func (w *Walker) lose(shard int, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil {
		w.lost = map[int]error{}
	}
	w.lost[shard] = err
	shards, lost := w.board.Shards, len(w.lost)
	switch {
	case shards-lost >= (shards+1)/2:
		return nil
	case lost == 1:
		return err // which names the partition
	}
	return fmt.Errorf("%d of the %d shards of %s.%s failed twice, the last of them: %w", lost, shards, w.board.Name, w.column.Name, err)
}

func (w *Walker) isLost(shard int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost[shard] != nil
}

// failures are the errors of the shards that are lost, in their order.
func (w *Walker) failures() []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	errs := make([]error, 0, len(w.lost))
	for _, shard := range slices.Sorted(maps.Keys(w.lost)) {
		errs = append(errs, w.lost[shard])
	}
	return errs
}

// standIn lets the shards that were walked stand for those that are lost.
func (w *Walker) standIn(walk *Walk) {
	walk.Failed = w.failures()
	walk.Walked = w.board.Shards - len(walk.Failed)
	if walk.Entries == 0 {
		return
	}
	standIn(walk.Points, w.board.Shards, len(walk.Failed))
	walk.Entries = walk.Points[len(walk.Points)-1].Better
	walk.State.Entries = walk.Entries
}

// standIn makes points that some shards do not count in those of the whole board. A shard
// is a random sample: of N entries above a key, those seen are binomial with K-F of K, so
// that N is n*K/(K-F) with the variance n*K*F/(K-F)^2. One entry is added to n there, for
// none seen does not mean that there are none.
func standIn(points []predictor.Point, shards, lost int) {
	if lost == 0 {
		return
	}
	all, left := float64(shards), float64(shards-lost)
	for i := range points {
		p := &points[i]
		seen := float64(p.Better)
		p.Better = int64(math.Round(seen * all / left))
		p.Error = math.Hypot(p.Error, math.Sqrt((seen+1)*all*float64(lost))/left)
		p.Open = i > 0
	}
}

// expected is what the forecasts take the board to hold now.
func expected(forecasts []kriging.Forecast) kriging.Sighting {
	s := kriging.Sighting{Better: make([]int64, len(forecasts))}
	for i, f := range forecasts {
		s.Better[i] = int64(math.Round(f.Better))
	}
	return s
}
