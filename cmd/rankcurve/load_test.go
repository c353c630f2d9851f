package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// scores reads the rows back, by owner, as COLUMN=UNITS.
func (s *shell) scores(board string, owners ...string) map[string]string {
	s.t.Helper()
	st := s.store()
	defer st.Close()
	b, err := st.Board(context.Background(), board)
	if err != nil {
		s.t.Fatal(err)
	}
	entries, _, err := st.EntriesOf(context.Background(), b, owners)
	if err != nil {
		s.t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if e.Version > 0 {
			found[e.Owner] = strings.TrimPrefix(fmt.Sprint(e.Scores), "map")
		}
	}
	return found
}

func (s *shell) definition(board string) store.Board {
	s.t.Helper()
	st := s.store()
	defer st.Close()
	b, err := st.Board(context.Background(), board)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// The same rows in every form.
func TestLinesOfSpacesAreEmpty(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.file("f.csv", "owner,xp\n  \nann,1\n\t\r\n\nbob,2\n   ")).ok("loaded 2 rows")
	s.run("load", "games", s.file("f.csv", "owner,xp\n  \nann,1\n \nbob\n")).fails(exitFailed, "f.csv:5: the line has 1 field, the header 2")
}

func TestLoadReadsEveryForm(t *testing.T) {
	want := map[string]string{"ann": "[time:8235 xp:1200]", "bob, jr": "[time:-700 xp:7]", "eve": "[xp:0]"}
	const csv = "owner,xp,time\nann,1200,82.35\n\"bob, jr\",7,-7\neve,0,\n"
	const ndjson = `{"owner":"ann","xp":1200,"time":"82.35"}
{"time":-7.0, "owner":"bob, jr" , "xp":"7"}

{"owner":"\u0065ve","xp":0}
`
	for name, c := range map[string]struct {
		file, content string
		flags         []string
	}{
		"csv":                   {"f.csv", csv, nil},
		"csv of windows":        {"f.csv", "\xef\xbb\xbf" + strings.ReplaceAll(csv, "\n", "\r\n"), nil},
		"csv with owner last":   {"f.csv", "xp, time, owner\n1200, 82.350 , ann \n7,-7,\"bob, jr\"\n0,,eve", nil},
		"csv by its content":    {"f.txt", csv, nil},
		"csv by flag":           {"f.ndjson", csv, []string{"--format", "csv"}},
		"ndjson":                {"f.ndjson", ndjson, nil},
		"ndjson by its content": {"f", ndjson, nil},
		"jsonl":                 {"f.JSONL", ndjson, nil},
		"ndjson by flag":        {"f.csv", ndjson, []string{"--format=ndjson"}},
		"csv on stdin":          {"-", csv, nil},
		"ndjson on stdin":       {"-", "\n " + ndjson, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			spool := t.TempDir()
			t.Setenv("TMPDIR", spool)
			path := "-"
			if s.in = strings.NewReader(c.content); c.file != "-" {
				path = s.file(c.file, c.content)
			}
			s.run(append([]string{"load", "games", path}, c.flags...)...).ok(`loaded 3 rows into board "games"`, "rows/s", "next: rankcurve --db "+s.db()+" rebuild games")
			if got := s.scores("games", "ann", "bob, jr", "eve"); !reflect.DeepEqual(got, want) {
				t.Errorf("stored %v, want %v", got, want)
			}
			b := s.definition("games")
			if b.Shards != 16 || len(b.Columns) != 2 || b.Created.IsZero() {
				t.Errorf("board %+v", b)
			}
			if c, _ := b.Column("time"); c != (store.Column{Name: "time", Order: store.Desc, Operator: store.Set, Decimals: 2}) {
				t.Errorf("column %+v", c)
			}
			if left, err := os.ReadDir(spool); err != nil || len(left) > 0 {
				t.Errorf("spooled input is left behind: %v, %v", left, err)
			}
		})
	}
}

func TestLoadTakesColumnsAndShards(t *testing.T) {
	s := newShell(t)
	path := s.file("f.csv", "owner,name,xp,time\nann,Ann A.,12,8.5\n")
	s.run("load", "games", path, "--column", "time:asc:best:3", "--shards", "4", "--column=xp:sum").ok("left out, because --column does not name them: name")
	b := s.definition("games")
	want := []store.Column{{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 3}, {Name: "xp", Order: store.Desc, Operator: store.Sum}}
	if b.Shards != 4 || !reflect.DeepEqual(b.Columns, want) {
		t.Errorf("board %+v", b)
	}
	if got := s.scores("games", "ann")["ann"]; got != "[time:8500 xp:12]" {
		t.Errorf("stored %s", got)
	}
	// A known board takes flags that agree, and loads the columns they name.
	s.run("load", "games", s.file("g.csv", "owner,xp,extra\nann,99,x\n"), "--column", "xp", "--shards", "4").ok()
	if got := s.scores("games", "ann")["ann"]; got != "[time:8500 xp:99]" {
		t.Errorf("stored %s", got)
	}
}

func TestLoadRefusesAnotherDefinition(t *testing.T) {
	s := newShell(t)
	path := s.players(3)
	s.run("load", "games", path, "--shards", "8").ok()
	s.run("load", "games", path, "--shards", "9").fails(exitFailed, `board "games" has 8 shards, not 9`, "leave the flag out, or load into a new board")
	s.run("load", "games", path, "--column", "xp:asc").fails(exitFailed, "xp:desc:set:0", "xp:asc:set:0")
	s.run("load", "games", path, "--column", "gold").fails(exitNotFound, `no column "gold"`)
	s.run("load", "games", path).ok()
}

