package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// The worked example that the field explains itself with: six images in shards.
var images = map[string]int64{"001": 27, "002": 23, "003": 16, "004": 83, "005": 52, "006": 94}

func TestTopOfSixImagesInAnyNumberOfShards(t *testing.T) {
	for shards := 1; shards <= 7; shards++ {
		st, def := newStore(t), boardOf("images", shards, store.Column{Name: "views", Order: store.Desc, Operator: store.Sum})
		b := newBoard(t, st, def, rankcurve.WithClock(newClock().Now))
		load(t, st, def, images)
		top, err := b.Top(context.Background(), "views", 3)
		want := []rankcurve.Row{{Rank: 1, Owner: "006", Score: 94}, {Rank: 2, Owner: "004", Score: 83}, {Rank: 3, Owner: "005", Score: 52}}
		if err != nil || !slices.Equal(top.Rows, want) {
			t.Errorf("%d shards: %v, %v, want %v", shards, top.Rows, err, want)
		}
		if top.Column.Name != "views" || !top.AsOf.Equal(newClock().Now()) || top.Usage.Requests < shards || top.Usage.IndexReads < 0.5*float64(shards) {
			t.Errorf("%d shards: column %v at %v for %v", shards, top.Column, top.AsOf, top.Usage)
		}
		ranks, _, err := b.Rank(context.Background(), "views", rankcurve.Exact, "001")
		if err != nil || ranks[0].Rank.Rank != 4 || ranks[0].Of != 6 {
			t.Errorf("%d shards: image 001 is %d of %d, %v, want 4 of 6", shards, ranks[0].Rank.Rank, ranks[0].Of, err)
		}
	}
}

// Top is what sorting everything gives, for any board, order, shards, page length
// and n.
func TestTopEqualsSorting(t *testing.T) {
	st, boards := newStore(t), 0
	rapid.Check(t, func(t *rapid.T) {
		boards++
		order := rapid.SampledFrom([]store.Order{store.Desc, store.Asc}).Draw(t, "order")
		def := boardOf(fmt.Sprintf("b%d", boards), rapid.IntRange(1, 9).Draw(t, "shards"), store.Column{Name: "xp", Order: order, Operator: store.Set})
		highest := rapid.Int64Range(0, 1000).Draw(t, "highest score") // few scores make ties across the cut
		scores := spread(rapid.IntRange(0, 300).Draw(t, "entries"), func(int) int64 {
			return rapid.Int64Range(-highest, highest).Draw(t, "score")
		})
		b, err := rankcurve.New(context.Background(), &double{Store: st, pageRows: rapid.IntRange(0, 7).Draw(t, "rows of a page")}, def)
		if err != nil {
			t.Fatal(err)
		}
		entries := make([]store.Entry, 0, len(scores))
		for owner, score := range scores {
			entries = append(entries, store.Entry{Owner: owner, Scores: map[string]int64{"xp": score}})
		}
		if _, err := st.Load(context.Background(), def, entries); err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(1, 320).Draw(t, "n")
		top, err := b.Top(context.Background(), "", n)
		want := oracle(def.Columns[0], scores)
		if want = want[:min(n, len(want))]; err != nil || !slices.Equal(top.Rows, want) {
			t.Fatalf("top %d: %v, %v, want %v", n, top.Rows, err, want)
		}
	})
}

// All of the best are in one shard: the worst there is for a guess of each one's
// share.
func TestTopRefillsAShardThatRunsDry(t *testing.T) {
	const shards, n = 8, 200
	def := boardOf("games", shards)
	scores := spread(4000, func(i int) int64 { return int64(i) })
	for owner := range scores {
		if store.ShardOf(owner, shards) == 3 {
			scores[owner] += 1_000_000
		}
	}
	st := newStore(t)
	b := newBoard(t, st, def)
	load(t, st, def, scores)
	top, err := b.Top(context.Background(), "xp", n)
	if want := oracle(def.Columns[0], scores)[:n]; err != nil || !slices.Equal(top.Rows, want) {
		t.Fatalf("top %d: %v, %v", n, top.Rows, err)
	}
	if top.RowsRead > 3*n {
		t.Errorf("read %d rows for %d", top.RowsRead, n)
	}
}

func TestTop1000Over32ShardsReadsFewRows(t *testing.T) {
	st, def := newStore(t), boardOf("games", 32)
	b := newBoard(t, st, def)
	scores := spread(20_000, func(i int) int64 { return int64(i) * 7919 % 1_000_003 })
	load(t, st, def, scores)
	top, err := b.Top(context.Background(), "xp", 1000)
	if want := oracle(def.Columns[0], scores)[:1000]; err != nil || !slices.Equal(top.Rows, want) {
		t.Fatalf("top 1000 is not what sorting gives: %v", err)
	}
	if top.RowsRead > 2000 {
		t.Errorf("read %d rows, want 2000 at most", top.RowsRead)
	}
}

// A row that falls between two pages of its shard is answered once.
func TestTopAnswersAMovingOwnerOnce(t *testing.T) {
	st, def := newStore(t), boardOf("games", 1)
	newBoard(t, st, def)
	scores := spread(10, func(i int) int64 { return int64(100 - i) })
	load(t, st, def, scores)
	pages := 0
	moving := &double{Store: st, pageRows: 4, rows: func(store.Query) error {
		if pages++; pages == 2 {
			load(t, st, def, map[string]int64{"player-000000": 1})
		}
		return nil
	}}
	top, err := newBoard(t, moving, def).Top(context.Background(), "xp", 20)
	if want := oracle(def.Columns[0], scores); err != nil || !slices.Equal(top.Rows, want) {
		t.Errorf("%v, %v, want each once, where it was read: %v", top.Rows, err, want)
	}
}

func TestTopNamesTheShardThatFails(t *testing.T) {
	def := boardOf("games", 5)
	st := &double{Store: newStore(t), rows: func(q store.Query) error {
		if q.Partition.Shard == 3 {
			return store.ErrUnavailable
		}
		return nil
	}}
	_, err := newBoard(t, st, def).Top(context.Background(), "xp", 1)
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "games.xp shard 3") {
		t.Errorf("%v, want ErrUnavailable that names games.xp shard 3", err)
	}
}

func TestTopLimits(t *testing.T) {
	b := newBoard(t, newStore(t), boardOf("games", 2))
	for _, n := range []int{-1, 0, rankcurve.MaxTop + 1} {
		if _, err := b.Top(context.Background(), "xp", n); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("top %d: %v, want ErrInvalid", n, err)
		}
	}
	top, err := b.Top(context.Background(), "xp", rankcurve.MaxTop)
	if err != nil || len(top.Rows) != 0 {
		t.Errorf("an empty board: %v, %v", top.Rows, err)
	}
}

func TestHiddenOwnersAreNotInTheTop(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 2)
	b := newBoard(t, st, def)
	row := store.Entry{Owner: "cheat", Scores: map[string]int64{"xp": 9}, Hidden: true}
	if _, err := st.Put(ctx, def, row); err != nil {
		t.Fatal(err)
	}
	load(t, st, def, map[string]int64{"ann": 5})
	top, err := b.Top(ctx, "xp", 2)
	if err != nil || !slices.Equal(ownersOf(top.Rows), []string{"ann"}) {
		t.Errorf("%v, %v, want ann alone", top.Rows, err)
	}
}
