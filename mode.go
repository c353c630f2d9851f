package rankcurve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// Mode says how a rank is found.
type Mode string

// The modes. The zero value is Auto.
const (
	Estimate Mode = "estimate" // from the curve: no index read, an error bar and an age
	Exact    Mode = "exact"    // counted over all shards, within the read budget
	Auto     Mode = "auto"     // exact near the top, estimated below
)

// ParseMode reads a mode's name; another is [store.ErrInvalid].
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case Estimate, Exact, Auto:
		return m, nil
	}
	return "", fmt.Errorf("mode %q is none of estimate, exact, auto: %w", name, store.ErrInvalid)
}

// A place is where a key stands: better entries are strictly better.
type place struct {
	better, low, high int64
	of                int64
	exact             bool
	asOf              time.Time
	generation        int64
}

// An inquiry asks for the places of keys in one column.
type inquiry struct {
	board  *Board
	column *column
	keys   []int64
	held   bool          // entries have these keys; else they may lie between entries
	age    time.Duration // of the curve: one for all keys, or a better one could rank worse
	usage  store.Usage
}

// places answers in the order of the keys, all of one total.
func (q *inquiry) places(ctx context.Context, mode Mode) ([]place, error) {
	if len(q.keys) == 0 {
		return nil, nil
	}
	places, err := q.find(ctx, mode)
	if err != nil {
		return nil, err
	}
	var of int64
	for _, p := range places { // entries that came since the curve was made are counted above one of these
		of = max(of, p.of, p.better+q.self())
	}
	for i := range places {
		places[i].of = of
	}
	return places, nil
}

func (q *inquiry) find(ctx context.Context, mode Mode) ([]place, error) {
	curve, usage, err := q.board.curve(ctx, q.column)
	q.usage.Add(usage)
	if err == nil {
		q.age = q.board.age(curve)
	}
	switch {
	case err != nil && (mode == Estimate || !unusable(err)):
		return nil, err
	case mode == Estimate:
		return q.estimate(curve, q.keys), nil
	case mode == Exact:
		return q.count(ctx, curve, q.keys, q.board.isTop(curve))
	case err == nil:
		return q.mix(ctx, curve)
	}
	places, tooMuch := q.count(ctx, nil, q.keys, true)
	if errors.Is(tooMuch, store.ErrTooExpensive) {
		return nil, fmt.Errorf("%w: %w", err, tooMuch) // a rebuild is what helps
	}
	return places, tooMuch
}

func (q *inquiry) estimate(curve *predictor.Curve, keys []int64) []place {
	at := curve.Estimate
	if q.held {
		at = curve.Held
	}
	meta, of := curve.Meta(), curve.TotalAt(q.age)
	places := make([]place, len(keys))
	for i, key := range keys {
		e := at(key, q.age)
		places[i] = place{better: e.Better, low: e.Low, high: e.High, of: of, asOf: meta.AsOf, generation: meta.Generation}
	}
	return places
}

// count counts all keys in one pass. To the board's end it goes on for the total, which
// the curve tells otherwise, and where the rest is over the budget.
func (q *inquiry) count(ctx context.Context, curve *predictor.Curve, keys []int64, toEnd bool) ([]place, error) {
	asOf := q.board.options.clock()
	cuts := make([]int64, len(keys))
	for i, key := range keys {
		cuts[i] = key + 1
	}
	slices.SortFunc(cuts, worstLast)
	cuts = slices.Compact(cuts)
	n := q.board.newCount(q.column, curve)
	defer func() { q.usage.Add(n.usage) }()
	counts, err := n.between(ctx, store.MaxScore, cuts)
	if err != nil {
		return nil, err
	}
	var of int64
	if toEnd {
		of, err = n.all(ctx, cuts[len(cuts)-1]-1, counts[len(cuts)-1])
	}
	switch {
	case curve != nil && (!toEnd || errors.Is(err, store.ErrTooExpensive)):
		of = curve.TotalAt(q.age)
	case err != nil:
		return nil, err
	}
	places := make([]place, len(keys))
	for i, key := range keys {
		at, _ := slices.BinarySearchFunc(cuts, key+1, worstLast)
		k := counts[at]
		places[i] = place{better: k, low: k, high: k, of: of, exact: true, asOf: asOf}
	}
	return places, nil
}

func worstLast(a, b int64) int { return cmp.Compare(b, a) }

// all counts how many entries the column has, of which so many are better than a
// key.
func (n *count) all(ctx context.Context, key, better int64) (int64, error) {
	rest, err := n.between(ctx, key, []int64{-store.MaxScore})
	if err != nil {
		return 0, err
	}
	return better + rest[0], nil
}

// mix counts the keys from the seam up and estimates those below it. What is too
// expensive to count is estimated too.
func (q *inquiry) mix(ctx context.Context, curve *predictor.Curve) ([]place, error) {
	places := q.estimate(curve, q.keys)
	if q.board.options.exactTop < 1 {
		return places, nil
	}
	seam, usage, err := q.board.countSeam(ctx, q.column, curve)
	q.usage.Add(usage)
	if err != nil || seam.tooBig {
		return places, err
	}
	seamKey, floor := q.board.seamKey(curve), seam.better
	var top []int64
	for _, key := range q.keys {
		if key >= seamKey {
			top = append(top, key)
		}
	}
	counted, err := q.countTop(ctx, curve, top)
	if err != nil {
		return nil, err
	}
	for _, p := range counted {
		floor = max(floor, q.column.seam.raise(curve, p.better+q.self()))
	}
	for i, key := range q.keys {
		switch {
		case key < seamKey:
			places[i] = places[i].below(floor)
		case len(counted) > 0:
			places[i], counted = counted[0], counted[1:]
		}
		if q.board.isTop(curve) { // and all of it was counted
			places[i].of = floor
		}
	}
	return places, nil
}

// countTop counts keys, or answers nothing when that is too expensive.
func (q *inquiry) countTop(ctx context.Context, curve *predictor.Curve, keys []int64) ([]place, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	places, err := q.count(ctx, curve, keys, false)
	if errors.Is(err, store.ErrTooExpensive) {
		return nil, nil
	}
	return places, err
}

// self is 1 where an entry is known to have each key: those below have it above
// them too.
func (q *inquiry) self() int64 {
	if q.held {
		return 1
	}
	return 0
}

// below raises an estimate to a place below so many entries.
func (p place) below(better int64) place {
	p.better, p.low, p.high = max(p.better, better), max(p.low, better), max(p.high, better)
	return p
}

// above lowers a place to one above which there are at most so many entries.
func (p place) above(better int64) place {
	p.better, p.low, p.high = min(p.better, better), min(p.low, better), min(p.high, better)
	return p
}

// moved is the place so many entries further down, or up if it is negative.
func (p place) moved(by int64) place {
	p.better, p.low, p.high = p.better+by, max(0, p.low+by), p.high+by
	return p
}
