package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// moderated are outcomes in a line: "ann yes, bob no, cy missing".
func moderated(done []rankcurve.Moderated, err error) string {
	text := ""
	for _, m := range done {
		outcome := map[bool]string{true: "yes", false: "no"}[m.Changed]
		switch {
		case errors.Is(m.Err, store.ErrNotFound):
			outcome = "missing"
		case errors.Is(m.Err, store.ErrInvalid):
			outcome = "invalid"
		case m.Err != nil:
			outcome = m.Err.Error()
		}
		text += m.Owner + " " + outcome + " "
	}
	if err != nil {
		text += err.Error()
	}
	return text
}

func TestHideUnhideRemove(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		def := boardOf("games", 3, store.Column{Name: "xp", Order: store.Desc, Operator: store.Sum})
		now := newClock()
		b := newBoard(t, on, def, rankcurve.WithClock(now.Now))
		all := scores{"ann": 10, "bob": 20, "cy": 30}
		load(t, on, def, all)
		if _, err := b.Post(ctx, rankcurve.Post{Owner: "bob", Attributes: map[string]string{"clan": "owls"}, ID: "p1"}); err != nil {
			t.Fatal(err)
		}
		check := func(ranked scores, gone ...string) {
			t.Helper()
			checkViews(t, story{on, b, def.Columns[0], ranked, gone}, sizes{top: 9, page: 2, around: 2, owners: slices.Sorted(maps.Keys(ranked)), score: 15})
		}
		expect := func(done []rankcurve.Moderated, err error) func(want string) {
			return func(want string) {
				t.Helper()
				if got := moderated(done, err); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
		}
		now.Advance(time.Hour)
		expect(b.Hide(ctx, "bob", "nobody", "cy", "#x"))("bob yes nobody missing cy yes #x invalid ")
		expect(b.Hide(ctx, "bob"))("bob no ")
		expect(b.Unhide(ctx, "cy", "ann", "nobody"))("cy yes ann no nobody missing ")
		check(scores{"ann": 10, "cy": 30}, "bob", "nobody")

		posted, err := b.Post(ctx, rankcurve.Post{Owner: "bob", Scores: scores{"xp": 5}, ID: "p2"})
		if err != nil || !posted.Entry.Hidden || posted.Entry.Scores["xp"] != 25 {
			t.Errorf("a post to who is hidden: %+v, %v", posted, err)
		}
		check(scores{"ann": 10, "cy": 30}, "bob")
		boards, _, err := on.BoardsOf(ctx, "bob")
		if err != nil || len(boards) != 1 || !boards[0].Entry.Hidden {
			t.Errorf("%+v, %v: one who is hidden is there for those who moderate", boards, err)
		}

		expect(b.Unhide(ctx, "bob"))("bob yes ")
		check(scores{"ann": 10, "bob": 25, "cy": 30})
		row, _, err := on.Entry(ctx, def, "bob")
		if err != nil || row.Attributes["clan"] != "owls" || !slices.Equal(row.Posts, []string{"p1", "p2"}) || row.Hidden {
			t.Errorf("%+v, %v: hiding did not keep the row", row, err)
		}

		expect(b.Hide(ctx, "ann"))("ann yes ")
		expect(b.Remove(ctx, "ann", "bob", "nobody", ""))("ann yes bob yes nobody missing  invalid ")
		expect(b.Remove(ctx, "ann"))("ann missing ")
		check(scores{"cy": 30}, "ann", "bob")
		if _, err := b.Post(ctx, rankcurve.Post{Owner: "bob", Scores: scores{"xp": 1}, ID: "p2"}); err != nil {
			t.Error(err)
		}
		check(scores{"bob": 1, "cy": 30}, "ann") // a new row: it knows of no posts
		expect(b.Hide(ctx))("")
	})
}

