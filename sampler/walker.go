package sampler

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// Every key lies between these, both inclusive.
const (
	bestKey  = store.MaxScore
	worstKey = -store.MaxScore
)

// Walker walks one column of a board. It is for one walk at a time.
type Walker struct {
	store   store.Partitions
	board   store.Board
	column  store.Column
	options Options

	pilot      []int64 // all keys of a shard, best first, once a pilot has read them
	pilotShard int
	pilotUnits float64 // what that took
	endRows    int     // rows read at each end of the board

	resumed *Checkpoint // that the walk goes on from
	counts  *counts     // of a walk of every shard
	pieces  pieces      // of work

	mu       sync.Mutex
	usage    store.Usage
	underway underway      // nil while there is nothing to keep
	lost     map[int]error // shards that the walk does without
}

// Pieces of work are counts, or shards in a walk of some: all, and those that the walk
// gone on with had done.
type pieces struct{ all, resumed int }

// New makes a walker.
func New(st store.Partitions, b store.Board, column store.Column, o Options) *Walker {
	return &Walker{store: Paced(st, o.Pace), board: b, column: column, options: o.withDefaults()}
}

// Walk is what a walk saw.
type Walk struct {
	Points    []predictor.Point // in rank order, from the best key to one below the worst; none on an empty board
	Entries   int64
	AsOf      time.Time     // Options.AsOf, or an earlier one: that of the walk gone on with, if it counted every shard
	Method    Method        // Counted, Scores or Rolling
	Intervals int           // counted ones, 0 for Scores
	Walked    int           // shards
	Resumed   int           // counts (or shards, if Rolling) that the walk gone on with had finished
	ResumedOf int           // of so many
	Failed    []error       // of shards that were to be walked and are carried forward instead
	Horizon   time.Duration // how far ahead the points' Later lies; 0: nothing is foretold
	Usage     store.Usage
	State     State // for the next walk
}

// Walk walks every shard, starting from the state of the walk before (the zero
// State if there is none). It costs about n*S/8192 read units for n entries of S
// bytes in the index.
//
// With Options.Shards, or a ReadBudget that does not pay for every shard, it walks a
// few of them and carries the others forward from when they were seen (Rolling): the
// points then have an error. It costs the walked shards' part of that, and the best
// rows of all. A budget that does not pay for one shard is store.ErrTooExpensive.
//
// A shard that fails twice is done without, if at least half of them can be walked: a
// Rolling walk carries it forward, and where nothing was seen of it the others stand for
// it, for each is a uniform sample of the board. The points then have an error, also those
// of the best rows. With fewer shards the error names the partitions.
//
// A walk that goes on with another (Options.Resume) reads the ends of the board and what
// the other had not finished. On a board at rest its points are those of one that was never
// stopped. Its usage, and its budget, are of what it reads itself.
func (w *Walker) Walk(ctx context.Context, prior State) (Walk, error) {
	walk, err := w.walkSaving(ctx, prior)
	if err == nil && walk.Method != Rolling {
		w.standIn(&walk)
		err = w.remember(&walk, prior.History)
	}
	walk.AsOf, walk.Resumed, walk.ResumedOf = w.options.AsOf, w.pieces.resumed, w.pieces.all
	walk.Usage, walk.State.Units = w.usage, w.usage.ReadUnits()
	if w.resumed != nil {
		walk.State.Units += w.resumed.Units
	}
	return walk, err
}

func (w *Walker) walk(ctx context.Context, prior State) (Walk, error) {
	if w.resumes() {
		return w.resume(ctx, prior, *w.options.Resume)
	}
	if w.rolls(prior) {
		return w.roll(ctx, prior.History)
	}
	if w.options.Full || len(prior.Cutpoints) == 0 {
		return w.cold(ctx, prior.History)
	}
	if w.readsScores(prior.Entries) {
		return w.scores(ctx)
	}
	w.endRows = w.endRowsOf(prior.Entries)
	return w.counted(ctx, w.withRemembered(prior))
}

// rolls says, before anything is read, that some shards are to stand for all: it was
// asked for, or the budget has not paid for more before.
func (w *Walker) rolls(prior State) bool {
	k := w.board.Shards
	asked := w.options.Shards > 0 && w.options.Shards < k
	before := w.options.ReadBudget > 0 && !prior.History.Whole && len(prior.History.Keys) > 0
	return k > 1 && w.options.Method != Scores && (asked || before || !w.affordable(prior.Units))
}

// cold is a walk that knows nothing: the pilot tells how large the board is and
// where its cutpoints go, and whether the budget pays for all of it.
func (w *Walker) cold(ctx context.Context, prior History) (Walk, error) {
	if w.options.Method == Scores {
		return w.scores(ctx)
	}
	if err := w.readPilot(ctx); err != nil {
		return Walk{}, err
	}
	if all := w.pilotUnits * float64(w.board.Shards); !w.affordable(all) {
		if w.board.Shards == 1 {
			return Walk{}, w.tooExpensive(all)
		}
		return w.roll(ctx, prior)
	}
	entries := int64(len(w.pilot)) * int64(w.board.Shards)
	if w.board.Shards == 1 || w.readsScores(entries) {
		return w.scores(ctx)
	}
	w.endRows = w.endRowsOf(entries)
	return w.counted(ctx, w.cutpoints(w.pilot, w.board.Shards))
}

