package rankcurve_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// lagging is a store whose eventually consistent reads answer the rows of a moment ago.
type lagging struct {
	store.Store
	old  map[string]store.Entry
	many int // calls of EntriesOf
}

func (l *lagging) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	l.many++
	rows, u, err := l.Store.EntriesOf(ctx, b, owners)
	for i, owner := range owners {
		if row, lags := l.old[owner]; lags && err == nil {
			rows[i] = row.Clone()
		}
	}
	return rows, u, err
}

// A post is held against the row that is there, and not against the one of a moment ago,
// which it may agree with.
func TestPostsAgreeWithTheRowThatIsThere(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name    string
		ago     *rankcurve.Post // what was posted a moment ago; nil: there was no row
		since   rankcurve.Post  // and since
		post    rankcurve.Post
		want    scores
		changed bool
		err     error
	}{
		{"what was there a moment ago", &rankcurve.Post{Scores: scores{"level": 5, "xp": 1}}, rankcurve.Post{Scores: scores{"level": 9, "xp": 0}}, rankcurve.Post{Scores: scores{"level": 5}}, scores{"level": 5, "xp": 1}, true, nil},
		{"worse than a moment ago", &rankcurve.Post{Scores: scores{"streak": 9}}, rankcurve.Post{Scores: scores{"streak": 1}, Operator: store.Set}, rankcurve.Post{Scores: scores{"streak": 5}}, scores{"streak": 5}, true, nil},
		{"what is there by now", &rankcurve.Post{Scores: scores{"level": 5}}, rankcurve.Post{Scores: scores{"level": 9}}, rankcurve.Post{Scores: scores{"level": 9}}, scores{"level": 9}, false, nil},
		{"known by its id by now", nil, rankcurve.Post{Scores: scores{"xp": 9}, ID: "a"}, rankcurve.Post{Scores: scores{"xp": 9}, ID: "a"}, scores{"xp": 9}, false, nil},
		{"a sum that was out of range", &rankcurve.Post{Scores: scores{"xp": store.MaxScore}}, rankcurve.Post{Scores: scores{"xp": 4}, Operator: store.Set}, rankcurve.Post{Scores: scores{"xp": 5}}, scores{"xp": 9}, true, nil},
		{"a sum that is out of range by now", &rankcurve.Post{Scores: scores{"xp": 4}}, rankcurve.Post{Scores: scores{"xp": store.MaxScore}, Operator: store.Set}, rankcurve.Post{Scores: scores{"xp": 5}}, scores{"xp": store.MaxScore}, false, store.ErrInvalid},
		{"a first post that is the second", nil, rankcurve.Post{Scores: scores{"xp": 4}}, rankcurve.Post{Scores: scores{"xp": 5}}, scores{"xp": 9}, true, nil},
	} {
		for _, batched := range []bool{false, true} {
			st := newStore(t)
			l := &lagging{Store: st, old: map[string]store.Entry{"ann": {Owner: "ann"}}}
			b := newBoard(t, l, runs)
			if c.ago != nil {
				l.old["ann"] = mustPost(t, b, *c.ago).Entry
			}
			mustPost(t, b, c.since)
			c.post.Owner = "ann"
			posted, err := postWay(b, c.post, batched)
			row, _, readErr := st.Entry(ctx, runs, "ann")
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || readErr != nil || !maps.Equal(row.Scores, c.want) {
				t.Errorf("%s, batched %t: %v, stored %v, %v, want %v", c.name, batched, err, row.Scores, readErr, c.want)
			}
			if err == nil && (posted.Changed != c.changed || !maps.Equal(posted.Entry.Scores, c.want) || posted.Entry.Version != row.Version) {
				t.Errorf("%s, batched %t: answered %+v, want %v, changed %t at version %d", c.name, batched, posted, c.want, c.changed, row.Version)
			}
			if want := map[bool]int{false: 0, true: 1}[batched]; l.many != want {
				t.Errorf("%s, batched %t: read %d times eventually consistent, want %d", c.name, batched, l.many, want)
			}
		}
	}
}

