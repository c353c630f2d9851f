package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// runs is a board with a column for every operator.
var runs = boardOf("runs", 3,
	store.Column{Name: "level", Order: store.Desc, Operator: store.Set},
	store.Column{Name: "xp", Order: store.Desc, Operator: store.Sum},
	store.Column{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2},
	store.Column{Name: "streak", Order: store.Desc, Operator: store.Best},
)

type scores = map[string]int64

func TestOperators(t *testing.T) {
	ctx, now := context.Background(), newClock()
	b := newBoard(t, newStore(t), runs, rankcurve.WithClock(now.Now))
	steps := []struct {
		operator store.Operator
		post     scores
		want     scores
		changed  bool
	}{
		{"", scores{"level": 3, "xp": 10, "time": 500, "streak": 4}, scores{"level": 3, "xp": 10, "time": 500, "streak": 4}, true},
		{"", scores{"level": 2, "xp": -4, "time": 600, "streak": 3}, scores{"level": 2, "xp": 6, "time": 500, "streak": 4}, true},
		{"", scores{"time": 499, "streak": 5}, scores{"level": 2, "xp": 6, "time": 499, "streak": 5}, true},
		{"", scores{"time": 499, "streak": 1, "xp": 0, "level": 2}, scores{"level": 2, "xp": 6, "time": 499, "streak": 5}, false},
		{store.Set, scores{"xp": 1, "time": 900}, scores{"level": 2, "xp": 1, "time": 900, "streak": 5}, true},
		{store.Sum, scores{"level": 1, "time": -1}, scores{"level": 3, "xp": 1, "time": 899, "streak": 5}, true},
		{store.Best, scores{"level": 2, "xp": 7}, scores{"level": 3, "xp": 7, "time": 899, "streak": 5}, true},
	}
	version, updated := int64(0), now.Now()
	for i, s := range steps {
		now.Advance(time.Second)
		posted, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: s.post, Operator: s.operator})
		if err != nil || posted.Changed != s.changed || !maps.Equal(posted.Entry.Scores, s.want) {
			t.Errorf("step %d: %+v, %v, want %v", i, posted, err, s.want)
		}
		if s.changed {
			version, updated = version+1, now.Now()
		}
		if posted.Entry.Version != version || !posted.Entry.Updated.Equal(updated) {
			t.Errorf("step %d: version %d of %v, want %d of %v", i, posted.Entry.Version, posted.Entry.Updated, version, updated)
		}
	}
}

func TestAttributesAreMerged(t *testing.T) {
	ctx, b := context.Background(), newBoard(t, newStore(t), runs)
	for i, s := range []struct {
		post, want map[string]string
		changed    bool
	}{
		{map[string]string{"clan": "owls", "flag": "no"}, map[string]string{"clan": "owls", "flag": "no"}, true},
		{map[string]string{"clan": "cats"}, map[string]string{"clan": "cats", "flag": "no"}, true},
		{map[string]string{"clan": "cats"}, map[string]string{"clan": "cats", "flag": "no"}, false},
		{map[string]string{"note": ""}, map[string]string{"clan": "cats", "flag": "no", "note": ""}, true},
	} {
		posted, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Attributes: s.post})
		if err != nil || posted.Changed != s.changed || !maps.Equal(posted.Entry.Attributes, s.want) {
			t.Errorf("step %d: %+v, %v, want %v", i, posted, err, s.want)
		}
	}
}

func TestTheSamePostTwiceChangesNothing(t *testing.T) {
	ctx, b := context.Background(), newBoard(t, newStore(t), runs)
	post := func(id string) rankcurve.Posted {
		t.Helper()
		posted, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 5}, ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return posted
	}
	first := post("a")
	if again := post("a"); again.Changed || again.Entry.Version != first.Entry.Version || again.Entry.Scores["xp"] != 5 {
		t.Errorf("again: %+v", again)
	}
	for i := range store.MaxPosts {
		post(fmt.Sprint(i))
	}
	last := post("0")
	if last.Changed || last.Entry.Scores["xp"] != 5+5*store.MaxPosts || len(last.Entry.Posts) != store.MaxPosts {
		t.Errorf("after %d others: %+v", store.MaxPosts, last)
	}
	if forgotten := post("a"); !forgotten.Changed {
		t.Errorf("an id beyond the last %d is still known: %+v", store.MaxPosts, forgotten)
	}
}

