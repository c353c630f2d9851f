package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

func TestTop(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.file("f.csv", "owner,xp,time\nann,1200,8.5\nbob,1200,9.25\neve,-3,1000000.5\n"), "--column", "xp", "--column", "time:asc").ok()
	s.run("top", "games").ok("RANK   OWNER      XP\n   1   ann     1,200\n   1   bob     1,200\n   3   eve        -3\n")
	s.run("top", "games", "-n", "1", "--column", "time").ok("RANK   OWNER   TIME\n   1   ann      8.5\n")
	s.run("top", "games", "--column=time").ok("1,000,000.5")
	rows := s.run("--json", "top", "games")
	rows.fails(exitUsage, "no flag --json")
	got := s.run("top", "games", "-n", "2", "--json").ok().rows()
	if len(got) != 2 || got[1]["owner"] != "bob" || got[1]["score"] != "1200" || got[1]["rank"] != 1.0 || got[1]["exact"] != true || got[1]["of"] != nil {
		t.Errorf("rows %v", got)
	}
	s.run("rebuild", "games").ok()
	got = s.run("top", "games", "--json").ok().rows()
	if len(got) != 3 || got[2]["of"] != 3.0 || got[2]["percent"] != 100.0 {
		t.Errorf("rows %v", got)
	}
	wantFields(t, got[0], "owner board column score rank low high of percent exact as_of generation")
}

func wantFields(t *testing.T, row map[string]any, fields string) {
	t.Helper()
	want := strings.Fields(fields)
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(row)); !slices.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
}

func TestTopOfAnEmptyColumn(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.file("f.csv", "owner,xp,time\nann,1,\n"), "--column", "xp", "--column", "time").ok()
	r := s.run("top", "games", "--column", "time")
	if r.code != exitDone || r.out != "" || !strings.Contains(r.err, `nobody has a score in column "time" yet`) {
		t.Errorf("%+v", r)
	}
}

func TestRank(t *testing.T) {
	s := newShell(t).stopClock()
	s.board(5000)
	for mode, band := range map[string]string{"auto": "exact", "estimate": "1    ", "exact": "exact"} {
		if first := s.run("rank", "games", "p1", "--mode", mode, "--json").ok().rows()[0]; first["exact"] != (band == "exact") || first["low"] != 1.0 || first["high"] != 1.0 {
			t.Errorf("%s: the text says %q, the row %v", mode, band, first)
		}
		s.run("rank", "games", "p1", "p4321", "--mode", mode).ok("OWNER", "p1      50,000       1   "+band, "p4321", "4,321", "5,000", "86.4 %", "now")
		rows := s.run("rank", "games", "p4321", "--json", "--mode", mode).ok().rows()
		if r := rows[0]; len(rows) != 1 || r["owner"] != "p4321" || r["score"] != "6800" || r["of"] != 5000.0 || r["low"].(float64) > 4321 || r["high"].(float64) < 4321 || r["exact"] != (mode == "exact") && mode != "estimate" && mode != "auto" {
			t.Errorf("%s: %v", mode, r)
		}
		wantFields(t, rows[0], "owner board column score rank low high of percent exact as_of generation")
	}
	row := s.run("rank", "games", "--score", "49985", "--json").ok().rows()[0]
	if row["rank"] != 3.0 || row["score"] != "49985" {
		t.Errorf("row %v", row)
	}
	if _, named := row["owner"]; named {
		t.Errorf("a bare score has an owner: %v", row)
	}
	s.run("rank", "games", "--score", "-5").ok("-5", "5,001")
}

func TestRankOfMissingOwners(t *testing.T) {
	s := newShell(t)
	s.board(10)
	s.run("rank", "games", "nobody").fails(exitNotFound, `owner "nobody"`, "not found")
	r := s.run("rank", "games", "p1", "nobody", "p2", "noone").fails(exitNotFound, `"nobody"`, "and 1 more of 4 owners have no rank")
	if !strings.Contains(r.out, "p1") || !strings.Contains(r.out, "p2") {
		t.Errorf("the others are not answered: %s", r.out)
	}
	r = s.run("rank", "games", "p1", "nobody", "--json").fails(exitNotFound)
	rows := r.rows()
	if len(rows) != 2 || rows[0]["rank"] != 1.0 || rows[1]["owner"] != "nobody" || !strings.Contains(rows[1]["error"].(string), "not found") {
		t.Errorf("rows %v", rows)
	}
	wantFields(t, rows[1], "owner board column error code")
	s.run("rank", "games", "#x").fails(exitUsage, "starts with #")
}

