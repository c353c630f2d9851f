package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A log of which two rows do not take their shares of views where those may be 3 at most.
var logWithShares = "image,time,type,bytes\n" + strings.Repeat("a.jpg,2026-11-21T09:00:00Z,view,1\nc.jpg,2026-11-21T09:00:00Z,view,1\n", 4) + "b.jpg,2026-11-21T09:00:00Z,view,1\n"

var boardsOfShares = []string{"photos.view", "photos.view:2026-11", "photos.view:2026-11-21"}

// wantOnce checks that each line of logWithShares is in a board or listed with it, once.
func (s *shell) wantOnce(list string) {
	s.t.Helper()
	got, want := map[string]int{}, map[string]int{}
	for _, board := range boardsOfShares {
		want[board+" a.jpg"], want[board+" c.jpg"], want[board+" b.jpg"] = 4, 4, 1
		for _, row := range strings.Split(strings.TrimSpace(s.run("top", board).squeezed().ok().out), "\n")[1:] {
			fields := strings.Fields(row)
			score, err := strconv.Atoi(fields[2])
			if err != nil {
				s.t.Fatal(err)
			}
			got[board+" "+fields[1]] += score
		}
	}
	lines := map[string]bool{}
	for _, one := range s.listed(list) {
		got[one.Board+" "+one.Owner]++
		if key := fmt.Sprint(one.Line, one.Board); !lines[key] {
			lines[key] = true
		} else {
			s.t.Errorf("line %d is listed twice for %s", one.Line, one.Board)
		}
	}
	for row, n := range want {
		if got[row] != n {
			s.t.Errorf("%s has %d lines in the board or the list, want %d", row, got[row], n)
		}
	}
}

// What is listed of a row stays out of it, though the limit was raised when the run that
// was killed is gone on with.
func TestAShareThatIsListedStaysRefused(t *testing.T) {
	s := newStrictPhotos(t)
	path, list := s.file("access.csv", logWithShares), s.folder+"/refused.ndjson"
	s.killedAt("shares refused", path, list)
	if lines := len(s.listed(list)); lines != 24 {
		t.Errorf("%d lines are listed, want 24", lines)
	}
	s.configure(photoConfig)
	r := s.countLog(path, "--skip-refused", list).warns("8 lines")
	r.has("output", r.out, []string{"counted 9 lines"})
	s.wantTop("photos.view", "1 b.jpg 1")
	s.wantOnce(list)
	s.file("access.csv", logWithShares+"a.jpg,2026-11-21T09:00:00Z,view,1\n")
	s.countLog(path, "--skip-refused", list).ok("counted 1 line")
	s.wantTop("photos.view", "1 a.jpg 1", "1 b.jpg 1")
}

// A list that was cut short when shares were written to it, by a full disk for one, has
// some lines of a row and others not. The next run lists the others.
func TestSharesThatAreListedInPartAreListedInFull(t *testing.T) {
	s := newStrictPhotos(t)
	path, list := s.file("access.csv", logWithShares), s.folder+"/refused.ndjson"
	killed := string(s.killedAt("shares refused", path, list))
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	for _, config := range []string{photoConfig, boundedConfig} {
		s.configure(config)
		for _, cut := range []int{0, 10, len(whole) / 24, len(whole) / 4, len(whole) / 2, len(whole) - 10, len(whole)} {
			s.file("boards.db", killed)
			s.file("refused.ndjson", whole[:cut])
			s.countLog(path, "--skip-refused", list)
			s.wantOnce(list)
			if n := len(s.listed(list)); cut >= len(whole)/4 && n != 24 {
				t.Errorf("cut at %d: %d lines are listed, want 24", cut, n)
			}
			s.countLog(path, "--skip-refused", list).ok("nothing new")
		}
	}
	// By lines: the first of a row is listed, and no other.
	s.file("boards.db", killed)
	s.file("refused.ndjson", whole[:strings.Index(whole, "\n")+1])
	s.configure(photoConfig)
	s.countLog(path, "--skip-refused", list).warns("4 lines")
	s.wantTop("photos.view", "1 c.jpg 4", "2 b.jpg 1")
	s.wantTop("photos.view:2026-11", "1 a.jpg 4", "1 c.jpg 4", "3 b.jpg 1")
	s.wantOnce(list)
}

// Before shares are listed, the journal says where: no run goes on without that list, or they
// could be counted besides.
func TestSharesAreListedInOneListAlone(t *testing.T) {
	s := newStrictPhotos(t)
	path, list := s.file("access.csv", logWithShares), s.folder+"/refused.ndjson"
	s.killedAt("shares refused", path, list)
	s.configure(photoConfig)
	other := s.folder + "/other.ndjson"
	for _, more := range [][]string{nil, {"--skip-refused", other}} {
		s.countLog(path, more...).fails(exitUsage, "the lines 2 to 10 were being counted when that was stopped at 2026-11-21T", "listed in "+list, "run again with --skip-refused "+list)
		s.wantTop("photos.view", "1 b.jpg 1")
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("another list was made")
	}
	alias := s.folder + "/alias.ndjson"
	if err := os.Symlink(list, alias); err != nil {
		t.Skip(err)
	}
	s.countLog(path, "--skip-refused", alias).warns("8 lines")
	s.wantOnce(list)
	s.file("access.csv", logWithShares+"a.jpg,2026-11-21T09:00:00Z,view,1\n")
	s.countLog(path).ok("counted 1 line") // the list is for that chunk
	s.wantTop("photos.view", "1 a.jpg 1", "1 b.jpg 1")
}

// A list that is gone has nothing of a share any more, which is tried again.
func TestSharesOfAListThatIsGoneAreTriedAgain(t *testing.T) {
	s := newStrictPhotos(t)
	path, list := s.file("access.csv", logWithShares), s.folder+"/refused.ndjson"
	killed := string(s.killedAt("shares refused", path, list))
	for config, lines := range map[string]int{boundedConfig: 24, photoConfig: 0} {
		s.file("boards.db", killed)
		s.configure(config)
		if err := os.Remove(list); err != nil {
			t.Fatal(err)
		}
		s.countLog(path, "--skip-refused", list)
		s.wantOnce(list)
		if got := len(s.listed(list)); got != lines {
			t.Errorf("%d lines are listed, want %d", got, lines)
		}
	}
}
