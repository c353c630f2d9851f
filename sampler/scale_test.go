package sampler_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// inMemory is partitions of sorted keys, priced as the embedded store prices them,
// for boards that would take minutes to load. Every owner has 14 bytes.
type inMemory struct {
	shards [][]int64 // best first
	base   int
}

const ownerBytes = 14

func newInMemory(board store.Board, keys []int64) inMemory {
	m := inMemory{shards: make([][]int64, board.Shards), base: store.IndexEntryBase(board.Partition("xp", 0)) + ownerBytes}
	r := rand.New(rand.NewPCG(1, 1))
	for _, key := range keys {
		shard := r.IntN(board.Shards)
		m.shards[shard] = append(m.shards[shard], key)
	}
	for _, s := range m.shards {
		slices.SortFunc(s, func(a, b int64) int { return cmp.Compare(b, a) })
	}
	return m
}

// page is the part of a shard that one page covers, in the query's direction, and
// whether it ended before the selection did. The place in a run of equal keys is
// kept in the owner.
func (m inMemory) page(q store.Query) (rows []int64, first int, more bool, u store.Usage) {
	keys := m.shards[q.Partition.Shard]
	from := sort.Search(len(keys), func(i int) bool { return keys[i] <= q.From })
	to := sort.Search(len(keys), func(i int) bool { return keys[i] < q.To })
	if q.After != nil {
		place := int(q.After.Owner[0])<<24 | int(q.After.Owner[1])<<16 | int(q.After.Owner[2])<<8 | int(q.After.Owner[3])
		if q.Reverse {
			to = place
		} else {
			from = place + 1
		}
	}
	n, bytes := 0, 0
	for n < to-from && bytes < store.PageBytes && (q.Limit == 0 || n < q.Limit) {
		i := from + n
		if q.Reverse {
			i = to - 1 - n
		}
		bytes += m.base + store.NumberSize(keys[i])
		n++
	}
	more = n < to-from
	if q.Reverse {
		from = to - n
	}
	return keys[from : from+n], from, more, store.Usage{IndexReads: store.IndexReadUnits(bytes), Requests: 1}
}

func position(key int64, place int) *store.Position {
	return &store.Position{Key: key, Owner: string([]byte{byte(place >> 24), byte(place >> 16), byte(place >> 8), byte(place)})}
}

func (m inMemory) Rows(_ context.Context, q store.Query) (store.Page, error) {
	if q.From < q.To {
		return store.Page{}, backwards(q)
	}
	keys, first, more, u := m.page(q)
	page := store.Page{Usage: u, Rows: make([]store.Position, len(keys))}
	for i, key := range keys {
		at := i
		if q.Reverse {
			at = len(keys) - 1 - i
		}
		page.Rows[at] = store.Position{Key: key}
	}
	if more && q.Reverse {
		page.Last = position(keys[0], first)
	} else if more {
		page.Last = position(keys[len(keys)-1], first+len(keys)-1)
	}
	return page, nil
}

func (m inMemory) Count(_ context.Context, q store.Query) (store.CountPage, error) {
	if q.From < q.To {
		return store.CountPage{}, backwards(q)
	}
	keys, first, more, u := m.page(q)
	page := store.CountPage{Count: int64(len(keys)), Usage: u}
	if more {
		page.Last = position(keys[len(keys)-1], first+len(keys)-1)
	}
	return page, nil
}

// backwards refuses what every store refuses.
func backwards(q store.Query) error {
	return fmt.Errorf("read partition %s: from %d to %d: %w", q.Partition, q.From, q.To, store.ErrInvalid)
}

func (m inMemory) bytes() (sum float64) {
	for _, keys := range m.shards {
		for _, key := range keys {
			sum += float64(m.base + store.NumberSize(key))
		}
	}
	return sum
}

// TestTenMillionEntries holds a refresh to its price and its accuracy at a size
// that matters: go test ./sampler -run TenMillion -v.
func TestTenMillionEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("holds ten million keys; run without -short")
	}
	board := store.Board{Name: "games", Shards: 16, Columns: []store.Column{column}}
	keys := draw(10_000_000, withAtom)
	st := newInMemory(board, keys)
	least := st.bytes() / 8192
	slices.SortFunc(keys, func(a, b int64) int { return cmp.Compare(b, a) })
	truth := predictor.PointsOf(keys)
	var state sampler.State
	for _, name := range []string{"cold", "warm"} {
		options := sampler.Options{Method: sampler.Counted}
		planned, err := sampler.New(st, board, column, options).Predict(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		walk, err := sampler.New(st, board, column, options).Walk(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		state = walk.State
		curve, _, err := predictor.Build(predictor.Meta{Board: "games", Column: "xp"}, walk.Points, predictor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		units := walk.Usage.ReadUnits()
		fromTop, fromEnd := p99(curve, truth)
		t.Logf("%s: %d intervals, %d requests, %.0f read units, %.3f times the bytes (planned %.0f in %d); p99 error %.3f %% from the top, %.3f %% from the end",
			name, walk.Intervals, walk.Usage.Requests, units, units/least, planned.ReadUnits, planned.Requests, 100*fromTop, 100*fromEnd)
		if units > 1.03*least || walk.Usage.Requests > 5000 {
			t.Errorf("%s walk: %.0f read units, %.3f times the bytes, in %d requests", name, units, units/least, walk.Usage.Requests)
		}
		if math.Abs(planned.ReadUnits/units-1) > 0.1 {
			t.Errorf("%s walk was planned at %.0f read units and took %.0f", name, planned.ReadUnits, units)
		}
		if fromTop > 0.003 || fromEnd > 0.003 {
			t.Errorf("%s walk: p99 relative error %.3f %% from the top, %.3f %% from the end", name, 100*fromTop, 100*fromEnd)
		}
		for _, key := range []int64{1000, 999} { // both sides of the atom
			i := sort.Search(len(truth), func(i int) bool { return truth[i].Key <= key })
			if got := curve.Held(key, 0).Better; got != truth[i].Better {
				t.Errorf("%s walk: %d better than %d, the truth is %d", name, got, key, truth[i].Better)
			}
		}
	}
}

// p99 is the 99th percentile of the relative error, in the worst of bins of ranks
// that grow by a tenth, from rank 1,000 on.
func p99(c *predictor.Curve, truth []predictor.Point) (fromTop, fromEnd float64) {
	total := float64(c.Total())
	var top, end [200][]float64
	bin := func(bins *[200][]float64, rank, off float64) {
		if rank >= 1000 {
			i := int(math.Log(rank) / math.Log(1.1))
			bins[i] = append(bins[i], off/rank)
		}
	}
	for _, p := range truth[:len(truth)-1] {
		off := math.Abs(float64(c.Held(p.Key, 0).Better - p.Better))
		bin(&top, float64(p.Better+1), off)
		bin(&end, total-float64(p.Better), off)
	}
	worst := func(bins [200][]float64) (w float64) {
		for _, b := range bins {
			if slices.Sort(b); len(b) > 0 {
				w = max(w, b[len(b)*99/100])
			}
		}
		return w
	}
	return worst(top), worst(end)
}
