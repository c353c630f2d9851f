package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// allPages follows the cursors from the first page to the last.
func allPages(tb tester, b *rankcurve.Board, q rankcurve.PageQuery) (rows []rankcurve.Row, pages []rankcurve.Page) {
	tb.Helper()
	for {
		page, err := b.Page(context.Background(), q)
		if err != nil {
			tb.Fatalf("page %d: %v", len(pages)+1, err)
		}
		rows, pages = append(rows, page.Rows...), append(pages, page)
		if page.Read != int64(len(rows)) || page.Size > 0 && len(page.Rows) > page.Size {
			tb.Fatalf("page %d of %d rows, %d read after %d", len(pages), len(page.Rows), page.Read, len(rows))
		}
		if page.Cursor == "" {
			return rows, pages
		}
		if len(page.Rows) != page.Size {
			tb.Fatalf("page %d has %d of %d rows, and more follow", len(pages), len(page.Rows), page.Size)
		}
		q = rankcurve.PageQuery{Cursor: page.Cursor}
	}
}

func TestPagesAreTheWholeBoard(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		for i, c := range []struct {
			what   string
			scores map[string]int64
			size   int
			pages  int
		}{
			{"nobody", nil, 3, 1},
			{"one", letters(5), 3, 1},
			{"fewer than a page", letters(5, 4), 3, 1},
			{"just a page", letters(5, 4, 3), 3, 1},
			{"one more", letters(6, 5, 4, 3), 3, 2},
			{"a tie across the end", letters(9, 7, 7, 7, 3), 3, 2},
			{"a tie that ends with a page", letters(9, 7, 7, 3), 3, 2},
			{"a tie that begins with a page", letters(9, 8, 7, 7, 7), 2, 3},
			{"a tie over many pages", letters(9, 7, 7, 7, 7, 7, 7, 7, 3), 2, 5},
			{"all on one score", letters(4, 4, 4, 4, 4, 4, 4), 2, 4},
			{"one by one", letters(9, 7, 7, 7, 3, 3), 1, 6},
			{"the extremes", letters(store.MaxScore, store.MaxScore, 0, -store.MaxScore, -store.MaxScore), 1, 5},
		} {
			for _, order := range []store.Order{store.Desc, store.Asc} {
				def := boardOf(fmt.Sprintf("b%d-%s", i, order), 3, store.Column{Name: "xp", Order: order, Operator: store.Set})
				b := newBoard(t, on, def)
				load(t, on, def, c.scores)
				rows, pages := allPages(t, b, rankcurve.PageQuery{Size: c.size})
				on.wantRows(t, c.what, c.scores, rows, oracle(def.Columns[0], c.scores))
				if len(pages) != c.pages {
					t.Errorf("%s: %d pages, want %d", c.what, len(pages), c.pages)
				}
			}
		}
	})
}

// The whole of a board of 100,000 in 16 shards, with ties: each entry once, in order,
// with its exact rank, for about the rows that are answered.
func TestPagesOfAHundredThousand(t *testing.T) {
	const entries, size, shards = 100_000, 1000, 16
	st, def := newStore(t), boardOf("games", shards)
	scores := spread(entries, func(i int) int64 { return int64(i) * 7919 % 30_011 })
	b := newBoard(t, st, def)
	load(t, st, def, scores)
	rows, pages := allPages(t, b, rankcurve.PageQuery{Size: size})
	if want := oracle(def.Columns[0], scores); !slices.Equal(rows, want) {
		t.Fatalf("the pages have %d rows and are not what sorting gives", len(rows))
	}
	most, longest, read := 0, 0, 0
	for _, page := range pages {
		most, longest, read = max(most, page.RowsRead), max(longest, len(page.Cursor)), read+page.RowsRead
	}
	if len(pages) != entries/size || most > 2*size {
		t.Errorf("%d pages, %d rows read for one of %d", len(pages), most, size)
	}
	t.Logf("%d pages of %d rows read %d rows on average and %d at most; cursors have up to %d letters", len(pages), size, read/len(pages), most, longest)
}

