package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

const rankFields = "owner board column score rank low high of percent exact as_of generation"

// races loads a board of two columns: ann and bob are equal in xp, cy has no time.
func (s *shell) races() {
	s.t.Helper()
	s.run("load", "races", s.file("races.csv", "owner,xp,time\nann,1200,8.5\nbob,1200,9.25\ncy,50,\neve,-3,1000.5\n"), "--column", "xp", "--column", "time:asc").ok()
	s.change("races", "ann", func(e *store.Entry) { e.Attributes = map[string]string{"clan": "owls", "at": "home"} })
	s.change("races", "cy", func(e *store.Entry) { e.Attributes = map[string]string{"clan": "elks"} })
}

// hide takes an owner off a board.
func (s *shell) hide(board, owner string) {
	s.t.Helper()
	s.change(board, owner, func(e *store.Entry) { e.Hidden = true })
}

// change changes an owner's row.
func (s *shell) change(board, owner string, change func(*store.Entry)) {
	s.t.Helper()
	st := s.store()
	defer st.Close()
	def, err := st.Board(context.Background(), board)
	if err != nil {
		s.t.Fatal(err)
	}
	entry, _, err := st.Entry(context.Background(), def, owner)
	if err != nil {
		s.t.Fatal(err)
	}
	change(&entry)
	if _, err := st.Put(context.Background(), def, entry); err != nil {
		s.t.Fatal(err)
	}
}

func TestAround(t *testing.T) {
	s := newShell(t).stopClock()
	s.races()
	s.run("around", "races", "bob").ok("    OWNER      XP   RANK   BAND    OF       TOP   AS OF\n    ann     1,200      1   exact    4    25.0 %   now\n>   bob     1,200      1   exact    4    25.0 %   now\n    cy         50      3")
	s.run("around", "races", "cy", "-k", "1", "--attributes").ok("ATTRIBUTES\n    bob", ">   cy         50      3   exact    4    75.0 %   now     clan=elks\n")
	s.run("around", "races", "--score", "50", "--mode", "estimate").fails(exitNotFound, "no curve of races.xp yet") // nobody counts
	s.run("around", "races", "cy", "--mode", "estimate").fails(exitNotFound, "no curve of races.xp yet")
	s.run("around", "races", "--score", "50").ok("3   exact    4    75.0 %   now\n    cy ", "\n>  ")
	s.run("around", "races", "eve", "--column", "time", "-k", "9").ok("ann         8.5      1", ">   eve     1,000.5      3")
	rows := s.run("around", "races", "cy", "--json", "-k", "1").ok().rows()
	if len(rows) != 3 || rows[0]["owner"] != "bob" || rows[1]["owner"] != "cy" || rows[1]["rank"] != 3.0 || rows[2]["score"] != "-3" || rows[2]["of"] != 4.0 {
		t.Errorf("rows %v", rows)
	}
	wantFields(t, rows[0], rankFields)
	rows = s.run("around", "races", "cy", "--json", "--attributes").ok().rows()
	wantFields(t, rows[0], rankFields+" attributes")
	if rows[2]["attributes"].(map[string]any)["clan"] != "elks" {
		t.Errorf("rows %v", rows)
	}
	rows = s.run("around", "races", "--score", "-100", "--json").ok().rows()
	if last := rows[len(rows)-1]; len(rows) != 5 || last["rank"] != 5.0 || last["score"] != "-100" || last["owner"] != nil {
		t.Errorf("rows %v", rows)
	}
	s.hide("races", "bob")
	s.run("around", "races", "bob").fails(exitNotFound, `owner "bob" is hidden on board "races"`)
	s.run("around", "races", "nobody").fails(exitNotFound, `owner "nobody" is not on board "races"`)
	s.run("around", "races", "cy", "--column", "time").fails(exitNotFound, `owner "cy" has no time`)
	if r := s.run("around", "races", "cy").ok(); strings.Contains(r.out, "bob") {
		t.Errorf("a hidden owner is shown: %s", r.out)
	}
}

func TestAroundKeepsToTheReadBudget(t *testing.T) {
	s := newShell(t)
	s.board(5000)
	s.run("around", "games", "p5000", "--mode", "exact", "--read-budget", "0.5").fails(exitFailed, "over the read budget", "use --mode estimate, or allow more with --read-budget")
	s.run("around", "games", "p2500", "--mode", "estimate", "-k", "1").ok(">   p2500")
}

