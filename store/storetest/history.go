package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

var historySentences = []sentence{
	{"CurveAt of nothing kept is ErrNotFound", historyEmpty},
	{"CurveAt reads the newest curve that is as of a time or before", historyAt},
	{"CurveAt before the first kept curve is ErrNotFound", historyBefore},
	{"Archive replaces what is kept under the same time", historyReplaces},
	{"Archive of a time out of range is ErrInvalid", historyInvalid},
	{"CurvesBetween reads from one time to another, both inclusive, oldest first", historyBetween},
	{"CurvesBetween reads no more than its limit, and goes on behind it", historyLimit},
	{"CurvesBetween reads more than a page", historyLong},
	{"PruneArchive deletes what is as of before a time, and tells how many", historyPrune},
	{"PruneArchive deletes the oldest PruneMost in one call", historyPruneMany},
	{"history keeps columns and boards apart", historyApart},
	{"history and the published curve are apart", historyIsNoCurve},
	{"history is priced by its size", historyCosts},
}

func (f *fixture) archive(k store.CurveKey, asOf time.Time, generation int64, data string) {
	f.Helper()
	a := store.Archived{AsOf: asOf, Generation: generation, Data: []byte(data), Expires: asOf.Add(time.Hour)}
	if _, err := f.Archive(f.ctx, k, a); err != nil {
		f.Fatalf("archive generation %d: %v", generation, err)
	}
}

func (f *fixture) wantCurveAt(k store.CurveKey, at, asOf time.Time, generation int64, data string) {
	f.Helper()
	a, _, err := f.CurveAt(f.ctx, k, at)
	if err != nil || !a.AsOf.Equal(asOf) || a.Generation != generation || string(a.Data) != data {
		f.Errorf("curve %s at %s: generation %d as of %s, %q, %v; want generation %d as of %s", k, at, a.Generation, a.AsOf, a.Data, err, generation, asOf)
	}
}

func (f *fixture) wantNoCurveAt(k store.CurveKey, at time.Time) {
	f.Helper()
	if a, _, err := f.CurveAt(f.ctx, k, at); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("curve %s at %s: generation %d, %v; want ErrNotFound", k, at, a.Generation, err)
	}
}

// wantBetween waits until these generations are answered, in this order.
func (f *fixture) wantBetween(k store.CurveKey, from, to time.Time, limit int, want ...int64) {
	f.Helper()
	f.eventually(func() error {
		found, _, err := f.CurvesBetween(f.ctx, k, from, to, limit)
		if err != nil {
			return err
		}
		got := []int64{}
		for _, a := range found {
			got = append(got, a.Generation)
		}
		if fmt.Sprint(got) != fmt.Sprint(append([]int64{}, want...)) {
			return fmt.Errorf("curves of %s from %s to %s, limit %d: generations %v, want %v", k, from, to, limit, got, want)
		}
		return nil
	})
}

func historyEmpty(f *fixture) {
	for _, at := range []time.Time{noon, {}, time.UnixMilli(0), time.UnixMilli(-1), time.UnixMilli(1 << 60)} {
		f.wantNoCurveAt(f.key(), at)
		f.wantBetween(f.key(), at, noon, 0)
		f.wantBetween(f.key(), noon, at, 0)
	}
	if deleted, _, err := f.PruneArchive(f.ctx, f.key(), noon); deleted != 0 || err != nil {
		f.Errorf("pruned %d of nothing, %v", deleted, err)
	}
}

