package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// Any posts, removals, hidings and refreshes in any order leave a board of which all
// views and the next curve tell one story, that of a plain sorted list.
func TestPostsAndModerationTellOneStory(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		var boards atomic.Int64
		steps, looks := 40, 8
		if !on.sorted { // each board is some hundreds of requests
			checksInAHundred(t, 30)
			steps, looks = 15, 12
		}
		rapid.Check(t, func(t *rapid.T) {
			m := newLiveBoard(t, on, fmt.Sprintf("live-%d", boards.Add(1)))
			for range rapid.IntRange(1, steps).Draw(t, "steps") {
				m.step(t)
				if rapid.IntRange(1, looks).Draw(t, "look") == looks {
					m.check(t)
				}
			}
			m.check(t)
		})
	})
}

// A liveBoard is a board beside what it must hold: rows by plain rules.
type liveBoard struct {
	on     backend
	board  *rankcurve.Board
	clock  *clock
	owners []string
	rows   map[string]*plainRow
	hidden map[string]bool
}

func newLiveBoard(t *rapid.T, on backend, name string) *liveBoard {
	own := []store.Operator{store.Set, store.Sum, store.Best, store.Worst}
	columns := []store.Column{
		{Name: "xp", Operator: rapid.SampledFrom(store.Operators()).Draw(t, "first operator")},
		{Name: "time", Operator: rapid.SampledFrom(own).Draw(t, "second operator"), Decimals: 2},
	}
	for i := range columns {
		columns[i].Order = rapid.SampledFrom([]store.Order{store.Desc, store.Asc}).Draw(t, "order")
	}
	m := &liveBoard{on: on, clock: newClock(), rows: map[string]*plainRow{}, hidden: map[string]bool{}}
	for i := range rapid.IntRange(1, 25).Draw(t, "owners") {
		m.owners = append(m.owners, fmt.Sprintf("player-%02d", i))
	}
	paged := &double{Store: on, pageRows: rapid.IntRange(0, 7).Draw(t, "rows of a page")}
	b, err := rankcurve.New(context.Background(), paged, boardOf(name, rapid.IntRange(1, 5).Draw(t, "shards"), columns...),
		rankcurve.WithClock(m.clock.Now), rankcurve.WithCurvePoll(0))
	if err != nil {
		t.Fatal(err)
	}
	m.board = b
	return m
}

// step does one thing to some owners, and compares the answer.
func (m *liveBoard) step(t *rapid.T) {
	owners := rapid.SliceOfNDistinct(rapid.SampledFrom(m.owners), 1, min(6, len(m.owners)), rapid.ID).Draw(t, "of")
	switch rapid.SampledFrom([]string{"post", "post", "post", "post", "hide", "unhide", "remove", "refresh"}).Draw(t, "step") {
	case "post":
		m.post(t, owners)
	case "hide":
		m.moderate(t, m.board.Hide, owners, func(owner string) bool { return m.setHidden(owner, true) })
	case "unhide":
		m.moderate(t, m.board.Unhide, owners, func(owner string) bool { return m.setHidden(owner, false) })
	case "remove":
		m.moderate(t, m.board.Remove, owners, func(owner string) bool {
			delete(m.rows, owner)
			delete(m.hidden, owner)
			return true
		})
	case "refresh":
		m.refresh(t)
	}
}

func (m *liveBoard) setHidden(owner string, hidden bool) (changed bool) {
	if m.hidden[owner] == hidden {
		return false
	}
	m.hidden[owner] = hidden
	m.rows[owner].version++
	return true
}

