package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

// ReadOnly checks a backend that holds rows from the start and refuses writes of
// entries and other boards with ErrInvalid. Each subtest calls open once, for a
// store of this one board of two shards: rows in both columns, in every shard more of
// them than one page holds (4,500 are enough), 50 and more of one score, and few
// enough to read them all. What they are is read from the store, whole, and every
// other way to read has to agree with it. Curves, their history, leases and secrets are written as
// in [Run].
func ReadOnly(t *testing.T, open func(t *testing.T, b store.Board) store.Store, traits ...Trait) {
	t.Helper()
	groups := []struct {
		name     string
		sentence []sentence
	}{
		{"Store", filledStoreSentences},
		{"Entries", filledEntrySentences},
		{"Partitions", filledPartitionSentences},
		{"Paging", filledPagingSentences},
		{"Boards", filledBoardSentences},
		{"Curves", curveSentences},
		{"History", historySentences},
		{"Leases", leaseSentences},
		{"Secrets", secretSentences},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, s := range g.sentence {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					s.check(newFixtureOn(t, boardOf(longName, 2), open, traits))
				})
			}
		})
	}
}

// A board's name is in each row of its index, twice: a long one fills a page with
// 4,200 rows.
var longName = "missions" + strings.Repeat("-0123456789", 9)

var filledStoreSentences = []sentence{
	{"methods are safe for concurrent use", func(f *fixture) { f.wantConcurrent(store.ErrInvalid) }},
	{"an ended context returns its error", endedContext},
	{"calls after Close return ErrClosed", func(f *fixture) { f.wantClosed() }},
	{"a second Close does nothing and returns nil", secondClose},
}

var filledPartitionSentences = []sentence{
	{"rows are in rank order, each owner once", filledOrder},
	{"a reversed answer is worst first", func(f *fixture) { f.everywhere(f.wantReversed) }},
	{"From and To are inclusive", filledRanges},
	{"From below To is ErrInvalid", rangeUpsideDown},
	{"Count is what Rows answers, in every range and direction", filledCounts},
	{"rows of one key come in the same order everywhere", filledTies},
	{"an empty partition is no error", filledEmpty},
	{"an owner is in one shard alone, in all columns", filledShards},
	{"a page costs half a unit per 4 KB begun", func(f *fixture) {
		f.everywhere(func(q store.Query) { f.wantPrice(q, 1, 10, 200, 0) })
	}},
}

var filledPagingSentences = []sentence{
	{"a page ends after Limit rows", func(f *fixture) {
		f.everywhere(func(q store.Query) {
			for _, limit := range []int{1, 2, 97, 1000} {
				f.wantLimited(q, limit)
			}
		})
	}},
	{"After continues behind a place, in both directions", func(f *fixture) {
		f.everywhere(func(q store.Query) { f.wantContinued(q, 131, 4000) })
	}},
	{"Last is nil when the selection is exhausted", filledExhausted},
	{"Last may be there when a Limit hits the end", filledExactEnd},
	{"a page ends at PageBytes", func(f *fixture) {
		f.everywhere(func(q store.Query) {
			f.wantFullPage(q)
			q.Reverse = true
			f.wantFullPage(q)
		})
	}},
	{"a negative Limit is ErrInvalid", negativeLimit},
}

// Everywhere checks the whole of each partition.
func (f *fixture) everywhere(check func(q store.Query)) {
	for _, c := range f.board.Columns {
		for shard := range f.board.Shards {
			check(store.Query{Partition: f.board.Partition(c.Name, shard), From: store.MaxScore, To: -store.MaxScore})
		}
	}
}

func filledOrder(f *fixture) {
	f.everywhere(func(q store.Query) {
		rows := f.rows(q)
		if !slices.IsSortedFunc(rows, func(a, b store.Position) int { return cmp.Compare(b.Key, a.Key) }) {
			f.Errorf("%s: the rows are not in rank order", q.Partition)
		}
		if names := owners(rows); len(slices.Compact(names)) != len(rows) {
			f.Errorf("%s: an owner has two of %d rows", q.Partition, len(rows))
		}
	})
}

