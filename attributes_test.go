package rankcurve_test

import (
	"context"
	"maps"
	"testing"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// left is a store of which some owners have gone since its index was read: one is hidden,
// one is not there.
type left struct {
	store.Store
	hidden, gone string
}

func (l *left) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	entries, usage, err := l.Store.EntriesOf(ctx, b, owners)
	for i := range entries {
		switch entries[i].Owner {
		case l.hidden:
			entries[i].Hidden = true
		case l.gone:
			entries[i] = store.Entry{Owner: l.gone}
		}
	}
	return entries, usage, err
}

// Every listing has attributes on request, for a read of the table.
func TestViewsWithAttributes(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		def := twoColumns("games")
		racers(t, on, def)
		b := newBoard(t, on, def)
		want := rankcurve.Attributes{"ann": {"clan": "owls"}, "bob": {}, "cy": {"clan": "elks", "flag": "☃"}}
		for _, asked := range []bool{false, true} {
			var opts []rankcurve.ViewOption
			if asked {
				opts = append(opts, rankcurve.WithAttributes())
			}
			top, err := b.Top(ctx, "", 3, opts...)
			if err != nil {
				t.Fatal(err)
			}
			page, err := b.Page(ctx, rankcurve.PageQuery{}, opts...)
			if err != nil {
				t.Fatal(err)
			}
			around, err := b.Around(ctx, "", rankcurve.Exact, "ann", 5, opts...)
			if err != nil {
				t.Fatal(err)
			}
			score, err := b.AroundScore(ctx, "", rankcurve.Exact, 25, 5, opts...)
			if err != nil {
				t.Fatal(err)
			}
			if len(top.Rows) != 3 || len(page.Rows) != 3 || textOf(around) != "1bob 2cy [3ann]" || textOf(score) != "1bob [2] 2cy 3ann" {
				t.Errorf("%v, %v, %s, %s", top.Rows, page.Rows, textOf(around), textOf(score))
			}
			for what, got := range map[string]rankcurve.Attributes{"top": top.Attributes, "page": page.Attributes, "around": around.Attributes, "around a score": score.Attributes} {
				if asked != (got != nil) || asked && !maps.EqualFunc(got, want, maps.Equal) {
					t.Errorf("%s has %v, want %v: %t", what, got, want, asked)
				}
			}
			if reads := top.Usage.TableReads; asked != (reads > 0) {
				t.Errorf("attributes cost %v read units of the table: %t", reads, asked)
			}
		}
	})
}

// Who is hidden or gone since the index was read is in no listing with attributes; the
// others keep the ranks that they were read with.
func TestAttributesLeaveOutWhoIsGone(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 3)
	load(t, st, def, letters(9, 8, 7, 6, 5))
	b := newBoard(t, &left{Store: st, hidden: "b", gone: "d"}, def)
	with := rankcurve.WithAttributes()
	top, err := b.Top(ctx, "", 9, with)
	if err != nil || len(top.Rows) != 3 || top.Read != 5 || top.Rows[1] != (rankcurve.Row{Rank: 3, Owner: "c", Score: 7}) || len(top.Attributes) != 3 {
		t.Errorf("top: %+v, %v", top, err)
	}
	page, err := b.Page(ctx, rankcurve.PageQuery{Size: 4}, with)
	if err != nil || len(page.Rows) != 2 || page.Read != 4 || page.Rows[1].Owner != "c" || page.Cursor == "" {
		t.Errorf("page: %+v, %v", page, err)
	}
	around, err := b.Around(ctx, "", rankcurve.Exact, "c", 2, with)
	if err != nil || textOf(around) != "1a [3c] 5e" || around.Pivot.Of != 5 {
		t.Errorf("around: %s, %v", textOf(around), err)
	}
}
