package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func TestDecodeBoard(t *testing.T) {
	const sound = `{"name":"games","shards":4,"columns":[{"name":"xp","order":"desc","operator":"set","decimals":0}]}`
	b, err := store.DecodeBoard("games", []byte(sound))
	if err != nil || b.Shards != 4 || len(b.Columns) != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	for name, data := range map[string]string{
		"nothing":       "",
		"half":          sound[:len(sound)/2],
		"another shape": `{"name":"games","shards":"four"}`,
		"empty":         "{}",
		"no columns":    `{"name":"games","shards":4}`,
		"no order":      strings.Replace(sound, "desc", "down", 1),
		"another name":  strings.Replace(sound, "games", "gomes", 1),
	} {
		b, err := store.DecodeBoard("games", []byte(data))
		if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), `"games"`) || b.Name != "" {
			t.Errorf("%s: %+v, %v, want ErrCorrupt naming the board", name, b, err)
		}
	}
}

func TestFamilyOf(t *testing.T) {
	for name, want := range map[string]string{"missions": "missions", "missions:2026-W47": "missions", "a:b": "a:b", "photos.view:2026-11-20": "photos.view"} {
		if got := store.FamilyOf(name); got != want {
			t.Errorf("%s is of %s, want %s", name, got, want)
		}
	}
}
