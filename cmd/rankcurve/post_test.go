package main

import (
	"strconv"
	"strings"
	"testing"

	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// laps is a board whose first column takes the row with it.
func (s *shell) laps() {
	s.t.Helper()
	s.run("load", "laps", s.file("laps.csv", "owner,seconds,coins\nann,82.5,3\nbob,90.25,9\n"), "--column", "seconds:asc:best_row:2", "--column", "coins").ok("seconds:asc:best_row:2, coins:desc:set:0")
}

func TestPostByEachOperator(t *testing.T) {
	s := newShell(t)
	s.laps()
	for _, step := range []struct{ line, want string }{
		{"post laps ann seconds=83 coins=7", "unchanged: ann on laps has seconds=82.5 coins=3"},
		{"post laps ann seconds=82.49", "posted: ann on laps has seconds=82.49\n"},
		{"post laps ann coins=4 --operator set", "posted: ann on laps has seconds=82.49 coins=4"},
		{"post laps ann coins=5 --operator worst", "unchanged: ann on laps has seconds=82.49 coins=4"},
		{"post laps ann coins=2 seconds=99 --operator worst", "posted: ann on laps has seconds=99 coins=2"},
		{"post laps ann coins=2 --operator sum", "posted: ann on laps has seconds=99 coins=4"},
		{"post laps ann seconds=98 coins=1 --operator best", "posted: ann on laps has seconds=98 coins=4"},
		{"post laps ann seconds=97 --operator best_row", "posted: ann on laps has seconds=97\n"},
		{"post laps eve seconds=70 coins=1", "posted: eve on laps has seconds=70 coins=1"},
	} {
		s.run(strings.Fields(step.line)...).ok(step.want)
	}
	const hint = "best_row compares rows by the board's first column, seconds; post it too"
	s.run("post", "laps", "ann", "coins=1").fails(exitUsage, hint)
	s.run("post", "laps", "ann", "coins=1", "--operator", "best_row").fails(exitUsage, hint)
	s.run("load", "new", s.file("f.csv", "owner,xp,coins\nann,1,1\n"), "--column", "xp", "--column", "coins:best_row").fails(exitUsage, "columns[1].operator: best_row is of the first column alone", "move coins to the front")
	cfg := s.file("c.yaml", "boards:\n- name: laps\n  columns:\n  - {name: xp}\n  - {name: coins, operator: best_row}\n")
	s.bare("config", "check", "--config", cfg).fails(exitUsage, "c.yaml:5", "best_row is of the first column alone")
}

func TestPostIfVersion(t *testing.T) {
	s := newShell(t)
	s.laps()
	s.run("post", "laps", "ann", "seconds=70", "--if-version", "2").fails(exitFailed, `owner "ann": the row is at version 1, not 2`, "nothing was posted: see what the row is now, with its version, and post for that: `rankcurve --db "+s.db()+" owner ann --board laps --json`")
	s.run("post", "laps", "ann", "seconds=70", "--if-version", "0").fails(exitFailed, "the row is at version 1, not 0")
	s.run("post", "laps", "new", "seconds=70", "--if-version", "1").fails(exitFailed, "the row is at version 0, not 1")
	s.run("post", "laps", "new", "seconds=70", "--if-version", "0").ok("posted: new")
	version := int(s.run("post", "laps", "ann", "seconds=70", "--if-version", "1", "--id", "a", "--json").ok().rows()[0]["version"].(float64))
	s.run("post", "laps", "ann", "seconds=70", "--if-version", "1", "--id", "a").ok("unchanged") // sent again
	s.run("post", "laps", "ann", "seconds=60", "--if-version", "-1").fails(exitUsage, "--if-version -1 is below 0")
	s.run("post", "laps", "ann", "seconds=60", "--if-version", "x").fails(exitUsage, `invalid value "x" for flag -if-version`)
	s.run("post", "laps", "ann", "seconds=60", "--operator", "max").fails(exitUsage, "is none of set, sum, best, worst, best_row")
	s.run("post", "laps", "ann", "seconds=60", "--if-version", strconv.Itoa(version)).ok("posted: ann on laps has seconds=60")
}

func TestPostTellsWhatItChanged(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(1000)).ok()
	s.run("post", "games", "p10", "xp=20000", "--rank").ok("posted: p10 on games has xp=20000\nxp: no rank, for there is no curve to estimate it by; `rankcurve --db " + s.db() + " rebuild games` makes one\n")
	row := s.run("post", "games", "p11", "xp=20010", "--rank", "--json").ok().rows()[0]["changes"].([]any)[0].(map[string]any)
	wantFields(t, row, "column before after rank_error")
	if row["before"] != "9900" || row["after"] != "20010" || !strings.Contains(row["rank_error"].(string), "no curve of games.xp yet") {
		t.Errorf("change %v", row)
	}
	s.run("post", "games", "p10", "xp=9910").ok()
	s.run("post", "games", "p11", "xp=9900").ok()
	s.run("rebuild", "games").ok()
	row = s.run("post", "games", "p500", "xp=9905", "--rank", "--json").ok().rows()[0]["changes"].([]any)[0].(map[string]any)
	wantFields(t, row, "column before after rank_before rank_after")
	before, after := row["rank_before"].(map[string]any), row["rank_after"].(map[string]any)
	if row["before"] != "5010" || row["after"] != "9905" || before["rank"] != 500.0 || before["score"] != "5010" || after["rank"] != 11.0 || after["score"] != "9905" || after["of"] != 1000.0 {
		t.Errorf("change %v", row)
	}
	wantFields(t, after, "owner board column score rank low high of percent exact as_of generation")
	if asked := s.run("rank", "games", "p500", "--mode", "estimate", "--json").ok().rows()[0]; asked["rank"] != after["rank"] {
		t.Errorf("asked afterwards, the rank is %v", asked["rank"])
	}
	s.run("post", "games", "p499", "xp=9905", "--rank").ok("xp: rank 499 -> 11 of 1,000", ", estimated (band ", "curve of ")
	s.run("post", "games", "p499", "xp=9905", "--rank").ok("unchanged", "xp: rank 11 -> 11 of 1,000")
	s.run("post", "games", "newcomer", "xp=1", "--rank").ok("xp: first rank 1,001 of 1,001")
	row = s.run("post", "games", "another", "xp=1", "--json").ok().rows()[0]["changes"].([]any)[0].(map[string]any)
	wantFields(t, row, "column before after")
	if row["before"] != nil || row["after"] != "1" {
		t.Errorf("change %v", row)
	}
}

// A post that may be stored is not said to be lost, nor that it can be sent again.
func TestPostOfUnknownOutcomeSaysWhatToDo(t *testing.T) {
	lose := false
	proxy := shaky.New(t, servers.DynamoDB(t), func(r shaky.Request) shaky.Fault {
		if lose && r.Operation == "UpdateItem" {
			return shaky.LostCut
		}
		return shaky.None
	})
	c := cloudAt(t, proxy.URL)
	c.games(3)
	lose = true
	c.bare("post", "games", "ann", "xp=5").fails(exitFailed, "it may have been stored", "look with `rankcurve rank games ann` before it is posted again", "--id")
	c.bare("post", "games", "bob", "xp=5", "--id", "b").fails(exitFailed, "it may have been stored", "run the same command again: its --id keeps it from being applied twice")
	lose = false
	c.bare("post", "games", "bob", "xp=5", "--id", "b").ok("unchanged: bob on games has xp=5")
	c.bare("rank", "games", "ann", "--mode", "exact").ok("ann")
}
