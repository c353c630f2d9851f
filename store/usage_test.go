package store_test

import (
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func TestReadUnits(t *testing.T) {
	for bytes, want := range map[int]float64{0: 0.5, 1: 0.5, 4096: 0.5, 4097: 1, 8192: 1, store.PageBytes: 128} {
		if got := store.IndexReadUnits(bytes); got != want {
			t.Errorf("IndexReadUnits(%d) = %v, want %v", bytes, got, want)
		}
		if got := store.ItemReadUnits(bytes, false); got != want {
			t.Errorf("ItemReadUnits(%d, false) = %v, want %v", bytes, got, want)
		}
		if got := store.ItemReadUnits(bytes, true); got != 2*want {
			t.Errorf("ItemReadUnits(%d, true) = %v, want %v", bytes, got, 2*want)
		}
	}
}

func TestWriteUnits(t *testing.T) {
	for bytes, want := range map[int]float64{0: 1, 1: 1, 1024: 1, 1025: 2, 10240: 10} {
		if got := store.ItemWriteUnits(bytes); got != want {
			t.Errorf("ItemWriteUnits(%d) = %v, want %v", bytes, got, want)
		}
	}
}

func TestNumberSize(t *testing.T) {
	for v, want := range map[int64]int{0: 2, 7: 2, 42: 2, 1234: 3, -1234: 4, 123456: 4, store.MaxScore: 11, -store.MaxScore: 12, -1 << 63: 12} {
		if got := store.NumberSize(v); got != want {
			t.Errorf("NumberSize(%d) = %d, want %d", v, got, want)
		}
	}
}

func TestEntrySizes(t *testing.T) {
	p := store.Partition{Board: "missions", Column: "xp", Shard: 1}
	// g + missions#01, xp + 2 bytes of number, o + ann, b + missions
	if got, want := store.IndexEntrySize(p, 42, "ann"), (1+11)+(2+2)+(1+3)+(1+8); got != want {
		t.Errorf("index entry of %d bytes, want %d", got, want)
	}
	b := store.Board{Name: "missions"}
	e := store.Entry{Owner: "ann", Scores: map[string]int64{"xp": 42}}
	whole := store.EntrySize(b, e)
	e.Hidden = true
	if got, want := whole-store.EntrySize(b, e), 1+11; got != want {
		t.Errorf("a hidden entry is %d bytes smaller, want %d", got, want)
	}
	e.Attributes, e.Posts = map[string]string{"clan": "owls"}, []string{"post"}
	if got, want := store.EntrySize(b, e)-whole+12, (4+4+1)+(4+1); got != want {
		t.Errorf("an attribute and a post are %d bytes, want %d", got, want)
	}
}

func TestUsageAdd(t *testing.T) {
	u := store.Usage{TableReads: 1, IndexReads: 2, TableWrites: 3, IndexWrites: 4, Requests: 5}
	u.Add(u)
	if want := (store.Usage{TableReads: 2, IndexReads: 4, TableWrites: 6, IndexWrites: 8, Requests: 10}); u != want {
		t.Errorf("sum %+v, want %+v", u, want)
	}
	if u.ReadUnits() != 6 || u.WriteUnits() != 14 {
		t.Errorf("%v read and %v write units, want 6 and 14", u.ReadUnits(), u.WriteUnits())
	}
	if got := u.String(); !strings.Contains(got, "6.0 read units, 14.0 write units, 10 requests") {
		t.Errorf("usage prints as %s", got)
	}
}
