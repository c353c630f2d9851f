package main

import (
	"strings"
	"testing"
)

func TestPostSetsAttributes(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(2)).ok()
	s.run("post", "games", "p1", "xp=5", "--attribute", "clan=owls, night", "--attribute", "motto=a=b").ok("posted: p1 on games has xp=5 and clan=owls, night motto=a=b\n")
	s.run("post", "games", "p1", "--attribute", "motto=").ok("posted: p1 on games has xp=5 and clan=owls, night motto=\n")
	s.run("post", "games", "p1", "--attribute", "motto=").ok("unchanged: p1 on games has xp=5 and ")
	s.run("post", "games", "new", "--attribute", "clan=cats").ok("posted: new on games has no score and clan=cats\n")
	row := s.run("post", "games", "p1", "xp=6", "--json").ok().rows()[0]
	wantFields(t, row, "owner board scores attributes hidden updated version changed changes")
	if a := row["attributes"].(map[string]any); len(a) != 2 || a["clan"] != "owls, night" || a["motto"] != "" || row["hidden"] != false || !strings.HasSuffix(row["updated"].(string), "Z") {
		t.Errorf("%v", row)
	}
	for line, want := range map[string]string{
		"post games p1 --attribute clan":                      `--attribute "clan" is no attribute; write NAME=TEXT, such as clan=owls`,
		"post games p1 --attribute =owls":                     `--attribute "=owls" is no attribute`,
		"post games p1 --attribute a=\xff":                    "is no attribute",
		"post games p1 --attribute clan=a --attribute clan=b": "--attribute clan is there twice",
	} {
		s.run(strings.Fields(line)...).fails(exitUsage, want)
	}
	s.run("post", "games", "p1").fails(exitUsage, "2 arguments are not what")
}

// On a board of whole rows an attribute alone says nothing that rows are compared by.
func TestPostSetsAttributesAloneOnABoardOfWholeRows(t *testing.T) {
	s := newShell(t)
	s.laps()
	s.run("post", "laps", "ann", "--attribute", "clan=owls").ok("posted: ann on laps has seconds=82.5 coins=3 and clan=owls\n")
	s.run("post", "laps", "ann", "--attribute", "clan=cats", "--operator", "best_row").fails(exitUsage, "best_row compares rows by the board's first column")
}

func TestPostSaysThatTheOwnerIsHidden(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(2)).ok()
	s.run("hide", "games", "p1").ok()
	s.run("post", "games", "p1", "xp=7").ok("posted: p1 on games has xp=7\np1 is hidden there, and in no view; `rankcurve --db " + s.db() + " unhide games p1` puts them back\n")
	if row := s.run("post", "games", "p1", "xp=7", "--json").ok().rows()[0]; row["hidden"] != true {
		t.Errorf("%v", row)
	}
	if r := s.run("post", "games", "p2", "xp=7").ok(); strings.Contains(r.out, "hidden") {
		t.Error(r.out)
	}
}

func TestPostSaysHowToWriteAnExponent(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(2)).ok()
	for score, want := range map[string]string{
		"1e3":   `xp: "1e3" is written with an exponent; write its digits out: 1000`,
		"1e400": `xp: "1e400" is written with an exponent, and is out of range`,
		"1e-30": `xp: "1e-30" is written with an exponent, and has more decimals than the 18 that a score keeps`,
		"1.5":   `xp: "1.5" has 1 decimal, the column keeps 0; round it`,
		"ten":   `xp: score "ten" is not a decimal number`,
	} {
		s.run("post", "games", "p1", "xp="+score).fails(exitUsage, want)
	}
}

func TestLoadSetsAttributes(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.file("a.csv", "owner,xp,clan,note\nann,5,owls,\"a, b\"\nbob,6,,x\n"), "--attribute", "clan", "--attribute", "note").ok("loaded 2 rows into board \"games\" (xp:desc:set:0)")
	attributes := func(owner string) map[string]any {
		t.Helper()
		return s.run("owner", owner, "--board", "games", "--json").ok().rows()[0]["attributes"].(map[string]any)
	}
	if a, b := attributes("ann"), attributes("bob"); len(a) != 2 || a["clan"] != "owls" || a["note"] != "a, b" || len(b) != 1 || b["note"] != "x" {
		t.Errorf("ann %v, bob %v", a, b)
	}
	s.run("load", "games", s.file("b.ndjson", `{"owner":"ann","xp":7,"clan":"cats"}`+"\n"+`{"owner":"bob","xp":7}`+"\n"), "--attribute", "clan", "--column", "xp").ok("loaded 2 rows")
	if a, b := attributes("ann"), attributes("bob"); len(a) != 2 || a["clan"] != "cats" || a["note"] != "a, b" || len(b) != 1 {
		t.Errorf("ann %v, bob %v", a, b)
	}
	file := s.file("c.csv", "owner,xp,clan\nann,5,\xff\n")
	for _, c := range []struct {
		words string
		code  int
		want  string
	}{
		{"--attribute clan", exitFailed, "c.csv:2: clan: "},
		{"--attribute flag", exitFailed, "c.csv:1: flag: there is no such column (there are: xp, clan); correct --attribute"},
		{"--attribute owner", exitUsage, `--attribute "owner" is empty, the owner or there twice`},
		{"--attribute clan --attribute clan", exitUsage, "there twice"},
		{"--attribute clan --column clan", exitUsage, "--attribute and --column both name clan"},
		{"--attribute clan --count-by owner", exitUsage, "--attribute is of a file of scores"},
	} {
		s.run(append([]string{"load", "games", file}, strings.Fields(c.words)...)...).fails(c.code, c.want)
	}
}

// Who posts without the family's configuration is told, rather than to leave the other
// boards behind.
func TestPostsToAFamilyNeedItsConfiguration(t *testing.T) {
	s := newFamilies(t)
	s.run("post", "missions", "ann", "xp=5").ok()
	s.environ = nil
	more := s.file("more.csv", "owner,xp\nann,9\n")
	want := "board missions:2026-11-21 was made for a family with daily boards, and none is configured under the name missions: set its periods in the configuration, or name it with --config; --period all takes this board alone"
	s.run("post", "missions", "ann", "xp=5").fails(exitUsage, want)
	s.run("load", "missions", more).fails(exitUsage, want)
	s.run("top", "missions").squeezed().ok("1 ann 5\n")
	s.run("post", "missions", "ann", "xp=5", "--period", "all").ok("posted: ann on missions has xp=10\n")
	s.run("load", "missions", more, "--period", "all").ok(`loaded 1 row into board "missions"`)
	s.run("post", "missions:2026-11-21", "ann", "xp=5").ok("posted: ann on missions:2026-11-21 has xp=10\n")
	s.run("load", "games", s.players(2)).ok()
	s.run("post", "games", "p1", "xp=5").ok()
}

// What is too large for a row is a fault of its line, before anything is written.
func TestLoadRefusesTooLargeAttributes(t *testing.T) {
	s := newShell(t)
	path := s.file("a.csv", "owner,xp,replay\nann,5,x\nbob,6,"+strings.Repeat("x", 410_000)+"\n")
	s.run("load", "games", path, "--attribute", "replay").fails(exitFailed, `a.csv:3: board "games", owner "bob": the row is too large`, `"replay" of 410007 bytes: shorten them`)
	s.run("top", "games").fails(exitNotFound)
}