// A cursor is as long as what it must hold: one owner, or inside a tie one of each
// shard that has a part of it.
func TestCursorsAreCompact(t *testing.T) {
	st := newStore(t)
	for _, c := range []struct {
		what  string
		score func(i int) int64
		most  int
	}{
		{"no ties", func(i int) int64 { return int64(i) * 1_000_003 }, 160},
		{"ties of three", func(i int) int64 { return int64(i / 3) }, 240},
		{"all on one score", func(int) int64 { return 1500 }, 2600},
	} {
		def := boardOf("games-"+strings.ReplaceAll(c.what, " ", "-"), 64)
		b := newBoard(t, st, def)
		scores := map[string]int64{}
		for i := range 20_000 {
			scores[uuid(i)] = c.score(i)
		}
		load(t, st, def, scores)
		page, err := b.Page(context.Background(), rankcurve.PageQuery{Size: 5000})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("64 shards, owners are UUIDs, %s: %d letters", c.what, len(page.Cursor))
		if len(page.Cursor) > c.most || !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(page.Cursor) {
			t.Errorf("%s: %d letters, want %d at most, of a URL: %s", c.what, len(page.Cursor), c.most, page.Cursor)
		}
	}
}

// uuid is a text of a UUID's form, of a number.
func uuid(i int) string {
	x := uint64(i+1) * 0x9E3779B97F4A7C15
	y := x * 0xD1B54A32D192ED03
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", x>>32, x>>16&0xffff, x&0xfff, y>>52, y&0xffffffffffff)
}

func TestPageSizes(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 2)
	b := newBoard(t, st, def)
	load(t, st, def, spread(250, func(i int) int64 { return int64(i) }))
	for _, size := range []int{-1, rankcurve.MaxPage + 1} {
		if _, err := b.Page(ctx, rankcurve.PageQuery{Size: size}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("size %d: %v, want ErrInvalid", size, err)
		}
	}
	if _, err := b.Page(ctx, rankcurve.PageQuery{Column: "gold"}); !errors.Is(err, store.ErrNoColumn) {
		t.Errorf("%v, want ErrNoColumn", err)
	}
	page, err := b.Page(ctx, rankcurve.PageQuery{})
	if err != nil || len(page.Rows) != rankcurve.DefaultPage || page.Size != rankcurve.DefaultPage {
		t.Errorf("the default page has %d rows, %v", len(page.Rows), err)
	}
}

// What changes between two pages neither stops the reading nor turns ranks back.
func TestPagesWhileTheBoardChanges(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		ctx, def := context.Background(), boardOf("games", 3)
		b := newBoard(t, on, def)
		load(t, on, def, letters(90, 80, 80, 80, 70, 60, 50, 50))
		q, rank, seen := rankcurve.PageQuery{Size: 2}, int64(0), map[string]int{}
		for number := 0; ; number++ {
			page, err := b.Page(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range page.Rows {
				if row.Rank < rank {
					t.Errorf("rank %d after %d", row.Rank, rank)
				}
				rank = row.Rank
				seen[row.Owner]++
			}
			if number == 0 { // the row that the cursor stands on goes, another falls behind, one comes before
				last := page.Rows[1].Owner
				entry, _, err := on.Entry(ctx, def, last)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := on.Delete(ctx, def, last, entry.Version); err != nil {
					t.Fatal(err)
				}
				load(t, on, def, map[string]int64{"a": 10, "new": 1000})
			}
			if page.Cursor == "" {
				break
			}
			q.Cursor = page.Cursor
		}
		for _, owner := range []string{"b", "c", "d", "e", "f", "g", "h"} {
			if seen[owner] != 1 {
				t.Errorf("%s came %d times, want once", owner, seen[owner])
			}
		}
		if seen["a"] != 2 || seen["new"] != 0 {
			t.Errorf("the one that fell came %d times, the new best %d times", seen["a"], seen["new"])
		}
	})
}