// readPilot reads the first shard that can be read whole.
func (w *Walker) readPilot(ctx context.Context) error {
	for shard := 0; ; shard++ { // too many that are lost are an error
		before := w.usage.ReadUnits()
		err := w.from(ctx, shard, func() (err error) {
			w.pilot, err = w.keys(ctx, shard)
			return err
		})
		if err != nil {
			return err
		}
		if !w.isLost(shard) {
			w.pilotShard, w.pilotUnits = shard, w.usage.ReadUnits()-before
			return nil
		}
	}
}

// readsScores decides between the two ways for a board of so many entries.
func (w *Walker) readsScores(entries int64) bool {
	switch w.options.Method {
	case Scores:
		return true
	case Counted:
		return entries <= int64(2*w.options.Head) // the ends are the whole board
	default:
		return entries <= max(w.options.ScoresUpTo, int64(2*w.options.Head))
	}
}

// endRowsOf is how many rows to read at each end of a board of so many entries. A
// COUNT is billed a block at least, so next to the ends, where the intervals are
// short, reading the rows costs less than counting them: up to where a shard's
// part of an interval is a block and a half, but not most of the board.
func (w *Walker) endRowsOf(entries int64) int {
	const rest, mostOfBoard = 20, 6 // bytes of an owner and a number; a sixth at each end
	rowsPerBlock := 4096 / float64(store.IndexEntryBase(w.partition(0))+rest)
	worth := 1.5 * rowsPerBlock * float64(w.board.Shards) / w.options.Fraction
	return max(w.options.Head, min(int(worth), int(entries/mostOfBoard)))
}

// affordable says whether the budget pays for so many read units.
func (w *Walker) affordable(units float64) bool {
	budget := w.options.ReadBudget
	return budget <= 0 || units <= budget || w.options.Full
}

// tooExpensive is the error of a walk that has to be whole and cannot be paid for.
func (w *Walker) tooExpensive(units float64) error {
	return fmt.Errorf("a walk of %s.%s takes about %.0f read units, the budget is %.0f: raise refresh.read_budget, or rebuild with --full: %w",
		w.board.Name, w.column.Name, math.Ceil(units), w.options.ReadBudget, store.ErrTooExpensive)
}

// spent adds to the usage and stops a walk that has overrun its budget by half: a
// prediction that was that wrong is no reason to go on.
func (w *Walker) spent(u store.Usage) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.usage.Add(u)
	if spent, budget := w.usage.ReadUnits(), w.options.ReadBudget; budget > 0 && spent > 1.5*budget && !w.options.Full {
		return fmt.Errorf("a walk of %s.%s has taken %.0f read units already, the budget is %.0f: raise refresh.read_budget, or rebuild with --full: %w",
			w.board.Name, w.column.Name, spent, budget, store.ErrTooExpensive)
	}
	return nil
}

// each runs work for 0..n-1, Options.Parallel at a time, reports progress, and
// returns the first error.
func (w *Walker) each(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(w.options.Parallel)
	var done atomic.Int64
	for i := range n {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := work(inner, i); err != nil {
				return err
			}
			w.options.Progress(int(done.Add(1)), n)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// rows reads the rows of a selection, at most limit (0: all), page by page.
// exhausted says that there are no more.
func (w *Walker) rows(ctx context.Context, q store.Query, limit int) (keys []int64, exhausted bool, err error) {
	for {
		if limit > 0 {
			q.Limit = limit - len(keys)
		}
		page, err := w.store.Rows(ctx, q)
		if err != nil {
			return nil, false, err // which names the partition
		}
		if err := w.spent(page.Usage); err != nil {
			return nil, false, err
		}
		for _, row := range page.Rows {
			keys = append(keys, row.Key)
		}
		if page.Last == nil {
			return keys, true, nil
		}
		if limit > 0 && len(keys) >= limit {
			return keys, false, nil
		}
		q.After = page.Last
	}
}

// count counts the rows with keys in from..to, both inclusive, of one shard.
func (w *Walker) count(ctx context.Context, shard int, from, to int64) (int64, error) {
	s := span{from, to}
	if entries, known := w.counts.recall(shard, s); known {
		return entries, nil
	}
	entries, units, err := w.countRows(ctx, shard, s)
	if err == nil {
		w.counts.remember(shard, s, entries, units)
	}
	return entries, err
}

func (w *Walker) countRows(ctx context.Context, shard int, s span) (total int64, units float64, err error) {
	if s.to > s.from { // above a cutpoint at the best key there can be
		return 0, 0, nil
	}
	if w.isPilot(shard) {
		return int64(betterThan(w.pilot, s.to-1) - betterThan(w.pilot, s.from)), 0, nil
	}
	q := store.Query{Partition: w.partition(shard), From: s.from, To: s.to}
	for {
		page, err := w.store.Count(ctx, q)
		if err != nil {
			return 0, 0, err // which names the partition
		}
		if err := w.spent(page.Usage); err != nil {
			return 0, 0, err
		}
		total, units = total+page.Count, units+page.Usage.ReadUnits()
		if page.Last == nil {
			return total, units, nil
		}
		q.After = page.Last
	}
}

// isPilot says that a shard was read whole by the pilot.
func (w *Walker) isPilot(shard int) bool { return w.pilot != nil && shard == w.pilotShard }

func (w *Walker) partition(shard int) store.Partition {
	return w.board.Partition(w.column.Name, shard)
}

// keys reads all keys of a shard, best first.
func (w *Walker) keys(ctx context.Context, shard int) ([]int64, error) {
	if w.isPilot(shard) {
		return w.pilot, nil
	}
	keys, _, err := w.rows(ctx, store.Query{Partition: w.partition(shard), From: bestKey, To: worstKey}, 0)
	return keys, err
}
