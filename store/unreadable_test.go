package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func TestUnreadableSaysHowMany(t *testing.T) {
	if err := store.Unreadable(nil); err != nil {
		t.Errorf("%v of no rows", err)
	}
	rows := map[string]error{"bob": fmt.Errorf("row of bob: %w", store.ErrCorrupt)}
	if err := store.Unreadable(rows); !errors.Is(err, store.ErrCorrupt) || err.Error() != "row of bob: stored data cannot be decoded" {
		t.Error(err)
	}
	rows["ann"], rows["cid"] = errors.New("row of ann"), errors.New("row of cid")
	if err := store.Unreadable(rows); !errors.Is(err, store.ErrCorrupt) || err.Error() != "row of ann; and 2 more cannot be read" {
		t.Error(err)
	}
	var some *store.UnreadableError
	if !errors.As(store.Unreadable(rows), &some) {
		t.Fatal("it is no UnreadableError")
	}
	if err := some.Of(func(name string) bool { return name == "cid" }); err == nil || err.Error() != "row of cid" || len(some.Rows) != 3 {
		t.Error(err)
	}
	if err := some.Of(func(string) bool { return false }); err != nil {
		t.Errorf("%v of none", err)
	}
}