func TestCursorsOfAnotherProcess(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		ctx, def := context.Background(), boardOf("games", 3)
		load(t, on, def, letters(5, 4, 3, 2))
		first, err := newBoard(t, on, def).Page(ctx, rankcurve.PageQuery{Size: 3})
		if err != nil {
			t.Fatal(err)
		}
		other, err := rankcurve.Open(ctx, on, "games")
		if err != nil {
			t.Fatal(err)
		}
		second, err := other.Page(ctx, rankcurve.PageQuery{Cursor: first.Cursor})
		if err != nil || !slices.Equal(second.Rows, []rankcurve.Row{{Rank: 4, Owner: "d", Score: 2}}) || second.Cursor != "" {
			t.Errorf("%+v, %v", second, err)
		}
	})
}

func TestCursorsThatDoNotFit(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	key := []byte("0123456789abcdef")
	two := boardOf("games", 2, store.Column{Name: "xp", Order: store.Desc, Operator: store.Set}, store.Column{Name: "time", Order: store.Asc, Operator: store.Set})
	open := func(st store.Store, def store.Board, opts ...rankcurve.Option) *rankcurve.Board {
		return newBoard(t, st, def, append([]rankcurve.Option{rankcurve.WithCursorKey(key), rankcurve.WithClock(clock.Now)}, opts...)...)
	}
	st := newStore(t)
	b := open(st, two)
	load(t, st, two, letters(5, 4, 3, 2))
	page, err := b.Page(ctx, rankcurve.PageQuery{Size: 2})
	if err != nil {
		t.Fatal(err)
	}
	cursor := page.Cursor
	other := boardOf("other", 2)
	elsewhere := newStore(t)
	wrongKey := newBoard(t, st, two, rankcurve.WithCursorKey([]byte("fedcba9876543210")))
	for what, c := range map[string]struct {
		board *rankcurve.Board
		query rankcurve.PageQuery
		text  string
	}{
		"nonsense":              {b, rankcurve.PageQuery{Cursor: "hello"}, "not"},
		"no base64":             {b, rankcurve.PageQuery{Cursor: "%%%"}, "it is not one, or not a whole one"},
		"a line end":            {b, rankcurve.PageQuery{Cursor: cursor[:9] + "\n" + cursor[9:]}, "it is not one"},
		"cut":                   {b, rankcurve.PageQuery{Cursor: cursor[:len(cursor)-4]}, "signature does not fit"},
		"cut short":             {b, rankcurve.PageQuery{Cursor: cursor[:12]}, "not a whole one"},
		"longer":                {b, rankcurve.PageQuery{Cursor: cursor + "AAAA"}, "signature does not fit"},
		"another version":       {b, rankcurve.PageQuery{Cursor: "Bw" + cursor[2:]}, "version 7, and this program knows version 1"},
		"huge":                  {b, rankcurve.PageQuery{Cursor: strings.Repeat("A", 1<<20)}, "more than any cursor"},
		"another board":         {open(st, other), rankcurve.PageQuery{Cursor: cursor}, "of another board"},
		"another store":         {open(elsewhere, two), rankcurve.PageQuery{Cursor: cursor}, "of another board, or of this one before it was made anew"},
		"another column":        {b, rankcurve.PageQuery{Cursor: cursor, Column: "time"}, `of column "xp", not of "time"`},
		"another size":          {b, rankcurve.PageQuery{Cursor: cursor, Size: 3}, "pages of 2 rows, not of 3"},
		"another key":           {wrongKey, rankcurve.PageQuery{Cursor: cursor}, "signature does not fit"},
		"the store's own key":   {newBoard(t, st, two), rankcurve.PageQuery{Cursor: cursor}, "signature does not fit"},
		"one letter other":      {b, rankcurve.PageQuery{Cursor: flip(cursor, 40)}, "signature does not fit"},
		"the last letter other": {b, rankcurve.PageQuery{Cursor: flip(cursor, len(cursor)-1)}, ""},
	} {
		_, err := c.board.Page(ctx, c.query)
		if !errors.Is(err, rankcurve.ErrBadCursor) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "start again from the first page") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, q := range map[string]rankcurve.PageQuery{"bare": {Cursor: cursor}, "with its column": {Cursor: cursor, Column: "xp"}, "with its size": {Cursor: cursor, Size: 2}} {
		if page, err := b.Page(ctx, q); err != nil || len(page.Rows) != 2 || page.Rows[0].Rank != 3 {
			t.Errorf("%s: %+v, %v", what, page.Rows, err)
		}
	}
	strict := open(st, two, rankcurve.WithCursorMaxAge(time.Hour))
	clock.Advance(time.Hour)
	if _, err := strict.Page(ctx, rankcurve.PageQuery{Cursor: cursor}); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	clock.Advance(2 * time.Second)
	if _, err := strict.Page(ctx, rankcurve.PageQuery{Cursor: cursor}); !errors.Is(err, rankcurve.ErrBadCursor) || !strings.Contains(err.Error(), "1h0m2s old, and 1h0m0s is allowed") {
		t.Errorf("too old: %v", err)
	}
	if _, err := open(st, two, rankcurve.WithCursorKey([]byte("short"))).Page(ctx, rankcurve.PageQuery{}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("a short key: %v", err)
	}
}