// The cursor of one process is the next one's: the last line of JSON, or the command
// that the text names.
func TestPage(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(7)).ok()
	owners, cursor := "", []string{}
	for page := range 3 {
		rows := s.run(append([]string{"page", "games", "--size", "3", "--json"}, cursor...)...).ok().rows()
		for _, row := range rows {
			if next, ends := row["cursor"]; ends {
				wantFields(t, row, "cursor")
				cursor = []string{"--cursor", next.(string)}
				continue
			}
			wantFields(t, row, rankFields)
			owners += fmt.Sprintf("%v %v, ", row["rank"], row["owner"])
		}
		if page == 2 && len(rows) != 1 {
			t.Errorf("the last page is %v", rows)
		}
	}
	if owners != "1 p1, 2 p2, 3 p3, 4 p4, 5 p5, 6 p6, 7 p7, " {
		t.Errorf("the pages have %s", owners)
	}
	text := s.run("page", "games", "--size", "4").ok("   4   p4      40\n\nnext: rankcurve --db ").out
	_, command, _ := strings.Cut(strings.TrimSpace(text), "next: rankcurve ")
	s.bare(strings.Fields(command)...).ok("RANK   OWNER   XP\n   5   p5      30\n", "   7   p7      10\n")
	s.change("games", "p6", func(e *store.Entry) { e.Attributes = map[string]string{"clan": "owls"} })
	text = s.run("page", "games", "--size", "5", "--attributes").ok("\n\nnext: rankcurve --db ").out
	_, command, _ = strings.Cut(strings.TrimSpace(text), "next: rankcurve ")
	s.bare(strings.Fields(command)...).ok("RANK   OWNER   XP   ATTRIBUTES\n   6   p6      20   clan=owls\n") // as it was asked for before
	r := s.run("page", "games", "--attributes").ok("RANK   OWNER   XP   ATTRIBUTES\n")
	if strings.Contains(r.out, "next:") {
		t.Errorf("the last page has another: %s", r.out)
	}
	s.hide("games", "p2")
	if rows := s.run("page", "games", "--json").ok().rows(); len(rows) != 6 || rows[1]["owner"] != "p3" || rows[1]["rank"] != 2.0 {
		t.Errorf("rows %v", rows)
	}
	s.run("load", "races", s.file("r.csv", "owner,xp,time\nann,1,\n"), "--column", "xp", "--column", "time").ok()
	if r := s.run("page", "races", "--column", "time"); r.code != exitDone || r.out != "" || !strings.Contains(r.err, `nobody has a score in column "time" yet`) {
		t.Errorf("%+v", r)
	}
}

// How many there are is one number on a page, no less than was read, and on the last page
// what was read, however old the curve.
func TestPagesTellHowManyThereAre(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(4)).ok()
	of := func() (of []float64) {
		rows := s.run("page", "games", "--size", "3", "--json").ok().rows()
		for range 4 {
			cursor := ""
			for i, row := range rows {
				if next, ends := row["cursor"]; ends {
					cursor = next.(string)
				} else if total, _ := row["of"].(float64); i == 0 {
					of = append(of, total)
				} else if total != of[len(of)-1] {
					t.Errorf("one page tells %v and %v", of[len(of)-1], total)
				}
			}
			if cursor == "" {
				return of
			}
			rows = s.run("page", "games", "--cursor", cursor, "--json").ok().rows()
		}
		return append(of, -1)
	}
	wantOf := func(what string, want ...float64) {
		t.Helper()
		if got := of(); !slices.Equal(got, want) {
			t.Errorf("%s: pages are of %v, want %v", what, got, want)
		}
	}
	wantOf("no curve", 0, 4) // 0: null
	s.run("rebuild", "games").ok()
	wantOf("a curve", 4, 4)
	s.run("load", "games", s.players(7)).ok()
	wantOf("a curve of before", 4, 7, 7)
	if rows := s.run("top", "games", "-n", "6", "--json").ok().rows(); rows[0]["of"] != 6.0 || rows[5]["percent"] != 100.0 {
		t.Errorf("six of seven, by a curve of four: %v", rows)
	}
	s.run("hide", "games", "p1", "p2", "p3", "p4").ok()
	wantOf("a curve of more", 3)
	if rows := s.run("top", "games", "-n", "9", "--json").ok().rows(); rows[0]["of"] != 3.0 || rows[2]["percent"] != 100.0 {
		t.Errorf("all three, by a curve of four: %v", rows)
	}
}

