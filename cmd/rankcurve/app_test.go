package main

import (
	"errors"
	"strings"
	"testing"
)

func TestWithoutWordsItHelps(t *testing.T) {
	s := newShell(t)
	bare := s.bare().ok("rankcurve demo", "Exit codes", "COMMANDS")
	if help := s.bare("--help").ok(); help.out != bare.out {
		t.Error("--help says something else")
	}
	if help := s.bare("help").ok(); help.out != bare.out {
		t.Error("help says something else")
	}
}

func TestEveryCommandHelps(t *testing.T) {
	s := newShell(t)
	for _, command := range []string{"demo", "load", "post", "rebuild", "top", "rank", "score", "around", "page", "owner", "boards", "prune", "verify", "plan", "curve show", "curve plot", "curve export", "simulate", "config check", "table create", "table sync", "table describe", "table delete"} {
		r := s.bare(append(strings.Fields(command), "--help")...).ok("USAGE:", "DESCRIPTION:", "Examples:", "rankcurve "+command)
		if other := s.bare(append([]string{"help"}, strings.Fields(command)...)...).ok(); other.out != r.out {
			t.Errorf("help %s differs from %s --help", command, command)
		}
		for line := range strings.Lines(r.out) {
			if len(line) > 140 {
				t.Errorf("help of %s has a line of %d characters: %s", command, len(line), line)
			}
		}
	}
	s.bare("curve", "--help").ok("show", "plot", "export")
	s.bare("completion", "-h").ok("bash|zsh|fish", "rankcurve completion fish")
}

func TestVersion(t *testing.T) {
	newShell(t).bare("--version").ok("rankcurve version ")
}

