package rankcurve

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// tieRows is how many equals of an owner are read to find the owner's place among them, and
// how many of the farthest better row to find their rank. Beyond it lies a score that so
// many share that a place among them says nothing.
const tieRows = 500

// A neighbourhood is what was read around a pivot, of two merges that start there.
type neighbourhood struct {
	board  *Board
	column *column
	mode   Mode
	pivot  store.Position // the owner is empty if it is a bare score
	k      int

	better     []store.Position // than the pivot, the nearest first
	best       bool             // nobody is better than those
	beyond     int              // so many more have the key of the last of better
	cut        bool             // and more than were read of them
	tiesBefore []store.Position
	tiesAfter  []store.Position
	ties       int              // of all that were read
	worse      []store.Position // than the pivot and all its ties, the nearest first
	worst      bool             // nobody is worse than those

	asOf     time.Time // of the reading
	seen     map[string]bool
	rowsRead int
	usage    store.Usage

	at  place // of the pivot
	far place // of the last of better, where it is cut
}

// read reads both directions. The pivot's own row is left out wherever it comes: its
// score was looked up, and the index may be a moment behind it. So is one that moves
// from one side to the other meanwhile.
func (n *neighbourhood) read(ctx context.Context) error {
	n.asOf, n.seen = n.board.options.clock(), map[string]bool{n.pivot.Owner: true}
	up := span{column: n.column.Name, from: store.MaxScore, to: n.pivot.Key + 1, reverse: true}
	down := span{column: n.column.Name, from: n.pivot.Key, to: -store.MaxScore}
	var above, below *merge
	group, both := errgroup.WithContext(ctx)
	group.Go(func() (err error) { above, err = n.board.merge(both, up, n.k+1); return err })
	group.Go(func() (err error) { below, err = n.board.merge(both, down, n.k+1); return err })
	err := group.Wait()
	if err == nil {
		err = n.readDown(ctx, below)
	}
	if err == nil {
		err = n.readUp(ctx, above)
	}
	for _, m := range []*merge{above, below} {
		if m != nil {
			rows, used := m.spent()
			n.rowsRead += rows
			n.usage.Add(used)
		}
	}
	return err
}

// readDown reads the ties, and from their end on what is worse.
func (n *neighbourhood) readDown(ctx context.Context, m *merge) error {
	most := max(2*n.k, tieRows)
	ties, next, err := n.readWhile(ctx, m, most, func(row merged) bool { return row.Key == n.pivot.Key })
	if err != nil {
		return err
	}
	n.ties = len(ties)
	cut := next != nil && next.Key == n.pivot.Key
	n.parTies(ties, cut)
	if cut {
		return nil
	}
	n.worse, next, err = n.readWhile(ctx, m, n.k-len(n.tiesAfter), func(merged) bool { return true })
	slices.SortFunc(n.worse, rankOrder)
	n.worst = next == nil
	return err
}

// parTies puts the nearest ties on both sides. Where they are not all there, each side
// is filled, for an order among them is none.
func (n *neighbourhood) parTies(ties []store.Position, cut bool) {
	slices.SortFunc(ties, rankOrder)
	at, _ := slices.BinarySearchFunc(ties, n.pivot, rankOrder)
	if cut {
		least := n.k
		if n.pivot.Owner == "" {
			least = 0
		}
		at = min(max(at, least), len(ties)-n.k)
	}
	n.tiesBefore = ties[max(0, at-n.k):at]
	n.tiesAfter = ties[at:min(len(ties), at+n.k)]
}

// readUp reads what is better, as far as the ties leave room, and the last one's ties to
// their end: their rank is the pivot's less all of them.
func (n *neighbourhood) readUp(ctx context.Context, m *merge) (err error) {
	var next *merged
	n.better, next, err = n.readWhile(ctx, m, n.k-len(n.tiesBefore), func(merged) bool { return true })
	if err != nil {
		return err
	}
	slices.SortFunc(n.better, func(a, b store.Position) int { return rankOrder(b, a) })
	tied := func(row merged) bool { return len(n.better) > 0 && row.Key == n.farthest() }
	if next != nil && tied(*next) {
		var rest []store.Position
		if rest, next, err = n.readWhile(ctx, m, max(2*n.k, tieRows), tied); err != nil {
			return err
		}
		n.beyond = len(rest)
	}
	n.best, n.cut = next == nil, next != nil && tied(*next)
	return nil
}

// readWhile moves up to so many rows out that are of a kind. Next is the one that
// would follow, nil if there is none.
func (n *neighbourhood) readWhile(ctx context.Context, m *merge, most int, of func(merged) bool) (rows []store.Position, next *merged, err error) {
	for {
		row, ok, err := m.peek(ctx, most-len(rows)+1)
		if err != nil || !ok {
			return rows, nil, err
		}
		again := n.seen[row.Owner]
		if !again && (len(rows) == most || !of(row)) {
			return rows, &row, nil
		}
		if _, _, err := m.pop(ctx, 1); err != nil {
			return nil, nil, err
		}
		if !again {
			rows = append(rows, row.Position)
			n.seen[row.Owner] = true
		}
	}
}

// place finds the pivot's place, and that of the farthest row where the rows between
// do not tell it.
func (n *neighbourhood) place(ctx context.Context) error {
	keys := []int64{n.pivot.Key}
	if n.cut {
		keys = append(keys, n.farthest())
	}
	q := inquiry{board: n.board, column: n.column, keys: keys, held: n.self() > 0}
	places, err := q.places(ctx, n.mode)
	n.usage.Add(q.usage)
	if err != nil {
		return err
	}
	above := int64(len(n.better) + n.beyond)
	if n.best { // they were read to the last
		n.at = place{better: above, low: above, high: above, of: places[0].of, exact: true, asOf: n.asOf}
	} else {
		n.at = places[0].below(above + 1)
	}
	entries := n.at.better + n.self() + int64(n.ties+len(n.worse))
	if n.worst && n.at.exact {
		n.at.of = entries
	}
	if n.at.of = max(n.at.of, entries); n.at.of > 0 { // a bare score may stand below all
		n.at.of = max(n.at.of, n.at.better+1)
	}
	if n.cut {
		n.far = places[1].above(n.at.better - above - 1)
		n.far.of = n.at.of
	}
	return nil
}

// self is 1 if the pivot is an entry.
func (n *neighbourhood) self() int64 {
	if n.pivot.Owner == "" {
		return 0
	}
	return 1
}

func (n *neighbourhood) farthest() int64 { return n.better[len(n.better)-1].Key }

// placeOf is the place of a key that was read: so many rows up or down from the
// pivot's.
func (n *neighbourhood) placeOf(key int64) place {
	switch {
	case key < n.pivot.Key:
		down, _ := slices.BinarySearchFunc(n.worse, key, func(row store.Position, key int64) int { return cmp.Compare(key, row.Key) })
		return n.at.moved(n.self() + int64(n.ties+down))
	case n.cut && key == n.farthest():
		return n.far
	}
	up, _ := slices.BinarySearchFunc(n.better, key+1, func(row store.Position, key int64) int { return cmp.Compare(row.Key, key) })
	if up == len(n.better) {
		up += n.beyond
	}
	return n.at.moved(-int64(up))
}