func TestPageRefusesCursors(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(7)).ok()
	s.run("load", "other", s.players(7)).ok()
	rows := s.run("page", "games", "--size", "3", "--json").ok().rows()
	cursor := rows[3]["cursor"].(string)
	for line, want := range map[string]string{
		"page games --cursor nonsense":                "start again from the first page, without one",
		"page games --cursor " + cursor[:20]:          "the cursor cannot be used",
		"page games --cursor " + cursor + " --size 4": "pages of 3 rows, not of 4; ask for that size, or for none, or start again from the first page, without a cursor",
		"page other --cursor " + cursor:               "of another board",
		"page games --cursor=":                        "--cursor is empty",
		"page games --size 0":                         "--size 0 is not in 1..10000",
		"page games --size 10001":                     "--size 10001 is not in",
	} {
		s.run(strings.Fields(line)...).fails(exitUsage, want)
	}
	s.environ = []string{"RANKCURVE_CURSOR_KEY=a long random text"}
	s.run("page", "games", "--cursor", cursor).fails(exitUsage, "signature does not fit")
	rows = s.run("page", "games", "--size", "3", "--json").ok().rows()
	s.run("page", "games", "--cursor", rows[3]["cursor"].(string)).ok("p4")
}

// A cursor is as old as the configuration lets it be.
func TestPageRefusesOldCursors(t *testing.T) {
	s := newShell(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	s.run("load", "games", s.players(7)).ok()
	s.environ = []string{"RANKCURVE_CURSOR_MAX_AGE=48h"}
	cursor := s.run("page", "games", "--size", "3", "--json").ok().rows()[3]["cursor"].(string)
	now = now.Add(48 * time.Hour)
	s.run("page", "games", "--cursor", cursor).ok("p4")
	now = now.Add(time.Second)
	s.run("page", "games", "--cursor", cursor).fails(exitUsage, "the cursor cannot be used: it is 48h0m1s old, and 48h0m0s is allowed; start again from the first page")
	s.environ = nil
	s.run("page", "games", "--cursor", cursor).ok("p4")
}

func TestOwner(t *testing.T) {
	s := newShell(t)
	s.races()
	s.run("load", "games", s.file("g.csv", "owner,score\nann,7\n")).ok()
	s.run("post", "games", "bob", "score=9").ok()
	s.run("owner", "ann").ok("OWNER   BOARD   SCORES              ATTRIBUTES          UPDATED\nann     games   score=7", "ann     races   xp=1,200 time=8.5   at=home clan=owls   not known")
	s.run("owner", "ann", "--board", "games", "--ranks").ok("ann     games   score=7   score: 2 of 2 (exact)")
	rows := s.run("owner", "bob", "--json").ok().rows()
	if len(rows) != 2 || rows[0]["board"] != "games" || rows[1]["scores"].(map[string]any)["time"] != "9.25" || rows[0]["hidden"] != false || rows[0]["updated"] == nil {
		t.Errorf("rows %v", rows)
	}
	wantFields(t, rows[0], "owner board scores attributes hidden updated version")
	s.hide("games", "bob")
	if r := s.run("owner", "bob", "--ranks").ok("xp: 1 of 4 (exact), time: 2 of 3 (exact)"); strings.Contains(r.out, "games") {
		t.Errorf("a hidden row is shown: %s", r.out)
	}
	s.run("owner", "bob", "--board", "games").fails(exitNotFound, `owner "bob" is hidden on board "games"`)
	s.run("owner", "bob", "--ranks", "--hidden").ok("games (hidden)", "xp: 1 of 4 (exact), time: 2 of 3 (exact)")
	s.run("owner", "bob", "ann", "--board", "games", "--hidden").ok("bob     games (hidden)   score=9", "ann     games            score=7")
	rows = s.run("owner", "bob", "--json", "--ranks", "--hidden").ok().rows()
	if len(rows) != 2 || rows[0]["hidden"] != true || len(rows[0]["ranks"].([]any)) != 0 || len(rows[1]["ranks"].([]any)) != 2 {
		t.Errorf("rows %v", rows)
	}
	wantFields(t, rows[1]["ranks"].([]any)[0].(map[string]any), rankFields)
	s.run("owner", "nobody").fails(exitNotFound, `owner "nobody" is on no board`)
	s.run("owner", "cy", "--board", "games").fails(exitNotFound, `owner "cy" is not on board "games"`)
	s.run("owner", "ann", "--board", "gamse").fails(exitNotFound, `board "gamse"`, "the boards are games, races")
	r := s.run("owner", "nobody", "ann", "noone", "--json").fails(exitNotFound, "and 1 more of 3 owners have none")
	if rows := r.rows(); len(rows) != 4 || rows[0]["owner"] != "nobody" || !strings.Contains(rows[0]["error"].(string), "no board") || rows[2]["owner"] != "ann" {
		t.Errorf("rows %v", rows)
	}
	s.run("owner", "#x").fails(exitUsage, "starts with #")
	s.run("owner", "ann", "--board=").fails(exitUsage, "--board is empty")
}

// The version that owner tells is the one that a post asks for.
func TestOwnerTellsTheVersion(t *testing.T) {
	s := newShell(t)
	s.races()
	for _, words := range [][]string{{"owner", "ann", "--json"}, {"owner", "ann", "--board", "races", "--json"}} {
		version := fmt.Sprint(s.run(words...).ok().rows()[0]["version"])
		s.run("post", "races", "ann", "xp="+version, "--operator", "set", "--if-version", version).ok("posted")
		s.run("post", "races", "ann", "xp=0", "--operator", "set", "--if-version", version).fails(exitFailed, "not "+version)
	}
}

func TestOwnersOfAFile(t *testing.T) {
	s := newShell(t)
	s.board(2500)
	var list strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&list, "p%d\n", 2500-i)
	}
	rows := s.run("owner", "p7", "--owners-file", s.file("owners.txt", list.String()), "--board", "games", "--ranks", "--json").ok().rows()
	if len(rows) != 2501 || rows[0]["owner"] != "p7" || rows[2500]["owner"] != "p1" || rows[2500]["ranks"].([]any)[0].(map[string]any)["rank"] != 1.0 {
		t.Errorf("%d rows", len(rows))
	}
	s.in = strings.NewReader("p3\nnobody\np1")
	s.run("owner", "--owners-file=-").fails(exitNotFound, `owner "nobody" is on no board`)
	s.in = strings.NewReader("p3\n")
	s.run("owner", "--owners-file=-").ok("p3      games   xp=")
	s.run("owner").fails(exitUsage, "0 arguments are not what")
	s.run("owner", "--owners-file", s.file("x.txt", "p1\n#x\n")).fails(exitUsage, "starts with #")
}