func TestRankReadsOwners(t *testing.T) {
	s := newShell(t)
	s.board(2500)
	var list strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&list, "p%d\r\n\n", 2500-i)
	}
	path := s.file("owners.txt", list.String())
	rows := s.run("rank", "games", "p7", "--owners-file", path, "--json").ok().rows()
	if len(rows) != 2501 || rows[0]["owner"] != "p7" || rows[1]["owner"] != "p2500" || rows[2500]["owner"] != "p1" {
		t.Errorf("%d rows", len(rows))
	}
	s.in = strings.NewReader("p3\np1")
	s.run("rank", "games", "--owners-file=-").ok("p3", "p1")
	s.run("rank", "games", "--owners-file", "none.txt").fails(exitFailed, "there is no file none.txt")
	s.run("rank", "games", "--owners-file", s.file("e.txt", "\n\n")).fails(exitFailed, "lists no owners; write one per line")
}

func TestRankKeepsToTheReadBudget(t *testing.T) {
	s := newShell(t)
	s.board(5000)
	s.run("rank", "games", "p5000", "--mode", "exact", "--read-budget", "0.5").fails(exitFailed, "over the read budget", "use --mode estimate, or allow more with --read-budget")
}

func TestRankWithoutACurve(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(10)).ok()
	s.run("rank", "games", "p3", "--mode", "estimate").fails(exitNotFound, "no curve of games.xp yet: run `rankcurve --db "+s.db()+" rebuild games`")
	s.run("rank", "games", "p3", "--mode", "exact").ok("p3")
}

func TestScore(t *testing.T) {
	s := newShell(t)
	s.board(1000)
	s.run("score", "games", "--rank", "1").ok("XP", "10,000      1   1      1,000") // read from the curve, not counted
	row := s.run("score", "games", "--percent", "10", "--json").ok().rows()[0]
	if row["score"] != "9010" || row["rank"] != 100.0 || row["percent"] != 10.0 {
		t.Errorf("row %v", row)
	}
	wantFields(t, row, "board column score rank score_rank low high of percent exact as_of generation")
	s.run("load", "tied", s.file("tied.csv", "owner,xp\na,7\nb,7\nc,7\n")).ok()
	s.run("rebuild", "tied").ok()
	s.run("score", "tied", "--rank", "3").ok("ASKED   XP   RANK   BAND   OF       TOP   AS OF\n    3    7      1   1       3")
	if row := s.run("score", "tied", "--rank", "3", "--json").ok().rows()[0]; row["rank"] != 3.0 || row["score_rank"] != 1.0 || row["low"] != 1.0 || row["high"] != 1.0 || row["exact"] != false {
		t.Errorf("row %v", row)
	}
	s.run("hide", "tied", "a", "b", "c").ok()
	s.run("rebuild", "tied").ok()
	for _, asked := range [][]string{{"--rank", "1"}, {"--percent", "50"}, {"--rank", "1", "--at", "0s"}, {"--percent", "50", "--at", "0s"}} {
		s.run(append([]string{"score", "tied"}, asked...)...).fails(exitNotFound, `the board has no entries in column "xp" by its curve`+"\n")
	}
	s.run("score", "games", "--rank", "1001").fails(exitUsage, "rank 1001", "not in 1..1000\n")
}

func TestPost(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.file("f.csv", "owner,xp,time\nann,10,8.5\n"), "--column", "xp:sum", "--column", "time:asc:best:2").ok()
	s.run("post", "games", "ann", "xp=5", "time=9", "--id", "a").ok("posted: ann on games has xp=15 time=8.5")
	s.run("post", "games", "ann", "xp=5", "time=9", "--id", "a").ok("unchanged: ann on games has xp=15 time=8.5")
	s.run("post", "--operator", "set", "games", "ann", "xp=-2").ok("xp=-2")
	row := s.run("post", "games", "bob", "time=7.25", "--json").ok().rows()[0]
	if row["owner"] != "bob" || row["scores"].(map[string]any)["time"] != "7.25" || row["changed"] != true || row["version"] != 1.0 {
		t.Errorf("row %v", row)
	}
	wantFields(t, row, "owner board scores attributes hidden updated version changed changes")
	s.run("post", "games", "bob", "xp=4611686018427387903").ok()
	s.run("post", "games", "bob", "xp=1").fails(exitFailed, "out of range")
	s.run("top", "games", "--column", "time").ok("1   bob     7.25")
}

func TestPostMakesAConfiguredBoard(t *testing.T) {
	s := newShell(t)
	cfg := s.file("c.yaml", "boards: [{name: games, columns: [{name: xp, operator: sum}]}]")
	s.run("--config", cfg, "post", "games", "ann", "xp=5").ok("xp=5")
	s.run("post", "games", "ann", "xp=5", "--config", cfg).ok("xp=10")
}