// A post that changes nothing is remembered too: it may not change anything later.
func TestAPostWithoutEffectIsRemembered(t *testing.T) {
	ctx, b := context.Background(), newBoard(t, newStore(t), runs)
	for i, p := range []rankcurve.Post{
		{Scores: scores{"level": 5}, ID: "a"}, {Scores: scores{"level": 5}, ID: "b"}, {Scores: scores{"level": 9}, ID: "c"}, {Scores: scores{"level": 5}, ID: "b"},
	} {
		p.Owner = "ann"
		want := []int64{5, 5, 9, 9}[i]
		if posted, err := b.Post(ctx, p); err != nil || posted.Entry.Scores["level"] != want {
			t.Errorf("post %d: %+v, %v, want level %d", i, posted, err, want)
		}
	}
}

func TestRefusedPostsWriteNothing(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	b := newBoard(t, st, runs)
	before, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": store.MaxScore - 1, "level": 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		post rankcurve.Post
		want error
		text string
	}{
		{rankcurve.Post{Owner: "ann", Scores: scores{"xp": 2, "level": 2}}, store.ErrInvalid, `"ann": column "xp": the sum`},
		{rankcurve.Post{Owner: "ann", Scores: scores{"level": store.MaxScore + 1}}, store.ErrInvalid, `"ann": column "level"`},
		{rankcurve.Post{Owner: "ann", Scores: scores{"xp": -1 << 63}}, store.ErrInvalid, `"ann": column "xp"`},
		{rankcurve.Post{Owner: "ann", Scores: scores{"gold": 2, "level": 2}}, store.ErrNoColumn, "it has: level, xp, time, streak"},
		{rankcurve.Post{Owner: "ann", Scores: scores{"": 2}}, store.ErrNoColumn, "without a column"},
		{rankcurve.Post{Owner: "", Scores: scores{"level": 2}}, store.ErrInvalid, "owner is empty"},
		{rankcurve.Post{Owner: "#ann", Scores: scores{"level": 2}}, store.ErrInvalid, "starts with #"},
		{rankcurve.Post{Owner: "ann"}, store.ErrInvalid, "neither a score nor an attribute"},
		{rankcurve.Post{Owner: "ann", Scores: scores{"level": 2}, Operator: "max"}, store.ErrInvalid, `operator "max" is none of set, sum, best, worst, best_row`},
		{rankcurve.Post{Owner: "ann", Scores: scores{"level": 2}, ID: strings.Repeat("x", 256)}, store.ErrInvalid, "post id of 256 bytes"},
		{rankcurve.Post{Owner: "ann", Attributes: map[string]string{"": "x"}}, store.ErrInvalid, "attribute"},
	} {
		if _, err := b.Post(ctx, c.post); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "runs") {
			t.Errorf("%+v: %v, want %v with %q", c.post, err, c.want, c.text)
		}
		if _, errs, err := b.PostAll(ctx, []rankcurve.Post{c.post}); err != nil || !errors.Is(errs[0], c.want) || !strings.Contains(errs[0].Error(), c.text) {
			t.Errorf("%+v in a batch: %v, %v, want %v with %q", c.post, errs, err, c.want, c.text)
		}
	}
	after, _, err := st.Entry(ctx, runs, "ann")
	if err != nil || after.Version != before.Entry.Version {
		t.Errorf("%+v, %v: something was written", after, err)
	}
}

func TestHiddenOwnersStayHidden(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	b := newBoard(t, st, runs)
	if _, err := st.Put(ctx, runs, store.Entry{Owner: "cheat", Hidden: true}); err != nil {
		t.Fatal(err)
	}
	posted, err := b.Post(ctx, rankcurve.Post{Owner: "cheat", Scores: scores{"xp": 5}})
	if err != nil || !posted.Entry.Hidden || posted.Entry.Scores["xp"] != 5 {
		t.Errorf("%+v, %v", posted, err)
	}
}

