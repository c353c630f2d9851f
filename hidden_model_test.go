package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// Any posts on any days, and any hiding, putting back and removing by family and by
// board, leave boards that have who a plain model says, day by day.
func TestFamilyModerationAgainstAModel(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		var families, checks atomic.Int64
		most, steps := int64(1<<30), 40
		if !on.sorted {
			most, steps = 5, 20
		}
		rapid.Check(t, func(t *rapid.T) {
			if checks.Add(1) > most {
				return
			}
			m := newModeratedFamily(t, on, fmt.Sprintf("family-%d", families.Add(1)))
			for range rapid.IntRange(1, steps).Draw(t, "steps") {
				m.step(t)
			}
			m.check(t)
		})
	})
}

// A moderatedFamily is a family beside what its boards must hold.
type moderatedFamily struct {
	family *rankcurve.Family
	clock  *clock
	listed map[string]bool                    // whom the family hides
	spans  map[string]store.Span              // of the boards, by name
	rows   map[string]map[string]*hiddenScore // by board and owner
}

type hiddenScore struct {
	xp     int64
	hidden bool
}

func newModeratedFamily(t *rapid.T, on backend, name string) *moderatedFamily {
	m := &moderatedFamily{clock: newClock(), listed: map[string]bool{}, spans: map[string]store.Span{}, rows: map[string]map[string]*hiddenScore{}}
	def := missions()
	def.Name = name
	def.Periods = rapid.SampledFrom([][]store.Period{{store.Daily}, {store.Always, store.Daily}, {store.Always, store.Weekly, store.Daily}}).Draw(t, "periods")
	def.ExpireAfter = nil
	f, err := rankcurve.NewFamily(on, def, rankcurve.WithClock(m.clock.Now))
	if err != nil {
		t.Fatal(err)
	}
	m.family = f
	return m
}

func (m *moderatedFamily) step(t *rapid.T) {
	owner := rapid.SampledFrom([]string{"ann", "bob", "cy"}).Draw(t, "owner")
	switch rapid.SampledFrom([]string{"post", "post", "post", "day", "hide", "unhide", "remove", "hide here", "unhide here"}).Draw(t, "step") {
	case "post":
		m.post(t, owner)
	case "day":
		m.clock.Advance(24 * time.Hour)
	case "hide":
		changed := !m.listed[owner]
		m.listed[owner] = true
		m.moderate(t, m.family.Hide, owner, true, m.setHidden(owner, true) || changed)
	case "unhide":
		known := m.listed[owner] || len(m.rowsOf(owner)) > 0
		changed := m.listed[owner]
		delete(m.listed, owner)
		m.moderate(t, m.family.Unhide, owner, known, m.setHidden(owner, false) || changed)
	case "remove":
		there := len(m.rowsOf(owner)) > 0
		for _, rows := range m.rows {
			delete(rows, owner)
		}
		m.moderate(t, m.family.Remove, owner, there, there)
	case "hide here":
		m.moderateHere(t, owner, true)
	case "unhide here":
		m.moderateHere(t, owner, false)
	}
}

func (m *moderatedFamily) post(t *rapid.T, owner string) {
	at := m.clock.Now().Add(-time.Duration(rapid.IntRange(0, 2).Draw(t, "days ago")) * 24 * time.Hour)
	posted, err := m.family.Post(context.Background(), at, rankcurve.Post{Owner: owner, Scores: scores{"xp": 3}})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range m.family.Definition().Periods {
		s := p.At(at)
		name := s.Board(m.family.Definition().Name)
		if m.rows[name] == nil {
			m.rows[name], m.spans[name] = map[string]*hiddenScore{}, s
		}
		row := m.rows[name][owner]
		if row == nil {
			row = &hiddenScore{hidden: m.listed[owner]}
			m.rows[name][owner] = row
		}
		row.xp += 3
		if got := posted[i].Posted.Entry; got.Scores["xp"] != row.xp || got.Hidden != row.hidden {
			t.Fatalf("on %s %+v was posted, want %+v", name, got, *row)
		}
	}
}

// moderateHere acts on the board of one period alone.
func (m *moderatedFamily) moderateHere(t *rapid.T, owner string, hidden bool) {
	if len(m.spans) == 0 {
		return
	}
	names := make([]string, 0, len(m.spans))
	for name := range m.spans {
		names = append(names, name)
	}
	slices.Sort(names)
	name := rapid.SampledFrom(names).Draw(t, "board")
	b, err := m.family.Open(context.Background(), m.spans[name].Period, m.spans[name].Start)
	if m.spans[name].Period == store.Always {
		b, err = m.family.Open(context.Background(), store.Always, m.clock.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	do := b.Unhide
	if hidden {
		do = b.Hide
	}
	row := m.rows[name][owner]
	m.moderate(t, do, owner, row != nil, row != nil && row.hidden != hidden)
	if row != nil {
		row.hidden = hidden
	}
}

func (m *moderatedFamily) rowsOf(owner string) (rows []*hiddenScore) {
	for _, board := range m.rows {
		if board[owner] != nil {
			rows = append(rows, board[owner])
		}
	}
	return rows
}

func (m *moderatedFamily) setHidden(owner string, hidden bool) (changed bool) {
	for _, row := range m.rowsOf(owner) {
		changed = changed || row.hidden != hidden
		row.hidden = hidden
	}
	return changed
}

func (m *moderatedFamily) moderate(t *rapid.T, do func(context.Context, ...string) ([]rankcurve.Moderated, error), owner string, known, changed bool) {
	done, err := do(context.Background(), owner, "#nobody")
	if err != nil || len(done) != 2 || !errors.Is(done[1].Err, store.ErrInvalid) || done[0].Owner != owner {
		t.Fatal(done, err)
	}
	if known != (done[0].Err == nil) || !known && !errors.Is(done[0].Err, store.ErrNotFound) || done[0].Changed != changed {
		t.Fatalf("%+v, want known %t, changed %t", done[0], known, changed)
	}
}

// check holds the tops of all boards against the model.
func (m *moderatedFamily) check(t *rapid.T) {
	for name, rows := range m.rows {
		at := m.spans[name].Start
		if m.spans[name].Period == store.Always {
			at = m.clock.Now()
		}
		b, err := m.family.Open(context.Background(), m.spans[name].Period, at)
		if err != nil {
			t.Fatal(err)
		}
		top, err := b.Top(context.Background(), "", 10)
		if err != nil {
			t.Fatal(err)
		}
		got, want := scores{}, scores{}
		for _, row := range top.Rows {
			got[row.Owner] = row.Score
		}
		for owner, row := range rows {
			if !row.hidden {
				want[owner] = row.xp
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("on %s are %v, want %v", name, got, want)
		}
	}
}
