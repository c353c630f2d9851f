package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	s := newShell(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	r := s.bare("demo", "--entries", "5000").ok("5,000 players", "into a temporary database", "The best 10, always exact", "10 of 10 true ranks lie in their band", "count everyone above", "read the curve", "rankcurve load missions scores.csv")
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	again := s.bare("demo", "--entries", "5000").ok()
	if tables(r.out) != tables(again.out) {
		t.Errorf("two runs differ:\n%s\n%s", r.out, again.out)
	}
}

// tables are the lines that are not about this run's time.
func tables(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if regexp.MustCompile(`^ +[0-9]+ +player-|^  player-|^  count everyone`).MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestDemoKeepsItsDatabase(t *testing.T) {
	s := newShell(t)
	r := s.run("demo", "--entries", "2000").ok("into "+s.db(), "rankcurve --db "+s.db()+" rank demo player-")
	s.run("top", "demo").ok("player-")
	for _, line := range regexp.MustCompile(`(?m)^  rankcurve --db \S+ (rank|score|post) demo( \S+)+`).FindAllString(r.out, -1) {
		words, _, _ := strings.Cut(strings.TrimSpace(line), "   ")
		s.bare(strings.Fields(words)[1:]...).ok()
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	s.bare("demo", "--entries", "1000", "--keep").ok("into " + temporary)
	if left, err := filepath.Glob(temporary + "/*/demo.db"); err != nil || len(left) != 1 {
		t.Errorf("kept: %v, %v", left, err)
	}
}

func TestDemoThatIsStoppedLeavesNothing(t *testing.T) {
	s := newShell(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.ctx = ctx
	s.bare("demo", "--entries", "1000", "--keep").fails(exitFailed, "stopped")
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A demo resets the scores of its players and counts those of others.
func TestDemoRefusesABoardThatIsThere(t *testing.T) {
	s := newShell(t)
	s.run("demo", "--entries", "1000").ok()
	before := s.run("top", "demo", "-n", "1").ok().out
	r := s.run("demo", "--entries", "2000").fails(exitFailed, s.db()+` has a board "demo" already`, "nothing in it was changed", "name a file that is not there yet with --db", "`rankcurve --db "+s.db()+" top demo`")
	if after := s.run("top", "demo", "-n", "1").ok().out; after != before || r.out != "" {
		t.Errorf("the board has changed, or the demo has begun: %s%s", after, r.out)
	}
	s.run("load", "demo2", s.players(3)).ok() // another board is in nobody's way
}

func TestDemoKeepsOnlyATemporaryDatabase(t *testing.T) {
	newShell(t).run("demo", "--keep").fails(exitUsage, "leave --keep out")
}
