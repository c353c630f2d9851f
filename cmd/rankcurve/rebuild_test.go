package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
)

// Columns that another process rebuilds are left to it, and the others rebuilt.
func TestRebuildGoesOnPastAHeldColumn(t *testing.T) {
	c := newCloud(t)
	c.bare("table", "create", "--column", "gold", "--column", "time", "--column", "xp").ok()
	c.bare("load", "games", c.file("f.csv", "owner,gold,time,xp\nann,1,2,3\nbob,4,5,6\n")).ok()
	st, err := dynamo.Open(c.ctx, c.client, c.table)
	if err != nil {
		t.Fatal(err)
	}
	hold := func(column string) store.Lease {
		lease, err := st.Acquire(c.ctx, "refresh/games."+column, "elsewhere", time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	gold := hold("gold")
	r := c.bare("rebuild", "games").fails(exitFailed, `games.gold`, `held by "elsewhere"`, "wait for it")
	r.has("output", r.out, []string{"games.time: generation 1 of 2 entries", "games.xp: generation 1 of 2 entries"})
	hold("xp")
	r = c.bare("rebuild", "games").fails(exitFailed, "2 of 3 columns were not rebuilt:\n", "\n  refresh games.gold: ", "\n  refresh games.xp: ")
	if r.out == "" || strings.Count(r.out, "\n") != 1 || !strings.Contains(r.out, "games.time: generation 2 of 2 entries") {
		t.Errorf("output %q, want that time was rebuilt", r.out)
	}
	if err := st.Release(c.ctx, gold); err != nil {
		t.Fatal(err)
	}
	c.bare("rebuild", "games", "--column", "gold").ok("games.gold: generation 1 of 2 entries")
}

func TestNotRebuilt(t *testing.T) {
	for _, tc := range []struct {
		failed []error
		code   int
	}{
		{nil, exitDone},
		{[]error{store.ErrNoTable}, exitNotFound},
		{[]error{store.ErrNoTable, store.ErrNoTable}, exitNotFound},
		{[]error{store.ErrNoTable, store.ErrHeld}, exitFailed},
	} {
		if err := notRebuilt(tc.failed, 3); exitCode(err) != tc.code {
			t.Errorf("%v: exit code %d, want %d", errors.Join(tc.failed...), exitCode(err), tc.code)
		}
	}
}
