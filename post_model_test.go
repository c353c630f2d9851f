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
	"github.com/rankcurve/rankcurve/store"
)

// plainRow is a row as the operators are described in words, to hold the posts against.
type plainRow struct {
	columns    []store.Column
	scores     scores
	attributes map[string]string
	ids        []string
	version    int64
}

// better says whether a score beats another by a column's order.
func better(c store.Column, score, than int64) bool {
	if c.Order == store.Asc {
		return score < than
	}
	return score > than
}

// post applies a post, and says whether it changes a score or an attribute. It fails
// where a sum leaves the range.
func (r *plainRow) post(p rankcurve.Post) (changed bool, err error) {
	first := r.columns[0]
	whole := p.Operator == store.BestRow || p.Operator == "" && first.Operator == store.BestRow && len(p.Scores) > 0
	if _, named := p.Scores[first.Name]; whole && !named {
		return false, store.ErrInvalid
	}
	if p.ID != "" && slices.Contains(r.ids, p.ID) {
		return false, nil
	}
	if p.Version != nil && *p.Version != r.version {
		return false, store.ErrConflict
	}
	next, attributes := maps.Clone(r.scores), maps.Clone(r.attributes)
	if whole {
		score := p.Scores[first.Name]
		if there, has := next[first.Name]; !has || better(first, score, there) {
			next, attributes = maps.Clone(p.Scores), maps.Clone(p.Attributes)
		}
	} else {
		for _, c := range r.columns {
			score, named := p.Scores[c.Name]
			if !named {
				continue
			}
			operator := p.Operator
			if operator == "" {
				operator = c.Operator
			}
			there, has := next[c.Name]
			switch {
			case !has || operator == store.Set, operator == store.Best && better(c, score, there), operator == store.Worst && better(c, there, score):
				next[c.Name] = score
			case operator == store.Sum && (there+score > store.MaxScore || there+score < -store.MaxScore):
				return false, store.ErrInvalid
			case operator == store.Sum:
				next[c.Name] = there + score
			}
		}
		maps.Copy(attributes, p.Attributes)
	}
	if next == nil {
		next = scores{}
	}
	if attributes == nil {
		attributes = map[string]string{}
	}
	changed = !maps.Equal(next, r.scores) || !maps.Equal(attributes, r.attributes)
	r.scores, r.attributes = next, attributes
	if p.ID != "" {
		r.ids = append(r.ids, p.ID)
		r.ids = r.ids[max(0, len(r.ids)-store.MaxPosts):]
	}
	if changed || p.ID != "" {
		r.version++
	}
	return changed, nil
}

