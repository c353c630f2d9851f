package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// letters makes owners a, b, c, ... with these scores.
func letters(values ...int64) map[string]int64 {
	scores := make(map[string]int64, len(values))
	for i, v := range values {
		scores[string(rune('a'+i))] = v
	}
	return scores
}

func TestAroundAnOwner(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		for i, c := range []struct {
			what   string
			scores map[string]int64
			owner  string
			k      int
			want   string // RANK OWNER, the pivot in brackets
		}{
			{"the middle", letters(9, 8, 7, 6, 5, 4, 3), "d", 2, "2b 3c [4d] 5e 6f"},
			{"first place", letters(9, 8, 7, 6), "a", 2, "[1a] 2b 3c"},
			{"last place", letters(9, 8, 7, 6), "d", 2, "2b 3c [4d]"},
			{"near the top", letters(9, 8, 7, 6), "b", 2, "1a [2b] 3c 4d"},
			{"one more than there is above", letters(9, 8, 7, 6, 5), "c", 3, "1a 2b [3c] 4d 5e"},
			{"k larger than the board", letters(9, 8, 7), "b", 100, "1a [2b] 3c"},
			{"alone", letters(5), "a", 3, "[1a]"},
			{"a tie above", letters(9, 9, 9, 6, 5), "d", 2, "1b 1c [4d] 5e"},
			{"a tie above, cut at its last", letters(9, 9, 9, 6, 5), "d", 1, "1c [4d] 5e"},
			{"a tie above, whole", letters(9, 9, 9, 6, 5), "d", 3, "1a 1b 1c [4d] 5e"},
			{"a tie below", letters(9, 8, 5, 5, 5), "b", 2, "1a [2b] 3c 3d"},
			{"a tie across the pivot", letters(9, 7, 7, 7, 3), "c", 2, "1a 2b [2c] 2d 5e"},
			{"a tie across the pivot, cut", letters(9, 7, 7, 7, 7, 7, 3), "d", 1, "2c [2d] 2e"},
			{"the first of a tie", letters(9, 7, 7, 7, 3), "b", 1, "1a [2b] 2c"},
			{"the last of a tie", letters(9, 7, 7, 7, 3), "d", 1, "2c [2d] 5e"},
			{"all on one score", letters(4, 4, 4, 4, 4), "c", 1, "1b [1c] 1d"},
			{"all on one score, k larger", letters(4, 4, 4), "c", 9, "1a 1b [1c]"},
			{"two ties", letters(9, 9, 7, 7, 7, 3, 3), "e", 2, "3c 3d [3e] 6f 6g"},
			{"scores below nothing", letters(0, -5, -5, -7), "b", 1, "1a [2b] 2c"},
			{"the extremes", letters(store.MaxScore, 0, -store.MaxScore), "a", 1, "[1a] 2b"},
			{"the extremes, from the end", letters(store.MaxScore, 0, -store.MaxScore), "c", 1, "2b [3c]"},
		} {
			for _, order := range []store.Order{store.Desc, store.Asc} {
				for _, shards := range []int{1, 3} {
					scores := c.scores
					if order == store.Asc {
						scores = map[string]int64{}
						for owner, score := range c.scores {
							scores[owner] = -score
						}
					}
					def := boardOf(fmt.Sprintf("b%d-%s-%d", i, order, shards), shards, store.Column{Name: "xp", Order: order, Operator: store.Set})
					b := newBoard(t, on, def)
					load(t, on, def, scores)
					around, err := b.Around(context.Background(), "xp", rankcurve.Exact, c.owner, c.k)
					if err != nil {
						t.Errorf("%s: %v", c.what, err)
						continue
					}
					oracle := oracle(def.Columns[0], scores)
					better, pivot, worse := window(oracle, c.owner, c.k)
					on.wantRows(t, c.what+": better", scores, rowsOf(around.Better), better)
					on.wantRows(t, c.what+": pivot", scores, rowsOf([]rankcurve.Rank{around.Pivot}), []rankcurve.Row{pivot})
					on.wantRows(t, c.what+": worse", scores, rowsOf(around.Worse), worse)
					all := slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse)
					wantConsistent(t, def.Columns[0], all)
					if got := textOf(around); on.sorted && got != c.want {
						t.Errorf("%s: %s, want %s", c.what, got, c.want)
					}
					if around.Pivot.Of != int64(len(scores)) || !around.Pivot.Exact || around.Column.Name != "xp" {
						t.Errorf("%s: %+v of %d", c.what, around.Pivot, len(scores))
					}
				}
			}
		}
	})
}

