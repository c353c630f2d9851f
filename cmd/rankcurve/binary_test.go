package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// build builds the program once for all TestBinary tests.
var build = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "rankcurve-binary-*")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "rankcurve")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", path, "-ldflags", "-X main.version=v0.0.0-test", ".").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, err
})

func TestMain(m *testing.M) {
	for _, entry := range os.Environ() { // what a developer has set must not reach the tests
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "RANKCURVE_") && !strings.HasPrefix(name, "RANKCURVE_TEST_") {
			os.Unsetenv(name)
		}
	}
	code := m.Run()
	if path, err := build(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// A process is the built program at work in a folder of its own.
type process struct {
	t      *testing.T
	path   string
	folder string
}

func newProcess(t *testing.T) process {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the binary is not built")
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return process{t, path, t.TempDir()}
}

func (p process) command(words ...string) *exec.Cmd {
	c := exec.Command(p.path, words...)
	c.Dir = p.folder
	return c
}

func (p process) run(words ...string) result {
	p.t.Helper()
	var out, errs bytes.Buffer
	c := p.command(words...)
	c.Stdout, c.Stderr = &out, &errs
	return result{p.t, strings.Join(words, " "), exitStatus(p.t, c.Run()), out.String(), errs.String()}
}

func exitStatus(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode()
	}
	return 0
}

const steam = "../../../shared/data/steam_positive.csv"

// The README's sequence, on a real board.
func TestBinaryFromLoadToRank(t *testing.T) {
	data, err := filepath.Abs(steam)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(data); err != nil {
		if strings.Contains(os.Getenv("RANKCURVE_TEST_REQUIRE"), "data") {
			t.Fatal(err)
		}
		t.Skipf("the shared datasets are not there: %v", err)
	}
	p := newProcess(t)
	p.run("load", "games", data).ok("loaded 79,811 rows", "positive_reviews:desc:set:0", "next: rankcurve rebuild games")
	p.run("rebuild", "games").ok("games.positive_reviews: generation 1 of 79,811 entries")
	p.run("top", "games", "-n", "3").ok("1   steam-000002          7,352,952")
	p.run("rank", "games", "steam-000001", "steam-000004").ok("1,963,225", "337,183", "79,811")
	exact := p.run("rank", "games", "steam-000500", "--mode", "exact", "--json").ok().rows()[0]
	estimate := p.run("rank", "games", "steam-000500", "--mode", "estimate", "--json").ok().rows()[0]
	if r := exact["rank"].(float64); r < estimate["low"].(float64) || r > estimate["high"].(float64) {
		t.Errorf("exact %v is outside the band of %v", exact, estimate)
	}
	p.run("score", "games", "--percent", "1").ok("POSITIVE_REVIEWS")
	p.run("post", "games", "me", "positive_reviews=10000000").ok("posted")
	p.run("rank", "games", "me").ok("10,000,000      1   exact")
	p.run("curve", "show", "games").ok("79,811")
	p.run("curve", "plot", "games").ok("positive_reviews of games by rank")
	p.run("curve", "plot", "games", "-o", "games.svg").ok("drew games.svg")
	p.run("curve", "export", "games", "-o", "games.curve").ok()
	for _, name := range []string{"games.svg", "games.curve", "rankcurve.db"} {
		if info, err := os.Stat(filepath.Join(p.folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBinaryDemo(t *testing.T) {
	newProcess(t).run("demo", "--entries", "20000").ok("10 of 10 true ranks lie in their band")
}

func TestBinarySaysItsVersion(t *testing.T) {
	newProcess(t).run("--version").ok("rankcurve version v0.0.0-test")
}

func TestBinaryRefusesWrongUsage(t *testing.T) {
	p := newProcess(t)
	for line, want := range map[string]string{
		"topp":                `did you mean "top"?`,
		"top games --jsn":     "did you mean --json?",
		"top games -n":        "flag -n needs a value",
		"--log-level x top g": "--log-level",
	} {
		p.run(strings.Fields(line)...).fails(exitUsage, want)
	}
	p.run("top", "games").fails(exitNotFound, "no database at rankcurve.db")
	if left, err := os.ReadDir(p.folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestBinaryReadsItsEnvironment(t *testing.T) {
	p := newProcess(t)
	s := newShell(t)
	cfg := s.file("c.yaml", "refresh: {head: 5}")
	c := p.command("config", "check")
	c.Env = append(os.Environ(), "RANKCURVE_CONFIG="+cfg)
	out, err := c.CombinedOutput()
	if code := exitStatus(t, err); code != exitUsage || !strings.Contains(string(out), "c.yaml:1: refresh.head: 5 is not in") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func TestBinaryFindsItsDatabaseInUse(t *testing.T) {
	p := newProcess(t)
	s := newShell(t)
	s.board(3)
	s.store()
	for _, line := range []string{"top games", "rebuild games", "post games ann xp=1"} {
		p.run(append([]string{"--db", s.db()}, strings.Fields(line)...)...).fails(exitFailed, "is in use by another process; stop it or name another file with --db")
	}
}

// A stop while standard input is still being read: nothing is written. A pipe
// holds 64 KB, so when a megabyte has gone in, the program is reading.
func TestBinaryStopsWhileReadingStandardInput(t *testing.T) {
	p := newProcess(t)
	temporary := t.TempDir()
	c := p.command("load", "games", "-")
	c.Env = append(os.Environ(), "TMPDIR="+temporary)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "owner,xp\n"+strings.Repeat("ann,1\n", 1<<20/6)); err != nil {
		t.Fatal(err)
	}
	interrupt(t, c)
	if code := exitStatus(t, c.Wait()); code != exitFailed || !strings.Contains(errs.String(), "stopped while the input was read; nothing was written") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	for _, folder := range []string{temporary, p.folder} {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

func interrupt(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

// eventually waits for something that a process does; how long is no concern.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}
