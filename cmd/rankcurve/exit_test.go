package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever stops a command is told what it has left, and what to do.
func TestACommandThatIsStoppedSaysWhatItLeft(t *testing.T) {
	s := newShell(t)
	s.board(3)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.ctx = ctx
	for line, want := range map[string]string{
		"top games":            "nothing was changed: run the same command again",
		"rank games p1":        "nothing was changed: run the same command again",
		"rebuild games":        "run the same command again",
		"post games p1 xp=1":   "run the same command again",
		"load games f.csv":     "nothing was written: run the same command again",
		"demo --entries 1000":  "nothing was changed: run the same command again",
		"rebuild games --full": "run the same command again",
	} {
		if line == "load games f.csv" {
			line = "load games " + s.players(3)
		}
		s.run(strings.Fields(line)...).fails(exitFailed, "stopped", want)
	}
	s.bare("demo", "--entries", "1000").fails(exitFailed, "stopped", "run the same command again")
}

// What the system refuses comes with a next step too.
func TestAFileThatTheSystemRefusesHasANextStep(t *testing.T) {
	s := newShell(t)
	folder := filepath.Join(s.folder, "none")
	s.bare("--db", filepath.Join(folder, "b.db"), "load", "games", s.players(3)).fails(exitFailed, "make the folder "+folder+", or name a file elsewhere")
	s.board(3)
	s.run("curve", "export", "games", "-o", filepath.Join(folder, "c")).fails(exitFailed, "make the folder "+folder)
	denied := &os.PathError{Op: "open", Path: "f", Err: os.ErrPermission}
	if err := withNextStep(denied); err.Error() != "open f: permission denied; ask for the right to it, or name another file" {
		t.Error(err)
	}
	if err := hintf(denied, "x"); withNextStep(err).Error() != err.Error() {
		t.Error("an error with a next step gets another")
	}
	if err := advicef(denied, "x"); withNextStep(err).Error() != "x" {
		t.Error("an advice gets a next step")
	}
}

func TestEveryCommandSaysWhatItsColumnIsFor(t *testing.T) {
	s := newShell(t)
	for command, want := range map[string]string{
		"top": "print the best by COLUMN", "rank": "ask for the rank by COLUMN", "score": "ask for the score in COLUMN",
		"curve plot": "draw the curve of COLUMN", "curve export": "write the curve of COLUMN",
	} {
		s.bare(append(strings.Fields(command), "--help")...).ok(want)
	}
}