func textOf(a rankcurve.Around) string {
	parts := make([]string, 0, len(a.Better)+1+len(a.Worse))
	for _, r := range a.Better {
		parts = append(parts, fmt.Sprintf("%d%s", r.Rank, r.Owner))
	}
	parts = append(parts, fmt.Sprintf("[%d%s]", a.Pivot.Rank, a.Pivot.Owner))
	for _, r := range a.Worse {
		parts = append(parts, fmt.Sprintf("%d%s", r.Rank, r.Owner))
	}
	return strings.Join(parts, " ")
}

func TestAroundAScore(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		scores := letters(9, 7, 7, 5, 3)
		def := boardOf("games", 3)
		b := newBoard(t, on, def)
		load(t, on, def, scores)
		for _, c := range []struct {
			score int64
			k     int
			want  string
		}{
			{6, 2, "2b 2c [4] 4d 5e"},
			{7, 2, "1a [2] 2b 2c"},
			{7, 3, "1a [2] 2b 2c 4d"},
			{100, 2, "[1] 1a 2b"},
			{-100, 2, "4d 5e [6]"},
			{3, 1, "4d [5] 5e"},
			{store.MaxScore, 1, "[1] 1a"},
			{-store.MaxScore, 1, "5e [6]"},
		} {
			around, err := b.AroundScore(context.Background(), "", rankcurve.Exact, c.score, c.k)
			if err != nil {
				t.Errorf("%d: %v", c.score, err)
				continue
			}
			if got := textOf(around); got != c.want && on.sorted {
				t.Errorf("%d: %s, want %s", c.score, got, c.want)
			}
			rank, _, err := b.RankOfScore(context.Background(), "", rankcurve.Exact, c.score)
			if err != nil || around.Pivot.Rank != rank.Rank || around.Pivot.Of < rank.Rank || around.Pivot.Owner != "" {
				t.Errorf("%d: pivot %+v, but the score has rank %d, %v", c.score, around.Pivot, rank.Rank, err)
			}
			wantConsistent(t, def.Columns[0], around.Better)
			wantConsistent(t, def.Columns[0], around.Worse)
			for _, r := range slices.Concat(around.Better, around.Worse) {
				if r.Of != around.Pivot.Of || r.Of != max(5, rank.Rank) {
					t.Errorf("%d: %s is %d of %d, and the score %d of %d", c.score, r.Owner, r.Rank, r.Of, around.Pivot.Rank, around.Pivot.Of)
				}
			}
		}
	})
}

func TestAroundRefuses(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		def := boardOf("games", 2, store.Column{Name: "xp", Order: store.Desc, Operator: store.Set}, store.Column{Name: "time", Order: store.Asc, Operator: store.Set})
		b := newBoard(t, on, def)
		load(t, on, def, map[string]int64{"ann": 5, "bob": 7})
		if _, err := on.Put(ctx, def, store.Entry{Owner: "cheat", Scores: map[string]int64{"xp": 6}, Hidden: true}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			column, owner string
			k             int
			mode          rankcurve.Mode
			err           error
			text          string
		}{
			{"xp", "nobody", 1, "", store.ErrNotFound, `owner "nobody" is not on board "games"`},
			{"xp", "cheat", 1, "", store.ErrNotFound, "hidden"},
			{"time", "ann", 1, "", store.ErrNotFound, `has no time`},
			{"gold", "ann", 1, "", store.ErrNoColumn, "gold"},
			{"xp", "#x", 1, "", store.ErrInvalid, "starts with #"},
			{"xp", "ann", 0, "", store.ErrInvalid, "1..10000"},
			{"xp", "ann", rankcurve.MaxAround + 1, "", store.ErrInvalid, "1..10000"},
			{"xp", "ann", 1, "best", store.ErrInvalid, "none of"},
			{"xp", "ann", 1, rankcurve.Estimate, rankcurve.ErrNoCurve, "rankcurve rebuild games"},
		} {
			_, err := b.Around(ctx, c.column, c.mode, c.owner, c.k)
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if _, err := b.AroundScore(ctx, "xp", "", store.MaxScore+1, 1); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("a score out of range: %v", err)
		}
		around, err := b.Around(ctx, "xp", "", "ann", 5)
		if err != nil || textOf(around) != "1bob [2ann]" {
			t.Errorf("%s, %v: the hidden owner is there", textOf(around), err)
		}
	})
}