func mustPost(t *testing.T, b *rankcurve.Board, p rankcurve.Post) rankcurve.Posted {
	t.Helper()
	p.Owner = "ann"
	posted, err := b.Post(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return posted
}

// A write of unknown outcome is looked for in the row that is there.
func TestADoubtIsSettledByTheRowThatIsThere(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	before := mustPost(t, newBoard(t, st, runs), rankcurve.Post{Scores: scores{"xp": 1}, ID: "early"}).Entry
	d := &doubts{Store: st, carriedOut: true, others: func(st store.Store) {
		mustPost(t, newBoard(t, st, runs), rankcurve.Post{Scores: scores{"xp": 100}, ID: "other"})
	}}
	l := &lagging{Store: d, old: map[string]store.Entry{"ann": before}}
	posted, errs, err := newBoard(t, l, runs).PostAll(ctx, []rankcurve.Post{{Owner: "ann", Scores: scores{"xp": 10}, ID: "mine"}})
	if err != nil || errs[0] != nil || !posted[0].Changed || posted[0].Entry.Scores["xp"] != 11 || d.puts != 1 || l.many != 1 {
		t.Errorf("%+v, %v, %v, after %d puts and %d reads eventually consistent", posted, errs, err, d.puts, l.many)
	}
	if row, _, err := st.Entry(ctx, runs, "ann"); err != nil || row.Scores["xp"] != 111 {
		t.Errorf("%+v, %v, want xp 111", row, err)
	}
}

// A batch of which a part was sent by somebody else too is not taken for stored: or the
// rest of it would be lost.
func TestABatchOfUnknownOutcomeIsLookedForAsAWhole(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name       string
		carriedOut bool
		others     []string // ids, of 100 each but for b, which is of the 10 that it always is
		unknown    bool
		xp         int64
	}{
		{"not carried out, a part sent by another", false, []string{"b"}, false, 11},
		{"not carried out, a part among others", false, []string{"x", "b", "y"}, false, 211},
		{"carried out, others behind it", true, []string{"x", "b", "y"}, false, 211},
		{"carried out, and half forgotten", true, ids("x", store.MaxPosts-1), true, 100*(store.MaxPosts-1) + 11},
		{"a part sent by another, and all else forgotten", false, append([]string{"b"}, ids("x", store.MaxPosts-1)...), true, 100*(store.MaxPosts-1) + 10},
	} {
		st := newStore(t)
		d := &doubts{Store: st, carriedOut: c.carriedOut, others: func(st store.Store) {
			b := newBoard(t, st, runs)
			for _, id := range c.others {
				xp := int64(100)
				if id == "b" {
					xp = 10
				}
				mustPost(t, b, rankcurve.Post{Scores: scores{"xp": xp}, ID: id})
			}
		}}
		_, errs, err := newBoard(t, d, runs).PostAll(ctx, []rankcurve.Post{{Owner: "ann", Scores: scores{"xp": 1}, ID: "a"}, {Owner: "ann", Scores: scores{"xp": 10}, ID: "b"}})
		if err := errors.Join(append(slices.Clone(errs), err)...); errors.Is(err, store.ErrUnknown) != c.unknown || (err != nil) != c.unknown {
			t.Errorf("%s: %v, want an unknown outcome: %t", c.name, err, c.unknown)
		}
		if row, _, err := st.Entry(ctx, runs, "ann"); err != nil || row.Scores["xp"] != c.xp {
			t.Errorf("%s: stored %+v, %v, want xp %d", c.name, row, err, c.xp)
		}
	}
}

func ids(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = prefix + string(rune('a'+i))
	}
	return all
}

// What a row of a moment ago refuses is not said to be refused when the one that is there
// cannot be read.
func TestARefusalIsOfTheRowThatIsThere(t *testing.T) {
	st := newStore(t)
	ago := mustPost(t, newBoard(t, st, runs), rankcurve.Post{Scores: scores{"xp": store.MaxScore}}).Entry
	l := &lagging{Store: &reads{Store: st, fails: runs.Name}, old: map[string]store.Entry{"ann": ago}}
	_, errs, err := newBoard(t, l, runs).PostAll(context.Background(), []rankcurve.Post{{Owner: "ann", Scores: scores{"xp": 1}}})
	if err != nil || !errors.Is(errs[0], errCut) || errors.Is(errs[0], store.ErrInvalid) {
		t.Errorf("%v, %v", errs, err)
	}
}
