package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve/store"
)

var modelSentences = []sentence{
	{"random writes and queries agree with a map and a sort", againstModel},
}

// AgainstModel runs random writes on a board of its own per run, and compares
// every row and random queries with a plain map.
func againstModel(f *fixture) {
	var runs atomic.Int64
	rapid.Check(f.T, func(t *rapid.T) {
		m := &model{T: t, f: f, rows: map[string]store.Entry{}}
		m.board = boardOf(fmt.Sprintf("model-%d", runs.Add(1)), rapid.IntRange(1, 3).Draw(t, "shards"))
		if err := f.CreateBoard(f.ctx, m.board); err != nil {
			t.Fatal(err)
		}
		t.Repeat(map[string]func(*rapid.T){
			"put":       m.put,
			"put stale": m.putStale,
			"hide":      m.hide,
			"delete":    m.delete,
			"load":      m.load,
			"":          m.check,
		})
	})
}

type model struct {
	*rapid.T
	f     *fixture
	board store.Board
	rows  map[string]store.Entry
}

func drawOwner(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "ab", "b", "c", "d e", "é", "zz", "0"}).Draw(t, "owner")
}

func drawScores(t *rapid.T) map[string]int64 {
	score := rapid.OneOf(rapid.Int64Range(-2, 2), rapid.Int64Range(-store.MaxScore, store.MaxScore))
	return rapid.MapOf(rapid.SampledFrom([]string{"xp", "time"}), score).Draw(t, "scores")
}

func (m *model) put(t *rapid.T) {
	e := m.rows[drawOwner(t)].Clone()
	if e.Owner == "" {
		e.Owner = drawOwner(t)
		e.Version = m.rows[e.Owner].Version
	}
	e.Scores, e.Hidden = drawScores(t), rapid.Bool().Draw(t, "hidden")
	if _, err := m.f.Put(m.f.ctx, m.board, e); err != nil {
		t.Fatalf("put: %v", err)
	}
	m.rows[e.Owner] = stored(e)
}

func (m *model) putStale(t *rapid.T) {
	owner := drawOwner(t)
	e := store.Entry{Owner: owner, Scores: drawScores(t), Version: m.rows[owner].Version + rapid.Int64Range(1, 2).Draw(t, "ahead")}
	if _, err := m.f.Put(m.f.ctx, m.board, e); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("put of version %d: %v, want ErrConflict", e.Version, err)
	}
}

func (m *model) hide(t *rapid.T) {
	e, there := m.rows[drawOwner(t)]
	if !there {
		t.Skip("no such row")
	}
	e.Hidden = !e.Hidden
	if _, err := m.f.Put(m.f.ctx, m.board, e); err != nil {
		t.Fatalf("hide: %v", err)
	}
	m.rows[e.Owner] = stored(e)
}

func (m *model) delete(t *rapid.T) {
	owner := drawOwner(t)
	e, there := m.rows[owner]
	_, err := m.f.Delete(m.f.ctx, m.board, owner, e.Version)
	if there == (err != nil) || (!there && !errors.Is(err, store.ErrNotFound)) {
		t.Fatalf("delete of a row that is there (%t): %v", there, err)
	}
	delete(m.rows, owner)
}

func (m *model) load(t *rapid.T) {
	owners := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "ab", "b", "c", "zz", "0"}), 0, 5, rapid.ID).Draw(t, "owners")
	batch := make([]store.Entry, 0, len(owners))
	for _, owner := range owners {
		batch = append(batch, store.Entry{Owner: owner, Scores: drawScores(t)})
	}
	if _, err := m.f.Load(m.f.ctx, m.board, batch); err != nil {
		t.Fatalf("load: %v", err)
	}
	for _, e := range batch {
		m.merge(e)
	}
}

func (m *model) merge(e store.Entry) {
	row, there := m.rows[e.Owner]
	row = row.Clone()
	if row.Scores == nil {
		row.Scores = map[string]int64{}
	}
	changed := !there
	for name, score := range e.Scores {
		if old, ok := row.Scores[name]; !ok || old != score {
			changed = true
		}
		row.Scores[name] = score
	}
	if changed {
		row.Owner, row.Version = e.Owner, row.Version+1
		m.rows[e.Owner] = row
	}
}

func (m *model) check(t *rapid.T) {
	for owner, want := range m.rows {
		got, _, err := m.f.Entry(m.f.ctx, m.board, owner)
		if err != nil || !sameEntry(got, want) {
			t.Fatalf("entry of %q:\n got %+v, %v\nwant %+v", owner, got, err, want)
		}
	}
	q := m.drawQuery(t)
	if err := eventually(func() error { return m.compare(q) }); err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
}

func (m *model) drawQuery(t *rapid.T) store.Query {
	key := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Just(store.MaxScore), rapid.Just(-store.MaxScore), rapid.Int64Range(-store.MaxScore, store.MaxScore))
	a, b := key.Draw(t, "from"), key.Draw(t, "to")
	column := rapid.SampledFrom(m.board.Columns).Draw(t, "column").Name
	return store.Query{
		Partition: m.board.Partition(column, rapid.IntRange(0, m.board.Shards-1).Draw(t, "shard")),
		From:      max(a, b),
		To:        min(a, b),
		Reverse:   rapid.Bool().Draw(t, "reverse"),
		Limit:     rapid.IntRange(0, 4).Draw(t, "limit"),
	}
}

// Expect is the whole selection, rows of one key in the order of their owners.
func (m *model) expect(q store.Query) []store.Position {
	column, _ := m.board.Column(q.Partition.Column)
	var rows []store.Position
	for owner, e := range m.rows {
		score, in := e.Scores[column.Name]
		key := column.Key(score)
		if in && !e.Hidden && store.ShardOf(owner, m.board.Shards) == q.Partition.Shard && key <= q.From && key >= q.To {
			rows = append(rows, at(key, owner))
		}
	}
	sortByRank(rows, q.Reverse)
	return rows
}

func sortByRank(rows []store.Position, reverse bool) {
	slices.SortFunc(rows, func(a, b store.Position) int {
		byKey := cmp.Compare(b.Key, a.Key)
		if reverse {
			byKey = -byKey
		}
		return cmp.Or(byKey, cmp.Compare(a.Owner, b.Owner))
	})
}

// Compare follows the pages of Rows and Count. The order within a key is the
// backend's own, so that the rows are compared as sorted by the model's.
func (m *model) compare(q store.Query) error {
	want := m.expect(q)
	reverse, limit := q.Reverse, q.Limit
	var got []store.Position
	for {
		page, err := m.f.Rows(m.f.ctx, q)
		if err != nil {
			return err
		}
		count, err := m.f.Count(m.f.ctx, q)
		if err != nil {
			return err
		}
		if count.Count != int64(len(page.Rows)) || !samePlace(count.Last, page.Last) {
			return fmt.Errorf("answers differ: Count %d, last %v; Rows %d, last %v", count.Count, count.Last, len(page.Rows), page.Last)
		}
		if limit > 0 && len(page.Rows) > limit {
			return fmt.Errorf("%d rows with limit %d", len(page.Rows), limit)
		}
		got = append(got, page.Rows...)
		if page.Last == nil || len(got) > len(want) {
			break
		}
		q.After = page.Last
	}
	if !slices.IsSortedFunc(got, func(a, b store.Position) int {
		if reverse {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Compare(b.Key, a.Key)
	}) {
		return fmt.Errorf("rows %v are not in rank order", got)
	}
	sortByRank(got, reverse)
	if !slices.Equal(got, want) {
		return fmt.Errorf("rows:\n got %v\nwant %v", got, want)
	}
	return nil
}