func (m *liveBoard) post(t *rapid.T, owners []string) {
	columns := m.board.Definition().Columns
	posts := make([]rankcurve.Post, len(owners))
	for i, owner := range owners {
		if m.rows[owner] == nil {
			m.rows[owner] = &plainRow{columns: columns, scores: scores{}, attributes: map[string]string{}}
		}
		posts[i] = drawPost(t, columns, m.rows[owner].version)
		posts[i].Owner = owner
	}
	posted, errs := make([]rankcurve.Posted, len(posts)), make([]error, len(posts))
	if len(posts) == 1 {
		posted[0], errs[0] = m.board.Post(context.Background(), posts[0])
	} else {
		var err error
		if posted, errs, err = m.board.PostAll(context.Background(), posts); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range posts {
		row := m.rows[p.Owner]
		changed, err := row.post(p)
		if !errors.Is(errs[i], err) || err == nil && (posted[i].Changed != changed || !maps.Equal(posted[i].Entry.Scores, row.scores) || posted[i].Entry.Hidden != m.hidden[p.Owner]) {
			t.Fatalf("%+v: answered %+v, %v, want %+v, changed %t, %v", p, posted[i], errs[i], row.scores, changed, err)
		}
		if row.version == 0 { // nothing was written: there is no row
			delete(m.rows, p.Owner)
		}
	}
}

// moderate does one thing to owners, to those that are not there too, and to one that
// cannot be.
func (m *liveBoard) moderate(t *rapid.T, do func(context.Context, ...string) ([]rankcurve.Moderated, error), owners []string, model func(owner string) bool) {
	done, err := do(context.Background(), append(slices.Clone(owners), "#nobody")...)
	if err != nil || len(done) != len(owners)+1 || !errors.Is(done[len(owners)].Err, store.ErrInvalid) {
		t.Fatal(done, err)
	}
	for i, owner := range owners {
		if m.rows[owner] == nil {
			if !errors.Is(done[i].Err, store.ErrNotFound) || done[i].Changed || done[i].Owner != owner {
				t.Fatalf("%s is not there: %+v", owner, done[i])
			}
			continue
		}
		if changed := model(owner); done[i].Err != nil || done[i].Changed != changed || done[i].Owner != owner {
			t.Fatalf("%s: %+v, want changed %t", owner, done[i], changed)
		}
	}
}

// refresh publishes curves, which are exact on so small a board: everyone who is ranked
// has the counted rank in them, among as many as are ranked.
func (m *liveBoard) refresh(t *rapid.T) {
	ctx := context.Background()
	for _, c := range m.board.Definition().Columns {
		if _, err := (jobs.Refresher{Store: m.on, Holder: "test", Now: m.clock.Now}).Refresh(ctx, m.board.Definition(), c.Name, jobs.Options{}); err != nil {
			t.Fatal(err)
		}
		ranked, _ := m.column(c.Name)
		answers, _, err := m.board.Rank(ctx, c.Name, rankcurve.Estimate, m.owners...)
		if err != nil {
			t.Fatal(err)
		}
		for i, owner := range m.owners {
			score, there := ranked[owner]
			a, want := answers[i], rankAmong(c, ranked, score)
			if there != (a.Err == nil) || there && (a.Rank.Rank != want || a.Low != want || a.High != want || a.Of != int64(len(ranked))) {
				t.Fatalf("%s by %s after a refresh: %+v, want %d of %d, there %t", owner, c.Name, a, want, len(ranked), there)
			}
		}
	}
}

// column is who is ranked in a column, and who is not there at all.
func (m *liveBoard) column(name string) (ranked scores, gone []string) {
	ranked = scores{}
	for _, owner := range m.owners {
		row := m.rows[owner]
		if row == nil || m.hidden[owner] {
			gone = append(gone, owner)
			continue
		}
		if score, there := row.scores[name]; there {
			ranked[owner] = score
		}
	}
	return ranked, gone
}

// check holds all views against the rows, on curves of now: the number of entries is
// told by the curve where there is one.
func (m *liveBoard) check(t *rapid.T) {
	m.refresh(t)
	for _, c := range m.board.Definition().Columns {
		ranked, gone := m.column(c.Name)
		checkViews(t, story{m.on, m.board, c, ranked, gone}, drawSizes(t, ranked))
	}
	for owner, row := range m.rows {
		got, _, err := m.on.Entry(context.Background(), m.board.Definition(), owner)
		if err != nil || got.Hidden != m.hidden[owner] || got.Version != row.version || !maps.Equal(got.Scores, row.scores) || !maps.Equal(got.Attributes, row.attributes) || !slices.Equal(got.Posts, row.ids) {
			t.Fatalf("stored %+v, %v, want %+v, hidden %t", got, err, row, m.hidden[owner])
		}
	}
}
