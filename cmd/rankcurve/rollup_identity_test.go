package main

import (
	"fmt"
	"strings"
	"testing"
)

// newHits is a shell that counts logs of pages into the board hits.
func newHits(t *testing.T) (s *shell, count func(log string, more ...string) result) {
	t.Helper()
	s = newShell(t)
	return s, func(log string, more ...string) result {
		t.Helper()
		return s.run(append([]string{"load", "hits", s.file("log.csv", log), "--count-by", "page"}, more...)...)
	}
}

// manyHits are lines of a log, of which each differs from all others.
func manyHits(lines int) string {
	var b strings.Builder
	b.WriteString("page,at\n")
	for i := range lines {
		fmt.Fprintf(&b, "p%d,%d\n", i%2, i)
	}
	return b.String()
}

// A log that is changed before its end would be in the sums twice: it is refused, with
// the place, and nothing is counted.
func TestAChangedLogIsRefused(t *testing.T) {
	s, count := newHits(t)
	log := manyHits(100)
	count(log).ok("counted 100 lines")
	for _, c := range []struct{ change, want string }{
		{strings.Replace(log, "p1,1\n", "p1,x\n", 1), "line 3 was changed"},
		{strings.Replace(log, "p1,3\n", "p2,3\n", 1) + "p0,100\n", "line 5 was changed"},
		{strings.Replace(log, "p0,50\n", "p0,5\n", 1), "something in lines 49 to 56 was changed"}, // shorter, and as many lines
		{strings.Replace(log, "p0,98\n", "", 1) + "p0,100\n", "something in lines 97 to 101 was changed"},
		{strings.ReplaceAll(log, "\n", "\r\n"), "line 1 was changed (line ends count too)"},
		{"\ufeff" + log, "line 1 was changed"},
		{strings.Replace(log, "page,at", "page,time", 1), "line 1 was changed"},
		{strings.Replace(log, "page,at\n", "page,at\n\n", 1), "line 2 was changed"},
	} {
		count(c.change).fails(exitFailed, "was counted into hits up to line 101 at 20", c.want, "may grow at its end alone", "--log NAME")
	}
	s.wantTop("hits", "1 p0 50", "1 p1 50")
	count(log+"p0,100\n").ok("counted 1 line", "the lines up to 101 were counted before")
}

// A file that has less of a log than was counted is an older copy, wherever it ends.
func TestAnOlderCopyHasNothingNew(t *testing.T) {
	s, count := newHits(t)
	count(manyHits(40)).ok("counted 40 lines")
	count(manyHits(1000)).ok("counted 960 lines")
	for _, lines := range []int{1, 2, 39, 40, 41, 500, 998} {
		count(manyHits(lines)).ok(fmt.Sprintf("nothing new: %s ends at line %d, and the log that it is an older copy of is counted up to line 1,001\n", s.folder+"/log.csv", lines+1))
	}
	count(manyHits(1000)).ok("nothing new: ", "is counted up to line 1,001\n")
	count(strings.Replace(manyHits(500), "p1,201\n", "p1,0\n", 1)).fails(exitFailed, "something in lines 193 to 224 was changed")
	count(manyHits(1001)).ok("counted 1 line")
	s.wantTop("hits", "1 p0 501", "2 p1 500")
}

// Rotated logs begin with the same header, and are logs of their own. Where the first
// line is the same too, a name tells them apart.
func TestLogsAreToldApart(t *testing.T) {
	s, count := newHits(t)
	count("page,at\nx,1\ny,2\n").ok("counted 2 lines")
	count("page,at\nx,2\ny,2\n").ok("counted 2 lines")
	count("page,at\nx,3\n").ok("counted 1 line")
	s.wantTop("hits", "1 x 3", "2 y 2")
	other := "page,at\nx,1\nz,9\nz,9\n"
	count(other).fails(exitFailed, "line 3 was changed", "if this is another log that begins with the same line, tell them apart by --log NAME")
	count(other, "--log", "web2").ok("counted 3 lines")
	count(other, "--log", "web2").ok("nothing new")
	count("page,at\nx,1\nz,9\n", "--log", "web2").ok("nothing new: ", "ends at line 3")
	count(other+"z,10\n", "--log", "web2").ok("counted 1 line")
	s.wantTop("hits", "1 x 4", "2 z 3", "3 y 2")
	count("page,at\nx,1\n", "--log", "web3").fails(exitFailed, "the lines of this file up to 2 were counted into hits before, without --log; leave it out")
	count("page,at\nx,1\ny,2\nw,4\n").ok("counted 1 line", "the lines up to 3 were counted before")
	count("page,at\nx,1\nq,1\n", "--log", "web2").fails(exitFailed, `the log "web2" was counted into hits up to line 5`, "line 3 was changed")
	count("page,at\nn,1\nn,2\n", "--log", "a").ok("counted 2 lines")
	count("page,at\nn,1\nn,2\n", "--log", "b").ok("counted 2 lines")
	count("page,at\nn,1\nn,2\nn,3\n").fails(exitFailed, `were counted into hits before, as the log "a"; add --log a`)
	count("page,at\nn,1\nn,4\n").fails(exitFailed, `logs that begin with this file's first line were counted into hits as "a", "b"; say which one this is`)
	s.wantTop("hits", "1 n 4", "1 x 4", "3 z 3", "4 y 2", "5 w 1")
	count(other, "--log", "").fails(exitUsage, "--log has 0 bytes; give the log a name of 1 to 255")
}

// A log that has only its header has nothing new, and then has.
func TestALogWithoutLines(t *testing.T) {
	s, count := newHits(t)
	path := s.folder + "/log.csv"
	count("page,at\n").ok("nothing new: " + path + " has no line yet\n")
	for _, nothing := range []string{"", "\n", " \r\n\n", "\ufeff"} {
		count(nothing).ok("nothing new: " + path + " has no line yet\n")
	}
	if out := count("page,at\nx,", "--json").ok().out; out != `{"log":"`+path+`","boards":[],"lines":0,"up_to":0,"gone":0,"refused":0,"older":false,"waiting":true,"no_index":[]}`+"\n" {
		t.Error(out)
	}
	count("page,at\nx,").ok("nothing new: "+path+" has no line yet\n", "the last line has no line break at its end yet")
	s.run("load", "hits", s.file("log.ndjson", "{"), "--count-by", "page").ok("nothing new: ")
	count("who,at\n").fails(exitFailed, "log.csv:1: page: there is no such column")
	r := count("page,at")
	r.fails(exitFailed, "log.csv: there is no header that ends in a line break")
	if strings.Count(r.err, path) != 1 {
		t.Errorf("the file is not named once: %s", r.err)
	}
	count("page,at\nx,1\n  \n\n\ty,1\n \t\n").ok("counted 2 lines")
	count("page,at\nx,1\n  \n\n\ty,1\n \t\nx,2\n").ok("counted 1 line", "the lines up to 5 were counted before")
	count("page,at\n").ok("has no line yet")
	count("").ok("has no line yet")
	s.run("load", "pages", s.file("pages.csv", "page\nx\n  \nx\n\"\"\n"), "--count-by", "page").fails(exitFailed, "pages.csv:5: page: is empty")
}
