package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

var loadSentences = []sentence{
	{"Load creates owners that are not there", loadCreates},
	{"Load sets what is given and keeps the rest", loadKeeps},
	{"Load keeps a hidden row hidden", loadKeepsHidden},
	{"Load does not write a row that would not change", loadUnchanged},
	{"Load is not conditional", loadUnconditional},
	{"Load refuses an owner twice", loadDuplicates},
	{"Load refuses what cannot be stored", loadRefuses},
	{"Load again is safe", loadAgain},
	{"Load of nothing is nothing", func(f *fixture) { f.load(); f.wantRows("xp") }},
	{"Load leaves every rank right", loadRanks},
}

func loadCreates(f *fixture) {
	ann, bob := entry("ann", 1, 10), entry("bob", 2, 20)
	ann.Attributes = map[string]string{"clan": "owls"}
	delete(bob.Scores, "time")
	f.load(bob, ann)
	f.wantEntry(stored(ann))
	f.wantEntry(stored(bob))
	f.wantRows("xp", at(2, "bob"), at(1, "ann"))
	f.wantRows("time", at(-10, "ann"))
}

func loadKeeps(f *fixture) {
	e := entry("ann", 1, 10)
	e.Attributes, e.Posts = map[string]string{"clan": "owls", "flag": "no"}, []string{"p1"}
	want := stored(f.put(e))
	f.load(store.Entry{Owner: "ann", Scores: map[string]int64{"xp": 5}, Attributes: map[string]string{"flag": "se", "hat": "red"}, Updated: updated})
	want.Scores["xp"] = 5
	want.Attributes["flag"], want.Attributes["hat"] = "se", "red"
	f.wantEntry(want)
	f.wantRows("xp", at(5, "ann"))
	f.wantRows("time", at(-10, "ann"))
}

func loadKeepsHidden(f *fixture) {
	e := entry("ann", 1, 10)
	e.Hidden = true
	want := stored(f.put(e))
	f.load(entry("ann", 7, 10))
	want.Scores["xp"] = 7
	f.wantEntry(want)
	f.wantRows("xp")
}

func loadUnchanged(f *fixture) {
	ann := f.put(entry("ann", 1, 10))
	f.put(entry("bob", 2, 20))
	u := f.load(store.Entry{Owner: "ann", Scores: map[string]int64{"xp": 1}, Updated: updated.AddDate(0, 0, 1)})
	if u.WriteUnits() != 0 {
		f.Errorf("used %+v, want no writes", u)
	}
	f.wantEntry(ann)
	u = f.load(entry("ann", 1, 10), entry("bob", 3, 20))
	if u.TableWrites != 1 {
		f.Errorf("used %+v, want one table write for one changed row of two", u)
	}
	f.wantEntry(ann)
}

func loadUnconditional(f *fixture) {
	f.put(f.put(entry("ann", 1, 10)))
	f.load(entry("ann", 9, 10)) // says version 0
	late := entry("ann", 11, 10)
	late.Version = 77
	f.load(late)
	want := entry("ann", 11, 10)
	want.Version = 4
	f.wantEntry(want)
	f.wantRows("xp", at(11, "ann"))
}

func loadDuplicates(f *fixture) {
	_, err := f.Load(f.ctx, f.board, []store.Entry{entry("ann", 1, 1), entry("bob", 1, 1), entry("ann", 1, 1)})
	f.wantError(err, store.ErrInvalid)
}

func loadRefuses(f *fixture) {
	unknown := entry("eve", 1, 1)
	unknown.Scores["gold"] = 1
	_, err := f.Load(f.ctx, f.board, []store.Entry{entry("ann", 1, 1), unknown})
	f.wantError(err, store.ErrNoColumn)
	_, err = f.Load(f.ctx, f.board, []store.Entry{entry("ann", 1, 1), entry("#eve", 1, 1)})
	f.wantError(err, store.ErrInvalid)
	_, err = f.Load(f.ctx, f.board, []store.Entry{entry("eve", store.MaxScore+1, 1)})
	f.wantError(err, store.ErrInvalid)
}

func loadAgain(f *fixture) {
	rows := []store.Entry{entry("ann", 1, 1), entry("bob", 2, 2)}
	f.load(rows...)
	f.load(rows...)
	f.wantEntry(stored(rows[0]))
	f.wantRows("xp", at(2, "bob"), at(1, "ann"))
}

// LoadRanks loads a board of several shards twice over, with changed scores, and
// counts every rank.
func loadRanks(f *fixture) {
	const n = 300
	f.board = boardOf("sharded", 4)
	f.createBoard(f.board)
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([]store.Entry, n)
	for round := range 2 {
		for i := range rows {
			rows[i] = entry(fmt.Sprintf("o%d", i), random.Int64N(100)-50, int64(round))
		}
		f.load(rows...)
	}
	for key := int64(-51); key <= 51; key += 17 {
		want := 0
		for _, r := range rows {
			if r.Scores["xp"] > key {
				want++
			}
		}
		f.eventually(func() error { return f.countAbove(key, want) })
	}
}

func (f *fixture) countAbove(key int64, want int) error {
	var got int64
	for shard := range f.board.Shards {
		q := store.Query{Partition: f.board.Partition("xp", shard), From: store.MaxScore, To: key + 1}
		c, err := f.Count(f.ctx, q)
		if err != nil {
			return err
		}
		got += c.Count
	}
	if got != int64(want) {
		return fmt.Errorf("%d better than %d, want %d", got, key, want)
	}
	return nil
}

// WantShards waits until each shard lists exactly its own owners.
func (f *fixture) wantShards(column string, names []string) {
	f.Helper()
	for shard := range f.board.Shards {
		var want []string
		for _, name := range names {
			if store.ShardOf(name, f.board.Shards) == shard {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		q := f.whole(column)
		q.Partition.Shard = shard
		f.eventually(func() error {
			rows, err := f.readAll(q)
			if got := owners(rows); err == nil && !slices.Equal(got, want) {
				err = fmt.Errorf("shard %d lists %v, want %v", shard, got, want)
			}
			return err
		})
	}
}