// Who opened a board before it was made anew with fewer shards reads the old ones, and learns
// the new board's ID: its cursor has places in shards that are none, or of other owners.
func TestCursorsOfOtherShards(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	st := &double{Store: newStore(t)}
	opts := []rankcurve.Option{rankcurve.WithCursorKey([]byte("0123456789abcdef")), rankcurve.WithClock(clock.Now), rankcurve.WithCurvePoll(0)}
	old := newBoard(t, st, boardOf("games", 4), opts...)
	st.Store = newStore(t)
	anew := newBoard(t, st, boardOf("games", 2), opts...)
	load(t, st, anew.Definition(), letters(9, 8, 7, 6, 5, 4, 3, 2))
	publish(t, st, anew.Definition(), 1, letters(9))
	clock.Advance(time.Minute)
	if _, err := old.Curve(ctx, ""); err != nil { // and learns the ID
		t.Fatal(err)
	}
	page, err := old.Page(ctx, rankcurve.PageQuery{Size: 1})
	if err != nil || page.Cursor == "" {
		t.Fatal(page, err)
	}
	if page, err := anew.Page(ctx, rankcurve.PageQuery{Cursor: page.Cursor}); !errors.Is(err, rankcurve.ErrBadCursor) {
		t.Errorf("%+v, %v, want ErrBadCursor", page.Rows, err)
	}
}

// Every store signs with a key of its own, where none is given: a cursor of another one is
// refused though the board is the same in all that a cursor knows of it.
func TestStoresSignWithTheirOwnKeys(t *testing.T) {
	ctx, def := context.Background(), boardOf("games", 2).Stamped(newClock().Now())
	var cursors [2]string
	var boards [2]*rankcurve.Board
	for i := range boards {
		st := newStore(t)
		b := newBoard(t, st, def)
		load(t, st, def, letters(5, 4, 3, 2))
		page, err := b.Page(ctx, rankcurve.PageQuery{Size: 2})
		if err != nil {
			t.Fatal(err)
		}
		cursors[i], boards[i] = page.Cursor, b
	}
	for i, b := range boards {
		if _, err := b.Page(ctx, rankcurve.PageQuery{Cursor: cursors[i]}); err != nil {
			t.Error(err)
		}
		if _, err := b.Page(ctx, rankcurve.PageQuery{Cursor: cursors[1-i]}); !errors.Is(err, rankcurve.ErrBadCursor) || !strings.Contains(err.Error(), "signature does not fit") {
			t.Errorf("a cursor of another store: %v", err)
		}
	}
}

func flip(text string, at int) string {
	letter := byte('A')
	if text[at] == letter {
		letter = 'Q'
	}
	return text[:at] + string(letter) + text[at+1:]
}

func TestPageNamesTheShardThatFails(t *testing.T) {
	def := boardOf("games", 5)
	st := &double{Store: newStore(t)}
	b := newBoard(t, st, def)
	load(t, st, def, letters(9, 8, 7))
	st.rows = func(q store.Query) error {
		if q.Partition.Shard == 3 {
			return store.ErrUnavailable
		}
		return nil
	}
	_, err := b.Page(context.Background(), rankcurve.PageQuery{})
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "games.xp shard 3") {
		t.Errorf("%v, want ErrUnavailable that names the shard", err)
	}
}