// Marks are keys worth asking for: some of the rows', the most common one, each
// one's neighbours, and the extremes.
func marks(rows []store.Position) []int64 {
	common, _ := mostCommon(rows)
	keys := append(make([]int64, 0, 32), store.MaxScore, -store.MaxScore, 0, common-1, common, common+1)
	for _, at := range []int{0, 1, 10, len(rows) / 100, len(rows) / 2, len(rows) - 2, len(rows) - 1} {
		keys = append(keys, rows[at].Key-1, rows[at].Key, rows[at].Key+1)
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	return slices.Compact(keys)
}

func mostCommon(rows []store.Position) (key int64, times int) {
	counts := map[int64]int{}
	for _, r := range rows {
		if counts[r.Key]++; counts[r.Key] > times {
			key, times = r.Key, counts[r.Key]
		}
	}
	return key, times
}

// Within is the model of a range: the rows of it, in the order they have.
func within(rows []store.Position, from, to int64) []store.Position {
	return slices.DeleteFunc(slices.Clone(rows), func(r store.Position) bool { return r.Key > from || r.Key < to })
}

func filledRanges(f *fixture) {
	f.everywhere(func(q store.Query) {
		rows := f.rows(q)
		keys := marks(rows)
		for i, from := range keys {
			for _, to := range []int64{from, keys[min(i+1, len(keys)-1)], keys[len(keys)/2], keys[len(keys)-1]} {
				if to > from {
					continue
				}
				want := within(rows, from, to)
				q.From, q.To = from, to
				for _, q.Reverse = range []bool{false, true} {
					if got := f.rows(q); !slices.Equal(got, want) {
						f.Errorf("%s from %d to %d, reversed %t: %d rows, want %d, and the same", q.Partition, from, to, q.Reverse, len(got), len(want))
					}
					slices.Reverse(want)
				}
			}
		}
	})
}

func filledCounts(f *fixture) {
	f.everywhere(func(q store.Query) {
		keys := marks(f.rows(q))
		for _, q.Reverse = range []bool{false, true} {
			for _, q.Limit = range []int{0, 700, 1 << 20} {
				for i, from := range keys {
					q.From, q.To = from, keys[(i+len(keys))/2]
					f.compareCount(q)
				}
			}
		}
	})
}

func filledTies(f *fixture) {
	f.everywhere(func(q store.Query) {
		rows := f.rows(q)
		key, times := mostCommon(rows)
		if times < 50 {
			f.Fatalf("%s: no score has 50 rows; the suite needs one", q.Partition)
		}
		tied := within(rows, key, key)
		q.From, q.To = key, key
		f.wantAnswer(q, tied...)
		q.Limit = times/3 + 1
		f.wantAnswer(q, tied...)
		q.Reverse = true
		slices.Reverse(tied)
		f.wantAnswer(q, tied...)
	})
}

func filledEmpty(f *fixture) {
	rows := f.rows(f.whole("xp"))
	unmade, unheard, outside := f.whole("xp"), f.whole("xp"), f.whole("xp")
	unmade.Partition.Board = "never-made"
	unheard.Partition.Shard = f.board.Shards
	outside.To = rows[0].Key + 1
	column := f.whole("nothing")
	f.wantEmpty(map[string]store.Query{"board never made": unmade, "shard": unheard, "range": outside, "column": column})
}

func filledShards(f *fixture) {
	shardOf := map[string]int{}
	f.everywhere(func(q store.Query) {
		for _, r := range f.rows(q) {
			if shard, seen := shardOf[r.Owner]; seen && shard != q.Partition.Shard {
				f.Fatalf("%s: owner %q was in shard %d before", q.Partition, r.Owner, shard)
			}
			shardOf[r.Owner] = q.Partition.Shard
		}
	})
	f.everywhere(func(q store.Query) {
		if rows, all := len(f.rows(q)), countOf(shardOf, q.Partition.Shard); rows != all {
			f.Errorf("%s: %d rows, and the shard has %d owners", q.Partition, rows, all)
		}
	})
}

func countOf(shardOf map[string]int, shard int) (n int) {
	for _, s := range shardOf {
		if s == shard {
			n++
		}
	}
	return n
}

func filledExhausted(f *fixture) {
	f.everywhere(func(q store.Query) {
		rows := f.rows(q)
		q.To = rows[20].Key
		few := within(rows, q.From, q.To)
		for _, q.Limit = range []int{0, len(few) + 1} {
			if page, err := f.Rows(f.ctx, q); err != nil || page.Last != nil || !slices.Equal(page.Rows, few) {
				f.Errorf("%s, limit %d: %d rows, last %v, %v; want %d and none", q.Partition, q.Limit, len(page.Rows), page.Last, err, len(few))
			}
		}
		q.After = &few[len(few)-1]
		f.wantAnswer(q)
	})
}

func filledExactEnd(f *fixture) {
	f.everywhere(func(q store.Query) {
		rows := f.rows(q)
		q.To = rows[20].Key
		few := within(rows, q.From, q.To)
		q.Limit = len(few)
		page, err := f.Rows(f.ctx, q)
		if err != nil || !slices.Equal(page.Rows, few) {
			f.Fatalf("%s: %d rows, %v; want %d", q.Partition, len(page.Rows), err, len(few))
		}
		if page.Last != nil {
			q.After = page.Last
			f.wantAnswer(q)
		}
	})
}

var filledEntrySentences = []sentence{
	{"Entry reads what the partitions hold", filledEntries},
	{"Entry of a missing row is ErrNotFound", func(f *fixture) {
		for _, owner := range []string{"nobody", "", "#board", "a\x00b"} {
			f.wantMissing(owner)
		}
	}},
	{"EntriesOf has the order of owners, twice where named twice, and missing rows", filledEntriesOf},
	{"Entry costs a read unit, EntriesOf and BoardsOf half of one", filledEntryCosts},
	{"BoardsOf reads the owner's one board", filledBoardsOf},
	{"writes are ErrInvalid and change nothing", filledWrites},
}

// Sample is some rows of a partition.
func (f *fixture) sample(q store.Query) []store.Position {
	f.Helper()
	rows := f.rows(q)
	var some []store.Position
	for at := 0; at < len(rows); at += 1 + len(rows)/50 {
		some = append(some, rows[at])
	}
	return append(some, rows[len(rows)-1])
}

func filledEntries(f *fixture) {
	f.everywhere(func(q store.Query) {
		column, err := f.board.Column(q.Partition.Column)
		if err != nil {
			f.Fatal(err)
		}
		for _, r := range f.sample(q) {
			if e := f.entry(r.Owner); column.Key(e.Scores[column.Name]) != r.Key || e.Owner != r.Owner || e.Version < 1 || e.Hidden || len(e.Scores) != len(f.board.Columns) {
				f.Errorf("%s: entry %+v, and the row %+v", q.Partition, e, r)
			}
		}
	})
}

func filledEntriesOf(f *fixture) {
	some := f.sample(f.whole("xp"))
	a, b := f.entry(some[1].Owner), f.entry(some[7].Owner)
	f.wantEntriesOf([]string{b.Owner, "nobody", a.Owner, b.Owner}, b, store.Entry{Owner: "nobody"}, a, b)
	f.entriesOf()
}

func filledEntryCosts(f *fixture) {
	owner := f.sample(f.whole("xp"))[3].Owner
	_, one, err := f.Entry(f.ctx, f.board, owner)
	f.must(err)
	_, many := f.entriesOf(owner, owner, "nobody")
	_, boards, err := f.BoardsOf(f.ctx, owner)
	f.must(err)
	if one.TableReads != 1 || many.TableReads != 1.5 || boards.TableReads != 0.5 {
		f.Errorf("one entry used %v, three %v, its boards %v; want 1, 1.5 and 0.5 units", one, many, boards)
	}
}

func filledBoardsOf(f *fixture) {
	e := f.entry(f.sample(f.whole("xp"))[3].Owner)
	f.wantBoardsOf(e.Owner, []store.Board{f.board}, e)
	f.wantBoardsOf("nobody", nil)
}

func filledWrites(f *fixture) {
	before := f.rows(f.whole("xp"))
	there := f.entry(before[3].Owner)
	changed := there.Clone()
	changed.Scores["xp"]++
	for name, write := range map[string]func() error{
		"Put":             func() error { _, err := f.Put(f.ctx, f.board, changed); return err },
		"Put a new owner": func() error { _, err := f.Put(f.ctx, f.board, entry("ann", 1, 1)); return err },
		"PutAll":          func() error { _, _, err := f.PutAll(f.ctx, f.board, []store.Entry{changed}); return err },
		"Load":            func() error { _, err := f.Load(f.ctx, f.board, []store.Entry{changed}); return err },
		"Delete": func() error {
			_, err := f.Delete(f.ctx, f.board, there.Owner, there.Version)
			return err
		},
	} {
		if err := write(); !errors.Is(err, store.ErrInvalid) {
			f.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	f.wantEntry(there)
	f.wantMissing("ann")
	f.wantAnswer(f.whole("xp"), before...)
}

var filledBoardSentences = []sentence{
	{"Boards lists the one definition", filledBoards},
	{"CreateBoard of the same again changes nothing", boardAgain},
	{"CreateBoard of another definition is ErrBoardMismatch", filledMismatch},
	{"CreateBoard of another board, or an invalid one, is ErrInvalid", func(f *fixture) {
		f.wantError(f.CreateBoard(f.ctx, boardOf("other", 1)), store.ErrInvalid)
		boardInvalid(f)
	}},
	{"Board that is not there is ErrNotFound", func(f *fixture) {
		_, err := f.Board(f.ctx, "nowhere")
		f.wantError(err, store.ErrNotFound)
	}},
}

func filledBoards(f *fixture) {
	f.wantBoard(f.board)
	boards, err := f.Boards(f.ctx)
	if err != nil || fmt.Sprint(boards) != fmt.Sprint([]store.Board{f.board}) {
		f.Fatalf("boards %v, %v; want %v", boards, err, f.board)
	}
	boards[0].Columns[0].Name = "changed" // the caller's own
	f.wantBoard(f.board)
}

func filledMismatch(f *fixture) {
	shards, columns := boardOf(f.board.Name, 7), boardOf(f.board.Name, f.board.Shards)
	columns.Columns = columns.Columns[:1]
	for _, b := range []store.Board{shards, columns} {
		f.wantError(f.CreateBoard(f.ctx, b), store.ErrBoardMismatch)
	}
	f.wantBoard(f.board)
}
