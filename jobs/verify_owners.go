package jobs

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

const (
	headRows     = 1000 // of the board's best rows are read: they are picked exactly
	headPerShard = 10   // rows of each shard at least, on boards of many shards
	rowsPerDraw  = 8    // of which a draw takes one
)

// A head is the board's best rows, in rank order. Of those that share the last key not
// all may be there.
type head struct {
	rows  []store.Position
	whole bool // they are all the board has
}

// readHead reads the best rows of every shard, and how long they are.
func (s *survey) readHead(ctx context.Context) error {
	limit := s.headLimit()
	runs := make([][]store.Position, s.board.Shards)
	err := s.each(ctx, s.board.Shards, func(ctx context.Context, shard int) (err error) {
		q := store.Query{Partition: s.board.Partition(s.column.Name, shard), From: store.MaxScore, To: -store.MaxScore}
		runs[shard], err = s.rows(ctx, q, limit)
		return err
	})
	if err != nil {
		return err
	}
	s.head = headOf(runs, limit)
	s.rowBytes = s.meanRow(runs)
	return nil
}

// headLimit is how many rows of each shard are read for the head.
func (s *survey) headLimit() int {
	wanted := max(headRows, headPerShard*s.board.Shards)
	if down := s.options.DownTo; down > 0 {
		wanted = int(min(down, int64(wanted)))
	}
	return store.ShardShare(wanted, s.board.Shards)
}

// headOf merges the runs, and cuts off what lies below the end of one that may go on.
func headOf(runs [][]store.Position, limit int) head {
	h := head{whole: true}
	edge := -store.MaxScore
	for _, run := range runs {
		h.rows = append(h.rows, run...)
		if len(run) >= limit {
			h.whole = false
			edge = max(edge, run[len(run)-1].Key)
		}
	}
	slices.SortFunc(h.rows, func(a, b store.Position) int {
		return cmp.Or(cmp.Compare(b.Key, a.Key), cmp.Compare(a.Owner, b.Owner))
	})
	below := slices.IndexFunc(h.rows, func(row store.Position) bool { return row.Key < edge })
	if below >= 0 {
		h.rows = h.rows[:below]
	}
	return h
}

// meanRow is the size of an index entry, in bytes.
func (s *survey) meanRow(runs [][]store.Position) float64 {
	bytes, n := 0, 0
	for shard, run := range runs {
		for _, row := range run {
			bytes += store.IndexEntrySize(s.board.Partition(s.column.Name, shard), row.Key, row.Owner)
			n++
		}
	}
	return float64(bytes) / float64(max(1, n))
}

// rows reads at most so many rows, page by page.
func (s *survey) rows(ctx context.Context, q store.Query, limit int) (rows []store.Position, err error) {
	for {
		if err := s.ledger.affords(); err != nil {
			return nil, err
		}
		q.Limit = limit - len(rows)
		page, err := s.partitions.Rows(ctx, q)
		s.ledger.add(page.Usage)
		if err != nil {
			return nil, err // which names the partition
		}
		rows = append(rows, page.Rows...)
		if page.Last == nil || len(rows) >= limit {
			return rows, nil
		}
		q.After = page.Last
	}
}

// each runs work for 0..n-1, several at a time, and returns the first error.
func (s *survey) each(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(sampler.DefaultParallel)
	for i := range n {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error { return work(inner, i) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// A draw is one owner to be picked.
type draw struct {
	rank  int64
	shard int
	last  bool             // of the board: a last row of the shard, whatever the rank
	limit int              // rows to pick it from
	at    float64          // which of them, 0 to 1
	rows  []store.Position // there already if it is of the head
}

// pick chooses the owners: of the head the very ones at the drawn ranks. Below it, the
// curve backwards says which key stands at a rank; of the few rows from there on in one
// shard one is taken. Where the curve is wrong that is another rank than the one
// drawn, which does no harm: every owner's own rank is counted. An owner that follows a
// gap in its shard is somewhat likelier to be among the rows than one in a crowd, and of
// equal scores the first owners in the index are; taking one of several rows keeps the
// former small, and the latter all have one rank. The last draw is a last row of its
// shard: entries that have come in below all that the curve knows would be missed.
func (s *survey) pick(ctx context.Context, depth int64) ([]string, error) {
	draws := s.draws(depth)
	err := s.each(ctx, len(draws), func(ctx context.Context, i int) error {
		if len(draws[i].rows) > 0 {
			return nil
		}
		return s.drawRows(ctx, &draws[i])
	})
	if err != nil {
		return nil, err
	}
	owners, taken := make([]string, 0, len(draws)), make(map[string]bool, len(draws))
	for _, d := range draws {
		free := slices.DeleteFunc(d.rows, func(row store.Position) bool { return taken[row.Owner] })
		if len(free) == 0 {
			continue // a small shard, all of whose rows here are picked
		}
		owner := free[int(d.at*float64(len(free)))].Owner
		taken[owner] = true
		owners = append(owners, owner)
	}
	return owners, nil
}

func (s *survey) draws(depth int64) []draw {
	chance := s.chance(1)
	ranks := s.ranks(depth)
	draws := make([]draw, len(ranks))
	for i, r := range ranks {
		d := draw{rank: r.rank, shard: chance.IntN(s.board.Shards), at: chance.Float64()}
		d.limit = int(min(rowsPerDraw, max(1, r.of/int64(s.board.Shards))))
		if r.rank <= int64(len(s.head.rows)) {
			d.rows = slices.Clone(s.head.rows[r.rank-1 : r.rank])
		}
		d.last = i == len(ranks)-1 && depth == s.total()
		draws[i] = d
	}
	return draws
}

// drawRows reads the rows that a draw is taken from: those from its key down, or the
// nearest above where there are none.
func (s *survey) drawRows(ctx context.Context, d *draw) (err error) {
	key := s.keyAt(d.rank)
	q := store.Query{Partition: s.board.Partition(s.column.Name, d.shard), From: key, To: -store.MaxScore}
	upwards := q
	upwards.From, upwards.To, upwards.Reverse = store.MaxScore, key, true
	if d.last {
		upwards.To = -store.MaxScore
		d.rows, err = s.rows(ctx, upwards, 1)
		return err
	}
	if d.rows, err = s.rows(ctx, q, d.limit); err != nil || len(d.rows) > 0 {
		return err
	}
	d.rows, err = s.rows(ctx, upwards, d.limit)
	return err
}

// keyAt is the key at a rank: of the head as it is, and below as the curve says.
func (s *survey) keyAt(rank int64) int64 {
	if rank <= int64(len(s.head.rows)) {
		return s.head.rows[rank-1].Key
	}
	return min(store.MaxScore, max(-store.MaxScore, s.curve.KeyAt(rank, s.age)))
}
