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
}