func TestWrongUsage(t *testing.T) {
	s := newShell(t)
	s.board(3)
	for line, want := range map[string]string{
		"top":                                  "0 arguments are not what `rankcurve top BOARD` takes; `rankcurve top --help` has examples",
		"top games more":                       "2 arguments are not what",
		"top games -n 0":                       "-n 0 is not in 1..100000",
		"top games -n -3":                      "-n -3 is not in 1..100000",
		"top games -n 100001":                  "-n 100001 is not in",
		"top games -n x":                       `invalid value "x" for flag -n`,
		"top games -n 5x":                      `invalid value "5x" for flag -n`,
		"top games --json=maybe":               `invalid boolean value "maybe" for -json`,
		"top games --log-level loud":           `--log-level "loud" is none of debug, info, warn, error`,
		"load games":                           "1 argument is not what",
		"load games f --format xml":            `--format "xml" is neither csv nor ndjson`,
		"load games f --column xp:up":          `"up" is none of asc, desc`,
		"load games f --column xp:asc:desc":    `"desc" is none of`,
		"load games f --column xp:19":          `"19" is none of`,
		"load games f --column :asc":           "names no column",
		"load games f --column a --column a":   "names a twice",
		"load new f --shards 0":                "--shards 0 is not in 1..1296",
		"load new f --shards 1297":             "--shards 1297 is not in 1..1296",
		"load new f --shards many":             "invalid value",
		"load a/b f":                           `"a/b" is not a board name`,
		"load new f --column X":                `"X" is not a column name`,
		"post games ann":                       "2 arguments are not what",
		"post games ann xp":                    `"xp" is no score; write COLUMN=VALUE, such as xp=150`,
		"post games ann xp=ten":                `score "ten" is not a decimal number`,
		"post games ann xp=1.5":                "xp: \"1.5\" has 1 decimal, the column keeps 0; round it",
		"post games ann xp=1 xp=2":             "column xp is there twice",
		"post games #ann xp=1":                 "starts with #",
		"post games ann xp=1 --operator max":   `--operator "max" is none of set, sum, best`,
		"post games ann xp=1 --id=":            "--id is empty",
		"rebuild":                              "0 arguments",
		"rebuild games --method fast":          `--method "fast" is none of auto, counted, scores`,
		"rebuild games --method=":              "is none of auto, counted, scores",
		"rank games":                           "rank needs to know of whom",
		"rank games ann --score 5":             "--score asks for a score, not for owners",
		"rank games --owners-file f --score 5": "--score asks for a score, not for owners",
		"rank games ann --mode best":           `--mode "best" is none of auto, estimate, exact`,
		"rank games ann --read-budget 0":       "--read-budget must be more than 0",
		"rank games ann --read-budget NaN":     "--read-budget must be more than 0",
		"rank games --score 1.25":              "--score: \"1.25\" has 2 decimals, the column keeps 0; round it",
		"rank games --score x":                 `--score: score "x" is not a decimal number`,
		"around games":                         "around needs to know of whom; name an owner, or use --score",
		"around games ann --score 5":           "--score asks for a score, not for an owner",
		"around games ann bob":                 "3 arguments are not what",
		"around games ann -k 0":                "-k 0 is not in 1..10000",
		"around games ann --mode best":         `--mode "best" is none of auto, estimate, exact`,
		"around games #x":                      "starts with #",
		"around games --score 1.25":            "--score: \"1.25\" has 2 decimals",
		"page":                                 "0 arguments are not what",
		"owner":                                "0 arguments are not what",
		"score games":                          "score takes one of --rank and --percent",
		"score games --rank 1 --percent 1":     "score takes one of --rank and --percent",
		"score games --rank 0":                 "--rank 0 is below 1",
		"score games --rank -2":                "--rank -2 is below 1",
		"score games --percent 0":              "--percent 0 is not above 0 and up to 100",
		"score games --percent 101":            "--percent 101 is not",
		"score games --percent NaN":            "--percent NaN is not",
		"curve plot games -o f.jpg":            `"f.jpg" names neither a .svg nor a .png file`,
		"curve plot games -o=":                 "names neither",
		"curve export games -o=":               "-o is empty",
		"demo now":                             "1 argument is not what `rankcurve demo` takes; ",
		"demo --entries 5":                     "--entries 5 is not in 1000..20000000",
		"completion tcsh":                      `there is no script for "tcsh"; there are bash, zsh and fish`,
		"completion":                           "0 arguments",
		"config check x":                       "1 argument",
		"top games --config=":                  "--config is empty",
		"top games --table boards":             "--db goes with --store bolt, and --table with dynamodb; leave one of them out",
		"top games --store dynamodb":           "--db goes with --store bolt, not with dynamodb; leave one of them out",
		"top games --store redis":              "--db goes with --store bolt, not with redis",
		"top games --cache none --memcached a": "--memcached goes with --cache memcached, not with none",
		"top games --cache redis":              `flag: cache.kind: "redis" is not a kind of cache`,
		"top games --memcached a:1,b":          `flag: cache.memcached.servers[1]: "b" is not HOST:PORT`,
		"table create":                         "the embedded store, which has no table and needs no making; for DynamoDB's, add --store dynamodb",
		"table sync":                           "the embedded store, which has no table",
		"table describe":                       "the embedded store, which has no table",
		"table delete --yes":                   "the embedded store, which has no table",
		"table delete boards":                  "1 argument is not what",
		"table":                                "`rankcurve table` needs one more word: create, sync, describe, delete",
		"top games --db=":                      "flag: store.bolt.path: is empty",
	} {
		s.run(strings.Fields(line)...).fails(exitUsage, want)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s := newShell(t)
	for _, line := range []string{"top games", "rank games ann", "score games --rank 1", "around games ann", "page games", "owner ann", "rebuild games", "curve show games", "curve plot games", "post games ann xp=1"} {
		s.run(strings.Fields(line)...).fails(exitNotFound, "no database at "+s.db(), "`rankcurve --db "+s.db()+" load BOARD FILE` makes one")
	}
	s.board(3)
	for _, line := range []string{"top game", "rank game ann", "score game --rank 1", "around game ann", "page game", "owner ann --board game", "rebuild game", "curve show game", "curve plot game", "curve export game", "post game ann xp=1"} {
		s.run(strings.Fields(line)...).fails(exitNotFound, `board "game"`, "not found", "the boards are games")
	}
	for _, line := range []string{"top games", "rank games ann", "rank games --score 1", "score games --rank 1", "around games p1", "page games", "rebuild games", "curve show games", "curve plot games", "curve export games"} {
		s.run(append(strings.Fields(line), "--column", "gold")...).fails(exitNotFound, `board "games" has no column "gold" (it has: xp)`)
	}
	s.run("post", "games", "ann", "gold=1").fails(exitNotFound, `no column "gold"`)
}

func TestADamagedDatabaseSaysWhatToDo(t *testing.T) {
	s := newShell(t)
	s.file("boards.db", strings.Repeat("not a database\n", 1000))
	s.run("top", "games").fails(exitFailed, "not a rankcurve database", "name another file with --db")
}

func TestADatabaseInUse(t *testing.T) {
	s := newShell(t)
	s.board(3)
	s.store()
	s.run("top", "games").fails(exitFailed, "in use by another process")
	s.run("load", "games", s.players(3)).fails(exitFailed, "in use by another process")
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("out of cheese") }

func TestAPanicAsksForAReport(t *testing.T) {
	s := newShell(t)
	s.in = panicking{}
	s.run("rank", "games", "--owners-file", "-").fails(exitFailed, "internal error: out of cheese; please report it")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	s := newShell(t)
	s.board(3)
	var errs strings.Builder
	p := program{in: s.in, out: full{}, err: &errs, isTerminal: func(any) bool { return false }}
	code := p.run(s.ctx, []string{"rankcurve", "--db", s.db(), "top", "games"})
	if code != exitFailed || !strings.Contains(errs.String(), "write output: disk full") {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
}

func TestNextCommandsCanBePasted(t *testing.T) {
	for word, want := range map[string]string{"a": "a", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "a/b.db": "a/b.db", "$x": "'$x'"} {
		if got := quoted(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
	}
}
