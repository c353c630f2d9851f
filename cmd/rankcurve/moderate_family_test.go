package main

import (
	"strings"
	"testing"
	"time"
)

// Of a family, all boards are moderated, and those to come.
func TestModerationOfAFamily(t *testing.T) {
	s := newPhotos(t)
	now := saturday
	s.now = func() time.Time { return now }
	post := func(owner string) {
		t.Helper()
		s.run("post", "photos", owner, "views=5").ok()
	}
	post("ann")
	post("cheat")
	s.run("hide", "photos", "cheat", "ghost").ok("hidden on all boards of photos: 2 owners (cheat, ghost)\nwithout a row on any board yet, so see that the names are right: 1 owner (ghost)\n", "rebuild photos,", "rebuild photos:2026-11,", "rebuild photos:2026-11-21,")
	now = now.Add(24 * time.Hour)
	for _, owner := range []string{"ann", "cheat", "ghost"} {
		post(owner)
	}
	for board, want := range map[string]string{"photos": "1 ann 10", "photos:2026-11": "1 ann 10", "photos:2026-11-21": "1 ann 5", "photos:2026-11-22": "1 ann 5"} {
		s.wantTop(board, want)
	}
	s.run("load", "photos", s.file("f.csv", "owner,views\nghost,70\nghost2,60\n"), "--period", "daily").ok()
	s.wantTop("photos:2026-11-22", "1 ghost2 60", "2 ann 5")
	list := s.file("cleared.txt", "cheat\nann\n")
	if got := s.run("unhide", "photos", "--owners-file", list, "--json").ok().out; got != `{"owner":"cheat","board":"photos","action":"unhide","changed":true,"rows":4}`+"\n"+`{"owner":"ann","board":"photos","action":"unhide","changed":false,"rows":4}`+"\n" {
		t.Error(got)
	}
	s.wantTop("photos:2026-11-21", "1 ann 5", "1 cheat 5")
	s.run("hide", "photos", "ann", "--period", "2026-11-21").ok("hidden on board photos:2026-11-21: 1 owner (ann)")
	s.run("hide", "photos", "nobody", "--period", "2026-11-21").fails(exitNotFound, `"nobody"`)
	s.wantTop("photos:2026-11-21", "1 cheat 5")
	s.wantTop("photos", "1 ann 10", "1 cheat 10")
	s.run("remove", "photos", "cheat", "nobody").fails(exitNotFound, `owner "nobody" is on no board of family "photos"`)
	s.wantTop("photos", "1 ann 10")
	s.wantEmpty("photos:2026-11-21")
}

// wantEmpty wants a board on which nobody is ranked.
func (s *shell) wantEmpty(board string) {
	s.t.Helper()
	if r := s.run("top", board); r.code != exitDone || r.out != "" || !strings.Contains(r.err, "nobody has a score") {
		s.t.Errorf("top of %s: %s%s", board, r.out, r.err)
	}
}

// A name whose types alone have boards means all of them.
func TestModerationOfTypes(t *testing.T) {
	s := newPhotos(t)
	s.board(1) // of another name, which makes the database
	s.run("hide", "photos", "early.jpg").ok("hidden on all boards of photos: 1 owner (early.jpg)")
	s.run("unhide", "photos", "early.jpg").ok("back on all boards of photos: 1 owner (early.jpg)")
	s.countLog(s.file("access.csv", accessLogHead)).ok()
	s.run("hide", "photos", "a.jpg").ok("hidden on all boards of photos.download: 1 owner", "hidden on all boards of photos.view: 1 owner")
	s.wantTop("photos.view:2026-11", "1 b.jpg 1")
	s.wantEmpty("photos.download")
	s.run("remove", "photos", "b.jpg").ok("removed on all boards of photos.view: 1 owner (b.jpg)")
	s.run("remove", "photos", "b.jpg").fails(exitNotFound, "is on no board of family")
	s.run("unhide", "photos.view", "a.jpg").ok("back on all boards of photos.view: 1 owner (a.jpg)")
	s.countLog(s.file("access.csv", accessLogHead+"a.jpg,2026-11-21T09:10:00Z,download,5\na.jpg,2026-11-21T09:10:00Z,view,5\n")).ok("counted 2 lines")
	s.wantTop("photos.view", "1 a.jpg 3")
	s.wantEmpty("photos.download:2026-11-21")
	// A board that was made without a configuration is a family of its own.
	s.environ = nil
	s.run("load", "walks", s.file("w.csv", "user\nann\n"), "--count-by", "user").ok()
	s.run("hide", "walks", "ann").ok("hidden on all boards of walks: 1 owner (ann)\n", "rebuild walks,")
	if out := s.run("hide", "photos", "--help").ok().out; !strings.Contains(out, "stays hidden on the boards to come") {
		t.Error(out)
	}
}