func historyAt(f *fixture) {
	data := strings.Repeat("\x00\xff-data", 1000)
	f.archive(f.key(), noon.Add(time.Minute), 2, data)
	f.archive(f.key(), noon, 1, "first") // out of order
	f.archive(f.key(), noon.Add(time.Hour), 3, "last")
	f.archive(f.key(), time.UnixMilli(5), 0, "long ago")
	for _, at := range []time.Duration{time.Minute, time.Minute + time.Millisecond, time.Hour - time.Millisecond, time.Hour - time.Nanosecond} {
		f.wantCurveAt(f.key(), noon.Add(at), noon.Add(time.Minute), 2, data)
	}
	f.wantCurveAt(f.key(), noon.Add(time.Minute-time.Millisecond), noon, 1, "first")
	f.wantCurveAt(f.key(), noon.Add(time.Hour), noon.Add(time.Hour), 3, "last")
	f.wantCurveAt(f.key(), time.UnixMilli(1<<60), noon.Add(time.Hour), 3, "last")
	f.wantCurveAt(f.key(), noon.Add(-time.Millisecond), time.UnixMilli(5), 0, "long ago")
	a, _, err := f.CurveAt(f.ctx, f.key(), noon)
	f.must(err)
	clear(a.Data) // the caller's own
	f.wantCurveAt(f.key(), noon, noon, 1, "first")
}

func historyBefore(f *fixture) {
	f.archive(f.key(), noon, 1, "x")
	for _, at := range []time.Time{noon.Add(-time.Millisecond), time.UnixMilli(0), time.UnixMilli(-1), {}} {
		f.wantNoCurveAt(f.key(), at)
	}
}

func historyReplaces(f *fixture) {
	f.archive(f.key(), noon, 1, "one")
	f.archive(f.key(), noon.Add(999*time.Microsecond), 2, "two")
	f.wantCurveAt(f.key(), noon, noon, 2, "two")
	f.wantBetween(f.key(), noon, noon, 0, 2)
}

func historyInvalid(f *fixture) {
	for _, at := range []time.Time{{}, time.UnixMilli(-1), time.UnixMilli(store.MaxArchived + 1)} {
		_, err := f.Archive(f.ctx, f.key(), store.Archived{AsOf: at, Generation: 1, Data: []byte("x")})
		f.wantError(err, store.ErrInvalid)
	}
	f.wantBetween(f.key(), time.Time{}, time.UnixMilli(1<<60), 0)
}

func historyBetween(f *fixture) {
	for i := range int64(6) {
		f.archive(f.key(), noon.Add(time.Duration(i)*time.Minute), i+1, "x")
	}
	second, fourth := noon.Add(time.Minute), noon.Add(3*time.Minute)
	f.wantBetween(f.key(), second, fourth, 0, 2, 3, 4)
	f.wantBetween(f.key(), second.Add(time.Millisecond), fourth.Add(-time.Millisecond), 0, 3)
	f.wantBetween(f.key(), second.Add(time.Millisecond), second.Add(2*time.Millisecond), 0)
	f.wantBetween(f.key(), fourth, second, 0)
	f.wantBetween(f.key(), time.Time{}, time.UnixMilli(1<<60), 0, 1, 2, 3, 4, 5, 6)
}

func historyLimit(f *fixture) {
	for i := range int64(6) {
		f.archive(f.key(), noon.Add(time.Duration(i)*time.Minute), i+1, "x")
	}
	end := noon.Add(time.Hour)
	f.wantBetween(f.key(), noon, end, 4, 1, 2, 3, 4)
	f.wantBetween(f.key(), noon.Add(3*time.Minute+time.Millisecond), end, 4, 5, 6)
	f.wantBetween(f.key(), noon, end, 6, 1, 2, 3, 4, 5, 6)
	f.wantBetween(f.key(), noon, end, 7, 1, 2, 3, 4, 5, 6)
}

func historyLong(f *fixture) {
	const kept = 30
	data := strings.Repeat("x", 64<<10)
	want := make([]int64, 0, kept)
	for i := range int64(kept) {
		f.archive(f.key(), noon.Add(time.Duration(i)*time.Minute), i, data)
		want = append(want, i)
	}
	f.wantBetween(f.key(), noon, noon.Add(time.Hour), 0, want...)
	f.wantBetween(f.key(), noon, noon.Add(time.Hour), kept-1, want[:kept-1]...)
}