// A score that more share than are worth reading: both sides are full of its equals.
func TestAroundInsideALargeTie(t *testing.T) {
	st, def := newStore(t), boardOf("games", 8)
	scores := spread(9000, func(i int) int64 {
		switch {
		case i < 500:
			return int64(2000 + i)
		case i < 8500:
			return 1000
		}
		return int64(i - 9000)
	})
	b := newBoard(t, st, def)
	load(t, st, def, scores)
	for _, owner := range []string{"player-000500", "player-004321", "player-008499"} {
		for _, k := range []int{1, 5, 300} {
			around, err := b.Around(context.Background(), "xp", rankcurve.Exact, owner, k)
			if err != nil || len(around.Better) != k || len(around.Worse) != k {
				t.Fatalf("%s: %d better and %d worse, %v; want %d each", owner, len(around.Better), len(around.Worse), err, k)
			}
			seen := map[string]bool{}
			for _, r := range slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse) {
				if r.Rank != 501 || r.Score != 1000 || r.Of != 9000 || seen[r.Owner] {
					t.Errorf("%s: row %+v", owner, r)
				}
				seen[r.Owner] = true
			}
			if most := 3 * max(2*k, 500); around.RowsRead > most {
				t.Errorf("%s: %d rows read for %d, want %d at most", owner, around.RowsRead, k, most)
			}
		}
	}
	around, err := b.AroundScore(context.Background(), "xp", rankcurve.Exact, 1000, 3)
	if err != nil || len(around.Better) != 3 || len(around.Worse) != 3 || around.Better[2].Score != 2000 || around.Worse[2].Score != 1000 || around.Pivot.Rank != 501 {
		t.Errorf("around the score: %s, %v", textOf(around), err)
	}
}

// The farthest of the better rows is one of a tie that reaches beyond what is read: its
// rank is not the pivot's less the rows between.
func TestAroundCutsATieAbove(t *testing.T) {
	st, def := newStore(t), boardOf("games", 4)
	scores := spread(2000, func(i int) int64 {
		if i < 1000 {
			return 500
		}
		return int64(-i)
	})
	b := newBoard(t, st, def)
	load(t, st, def, scores)
	publish(t, st, def, 1, scores)
	for _, mode := range []rankcurve.Mode{rankcurve.Exact, rankcurve.Estimate, rankcurve.Auto} {
		around, err := b.Around(context.Background(), "xp", mode, "player-001002", 5)
		if err != nil || len(around.Better) != 5 {
			t.Fatal(mode, err)
		}
		wantConsistent(t, def.Columns[0], slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse))
		for i, want := range []int64{1, 1, 1, 1001, 1002} {
			if got := around.Better[i].Rank; mode == rankcurve.Exact && got != want || mode != rankcurve.Exact && math.Abs(float64(got-want)) > 20 {
				t.Errorf("%s: row %d has rank %d, want %d", mode, i, got, want)
			}
		}
	}
}

