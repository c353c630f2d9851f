package rankcurve_test

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newStore(tb testing.TB) *bolt.Store {
	tb.Helper()
	st, err := bolt.Open(filepath.Join(tb.TempDir(), "boards.db"), bolt.NoSync())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	return st
}

// boardOf defines a board with columns written as NAME, ORDER, OPERATOR.
func boardOf(name string, shards int, columns ...store.Column) store.Board {
	if len(columns) == 0 {
		columns = []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}
	}
	return store.Board{Name: name, Shards: shards, Columns: columns}
}

func newBoard(tb testing.TB, st store.Store, def store.Board, opts ...rankcurve.Option) *rankcurve.Board {
	tb.Helper()
	b, err := rankcurve.New(context.Background(), st, def, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// load stores one column's scores of owners.
func load(tb testing.TB, st store.Store, def store.Board, scores map[string]int64) {
	tb.Helper()
	entries := make([]store.Entry, 0, len(scores))
	for owner, score := range scores {
		entries = append(entries, store.Entry{Owner: owner, Scores: map[string]int64{def.Columns[0].Name: score}})
	}
	if _, err := st.Load(context.Background(), def, entries); err != nil {
		tb.Fatal(err)
	}
}

// publish makes the curve of these scores and stores it.
func publish(tb testing.TB, st store.Store, def store.Board, generation int64, scores map[string]int64) *predictor.Curve {
	tb.Helper()
	curve, data, err := curveOf(def, generation, scores)
	if err != nil {
		tb.Fatal(err)
	}
	publishBytes(tb, st, def, generation, data)
	return curve
}

// curveOf is the curve of a board's first column, and its bytes.
func curveOf(def store.Board, generation int64, scores map[string]int64) (*predictor.Curve, []byte, error) {
	c := def.Columns[0]
	meta := predictor.Meta{
		Board: def.Name, Column: c.Name, Decimals: c.Decimals, Ascending: c.Order == store.Asc,
		Generation: generation, AsOf: newClock().Now().Add(-time.Minute),
	}
	keys := make([]int64, 0, len(scores))
	for _, row := range oracle(c, scores) {
		keys = append(keys, c.Key(row.Score))
	}
	if len(keys) == 0 {
		return predictor.Empty(meta)
	}
	return predictor.Build(meta, predictor.PointsOf(keys), predictor.Options{})
}

func publishBytes(tb testing.TB, st store.Store, def store.Board, generation int64, data []byte) {
	tb.Helper()
	key := store.CurveKey{Board: def.Name, Column: def.Columns[0].Name}
	if _, err := st.Publish(context.Background(), key, store.Published{Generation: generation, Data: data}); err != nil {
		tb.Fatal(err)
	}
}

// oracle is the board by plain sorting.
func oracle(c store.Column, scores map[string]int64) []rankcurve.Row {
	rows := make([]rankcurve.Row, 0, len(scores))
	for owner, score := range scores {
		rows = append(rows, rankcurve.Row{Owner: owner, Score: score})
	}
	slices.SortFunc(rows, func(a, b rankcurve.Row) int {
		return cmp.Or(cmp.Compare(c.Key(b.Score), c.Key(a.Score)), cmp.Compare(a.Owner, b.Owner))
	})
	for i := range rows {
		rows[i].Rank = int64(i) + 1
		if i > 0 && rows[i].Score == rows[i-1].Score {
			rows[i].Rank = rows[i-1].Rank
		}
	}
	return rows
}

// rankAmong is 1 + the number of scores strictly better.
func rankAmong(c store.Column, scores map[string]int64, score int64) int64 {
	rank := int64(1)
	for _, other := range scores {
		if c.Key(other) > c.Key(score) {
			rank++
		}
	}
	return rank
}

func ownersOf(rows []rankcurve.Row) []string {
	owners := make([]string, len(rows))
	for i, row := range rows {
		owners[i] = row.Owner
	}
	return owners
}

// spread makes n owners with scores that are drawn by a formula.
func spread(n int, score func(i int) int64) map[string]int64 {
	scores := make(map[string]int64, n)
	for i := range n {
		scores[fmt.Sprintf("player-%06d", i)] = score(i)
	}
	return scores
}

// double is a store whose answers a test changes and counts.
type double struct {
	store.Store
	pageRows int                       // rows of a page at most; 0: as the store likes
	rows     func(q store.Query) error // called before Rows and Count
	curve    func() error              // called before Curve

	mu     sync.Mutex
	curves int // calls of Curve
	pages  int // calls of Rows and Count
}

func (d *double) before(q *store.Query) error {
	d.mu.Lock()
	d.pages++
	d.mu.Unlock()
	if d.pageRows > 0 && (q.Limit == 0 || q.Limit > d.pageRows) {
		q.Limit = d.pageRows
	}
	if d.rows == nil {
		return nil
	}
	if err := d.rows(*q); err != nil {
		return fmt.Errorf("read partition %s: %w", q.Partition, err)
	}
	return nil
}

func (d *double) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if err := d.before(&q); err != nil {
		return store.Page{}, err
	}
	return d.Store.Rows(ctx, q)
}

func (d *double) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	if err := d.before(&q); err != nil {
		return store.CountPage{}, err
	}
	return d.Store.Count(ctx, q)
}

func (d *double) Curve(ctx context.Context, k store.CurveKey) (store.Published, store.Usage, error) {
	d.mu.Lock()
	d.curves++
	d.mu.Unlock()
	if d.curve != nil {
		if err := d.curve(); err != nil {
			return store.Published{}, store.Usage{}, err
		}
	}
	return d.Store.Curve(ctx, k)
}

func (d *double) asked() (curves, pages int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.curves, d.pages
}