// A board without a curve, or over the read budget, keeps nobody from the rest.
func TestOwnerWhereRanksAreNotTold(t *testing.T) {
	s := newShell(t)
	s.board(5000) // has a curve
	s.run("load", "races", s.file("r.csv", "owner,time\np2,7\np1,9\n")).ok()
	r := s.run("owner", "p1", "p2", "--ranks", "--mode", "estimate").fails(exitNotFound, "no curve of races.time yet: run `rankcurve --db ")
	r.has("output", r.out, []string{"p1      games   xp=50,000   xp: 1 of 5,000 (1)", "p1      races   time=9      time: not told", "p2      races   time=7      time: not told"})
	if strings.Count(r.err, "no curve") != 1 {
		t.Errorf("the same is said again: %s", r.err)
	}
	rows := s.run("owner", "p1", "--ranks", "--mode", "estimate", "--json").fails(exitNotFound).rows()
	if len(rows) != 2 || rows[0]["ranks"].([]any)[0].(map[string]any)["exact"] != false || !strings.Contains(fmt.Sprint(rows[1]["ranks"]), "no curve of races.time yet") {
		t.Errorf("rows %v", rows)
	}
	wantFields(t, rows[1]["ranks"].([]any)[0].(map[string]any), "owner board column error code")
	r = s.run("owner", "p5000", "--ranks", "--mode", "exact", "--read-budget", "8").fails(exitFailed, "counting on board \"games\" is over the read budget of 8 units; use --mode estimate")
	r.has("output", r.out, []string{"p5000   games", "xp: not told"})
	s.run("owner", "p5000", "--ranks", "--mode", "exact").ok("xp: 5,000 of 5,000 (exact)")
	s.run("owner", "p2500", "--ranks").ok("xp: 2,500 of 5,000 (2,4")
	r = s.run("owner", "p1", "nobody", "--ranks", "--mode", "estimate").fails(exitNotFound, "no curve of races.time", "\n  owner \"nobody\" is on no board")
	r.has("output", r.out, []string{"p1      games"})
}

