package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestHideUnhideAndRemove(t *testing.T) {
	s := newShell(t)
	s.board(6)
	s.run("hide", "games", "p2", "p3").ok("hidden on board games: 2 owners (p2, p3)\nnext: rankcurve --db ", "rebuild games")
	s.run("hide", "games", "p3", "p4", "p4").ok("hidden on board games: 1 owner (p4)\nhidden already: 1 owner (p3)\n")
	if out := s.run("hide", "games", "p3").ok("hidden already: 1 owner (p3)\n").out; strings.Contains(out, "next") {
		t.Errorf("nothing changed, and there is something to do: %s", out)
	}
	for _, words := range [][]string{{"top", "games"}, {"page", "games"}, {"around", "games", "p1"}} {
		if out := s.run(words...).ok("p1", "p5").out; strings.Contains(out, "p2") || strings.Contains(out, "p4") {
			t.Errorf("%v shows who is hidden:\n%s", words, out)
		}
	}
	s.run("rank", "games", "p3").fails(exitNotFound, `owner "p3" is hidden on board "games"`)
	s.run("owner", "p3", "--hidden").ok("games (hidden)")
	if row := s.run("owner", "p3", "--hidden", "--json").ok().rows()[0]; row["hidden"] != true {
		t.Errorf("%v", row)
	}
	s.run("rebuild", "games").ok("of 3 entries")
	rows := s.run("unhide", "games", "p3", "p1", "--json").ok().rows()
	if text := fmt.Sprint(rows); text != "[map[action:unhide board:games changed:true owner:p3 rows:1] map[action:unhide board:games changed:false owner:p1 rows:1]]" {
		t.Error(text)
	}
	s.run("rank", "games", "p3", "--mode", "exact").ok("p3      40      2")

	r := s.run("remove", "games", "p3", "nobody", "p4").fails(exitNotFound, `remove: owner "nobody" is not on board "games": not found`)
	r.has("output", r.out, []string{"removed on board games: 2 owners (p3, p4)"})
	r = s.run("remove", "games", "p3", "p4", "p1", "--json").fails(exitNotFound, `owner "p3"`, "and so it was for 1 more of 3 owners")
	if rows := r.rows(); len(rows) != 3 || rows[0]["changed"] != false || !strings.Contains(fmt.Sprint(rows[0]["error"]), "not found") || rows[2]["changed"] != true {
		t.Errorf("%v", rows)
	}
	s.run("owner", "p3").fails(exitNotFound, "is on no board")
	s.run("post", "games", "p3", "xp=1").ok("posted")
}

func TestModerationOfAFile(t *testing.T) {
	s := newShell(t)
	s.board(700)
	var list strings.Builder
	for i := 1; i <= 600; i++ {
		fmt.Fprintf(&list, "p%d\n", i)
	}
	file := s.file("cheats.txt", list.String()+"p1\nnobody\n")
	r := s.run("hide", "games", "--owners-file", file).fails(exitNotFound, `owner "nobody"`)
	r.has("output", r.out, []string{"hidden on board games: 600 owners (p1, p2, p3, p4, p5, p6, p7, p8, p9, p10 and 590 more)"})
	s.run("top", "games", "-n", "1").ok("p601")
	s.run("remove", "games", "--owners-file", file).fails(exitUsage, "cheats.txt lists 602 owners", "add --yes", "or hide them")
	s.run("owner", "p600", "--hidden").ok("hidden")
	s.in = strings.NewReader("p600\np599\n")
	s.run("remove", "games", "p598", "--owners-file", "-").ok("3 owners (p598, p600, p599)")
	s.run("remove", "games", "--owners-file", file, "--yes").fails(exitNotFound, "and so it was for 3 more of 601 owners")
	s.run("owner", "p1").fails(exitNotFound)

	s.run("hide", "games", "p650", "--owners-file", s.file("bad.txt", "p651\n#x\n")).fails(exitUsage, "bad.txt:2: ", "correct the line")
	s.run("owner", "p651", "--json").ok(`"hidden":false`)
	s.run("hide", "games").fails(exitUsage, "hide needs to know whom")
	s.run("hide", "games", "#x").fails(exitUsage)
	s.run("remove").fails(exitUsage)
	s.run("unhide", "nogames", "p1").fails(exitNotFound, "nogames")
}

func TestModerationIsTheSameOnDynamoDB(t *testing.T) {
	c := newCloud(t)
	c.bare("table", "create", "--column", "xp").ok()
	c.bare("load", "games", c.players(30)).ok()
	c.bare("hide", "games", "p1", "p2").ok("hidden on board games: 2 owners (p1, p2)")
	c.bare("rebuild", "games").ok("of 28 entries")
	c.bare("top", "games", "-n", "1").ok("p3")
	c.bare("unhide", "games", "p2").ok("back on board games: 1 owner (p2)")
	c.bare("remove", "games", "p3", "nobody").fails(exitNotFound, `owner "nobody"`)
	c.bare("around", "games", "p4", "-k", "1", "--mode", "exact").ok("p2", "p5")
}

func TestLimitsOfTheConfiguration(t *testing.T) {
	s := newShell(t)
	s.environ = []string{
		"RANKCURVE_BOARDS_0_NAME=games", "RANKCURVE_BOARDS_0_COLUMNS_0_NAME=xp", "RANKCURVE_BOARDS_0_COLUMNS_0_OPERATOR=sum",
		"RANKCURVE_BOARDS_0_COLUMNS_0_DECIMALS=1", "RANKCURVE_BOARDS_0_COLUMNS_0_MAX_SCORE=100", "RANKCURVE_BOARDS_0_COLUMNS_0_MIN_SCORE=-1.5",
	}
	s.run("post", "games", "ann", "xp=100.1").fails(exitFailed, `column "xp": score 100.1 is above the limit of 100`)
	s.run("owner", "ann").fails(exitNotFound)
	s.run("post", "games", "ann", "xp=60").ok()
	s.run("post", "games", "ann", "xp=60").fails(exitFailed, `score 120 is above the limit of 100`)
	s.run("post", "games", "ann", "xp=-61.6").fails(exitFailed, `score -1.6 is below the limit of -1.5`)
	s.run("load", "games", s.file("f.csv", "owner,xp\nbob,1\ncy,100.5\neve,100\nfay,-2\n")).fails(exitFailed,
		`f.csv:3: xp: score 100.5 is above the limit of 100; correct it, or change min_score and max_score in the configuration`,
		`f.csv:5: xp: score -2 is below the limit of -1.5`)
	s.run("owner", "bob").fails(exitNotFound) // the file is refused as a whole
	s.environ[4] = "RANKCURVE_BOARDS_0_COLUMNS_0_MAX_SCORE=1000"
	s.run("post", "games", "ann", "xp=60").ok("has xp=120")
	s.environ[4] = "RANKCURVE_BOARDS_0_COLUMNS_0_MAX_SCORE=1.25"
	s.run("post", "games", "ann", "xp=1").fails(exitUsage, "RANKCURVE_BOARDS_0_COLUMNS_0_MAX_SCORE: boards[0].columns[0].max_score", "keeps 1 decimals")
	s.environ[4] = "RANKCURVE_BOARDS_0_PERIODS_0=weekly"
	s.run("post", "games", "ann", "xp=-2").fails(exitFailed, "below the limit of -1.5")
}