func historyPrune(f *fixture) {
	for i := range int64(5) {
		f.archive(f.key(), noon.Add(time.Duration(i)*time.Minute), i+1, "x")
	}
	for _, c := range []struct {
		before time.Time
		want   int
	}{{time.Time{}, 0}, {noon, 0}, {noon.Add(2 * time.Minute), 2}, {noon.Add(2 * time.Minute), 0}, {noon.Add(2*time.Minute + time.Millisecond), 1}} {
		if deleted, _, err := f.PruneArchive(f.ctx, f.key(), c.before); deleted != c.want || err != nil {
			f.Errorf("pruned %d before %s, %v; want %d", deleted, c.before, err, c.want)
		}
	}
	f.wantBetween(f.key(), time.Time{}, noon.Add(time.Hour), 0, 4, 5)
	f.wantNoCurveAt(f.key(), noon.Add(2*time.Minute))
}

func historyPruneMany(f *fixture) {
	for i := range int64(store.PruneMost + 3) {
		f.archive(f.key(), noon.Add(time.Duration(i)*time.Second), i, "x")
	}
	for _, want := range []int{store.PruneMost, 3, 0} {
		var deleted int
		f.eventually(func() (err error) {
			var n int
			n, _, err = f.PruneArchive(f.ctx, f.key(), noon.Add(time.Hour))
			if deleted += n; err == nil && deleted != want {
				err = fmt.Errorf("pruned %d, want %d", deleted, want)
			}
			return err
		})
		f.wantNoCurveAt(f.key(), noon.Add((store.PruneMost-1)*time.Second))
	}
}

func historyApart(f *fixture) {
	keys := []store.CurveKey{f.key(), f.key(), f.key(), f.key()}
	keys[1].Column, keys[2].Board, keys[3].Board = "time", "missions:2026-W47", "mission"
	for i, k := range keys {
		f.archive(k, noon.Add(time.Duration(i)*time.Second), int64(i), "x")
	}
	for i, k := range keys {
		asOf := noon.Add(time.Duration(i) * time.Second)
		f.wantCurveAt(k, noon.Add(time.Hour), asOf, int64(i), "x")
		f.wantNoCurveAt(k, asOf.Add(-time.Millisecond))
		f.wantBetween(k, time.Time{}, noon.Add(time.Hour), 0, int64(i))
	}
	if deleted, _, err := f.PruneArchive(f.ctx, keys[1], noon.Add(time.Hour)); deleted != 1 || err != nil {
		f.Errorf("pruned %d of one column, %v", deleted, err)
	}
	f.wantNoCurveAt(keys[1], noon.Add(time.Hour))
	f.wantCurveAt(keys[0], noon, noon, 0, "x")
	f.wantCurveAt(keys[2], noon.Add(time.Hour), noon.Add(2*time.Second), 2, "x")
}

func historyIsNoCurve(f *fixture) {
	f.archive(f.key(), noon, 7, "kept")
	_, _, err := f.Curve(f.ctx, f.key())
	f.wantError(err, store.ErrNotFound)
	f.must(f.publish(f.key(), 3, "published"))
	f.wantCurve(f.key(), 3, "published")
	f.wantCurveAt(f.key(), noon, noon, 7, "kept")
}

func historyCosts(f *fixture) {
	data := bytes.Repeat([]byte("x"), 40_000)
	for i := range 3 {
		u, err := f.Archive(f.ctx, f.key(), store.Archived{AsOf: noon.Add(time.Duration(i) * time.Second), Generation: 1, Data: data})
		f.must(err)
		if !about(u.WriteUnits(), 40) || !f.oneRequest(u) {
			f.Errorf("archive used %+v, want about 40 writes", u)
		}
	}
	_, one, err := f.CurveAt(f.ctx, f.key(), noon.Add(time.Hour))
	f.must(err)
	_, all, err := f.CurvesBetween(f.ctx, f.key(), noon, noon.Add(time.Hour), 0)
	f.must(err)
	if !about(one.ReadUnits(), 10) || !about(all.ReadUnits(), 15) || one.WriteUnits()+all.WriteUnits() != 0 {
		f.Errorf("one curve used %+v, three %+v; want about 10 and 15 reads", one, all)
	}
	_, u, err := f.PruneArchive(f.ctx, f.key(), noon.Add(time.Second))
	f.must(err)
	if !about(u.WriteUnits(), 40) {
		f.Errorf("prune of one used %+v, want about 40 writes", u)
	}
}