// Sixteen writers add to one score at once, and send again what was refused, as a
// client with post ids can: nothing is lost and nothing counted twice.
func TestConcurrentSumsAreExact(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	b := newBoard(t, st, runs)
	const writers, posts = 16, 12
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range posts {
				p := rankcurve.Post{Owner: "ann", Scores: scores{"xp": int64(w + 1)}, ID: fmt.Sprintf("%d-%d", w, i)}
				_, err := b.Post(ctx, p)
				for errors.Is(err, store.ErrConflict) {
					_, err = b.Post(ctx, p)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	row, _, err := st.Entry(ctx, runs, "ann")
	if want := int64(posts * writers * (writers + 1) / 2); err != nil || row.Scores["xp"] != want || row.Version != writers*posts {
		t.Errorf("%+v, %v, want xp %d after %d writes", row, err, want, writers*posts)
	}
}

// contested is a store where another writer is always first.
type contested struct {
	store.Store
	puts, wins int // calls, and which of them succeeds
}

func (c *contested) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	if c.puts++; c.puts == c.wins {
		return c.Store.Put(ctx, b, e)
	}
	return store.Usage{}, fmt.Errorf("put: %w", store.ErrConflict)
}

func (c *contested) PutAll(ctx context.Context, b store.Board, entries []store.Entry) ([]error, store.Usage, error) {
	if c.puts++; c.puts == c.wins {
		return c.Store.PutAll(ctx, b, entries)
	}
	errs := make([]error, len(entries))
	for i := range errs {
		errs[i] = fmt.Errorf("put: %w", store.ErrConflict)
	}
	return errs, store.Usage{}, nil
}

func TestConflictsAreTriedAgain(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	p := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}
	post := map[string]func(b *rankcurve.Board) error{
		"Post": func(b *rankcurve.Board) error { _, err := b.Post(ctx, p); return err },
		"PostAll": func(b *rankcurve.Board) error {
			_, errs, err := b.PostAll(ctx, []rankcurve.Post{p})
			return errors.Join(append(errs, err)...)
		},
	}
	for name, post := range post {
		third := &contested{Store: st, wins: 3}
		if err := post(newBoard(t, third, runs)); err != nil || third.puts != 3 {
			t.Errorf("%s: %v after %d tries, want success at the third", name, err, third.puts)
		}
		never := &contested{Store: st}
		if err := post(newBoard(t, never, runs)); !errors.Is(err, store.ErrConflict) || never.puts != 10 || !strings.Contains(err.Error(), "tried 10 times") || !strings.Contains(err.Error(), `owner "ann"`) {
			t.Errorf("%s: %v after %d tries, want ErrConflict after 10", name, err, never.puts)
		}
	}
}

func TestPostEndsWithItsContext(t *testing.T) {
	b := newBoard(t, &contested{Store: newStore(t)}, runs)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}
	if _, err := b.Post(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	if _, errs, err := b.PostAll(ctx, []rankcurve.Post{p}); !errors.Is(err, context.Canceled) || !errors.Is(errs[0], context.Canceled) {
		t.Errorf("%v, %v, want context.Canceled", errs, err)
	}
}

func TestPostAll(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	b := newBoard(t, st, runs)
	posts := []rankcurve.Post{
		{Owner: "ann", Scores: scores{"xp": 1}, ID: "a"},
		{Owner: "bob", Scores: scores{"xp": 5}},
		{Owner: "ann", Scores: scores{"xp": 2}, ID: "b"},
		{Owner: "ann", Scores: scores{"gold": 2}},
		{Owner: "ann", Scores: scores{"xp": 2}, ID: "a"},
		{Owner: "ann", Scores: scores{"xp": store.MaxScore}},
		{Owner: "ann", Scores: scores{"level": 7}},
		{Owner: ""},
	}
	posted, errs, err := b.PostAll(ctx, posts)
	if err != nil {
		t.Fatal(err)
	}
	wantXP := []int64{1, 5, 3, 0, 3, 0, 3, 0}
	wantErrs := []error{nil, nil, nil, store.ErrNoColumn, nil, store.ErrInvalid, nil, store.ErrInvalid}
	for i := range posts {
		if !errors.Is(errs[i], wantErrs[i]) || posted[i].Entry.Scores["xp"] != wantXP[i] || posted[i].Changed != (wantErrs[i] == nil && i != 4) {
			t.Errorf("post %d: %+v, %v, want xp %d, %v", i, posted[i], errs[i], wantXP[i], wantErrs[i])
		}
	}
	row, _, err := st.Entry(ctx, runs, "ann")
	if err != nil || !maps.Equal(row.Scores, scores{"xp": 3, "level": 7}) || !slices.Equal(row.Posts, []string{"a", "b"}) || posted[0].Entry.Version != row.Version {
		t.Errorf("stored %+v, %v, the posts say version %d", row, err, posted[0].Entry.Version)
	}
	if posted, errs, err := b.PostAll(ctx, nil); err != nil || len(posted)+len(errs) != 0 {
		t.Errorf("nothing: %v, %v, %v", posted, errs, err)
	}
}