func drawPost(t *rapid.T, columns []store.Column, version int64) rankcurve.Post {
	operators := append([]store.Operator{"", ""}, store.Operators()...)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	score := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.SampledFrom([]int64{store.MaxScore, -store.MaxScore, store.MaxScore - 1}))
	p := rankcurve.Post{
		Scores:     rapid.MapOfN(rapid.SampledFrom(names), score, 0, len(names)).Draw(t, "scores"),
		Attributes: rapid.MapOfN(rapid.SampledFrom([]string{"clan", "flag"}), rapid.SampledFrom([]string{"", "x", "y"}), 0, 2).Draw(t, "attributes"),
		Operator:   rapid.SampledFrom(operators).Draw(t, "operator"),
		ID:         rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z]`)).Draw(t, "id"),
	}
	if len(p.Scores)+len(p.Attributes) == 0 {
		p.Attributes = map[string]string{"clan": "z"}
	}
	if rapid.IntRange(0, 3).Draw(t, "is for a version") == 0 {
		at := max(0, version+rapid.Int64Range(-1, 1).Draw(t, "version off by"))
		p.Version = &at
	}
	return p
}

// Any posts in any order leave what the words say, alone and in batches, and answer
// what they changed.
func TestPostsAgreeWithAPlainModel(t *testing.T) {
	t.Run("bolt", func(t *testing.T) { postsAgree(t, newStore(t)) })
	t.Run("dynamodb", func(t *testing.T) {
		st := newTable(t, "lead", "side", "tail")
		checksInAHundred(t, 40)
		postsAgree(t, st)
	})
}

func postsAgree(t *testing.T, st store.Store) {
	t.Helper()
	ctx, own := context.Background(), []store.Operator{store.Set, store.Sum, store.Best, store.Worst}
	var boards atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		columns := []store.Column{
			{Name: "lead", Operator: rapid.SampledFrom(store.Operators()).Draw(t, "first operator")},
			{Name: "side", Operator: rapid.SampledFrom(own).Draw(t, "second operator")},
			{Name: "tail", Operator: rapid.SampledFrom(own).Draw(t, "third operator")},
		}
		for i := range columns {
			columns[i].Order = rapid.SampledFrom([]store.Order{store.Desc, store.Asc}).Draw(t, "order")
		}
		b, err := rankcurve.New(ctx, st, store.Board{Name: fmt.Sprintf("model-%d", boards.Add(1)), Shards: 2, Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		row := plainRow{columns: columns, scores: scores{}, attributes: map[string]string{}}
		for range rapid.IntRange(1, 25).Draw(t, "calls") {
			postLike(t, b, &row)
		}
		got, _, err := st.Entry(ctx, b.Definition(), "ann")
		if errors.Is(err, store.ErrNotFound) {
			got = store.Entry{}
		} else if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got.Scores, row.scores) || !maps.Equal(got.Attributes, row.attributes) || !slices.Equal(got.Posts, row.ids) || got.Version != row.version {
			t.Fatalf("stored %+v, want %+v", got, row)
		}
	})
}

// postLike posts to both, alone or several together, and compares the answers.
func postLike(t *rapid.T, b *rankcurve.Board, row *plainRow) {
	posts := make([]rankcurve.Post, rapid.IntRange(1, 3).Draw(t, "posts"))
	for i := range posts {
		posts[i] = drawPost(t, row.columns, row.version)
		posts[i].Owner = "ann"
	}
	base := row.version
	posted, errs := make([]rankcurve.Posted, len(posts)), make([]error, len(posts))
	if len(posts) == 1 {
		posted[0], errs[0] = b.Post(context.Background(), posts[0])
	} else {
		var err error
		if posted, errs, err = b.PostAll(context.Background(), posts); err != nil {
			t.Fatal(err)
		}
	}
	written := false
	for i, p := range posts {
		before, version := maps.Clone(row.scores), row.version
		row.version = base // a version is that of the row before them all
		changed, err := row.post(p)
		written = written || row.version > base
		row.version = version
		if !errors.Is(errs[i], err) || (err == nil) != (errs[i] == nil) {
			t.Fatalf("%+v: %v, want %v", p, errs[i], err)
		}
		if err != nil {
			continue
		}
		if posted[i].Changed != changed || !maps.Equal(posted[i].Entry.Scores, row.scores) || !maps.Equal(posted[i].Entry.Attributes, row.attributes) {
			t.Fatalf("%+v: %+v, want %+v changed %t", p, posted[i], row, changed)
		}
		checkChanges(t, row.columns, p, posted[i], before, row.scores)
	}
	if written {
		row.version = base + 1
	}
	for i := range posts {
		if errs[i] == nil && posted[i].Entry.Version != row.version {
			t.Fatalf("post %d is of version %d, want %d", i, posted[i].Entry.Version, row.version)
		}
	}
}

// checkChanges wants the columns that the post names or takes away, in order, with the
// scores before and after.
func checkChanges(t *rapid.T, columns []store.Column, p rankcurve.Post, posted rankcurve.Posted, before, after scores) {
	var want []string
	for _, c := range columns {
		_, named := p.Scores[c.Name]
		old, was := before[c.Name]
		now, is := after[c.Name]
		if !named && was == is && old == now {
			continue
		}
		want = append(want, c.Name)
		i := slices.IndexFunc(posted.Changes, func(ch rankcurve.Change) bool { return ch.Column == c.Name })
		if i < 0 {
			t.Fatalf("%+v: no change of %s", p, c.Name)
		}
		got := posted.Changes[i]
		if (got.Before != nil) != was || value(got.Before) != old || (got.After != nil) != is || value(got.After) != now || got.Changed() != (was != is || old != now) {
			t.Fatalf("%+v: change %+v of %s, want %d (%t) to %d (%t)", p, got, c.Name, old, was, now, is)
		}
	}
	if len(want) != len(posted.Changes) || !slices.IsSortedFunc(posted.Changes, func(a, b rankcurve.Change) int {
		return slices.Index(want, a.Column) - slices.Index(want, b.Column)
	}) {
		t.Fatalf("%+v: changes %+v, want %v", p, posted.Changes, want)
	}
}
