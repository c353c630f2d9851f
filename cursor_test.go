package rankcurve

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve/store"
)

var testKey = []byte("a key of sixteen")

func sampleCursors() []cursor {
	at := time.Unix(1795000000, 0)
	return []cursor{
		{size: 1, issued: at, standing: standing{read: 1, rank: 1, key: -5}, ends: []shardEnd{{3, "ann"}}},
		{scope: [8]byte{1, 2, 3}, column: 15, size: MaxPage, issued: at, standing: standing{read: 1 << 40, rank: 7, key: store.MaxScore}},
		{size: 100, issued: at, standing: standing{read: 5, rank: 5, key: -store.MaxScore}, ends: []shardEnd{
			{0, strings.Repeat("x", store.MaxOwner)}, {7, "é ☃"}, {1295, strings.Repeat("y", 200)},
		}},
	}
}

// A sealed cursor opens to itself, whatever it holds.
func TestCursorsAreReadBack(t *testing.T) {
	for _, c := range sampleCursors() {
		if got, err := unseal(testKey, c.seal(testKey)); err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("got %+v, %v, want %+v", got, err, c)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		read := rapid.Int64Range(1, 1<<50).Draw(t, "read")
		c := cursor{
			column: rapid.IntRange(0, store.MaxColumns-1).Draw(t, "column"), size: rapid.IntRange(1, MaxPage).Draw(t, "size"),
			issued:   time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "issued"), 0),
			standing: standing{read: read, rank: rapid.Int64Range(1, read).Draw(t, "rank"), key: rapid.Int64Range(-store.MaxScore, store.MaxScore).Draw(t, "key")},
		}
		copy(c.scope[:], rapid.SliceOfN(rapid.Byte(), scopeBytes, scopeBytes).Draw(t, "scope"))
		for shard := range rapid.IntRange(0, 70).Draw(t, "ends") {
			c.ends = append(c.ends, shardEnd{shard * 3, rapid.StringMatching(`[a-z]{1,40}`).Draw(t, "owner")})
		}
		if got, err := unseal(testKey, c.seal(testKey)); err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("got %+v, %v, want %+v", got, err, c)
		}
	})
}

// No body that is signed and wrong makes more than an error: a later version, or a
// fault of this one, may have written it.
func FuzzCursor(f *testing.F) {
	issued := map[string]bool{}
	for _, c := range sampleCursors() {
		text := c.seal(testKey)
		issued[text] = true
		f.Add(text)
		f.Add(text[1:])
		f.Add(text + "A")
		f.Add(strings.ToLower(text))
		f.Add(string(c.body()))
	}
	f.Add("")
	f.Add("AQ")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := unseal(testKey, text)
		switch {
		case err == nil && !issued[text]:
			t.Errorf("%q was never issued, and is taken for %+v", text, c)
		case err != nil && !errors.Is(err, ErrBadCursor):
			t.Errorf("%q: %v", text, err)
		}
		c, err = parseCursor([]byte(text))
		if err != nil {
			return
		}
		again, err := parseCursor(c.body())
		if err != nil || fmt.Sprint(again) != fmt.Sprint(c) {
			t.Errorf("%+v is written as %+v, %v", c, again, err)
		}
	})
}