// What a file of owners may have beside them is none of their names; whoever has no row is
// told, and whom a family hides can be listed.
func TestTyposInAFileOfOwnersAreSeen(t *testing.T) {
	t.Run("bolt", func(t *testing.T) {
		s := newPhotos(t)
		wantTyposSeen(t, s, s.run)
	})
	t.Run("dynamodb", func(t *testing.T) {
		c := newCloud(t)
		c.environ = append(c.environ, "RANKCURVE_CONFIG="+c.file("c.yaml", photoConfig))
		c.bare("table", "create", "--column", "views", "--column", "bytes").ok()
		wantTyposSeen(t, c.shell, c.bare)
	})
}

func wantTyposSeen(t *testing.T, s *shell, run func(words ...string) result) {
	t.Helper()
	now := saturday
	s.now = func() time.Time { return now }
	run("post", "photos", "cheat", "views=9").ok()
	run("post", "photos", "ann", "views=5").ok()
	list := s.file("list.txt", "\n cheat \t\r\nghost,reason\nchaet\n")
	warning := `list.txt:3: "ghost,reason" is taken for one owner, with its comma (1 such line of the list)`
	r := run("hide", "photos", "--owners-file", list)
	r.has("warning", r.err, []string{warning})
	r.err = ""
	r.ok("hidden on all boards of photos: 3 owners (cheat, ghost,reason, chaet)\nwithout a row on any board yet, so see that the names are right: 2 owners (ghost,reason, chaet)\n")
	run("top", "photos").squeezed().ok("1 ann 5")
	r = run("hide", "photos", "--owners-file", list, "--json")
	r.err = ""
	rows := r.ok().rows()
	if len(rows) != 3 || rows[0]["rows"] != 3.0 || rows[1]["rows"] != 0.0 || rows[2]["rows"] != 0.0 || rows[2]["changed"] != false {
		t.Errorf("%v", rows)
	}
	now = now.Add(time.Hour)
	run("hide", "photos", "later").ok("1 owner (later)")
	run("hide", "photos", "--list").squeezed().ok("OWNER HIDDEN BY SINCE\nlater photos now\n", "\nchaet photos 1 hour ago", "\ncheat photos 1 hour ago", "\nghost,reason photos 1 hour ago")
	rows = run("hide", "photos", "--list", "--json").ok().rows()
	if len(rows) != 4 || rows[0]["owner"] != "later" || rows[0]["family"] != "photos" || rows[0]["since"] != "2026-11-21T10:30:00.000Z" {
		t.Errorf("%v", rows)
	}
	run("owner", "chaet", "--hidden").ok("chaet   boards of photos to come (hidden)")
	run("owner", "chaet", "--hidden", "--board", "photos", "--json").ok(`{"owner":"chaet","family":"photos","hidden":true}`)
	run("owner", "chaet").fails(exitNotFound, `owner "chaet" is on no board`)
	run("owner", "chate", "--hidden").fails(exitNotFound, `owner "chate" is on no board`)
	run("unhide", "photos", "chaet", "ghost,reason", "later").ok()
	run("hide", "photos", "--list", "--json").ok(`"owner":"cheat"`)
	run("unhide", "photos", "cheat").ok()
	if r := run("hide", "photos", "--list"); r.code != exitDone || r.out != "" || !strings.Contains(r.err, "photos hides nobody") {
		t.Errorf("%s%s", r.out, r.err)
	}
	run("hide", "photos", "--list", "--period", "daily").fails(exitUsage, "--list lists whom all boards of a family hide")
	run("hide", "photos", "ann", "--list").fails(exitUsage, "")
	for _, heading := range []string{"owner\n", "Owner,reason\n", "\"owner\";x\n"} {
		run("hide", "photos", "--owners-file", s.file("heading.txt", heading+"ann\n")).fails(exitUsage, "heading.txt:1: ", "looks like a heading", "take the line out")
	}
	run("rank", "photos", "--owners-file", s.file("spaces.txt", " ann \nowner\n"), "--json").fails(exitNotFound, `owner "owner"`)
}
