package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

func sound() store.Board {
	return store.Board{Name: "missions:2026-W47", Shards: 16, Columns: []store.Column{
		{Name: "xp", Order: store.Desc, Operator: store.Sum},
		{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2},
	}}
}

func TestBoardValidate(t *testing.T) {
	if err := sound().Validate(); err != nil {
		t.Errorf("a sound board: %v", err)
	}
	for want, change := range map[string]func(b *store.Board){
		"name: \"\"":              func(b *store.Board) { b.Name = "" },
		"name: \"a b\"":           func(b *store.Board) { b.Name = "a b" },
		"name: \".a\"":            func(b *store.Board) { b.Name = ".a" },
		"name: \"a#1\"":           func(b *store.Board) { b.Name = "a#1" },
		"name: \"xxx":             func(b *store.Board) { b.Name = strings.Repeat("x", store.MaxBoard+1) },
		"shards: 0":               func(b *store.Board) { b.Shards = 0 },
		"shards: 1297":            func(b *store.Board) { b.Shards = store.MaxShards + 1 },
		"columns: 0":              func(b *store.Board) { b.Columns = nil },
		"columns: 17":             func(b *store.Board) { b.Columns = make([]store.Column, 17) },
		"columns[1].name: \"xp\"": func(b *store.Board) { b.Columns[1].Name = "xp" },
		"columns[0].name: \"x\"":  func(b *store.Board) { b.Columns[0].Name = "x" },
		"columns[0].name: \"XP\"": func(b *store.Board) { b.Columns[0].Name = "XP" },
		"columns[1].order":        func(b *store.Board) { b.Columns[1].Order = "up" },
		"columns[1].operator":     func(b *store.Board) { b.Columns[1].Operator = "max" },
		"columns[1].decimals: 19": func(b *store.Board) { b.Columns[1].Decimals = 19 },
		"columns[1].decimals: -1": func(b *store.Board) { b.Columns[1].Decimals = -1 },
	} {
		b := sound()
		change(&b)
		if err := b.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %s", err, want)
		}
	}
}

func TestBoardValidateReportsAllFaults(t *testing.T) {
	b := store.Board{Name: "a b", Shards: -1, Columns: []store.Column{{Name: "X", Order: "up", Operator: "max", Decimals: 99}, {Name: "X"}}}
	err := b.Validate()
	for _, want := range []string{
		"name: \"a b\"", "shards: -1", "columns[0].name", "columns[0].order", "columns[0].operator", "columns[0].decimals",
		"columns[1].order", "is there twice",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %s", err, want)
		}
	}
}

func TestBoardColumn(t *testing.T) {
	for name, want := range map[string]string{"": "xp", "xp": "xp", "time": "time"} {
		if c, err := sound().Column(name); err != nil || c.Name != want {
			t.Errorf("column %q is %v, %v", name, c, err)
		}
	}
	_, err := sound().Column("gold")
	if !errors.Is(err, store.ErrNoColumn) || !strings.Contains(err.Error(), "xp, time") {
		t.Errorf("error %v, want ErrNoColumn with the columns there are", err)
	}
	if _, err := (store.Board{}).Column(""); !errors.Is(err, store.ErrNoColumn) {
		t.Errorf("a board without columns: %v, want ErrNoColumn", err)
	}
}

func TestColumnKey(t *testing.T) {
	for _, c := range sound().Columns {
		for _, score := range []int64{0, 1, -1, store.MaxScore, -store.MaxScore} {
			if got := c.Score(c.Key(score)); got != score {
				t.Errorf("%s: score %d comes back as %d", c, score, got)
			}
		}
		if (c.Key(2) > c.Key(1)) != (c.Order == store.Desc) {
			t.Errorf("%s: the larger key is not the better score", c)
		}
	}
	if got := sound().Columns[1].String(); got != "time:asc:best:2" {
		t.Errorf("column prints as %s", got)
	}
}

