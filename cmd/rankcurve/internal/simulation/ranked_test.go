package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func scattered(o Options) (*ranked, []int64) {
	r := rand.New(rand.NewPCG(1, 2))
	shards := make([][]int64, o.Shards)
	all := make([]int64, 0, 20_000)
	for range cap(all) {
		key, shard := r.Int64N(3000)-1000, r.IntN(o.Shards)
		shards[shard] = append(shards[shard], key)
		all = append(all, key)
	}
	slices.Sort(all)
	slices.Reverse(all)
	return rank(o, shards), all
}

// Pages in both directions, of any length and over ties, hold each row once.
func TestPagesAddUp(t *testing.T) {
	ranked, _ := scattered(Options{Shards: 2})
	for _, q := range []store.Query{
		{From: store.MaxScore, To: -store.MaxScore},
		{From: 500, To: -20},
		{From: 500, To: -20, Reverse: true, Limit: 7},
		{From: store.MaxScore, To: 1990, Limit: 1},
		{From: 700, To: 700, Limit: 2},
		{From: -5000, To: -6000},
	} {
		q.Partition = store.Partition{Board: boardName, Column: columnName, Shard: 1}
		var want []int64
		for _, key := range ranked.shards[1] {
			if q.To <= key && key <= q.From {
				want = append(want, key)
			}
		}
		if q.Reverse {
			slices.Reverse(want)
		}
		var got []int64
		var counted int64
		for {
			page, err := ranked.Rows(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			count, err := ranked.Count(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if count.Usage != page.Usage || int(count.Count) != len(page.Rows) {
				t.Fatalf("%+v: %d rows for %v, counted %d for %v", q, len(page.Rows), page.Usage, count.Count, count.Usage)
			}
			counted += count.Count
			for _, row := range page.Rows {
				got = append(got, row.Key)
			}
			if page.Last == nil {
				break
			}
			q.After = page.Last
		}
		if !slices.Equal(got, want) || counted != int64(len(want)) {
			t.Errorf("%+v: %d rows, %d counted, want %d", q, len(got), counted, len(want))
		}
	}
}

func TestQueriesThatCannotBe(t *testing.T) {
	ranked, _ := scattered(Options{Shards: 2})
	of := store.Partition{Board: boardName, Column: columnName}
	for _, q := range []store.Query{
		{Partition: of, From: 1, To: 2},
		{Partition: of, From: 2, To: 1, Limit: -1},
		{Partition: of, From: 2, To: 1, After: &store.Position{Key: 2, Owner: "ann"}},
	} {
		if _, err := ranked.Rows(context.Background(), q); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	of.Shard = 2
	if page, err := ranked.Rows(context.Background(), store.Query{Partition: of, From: 2, To: 1}); err != nil || len(page.Rows) > 0 || page.Usage.Requests != 1 {
		t.Errorf("a shard that is not there: %+v, %v", page, err)
	}
}

// What is asked for is at the depths that are meant, and the truth is the truth.
func TestAsked(t *testing.T) {
	o := Options{Shards: 8}
	ranked, all := scattered(o)
	deep := []int64{1, 2, 10, 150, 19_999, 20_000}
	keys, err := ranked.held(context.Background(), deep, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, depth := range deep {
		if keys[i] != all[depth-1] {
			t.Errorf("the entry at %d has key %d, found %d", depth, all[depth-1], keys[i])
		}
	}
	asked, err := ask(context.Background(), o, ranked, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(asked.keys) < 100 {
		t.Errorf("asked for %d scores", len(asked.keys))
	}
	for i, key := range asked.keys {
		if want := sort.Search(len(all), func(j int) bool { return all[j] <= key }); asked.better[i] != int64(want) {
			t.Errorf("%d are better than key %d, counted %d", want, key, asked.better[i])
		}
		if i > 0 && key >= asked.keys[i-1] {
			t.Errorf("key %d behind %d", key, asked.keys[i-1])
		}
	}
}

func TestDepths(t *testing.T) {
	all := depths(1_000_000)
	if all[0] != 10 || all[len(all)-1] != 1_000_000 {
		t.Errorf("from %d to %d", all[0], all[len(all)-1])
	}
	inside := 0
	for _, d := range all {
		if d >= 1000 && d < 10_000 {
			inside++
		}
	}
	if inside != 40 { // a fifth: 10 to 1,000,000 are five decades
		t.Errorf("%d of %d in one of five decades", inside, len(all))
	}
}
