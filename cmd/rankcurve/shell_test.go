package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// A shell runs command lines in the test's process, on a database of its own.
type shell struct {
	t        *testing.T
	folder   string
	in       io.Reader
	environ  []string
	terminal bool
	ctx      context.Context
	now      func() time.Time
}

func newShell(t *testing.T) *shell {
	t.Helper()
	return &shell{t: t, folder: t.TempDir(), in: strings.NewReader(""), ctx: context.Background()}
}

// A result is what a command line left behind.
type result struct {
	t        *testing.T
	line     string
	code     int
	out, err string
}

// stopClock has the program's clock stand still, so that "now" stays now and nothing gets
// due, however long a busy machine takes between two commands.
func (s *shell) stopClock() *shell {
	s.now = func() time.Time { return saturday }
	return s
}

func (s *shell) db() string { return filepath.Join(s.folder, "boards.db") }

// run runs a command line on the shell's database.
func (s *shell) run(words ...string) result {
	s.t.Helper()
	return s.bare(append([]string{"--db", s.db()}, words...)...)
}

// bare runs a command line as it stands.
func (s *shell) bare(words ...string) result {
	s.t.Helper()
	var out, errs bytes.Buffer
	p := program{in: s.in, out: &out, err: &errs, environ: s.environ, isTerminal: func(any) bool { return s.terminal }, now: s.now}
	code := p.run(s.ctx, append([]string{"rankcurve"}, words...))
	return result{s.t, strings.Join(words, " "), code, out.String(), errs.String()}
}

// ok wants success, and parts of standard output.
func (r result) ok(parts ...string) result {
	r.t.Helper()
	if r.code != exitDone || r.err != "" {
		r.t.Fatalf("%s: exit code %d, %s", r.line, r.code, r.err)
	}
	return r.has("output", r.out, parts)
}

// warns wants success, and a warning on standard error with all of these parts.
func (r result) warns(parts ...string) result {
	r.t.Helper()
	if r.code != exitDone || !strings.HasPrefix(r.err, "warning: ") || strings.Count(r.err, "\n") != 1 {
		r.t.Fatalf("%s: exit code %d, %s", r.line, r.code, r.err)
	}
	return r.has("warning", r.err, parts)
}

// fails wants an exit code, one "rankcurve: " on standard error or with --json one object
// in its last line, and parts of it.
func (r result) fails(code int, parts ...string) result {
	r.t.Helper()
	if r.code != code {
		r.t.Errorf("%s: exit code %d, want %d: %s", r.line, r.code, code, r.err)
	}
	if wantsJSON(strings.Fields(r.line)) {
		return r.has("error", r.failure().Error, parts)
	}
	if !strings.HasPrefix(r.err, "rankcurve: ") || strings.Count(r.err, "rankcurve: ") != 1 || !strings.HasSuffix(r.err, "\n") {
		r.t.Errorf("%s: error is not one message: %q", r.line, r.err)
	}
	return r.has("error", r.err, parts)
}

// failure is the object in the last line of standard error.
func (r result) failure() (f failure) {
	r.t.Helper()
	lines := strings.Split(strings.TrimSuffix(r.err, "\n"), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &f); err != nil || f.Error == "" || f.Code == "" || strings.Contains(r.err, "rankcurve: ") {
		r.t.Fatalf("%s: standard error does not end in one object: %v\n%s", r.line, err, r.err)
	}
	return f
}

func (r result) has(stream, text string, parts []string) result {
	r.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			r.t.Errorf("%s: the %s has no %q:\n%s", r.line, stream, part, text)
		}
	}
	return r
}

// rows reads standard output as one JSON object per line.
func (r result) rows() (rows []map[string]any) {
	r.t.Helper()
	for line := range strings.Lines(r.out) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			r.t.Fatalf("%s: line %q: %v", r.line, line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *shell) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// players writes a CSV of n owners p1..pn with n distinct scores, p1 the best.
func (s *shell) players(n int) string {
	var b strings.Builder
	b.WriteString("owner,xp\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "p%d,%d\n", i, 10*(n-i+1))
	}
	return s.file("players.csv", b.String())
}

// board loads n players on the board "games" and makes its curve.
func (s *shell) board(n int) {
	s.t.Helper()
	s.run("load", "games", s.players(n)).ok()
	s.run("rebuild", "games").ok()
}

// store opens the shell's database, until the test ends or the caller closes it.
func (s *shell) store() store.Store {
	s.t.Helper()
	st, err := bolt.Open(s.db())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { st.Close() })
	return st
}