func TestRankInManyColumns(t *testing.T) {
	s := newShell(t).stopClock()
	s.races()
	s.run("rank", "races", "ann", "eve", "--column", "time", "--column", "xp").ok(
		"OWNER   COLUMN     SCORE   RANK   BAND    OF       TOP   AS OF\nann     time         8.5      1   exact    3    33.3 %   now\nann     xp         1,200      1", "eve     time     1,000.5      3")
	rows := s.run("rank", "races", "cy", "ann", "--all-columns", "--json").ok().rows()
	if len(rows) != 3 || rows[0]["owner"] != "cy" || rows[0]["column"] != "xp" || rows[2]["column"] != "time" {
		t.Errorf("rows %v", rows)
	}
	wantFields(t, rows[0], rankFields)
	r := s.run("rank", "races", "cy", "nobody", "--column", "xp", "--column", "time", "--json").fails(exitNotFound, `"cy" has no time`, "and 1 more of 2 owners have no rank")
	if rows := r.rows(); len(rows) != 4 || rows[1]["error"] == nil || rows[1]["column"] != "time" || rows[3]["error"] == nil {
		t.Errorf("rows %v", rows)
	}
	s.run("rank", "races", "nobody", "--all-columns").fails(exitNotFound, `owner "nobody" is not on board "races": not found`)
	s.run("rank", "races", "ann", "--column", "xp", "--column", "xp").fails(exitUsage, "names xp twice")
	s.run("rank", "races", "ann", "--column", "xp", "--all-columns").fails(exitUsage, "leave it or --column out")
	s.run("rank", "races", "--score", "5", "--all-columns").fails(exitUsage, "a score of one column")
	s.run("rank", "races", "ann", "--column", "gold").fails(exitNotFound, `no column "gold"`)
}

func TestTopWithAttributes(t *testing.T) {
	s := newShell(t)
	s.races()
	s.run("top", "races", "--attributes").ok("RANK   OWNER      XP   ATTRIBUTES\n   1   ann     1,200   at=home clan=owls\n   1   bob     1,200", "   3   cy         50   clan=elks\n")
	rows := s.run("top", "races", "--attributes", "--json", "-n", "2").ok().rows()
	wantFields(t, rows[1], rankFields+" attributes")
	if rows[0]["attributes"].(map[string]any)["clan"] != "owls" || len(rows[1]["attributes"].(map[string]any)) != 0 {
		t.Errorf("rows %v", rows)
	}
	s.hide("races", "ann")
	if r := s.run("top", "races", "--attributes").ok("   1   bob"); strings.Contains(r.out, "ann") {
		t.Errorf("a hidden owner is shown: %s", r.out)
	}
}

// The views say on DynamoDB what they say on the embedded store.
func TestViewsAreTheSameOnDynamoDB(t *testing.T) {
	c, embedded := newCloud(t), newShell(t).stopClock()
	c.stopClock()
	c.bare("table", "create", "--column", "xp", "--column", "time").ok()
	csv := c.file("r.csv", "owner,xp,time\nann,1200,8.5\nbob,1100,9.25\ncy,50,\neve,-3,1000.5\n")
	for _, line := range []string{
		"load races " + csv + " --column xp --column time:asc", "load games " + c.players(50),
		"around races cy --json", "around games p20 -k 3", "around games --score 123 --mode exact", "around races nobody",
		"page games --size 100 --json", "page races --attributes", "page races --column time", "page games --cursor x",
		"owner ann", "owner ann cy --json --ranks", "owner nobody", "owner p3 --board games",
		"rank races ann cy --all-columns", "top races --attributes --json",
	} {
		words := strings.Fields(line)
		got, want := c.bare(words...), embedded.run(words...)
		if got.code != want.code || steady(got.out) != steady(want.out) || steady(got.err) != steady(want.err) {
			t.Errorf("%s:\nexit code %d\n%s%s\non the embedded store: exit code %d\n%s%s", line, got.code, got.out, got.err, want.code, want.out, want.err)
		}
	}
	rows := c.bare("page", "games", "--size", "49", "--json").ok().rows()
	last := c.bare("page", "games", "--cursor", rows[49]["cursor"].(string), "--json").ok().rows()
	if len(last) != 1 || last[0]["owner"] != "p50" || last[0]["rank"] != 50.0 {
		t.Errorf("the last page is %v", last)
	}
	c.bare("top", "cursor").fails(exitNotFound, "the boards are games, races") // the key of cursors is none
}