func TestBoardSame(t *testing.T) {
	later := sound()
	later.Created, later.ID = time.Now(), "another"
	if err := sound().Same(later); err != nil {
		t.Errorf("another creation time and ID: %v", err)
	}
	shards, columns := sound(), sound()
	shards.Shards = 8
	columns.Columns[0].Operator = store.Set
	for _, other := range []store.Board{shards, columns} {
		if err := sound().Same(other); !errors.Is(err, store.ErrBoardMismatch) {
			t.Errorf("error %v, want ErrBoardMismatch", err)
		}
	}
}

func TestBoardStamped(t *testing.T) {
	now := time.UnixMilli(1795219200000).Add(time.Microsecond)
	first, second := sound().Stamped(now), sound().Stamped(now)
	if len(first.ID) < 22 || first.ID == second.ID {
		t.Errorf("IDs %q and %q: want two of 128 bits or more", first.ID, second.ID)
	}
	if err := first.Validate(); err != nil || !first.Created.Equal(now.Truncate(time.Millisecond)) {
		t.Errorf("%+v: %v", first, err)
	}
	if again := first.Stamped(now.Add(time.Hour)); again.ID != first.ID || !again.Created.Equal(first.Created) {
		t.Errorf("%+v was stamped again: %+v", first, again)
	}
	if got, want := first.CurveKey("xp"), (store.CurveKey{Board: first.Name, Column: "xp", ID: first.ID}); got != want {
		t.Errorf("curve key %+v, want %+v", got, want)
	}
	for _, id := range []string{"a b", "a\x00b", strings.Repeat("a", 65)} {
		b := sound()
		if b.ID = id; b.Validate() == nil || !strings.Contains(b.Validate().Error(), "id: ") {
			t.Errorf("ID %q: %v", id, b.Validate())
		}
	}
}

func TestValidateOwner(t *testing.T) {
	for _, owner := range []string{"a", "ann smith", "日本", "a#b", "-", strings.Repeat("x", store.MaxOwner)} {
		if err := store.ValidateOwner(owner); err != nil {
			t.Errorf("owner %q: %v", owner, err)
		}
	}
	for _, owner := range []string{"", "#a", "a\x00b", "a\nb", "a\x7f", "\xff", strings.Repeat("x", store.MaxOwner+1)} {
		if err := store.ValidateOwner(owner); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("owner %q: %v, want ErrInvalid", owner, err)
		}
	}
}

func TestValidateEntry(t *testing.T) {
	scores := func(name string, score int64) store.Entry {
		return store.Entry{Owner: "ann", Scores: map[string]int64{name: score}}
	}
	for _, e := range []store.Entry{{Owner: "ann"}, scores("xp", store.MaxScore), scores("time", -store.MaxScore)} {
		if err := sound().ValidateEntry(e); err != nil {
			t.Errorf("%+v: %v", e, err)
		}
	}
	for _, c := range []struct {
		e    store.Entry
		want error
	}{
		{store.Entry{}, store.ErrInvalid},
		{scores("xp", store.MaxScore+1), store.ErrInvalid},
		{scores("xp", -1<<63), store.ErrInvalid},
		{scores("gold", 1), store.ErrNoColumn},
		{scores("", 1), store.ErrNoColumn},
	} {
		if err := sound().ValidateEntry(c.e); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.e, err, c.want)
		}
	}
	if err := (store.Board{Name: "a"}).ValidateEntry(store.Entry{Owner: "ann"}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("a board without shards: %v, want ErrInvalid", err)
	}
}

func TestEntryClone(t *testing.T) {
	e := store.Entry{Owner: "ann", Scores: map[string]int64{"xp": 1}, Attributes: map[string]string{"a": "b"}, Posts: []string{"p"}}
	c := e.Clone()
	c.Scores["xp"], c.Attributes["a"], c.Posts[0] = 2, "c", "q"
	if e.Scores["xp"] != 1 || e.Attributes["a"] != "b" || e.Posts[0] != "p" {
		t.Errorf("the clone shares with %+v", e)
	}
}