// Beside a curve that is old, the ranks around a place are counted from it all the same,
// also those of a tie that is read to its end for that alone.
func TestAroundATieBesideAnOldCurve(t *testing.T) {
	st, def := newStore(t), boardOf("games", 4)
	b := newBoard(t, st, def, rankcurve.WithExactTop(10))
	scores := spread(2000, func(i int) int64 { return int64(i / 3) })
	publish(t, st, def, 1, scores)
	for i := range 5 { // from the worst scores to the best
		scores[fmt.Sprintf("player-%06d", i)] = 5000 + int64(i)
	}
	load(t, st, def, scores)
	for _, mode := range []rankcurve.Mode{rankcurve.Exact, rankcurve.Estimate, rankcurve.Auto} {
		for _, k := range []int{2, 4, 8} {
			around, err := b.AroundScore(context.Background(), "", mode, 0, k)
			if err != nil || len(around.Better) != k {
				t.Fatal(textOf(around), err)
			}
			for _, r := range around.Better { // of score 1 there is one left, of all others there are three
				behind := int64(1)
				if r.Score > 1 {
					behind += 3 * (r.Score - 1)
				}
				if r.Rank != around.Pivot.Rank-behind {
					t.Errorf("%s, %d rows: %+v, want %d before %+v", mode, k, r, behind, around.Pivot)
				}
			}
		}
	}
}

// Around an estimated rank nothing contradicts itself either, however old the curve.
func TestAroundAnEstimateIsConsistent(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 4)
	scores := spread(3000, func(i int) int64 { return int64(i*i%997) * 10 })
	newBoard(t, st, def)
	load(t, st, def, scores)
	for generation, curveOf := range []map[string]int64{
		scores,
		spread(100, func(i int) int64 { return int64(i) }),
		spread(50_000, func(i int) int64 { return int64(9000 + i%2000) }),
		{},
	} {
		publish(t, st, def, int64(generation+1), curveOf)
		b, err := rankcurve.Open(ctx, st, def.Name, rankcurve.WithExactTop(50))
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []rankcurve.Mode{rankcurve.Estimate, rankcurve.Auto} {
			for _, owner := range []string{"player-000000", "player-000031", "player-001234", "player-002999"} {
				for _, k := range []int{1, 7, 40, 5000} {
					around, err := b.Around(ctx, "xp", mode, owner, k)
					if err != nil {
						t.Fatal(err)
					}
					all := slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse)
					wantConsistent(t, def.Columns[0], all)
					if around.Pivot.Owner != owner || around.Pivot.Rank <= 0 {
						t.Errorf("%s: pivot %+v", owner, around.Pivot)
					}
					if k == 5000 && (len(all) != 3000 || all[0].Rank != 1 || !all[0].Exact || all[0].Of != 3000) {
						t.Errorf("%s: the whole board has %d rows from %+v", owner, len(all), all[0])
					}
				}
			}
		}
	}
}

func TestAroundReadsLittle(t *testing.T) {
	st, def := newStore(t), boardOf("games", 16)
	scores := spread(20_000, func(i int) int64 { return int64(i) * 7919 % 1_000_003 })
	b := newBoard(t, st, def)
	load(t, st, def, scores)
	around, err := b.Around(context.Background(), "xp", rankcurve.Exact, "player-010000", 10)
	if err != nil || len(around.Better) != 10 || len(around.Worse) != 10 {
		t.Fatalf("%s, %v", textOf(around), err)
	}
	if around.RowsRead > 250 { // 20 are answered; each shard gives three more than its share, twice
		t.Errorf("%d rows read", around.RowsRead)
	}
	t.Logf("%d rows read for 21 of 16 shards", around.RowsRead)
}

// The index may be a moment behind: the owner stands where its score is, once.
func TestAroundWhileTheIndexIsBehind(t *testing.T) {
	st, def := newStore(t), boardOf("games", 2)
	newBoard(t, st, def)
	load(t, st, def, letters(9, 8, 7, 6, 5, 4))
	behind := &late{double: double{Store: st}, owner: "e", score: 100}
	b, err := rankcurve.Open(context.Background(), behind, "games")
	if err != nil {
		t.Fatal(err)
	}
	around, err := b.Around(context.Background(), "xp", rankcurve.Exact, "e", 3)
	if err != nil || textOf(around) != "[1e] 2a 3b 4c" {
		t.Errorf("%s, %v", textOf(around), err)
	}
	behind.owner, behind.score = "b", 5 // the index still has it at 8
	around, err = b.Around(context.Background(), "xp", rankcurve.Exact, "b", 9)
	if err != nil || strings.Count(textOf(around), "b") != 1 || textOf(around) != "1a 2c 3d [4b] 4e 6f" {
		t.Errorf("%s, %v", textOf(around), err)
	}
}