func TestConcurrentBatchesAreExact(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	b := newBoard(t, st, runs)
	var writing sync.WaitGroup
	const writers, owners = 4, 25
	for w := range writers {
		posts := make([]rankcurve.Post, 0, 2*owners)
		for i := range 2 * owners {
			posts = append(posts, rankcurve.Post{Owner: fmt.Sprint("player-", i%owners), Scores: scores{"xp": 1}, ID: fmt.Sprint(w, "-", i)})
		}
		writing.Go(func() {
			_, errs, err := b.PostAll(ctx, posts)
			for errors.Is(errors.Join(errs...), store.ErrConflict) {
				_, errs, err = b.PostAll(ctx, posts)
			}
			if err := errors.Join(append(errs, err)...); err != nil {
				t.Error(err)
			}
		})
	}
	writing.Wait()
	for i := range owners {
		row, _, err := st.Entry(ctx, runs, fmt.Sprint("player-", i))
		if err != nil || row.Scores["xp"] != 2*writers {
			t.Errorf("%+v, %v, want xp %d", row, err, 2*writers)
		}
	}
}

// A post for a version meets another writer once, and is not tried again.
func TestPostForAVersionIsNotTriedAgain(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	if _, err := newBoard(t, st, runs).Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}); err != nil {
		t.Fatal(err)
	}
	never, at := &contested{Store: st}, int64(1)
	p := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, Version: &at}
	if _, err := newBoard(t, never, runs).Post(ctx, p); !errors.Is(err, store.ErrConflict) || never.puts != 1 {
		t.Errorf("%v after %d tries, want ErrConflict after one", err, never.puts)
	}
	_, errs, err := newBoard(t, never, runs).PostAll(ctx, []rankcurve.Post{p})
	if err != nil || !errors.Is(errs[0], store.ErrConflict) || never.puts != 2 {
		t.Errorf("%v, %v after %d tries, want ErrConflict after one", errs, err, never.puts)
	}
	below := int64(-1)
	if _, err := newBoard(t, st, runs).Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, Version: &below}); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "version -1") {
		t.Errorf("%v, want ErrInvalid", err)
	}
}

// Ranks are those that a question would be answered with before the post and after it,
// and cost no read of an index.
func TestPostAnswersWithRanks(t *testing.T) {
	ctx, def := context.Background(), boardOf("games", 4)
	st := &double{Store: newStore(t)}
	all := spread(2000, func(i int) int64 { return int64(i) * 5 })
	b := newBoard(t, st, def)
	load(t, st, def, all)
	post := func(owner string, xp int64) rankcurve.Change {
		t.Helper()
		posted, err := b.Post(ctx, rankcurve.Post{Owner: owner, Scores: scores{"xp": xp}, Ranks: true})
		if err != nil || len(posted.Changes) != 1 {
			t.Fatal(posted, err)
		}
		return posted.Changes[0]
	}
	if c := post("player-000010", 55); !errors.Is(c.RankErr, rankcurve.ErrNoCurve) || c.RankBefore != nil || c.RankAfter != nil || *c.Before != 50 || *c.After != 55 {
		t.Errorf("without a curve: %+v", c)
	}
	publish(t, st, def, 1, all)
	b = newBoard(t, st, def)
	st.rows = func(store.Query) error { return errors.New("an index was read") }
	ask := func(owner string) rankcurve.Rank {
		t.Helper()
		answers, _, err := b.Rank(ctx, "xp", rankcurve.Estimate, owner)
		if err != nil || answers[0].Err != nil {
			t.Fatal(answers, err)
		}
		return answers[0].Rank
	}
	before := ask("player-000700")
	c := post("player-000700", 7000)
	if c.RankErr != nil || *c.RankBefore != before || *c.RankAfter != ask("player-000700") || c.RankAfter.Rank >= before.Rank {
		t.Errorf("%+v to %+v, %v; asked, it was %+v and is %+v", c.RankBefore, c.RankAfter, c.RankErr, before, ask("player-000700"))
	}
	if c := post("newcomer", 7000); c.RankBefore != nil || c.RankAfter == nil || c.RankErr != nil {
		t.Errorf("newcomer: %+v", c)
	}
	if _, err := st.Put(ctx, def, store.Entry{Owner: "cheat", Hidden: true}); err != nil {
		t.Fatal(err)
	}
	if c := post("cheat", 7000); c.RankAfter != nil || !errors.Is(c.RankErr, store.ErrNotFound) || !strings.Contains(c.RankErr.Error(), "hidden") {
		t.Errorf("hidden: %+v", c)
	}
}