func TestModeratingManyOwners(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	def := boardOf("games", 4)
	b := newBoard(t, st, def)
	all := spread(3000, func(i int) int64 { return int64(i) })
	load(t, st, def, all)
	owners := slices.Sorted(maps.Keys(all))
	done, err := b.Hide(ctx, owners[:2000]...)
	for i, m := range done {
		if m.Owner != owners[i] || !m.Changed || m.Err != nil {
			t.Fatalf("%+v", m)
		}
	}
	top, topErr := b.Top(ctx, "", 3000)
	if err != nil || topErr != nil || len(top.Rows) != 1000 {
		t.Errorf("%d rows, %v, %v", len(top.Rows), err, topErr)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if done, err := b.Remove(stopped, owners...); !errors.Is(err, context.Canceled) || len(done) != 3000 || !errors.Is(done[7].Err, context.Canceled) {
		t.Errorf("%v, %+v", err, done[7])
	}
}

// A moderation whose answer is lost is found done or done again, and told as done.
func TestModerationOfUnknownOutcome(t *testing.T) {
	ctx, def := context.Background(), boardOf("games", 2)
	for _, carriedOut := range []bool{true, false} {
		t.Run(fmt.Sprintf("carried out %t", carriedOut), func(t *testing.T) {
			st := newStore(t)
			load(t, st, def, scores{"ann": 1, "bob": 2})
			open := func() *rankcurve.Board { return newBoard(t, &unsure{Store: st, carriedOut: carriedOut}, def) }
			if got := moderated(open().Hide(ctx, "ann")); got != "ann yes " {
				t.Error(got)
			}
			if row, _, err := st.Entry(ctx, def, "ann"); err != nil || !row.Hidden {
				t.Error(row, err)
			}
			if got := moderated(open().Remove(ctx, "bob")); got != "bob yes " {
				t.Error(got)
			}
			if _, _, err := st.Entry(ctx, def, "bob"); !errors.Is(err, store.ErrNotFound) {
				t.Error(err)
			}
		})
	}
}

// unsure is a store whose first write is carried out or not, and has an outcome that it
// does not know.
type unsure struct {
	store.Store
	carriedOut bool
	writes     atomic.Int64
}

func (u *unsure) cut(write func() (store.Usage, error)) (store.Usage, error) {
	if u.writes.Add(1) > 1 {
		return write()
	}
	if u.carriedOut {
		if _, err := write(); err != nil {
			return store.Usage{}, err
		}
	}
	return store.Usage{}, fmt.Errorf("write: %w, %w", store.ErrConflict, store.ErrUnknown)
}

func (u *unsure) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	return u.cut(func() (store.Usage, error) { return u.Store.Put(ctx, b, e) })
}

func (u *unsure) Delete(ctx context.Context, b store.Board, owner string, version int64) (store.Usage, error) {
	return u.cut(func() (store.Usage, error) { return u.Store.Delete(ctx, b, owner, version) })
}

// Sixteen writers post, hide and remove at once, on DynamoDB with one answer in twenty
// lost: no post is lost, none is applied twice, sums are exact, and all views tell the
// story of what is left.
func TestWritersWhoModerateAtOnce(t *testing.T) {
	def := boardOf("live", 3,
		store.Column{Name: "xp", Order: store.Desc, Operator: store.Sum},
		store.Column{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2})
	t.Run("bolt", func(t *testing.T) {
		st := newStore(t)
		writeAtOnce(t, def, st, backend{st, true})
	})
	t.Run("dynamodb", func(t *testing.T) {
		var lost atomic.Int64
		through, past := lossy(t, lostAnswers(20, &lost))
		writeAtOnce(t, def, through, backend{past, false})
		if lost.Load() < 10 {
			t.Errorf("only %d answers were lost", lost.Load())
		}
	})
}

// A writer has owners of its own, of whom it knows everything, and shares others.
type writer struct {
	board  *rankcurve.Board
	name   string
	random *rand.Rand
	own    map[string]scores // nil: not there
	hidden map[string]bool
	shared []string
	added  map[string]int64 // to the shared ones
}