func TestLoadMakesABoardAsConfigured(t *testing.T) {
	s := newShell(t)
	cfg := s.file("c.yaml", "boards: [{name: games, shards: 5, columns: [{name: xp, operator: sum, decimals: 2}]}]")
	s.run("--config", cfg, "load", "games", s.players(3)).ok("next: rankcurve --config " + cfg + " --db " + s.db() + " rebuild games")
	if b := s.definition("games"); b.Shards != 5 || b.Columns[0].String() != "xp:desc:sum:2" {
		t.Errorf("board %+v", b)
	}
	s.file("c.yaml", "boards: [{name: games, shards: 6, columns: [{name: xp, operator: sum, decimals: 2}]}]")
	s.run("--config", cfg, "load", "games", s.players(3)).fails(exitFailed, "5 shards, not 6", "correct the configuration")
}

func TestLoadAgainChangesNothing(t *testing.T) {
	s := newShell(t)
	path := s.players(50)
	s.run("load", "games", path).ok()
	before := s.scores("games", "p1", "p50")
	s.run("load", "games", path).ok("loaded 50 rows")
	if after := s.scores("games", "p1", "p50"); !reflect.DeepEqual(before, after) {
		t.Errorf("%v became %v", before, after)
	}
}

func TestLoadRefusesFilesThatAreNoRows(t *testing.T) {
	s := newShell(t)
	for name, c := range map[string]struct{ content, want string }{
		"empty.csv":   {"", "is empty; its first line must be a header such as owner,xp"},
		"blank.csv":   {"\n \n", "is empty"},
		"header.csv":  {"owner,xp\n", "has a header and no rows"},
		"array.json":  {`[{"owner":"a","xp":1}]`, "is one JSON array; write one object per line"},
		"packed.csv":  {"\x1f\x8b\x08\x00abc", "is not text; unpack"},
		"binary.csv":  {"owner,xp\x00\n", "is not text"},
		"owners.csv":  {"owner\nann\n", ":1: there is no column beside owner"},
		"nameless.js": {`{"owner":"ann"}`, ":1: there is no column beside owner"},
		"capital.csv": {"owner,XP\nann,1\n", `"XP" is not a column name`},
		"long.ndjson": {`{"owner":"a","xp":1}` + "\n" + strings.Repeat("x", maxLine+1), "line 2 is longer than 1048576 bytes"},
	} {
		s.run("load", "games", s.file(name, c.content)).fails(exitFailed, name, c.want)
	}
	s.run("load", "games", "nowhere.csv").fails(exitFailed, "there is no file nowhere.csv")
	s.run("load", "games", s.folder).fails(exitFailed, "is a folder; name one file")
	s.in = strings.NewReader("")
	s.run("load", "games", "-").fails(exitFailed, "standard input is empty")
	if _, err := os.Stat(s.db()); !errors.Is(err, os.ErrNotExist) {
		t.Error("a load that was refused has made a database")
	}
}

// A pipe can be read only once; it is spooled as standard input is.
func TestLoadReadsAPipe(t *testing.T) {
	s := newShell(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		fmt.Fprint(w, "owner,xp\nann,1\n")
		w.Close()
	}()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skipf("this system has no /dev/fd: %v", err)
	}
	s.run("load", "games", path).ok("loaded 1 row ")
	r.Close()
}

func TestLoadShowsABarOnATerminal(t *testing.T) {
	s := newShell(t)
	path := s.players(100)
	if r := s.run("load", "games", path).ok(); r.err != "" {
		t.Errorf("standard error is no terminal, but has %q", r.err)
	}
	s.terminal = true
	r := s.run("load", "games", path)
	if r.code != exitDone || !strings.Contains(r.err, "checking") || !strings.Contains(r.err, "storing") || !strings.Contains(r.out, "loaded 100 rows") {
		t.Errorf("exit code %d, %q", r.code, r.err)
	}
}

// A load that is stopped between two batches says how far it got, and the same
// command finishes it. The stop comes with the log's word of the second batch.
func TestLoadStopsBetweenBatches(t *testing.T) {
	s := newShell(t)
	path := s.players(100)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &program{err: &alarm{"rows=60 ", cancel}, isTerminal: func(any) bool { return false }}
	p.level.Set(slog.LevelDebug)
	cfg := config.Default()
	cfg.Store.Bolt.Path = s.db()
	l := &loading{program: p, config: cfg, name: "games", names: []string{"games"}, batch: 30}
	if err := l.open(ctx); err != nil {
		t.Fatal(err)
	}
	var err error
	if l.input, err = p.openInput(ctx, path, ""); err != nil {
		t.Fatal(err)
	}
	_, err = l.run(ctx)
	if want := "stopped: 60 of 100 rows are stored; run the same command again to finish"; err == nil || err.Error() != want || exitCode(err) != exitFailed {
		t.Errorf("error %v, want %s", err, want)
	}
	l.input.close()
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if got := s.scores("games", "p60", "p61"); len(got) != 1 || got["p60"] == "" {
		t.Errorf("stored are %v", got)
	}
	s.run("load", "games", path).ok("loaded 100 rows")
	if got := s.scores("games", "p60", "p61", "p100"); len(got) != 3 {
		t.Errorf("stored are %v", got)
	}
}

// An alarm rings when a word is written.
type alarm struct {
	word string
	ring func()
}

func (a *alarm) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(a.word)) {
		a.ring()
	}
	return len(b), nil
}

func TestLoadStoppedBeforeItBeganWritesNothing(t *testing.T) {
	s := newShell(t)
	path := s.players(100)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.ctx = ctx
	s.run("load", "games", path).fails(exitFailed, "stopped while the input was read; nothing was written")
	if _, err := os.Stat(s.db()); !errors.Is(err, os.ErrNotExist) {
		t.Error("a database was made")
	}
}