// Where there is no curve, or a damaged one, an estimate is no way out of the budget.
func TestRankOverTheBudgetWithoutACurveSaysToMakeOne(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(5000)).ok()
	for _, name := range []string{"none", "damaged"} {
		for _, mode := range []string{"exact", "auto"} {
			r := s.run("rank", "games", "p5000", "--mode", mode, "--read-budget", "0.5").fails(exitFailed, "over the read budget of 0.5 units", "`rankcurve --db "+s.db()+" rebuild games`")
			if strings.Contains(r.err, "estimate;") || strings.Contains(r.err, "--mode estimate") {
				t.Errorf("%s curve, mode %s: sent to an estimate: %s", name, mode, r.err)
			}
		}
		st := s.store()
		if _, err := st.Publish(s.ctx, store.CurveKey{Board: "games", Column: "xp"}, store.Published{Generation: 1, Data: []byte("no curve")}); err != nil && name == "none" {
			t.Fatal(err)
		}
		st.Close()
	}
}

// An owner that cannot be one is refused alike as an argument and in a file, and
// wherever it stands among those who are missing.
func TestRankRefusesAnOwnersFileAsAWhole(t *testing.T) {
	s := newShell(t)
	s.board(3)
	for name, c := range map[string]struct{ content, want string }{
		"first":  {"#x\nnobody\n", `:1: owner "#x" starts with #, which is kept for the system; correct the line, or take it out`},
		"last":   {"nobody\np1\n\n#x\n", `:4: owner "#x" starts with #`},
		"long":   {"p1\n" + strings.Repeat("x", 70_000), ":2: the line is longer than 65,536 bytes; write one owner per line"},
		"longer": {strings.Repeat("x", 2000), ":1: owner of 2000 bytes is too long"},
	} {
		path := s.file(name+".txt", c.content)
		if r := s.run("rank", "games", "--owners-file", path).fails(exitUsage, path+c.want); r.out != "" {
			t.Errorf("%s: answered in part: %s", name, r.out)
		}
	}
	s.in = strings.NewReader("#x")
	s.run("rank", "games", "--owners-file", "-").fails(exitUsage, "standard input:1: owner")
	rows := s.run("rank", "games", "--owners-file", s.file("mark.txt", "\xef\xbb\xbfp1\r\np2"), "--json").ok().rows()
	if len(rows) != 2 || rows[0]["owner"] != "p1" {
		t.Errorf("rows %v", rows)
	}
}

// A row that cannot be read back does not keep the other owners from their ranks.
func TestRankBesideADamagedRow(t *testing.T) {
	s := newShell(t)
	s.board(5)
	s.run("load", "weekly", s.players(5)).ok()
	db, err := bbolt.Open(s.db(), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("entries")).Put([]byte("p2\x00games"), []byte("\xff\xff"))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, owners := range [][]string{{"nobody", "p2", "p3", "p1"}, {"p1", "p3", "p2", "nobody"}} {
		r := s.run(append([]string{"rank", "games"}, owners...)...).fails(exitFailed, `owner "p2" on board "games"`, "put back a copy of the database, or load the scores into a new board", "and 1 more of 4 owners")
		if !strings.Contains(r.out, "p1      50      1") || !strings.Contains(r.out, "p3      30      3") {
			t.Errorf("the others are not answered: %s", r.out)
		}
	}
	s.run("rank", "games", "p2").fails(exitFailed, "put back a copy")
	s.run("rebuild", "games").ok()
	for _, words := range [][]string{{"rank", "games", "p1", "p2", "p3", "--at", "0s"}, {"owner", "p1", "p2", "p3", "--board", "games"}, {"owner", "p1", "p2", "p3", "--ranks"}} {
		r := s.run(words...).fails(exitFailed, `"p2"`, "put back a copy of the database")
		if !strings.Contains(r.out, "\np1  ") || !strings.Contains(r.out, "\np3  ") {
			t.Errorf("%v: the others are not answered: %s", words, r.out)
		}
	}
	rows := s.run("owner", "nobody", "p2", "p1", "--board", "games", "--json").fails(exitFailed, "put back a copy", `owner "nobody" is not on board`).rows()
	if len(rows) != 3 || rows[0]["error"] == nil || rows[1]["error"] == nil || rows[2]["version"] != 1.0 {
		t.Errorf("rows %v", rows)
	}
	rows = s.run("owner", "p2", "--json").fails(exitFailed, "put back a copy", `"games"`).rows()
	if len(rows) != 2 || rows[0]["board"] != "weekly" || rows[1]["board"] != "games" || rows[1]["error"] == nil {
		t.Errorf("rows %v, want that of the other board, and why this one is none", rows)
	}
	s.run("rank", "games", "p1", "nobody").fails(exitNotFound)
	s.run("load", "games", s.players(5)).fails(exitFailed, "p2")
	s.run("load", "again", s.players(5)).ok() // as the message says
}