// late is a store whose table has another score of an owner than its index.
type late struct {
	double
	owner string
	score int64
}

func (l *late) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	entries, usage, err := l.double.EntriesOf(ctx, b, owners)
	for i := range entries {
		if entries[i].Owner == l.owner {
			entries[i].Scores["xp"] = l.score
		}
	}
	return entries, usage, err
}

// moving is a store in which an owner's score changes after all that is worse was read,
// and before what is better is.
type moving struct {
	store.Store
	read chan struct{} // closed when the worse were read
	move func() error
}

func (m *moving) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if !q.Reverse {
		defer close(m.read)
		return m.Store.Rows(ctx, q)
	}
	select {
	case <-m.read:
	case <-ctx.Done():
		return store.Page{}, ctx.Err()
	}
	if err := m.move(); err != nil {
		return store.Page{}, err
	}
	return m.Store.Rows(ctx, q)
}

// Who moves from one side to the other meanwhile comes once.
func TestAroundWhileARowMoves(t *testing.T) {
	st, def := newStore(t), boardOf("games", 1)
	newBoard(t, st, def)
	load(t, st, def, letters(9, 8, 7, 6, 5))
	b, err := rankcurve.Open(context.Background(), &moving{Store: st, read: make(chan struct{}), move: func() error {
		_, err := st.Load(context.Background(), def, []store.Entry{{Owner: "d", Scores: map[string]int64{"xp": 10}}})
		return err
	}}, "games")
	if err != nil {
		t.Fatal(err)
	}
	around, err := b.Around(context.Background(), "", rankcurve.Exact, "c", 5)
	if err != nil || textOf(around) != "1a 2b [3c] 4d 5e" {
		t.Errorf("%s, %v", textOf(around), err)
	}
}

// The score that around is asked about may lie where no entry has one, so its band is that
// of the score, and not of an entry that has it.
func TestAroundAScoreHasTheBandOfTheScore(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 2)
	b := newBoard(t, st, def, rankcurve.WithExactTop(0))
	load(t, st, def, spread(300, func(i int) int64 { return int64(i) * 300 }))
	curve := publish(t, st, def, 1, spread(60_000, func(i int) int64 { return int64(i*i%30_011) / 7 * 10 }))
	differ := 0
	for score := int64(5003); score < 40_000; score += 1777 {
		around, err := b.AroundScore(ctx, "", rankcurve.Estimate, score, 3)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := b.RankOfScore(ctx, "", rankcurve.Estimate, score)
		if err != nil || around.Pivot.Rank != r.Rank || around.Pivot.Low != r.Low || around.Pivot.High != r.High {
			t.Errorf("around tells %+v, and rank %+v, %v", around.Pivot, r, err)
		}
		if curve.Held(score, 0) != curve.Estimate(score, 0) {
			differ++
		}
	}
	if differ < 10 {
		t.Errorf("the bands of entries differ in %d places alone: the test proves nothing", differ)
	}
}

func TestAroundNamesTheShardThatFails(t *testing.T) {
	def := boardOf("games", 5)
	st := &double{Store: newStore(t)}
	b := newBoard(t, st, def)
	load(t, st, def, letters(9, 8, 7))
	st.rows = func(q store.Query) error {
		if q.Partition.Shard == 3 && q.Reverse {
			return store.ErrUnavailable
		}
		return nil
	}
	_, err := b.Around(context.Background(), "xp", rankcurve.Exact, "b", 2)
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "games.xp shard 3") || !strings.Contains(err.Error(), `around owner "b"`) {
		t.Errorf("%v, want ErrUnavailable that names the shard", err)
	}
}
