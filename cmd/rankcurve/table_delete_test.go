package main

import (
	"strings"
	"testing"
)

func TestTableDelete(t *testing.T) {
	c := newCloud(t)
	c.games(3)
	c.bare("table", "delete").fails(exitUsage, "standard input is no terminal; add --yes to delete "+c.table+" with all its boards")
	c.terminal = true
	for _, typed := range []string{"", "\n", "yes\n", strings.ToUpper(c.table) + "\n"} {
		c.in = strings.NewReader(typed)
		r := c.bare("table", "delete")
		if r.code != exitFailed || !strings.Contains(r.err, "This deletes table "+c.table+" at "+c.endpoint) || !strings.Contains(r.err, "is not deleted: that was not its name") {
			t.Errorf("typed %q: exit code %d, %s", typed, r.code, r.err)
		}
	}
	c.terminal = false
	c.bare("top", "games").ok("p1")
	c.terminal, c.in = true, strings.NewReader(c.table+"\n")
	if r := c.bare("table", "delete"); r.code != exitDone || !strings.Contains(r.out, "deleted table "+c.table) {
		t.Errorf("exit code %d, %s%s", r.code, r.out, r.err)
	}
	c.terminal = false
	c.bare("top", "games").fails(exitNotFound, "there is no table")
	c.bare("table", "create", "--column", "xp").ok()
	c.bare("table", "delete", "--yes").ok("deleted table " + c.table)
}
