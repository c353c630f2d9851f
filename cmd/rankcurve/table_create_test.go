package main

import (
	"regexp"
	"testing"
)

func TestTableCreate(t *testing.T) {
	c := newCloud(t)
	c.bare("table", "create").fails(exitUsage, "no column is named", "`rankcurve table create --column xp`, or configure boards")
	c.bare("table", "create", "--column", "XP").fails(exitUsage, `--column: "XP" is not a column name`)
	c.bare("table", "create", "--column", "x").fails(exitUsage, `"x" is not a column name`)
	cfg := c.file("c.yaml", "boards: [{name: games, columns: [{name: xp}, {name: time, order: asc}]}]")
	r := c.bare("--config", cfg, "table", "create", "--column", "gold", "--column", "xp")
	r.ok("made table "+c.table+" at "+c.endpoint+", with by_gold, by_time, by_xp\n", "next: rankcurve --config "+cfg+" load BOARD FILE")
	c.bare("table", "create", "--column", "xp").fails(exitFailed, "table "+c.table+" is there already, at "+c.endpoint+"; `rankcurve table sync` adds the indexes that it lacks")
	c.bare("--config", cfg, "post", "games", "ann", "xp=1", "time=2").ok("posted")
}

// On a terminal, what is waited for is one line that is gone at the end.
func TestTableCreateShowsItsProgress(t *testing.T) {
	c := newCloud(t)
	c.terminal = true
	r := c.bare("table", "create", "--column", "xp")
	if r.code != exitDone {
		t.Fatal(r.err)
	}
	if !regexp.MustCompile(`\rtable ` + c.table + `: ACTIVE, \d+s *\r`).MatchString(r.err) {
		t.Errorf("no line of the table's status: %q", r.err)
	}
	if last := r.err[len(r.err)-1]; last != '\r' {
		t.Errorf("the line stays: %q", r.err)
	}
}