func writeAtOnce(t *testing.T, def store.Board, through store.Store, past backend) {
	t.Helper()
	const writers, steps = 16, 25
	b := newBoard(t, through, def)
	shared := []string{"shared-a", "shared-b"}
	all := make([]*writer, writers)
	var writing sync.WaitGroup
	for i := range all {
		w := &writer{
			board: b, name: fmt.Sprintf("writer-%02d", i), random: rand.New(rand.NewPCG(7, uint64(i))),
			own: map[string]scores{}, hidden: map[string]bool{}, shared: shared, added: map[string]int64{},
		}
		for j := range 3 {
			w.own[fmt.Sprintf("%s-%d", w.name, j)] = nil
		}
		all[i] = w
		writing.Go(func() {
			for step := range steps {
				if err := w.step(fmt.Sprintf("%s/%d", w.name, step)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	ranked, gone := map[string]scores{"xp": {}, "time": {}}, []string{shared[1]}
	if got := moderated(b.Unhide(context.Background(), shared[0])); got != "shared-a yes " && got != "shared-a no " {
		t.Error(got)
	}
	if got := moderated(b.Hide(context.Background(), shared[1])); got != "shared-b yes " && got != "shared-b no " {
		t.Error(got)
	}
	for _, w := range all {
		for owner, there := range w.own {
			if there == nil || w.hidden[owner] {
				gone = append(gone, owner)
				continue
			}
			for column, score := range there {
				ranked[column][owner] = score
			}
		}
		ranked["xp"][shared[0]] += w.added[shared[0]]
		ranked["xp"][shared[1]] += w.added[shared[1]]
	}
	row, _, err := past.Entry(context.Background(), def, shared[1])
	if err != nil || row.Scores["xp"] != ranked["xp"][shared[1]] {
		t.Errorf("%+v, %v, want xp %d", row, err, ranked["xp"][shared[1]])
	}
	delete(ranked["xp"], shared[1])
	opened := newBoard(t, past, def)
	for _, c := range def.Columns {
		owners := slices.Sorted(maps.Keys(ranked[c.Name]))
		checkViews(t, story{past, opened, c, ranked[c.Name], gone}, sizes{top: 20, page: 7, around: 4, owners: owners[:min(4, len(owners))], score: 40})
	}
}

// step does one thing, which has an id, and holds the answer against what is known.
func (w *writer) step(id string) error {
	owner := slices.Sorted(maps.Keys(w.own))[w.random.IntN(len(w.own))]
	there := w.own[owner]
	xp, ms := w.random.Int64N(50)+1, w.random.Int64N(50)
	switch w.random.IntN(8) {
	case 0, 1, 2:
		if err := postUntilKnown(w.board, rankcurve.Post{Owner: owner, Scores: scores{"xp": xp, "time": ms}, ID: id}); err != nil {
			return err
		}
		if there == nil {
			w.own[owner] = scores{"xp": xp, "time": ms}
			return nil
		}
		there["xp"], there["time"] = there["xp"]+xp, min(there["time"], ms)
	case 3:
		done, err := w.board.Hide(context.Background(), owner)
		return w.moderated(owner, done, err, !w.hidden[owner], func() { w.hidden[owner] = true })
	case 4:
		done, err := w.board.Unhide(context.Background(), owner)
		return w.moderated(owner, done, err, w.hidden[owner], func() { w.hidden[owner] = false })
	case 5:
		done, err := w.board.Remove(context.Background(), owner)
		return w.moderated(owner, done, err, true, func() { w.own[owner], w.hidden[owner] = nil, false })
	case 6:
		shared := w.shared[w.random.IntN(len(w.shared))]
		w.added[shared] += xp
		return postUntilKnown(w.board, rankcurve.Post{Owner: shared, Scores: scores{"xp": xp}, ID: id})
	default:
		return w.moderateShared()
	}
	return nil
}

func (w *writer) moderated(owner string, done []rankcurve.Moderated, err error, change bool, model func()) error {
	want := owner + map[bool]string{true: " yes ", false: " no "}[change]
	if w.own[owner] == nil {
		want = owner + " missing "
	}
	if got := moderated(done, err); got != want {
		return fmt.Errorf("%s, want %s", got, want)
	}
	if w.own[owner] != nil {
		model()
	}
	return nil
}

// moderateShared hides or unhides an owner to whom others post: it is done whatever they
// do, or all tries met another writer.
func (w *writer) moderateShared() error {
	do := w.board.Hide
	if w.random.IntN(2) == 0 {
		do = w.board.Unhide
	}
	done, err := do(context.Background(), w.shared...)
	for _, m := range done {
		if m.Err != nil && !errors.Is(m.Err, store.ErrConflict) && !errors.Is(m.Err, store.ErrNotFound) {
			err = errors.Join(err, m.Err)
		}
	}
	return err
}
