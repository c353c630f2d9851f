package main

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

var saturday = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

const familyConfig = `
boards:
  - name: missions
    shards: 2
    columns: [{name: xp, operator: sum}]
    periods: [all, weekly, daily]
    expire_after: {daily: 30d}
  - name: event
    columns: [{name: laps}]
    periods: [weekly]
    late_posts: refuse
    late_grace: 2d
`

// newFamilies is a shell with families of boards, on a Saturday.
func newFamilies(t *testing.T) *shell {
	t.Helper()
	s := newShell(t)
	s.now = func() time.Time { return saturday }
	s.environ = []string{"RANKCURVE_CONFIG=" + s.file("c.yaml", familyConfig)}
	return s
}

func TestParsePeriod(t *testing.T) {
	for text, want := range map[string]string{
		"all": "missions", "weekly": "missions:2026-W47", "weekly:current": "missions:2026-W47", "weekly:previous": "missions:2026-W46", "weekly:2026-W46": "missions:2026-W46",
		"2026-W46": "missions:2026-W46", "monthly:previous": "missions:2026-10", "monthly:2025-12": "missions:2025-12", "2025-12": "missions:2025-12",
		"daily": "missions:2026-11-21", "daily:previous": "missions:2026-11-20", "2026-11-01": "missions:2026-11-01",
	} {
		if s, err := parsePeriod(text, saturday); err != nil || s.Board("missions") != want {
			t.Errorf("%s: %+v, %v, want %s", text, s, err, want)
		}
	}
	for _, text := range []string{"", "week", "all:current", "weekly:next", "weekly:2026-11", "weekly:2026-W54", "2026", "weekly:"} {
		s, err := parsePeriod(text, saturday)
		var usage *usageError
		if !errors.As(err, &usage) {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-21T09:30:00Z": "2026-11-21T09:30:00Z", "2026-11-21T09:30:00.25+02:00": "2026-11-21T07:30:00.25Z", "2026-11-21 09:30:00": "2026-11-21T09:30:00Z",
		"2026-11-21T09:30:00": "2026-11-21T09:30:00Z", "2026-11-21": "2026-11-21T00:00:00Z", "1795253400": "2026-11-21T09:30:00Z", "1795253400.5": "2026-11-21T09:30:00.5Z",
		"1795253400250": "2026-11-21T09:30:00.25Z", "0": "1970-01-01T00:00:00Z",
	} {
		if got, ok := parseTime(text); !ok || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %s, %t, want %s", text, got.Format(time.RFC3339Nano), ok, want)
		}
	}
	for _, text := range []string{"", "now", "2026-13-01", "21.11.2026", "-5", "1e9", "2026-11-21T25:00:00Z", "99999999999999999"} {
		if got, ok := parseTime(text); ok {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// One post goes to the boards of all periods, which every reader finds by --period.
// squeezed has single spaces in the output, for tables whose widths are no concern.
func (r result) squeezed() result {
	r.out = regexp.MustCompile(` +`).ReplaceAllString(regexp.MustCompile(`(?m)^ +`).ReplaceAllString(r.out, ""), " ")
	return r
}

func TestPostToAFamily(t *testing.T) {
	s := newFamilies(t)
	s.run("post", "missions", "ann", "xp=150", "--id", "one").ok(
		"posted: ann on missions has xp=150\n", "posted: ann on missions:2026-W47 has xp=150\n", "posted: ann on missions:2026-11-21 has xp=150\n")
	s.run("post", "missions", "ann", "xp=150", "--id", "one").ok("unchanged: ann on missions:2026-W47 has xp=150\n")
	s.run("post", "missions", "bob", "xp=90", "--time", "2026-11-20T23:59:59Z").ok("posted: bob on missions:2026-11-20 has xp=90\n")
	s.run("post", "missions", "cy", "xp=20", "--period", "daily").ok("posted: cy on missions:2026-11-21 has xp=20\n")
	rows := s.run("post", "missions", "ann", "xp=1", "--json").ok().rows()
	if len(rows) != 3 || rows[1]["board"] != "missions:2026-W47" || rows[1]["scores"].(map[string]any)["xp"] != "151" {
		t.Errorf("%v", rows)
	}
	for line, want := range map[string]string{
		"top missions":                                      "1 ann 151\n2 bob 90\n",
		"top missions --period weekly":                      "1 ann 151\n2 bob 90\n",
		"top missions --period daily":                       "1 ann 151\n2 cy 20\n",
		"top missions --period daily:previous":              "1 bob 90\n",
		"page missions --period 2026-11-20":                 "1 bob 90\n",
		"rank missions cy --period daily --mode exact":      "cy 20 2 exact",
		"around missions cy --period 2026-11-21":            "ann 151 1 exact",
		"top missions:2026-11-20":                           "1 bob 90\n",
		"owner ann --board missions:2026-11-21":             "xp=151",
		"rebuild missions --period daily":                   "missions:2026-11-21.xp: generation 1 of 2 entries",
		"rank missions --score 100 --period weekly:current": "100 2 exact",
	} {
		s.run(strings.Fields(line)...).squeezed().ok(want)
	}
	s.run("score", "missions", "--rank", "1", "--period", "daily").ok("151")
	s.run("rebuild", "missions", "--period", "weekly:2026-W47", "--json").ok(`"board":"missions:2026-W47"`)
}

func TestPeriodsThatCannotBe(t *testing.T) {
	s := newFamilies(t)
	s.run("post", "missions", "ann", "xp=150").ok()
	for line, want := range map[string]string{
		"top missions --period yearly":                             `--period "yearly" is no period; write one of all, monthly, weekly, daily`,
		"top missions --period weekly:2026-11":                     `2026-11 is of a monthly board; write --period 2026-11`,
		"top missions --period monthly":                            "missions has no period monthly (it has: all, weekly, daily)",
		"top missions:2026-W47 --period weekly":                    "missions:2026-W47 is the board of a weekly period already; leave --period out",
		"top event":                                                "event has boards for the periods weekly, and none for all times; say which with --period",
		"post missions ann xp=1 --if-version 1":                    "--if-version is of the row of one board, and missions has several",
		"post missions ann xp=1 --time tomorrow":                   `--time "tomorrow" is no time`,
		"post missions ann xp=1 --time 2026-11-22":                 "is before 1970 or in the future",
		"post missions ann xp=1 --time 2026-11-20 --period weekly": "--time says which boards of a family are posted to",
		"post missions ann xp=1 --period 2026-W49":                 "--period 2026-W49: board missions:2026-W49 begins at 2026-11-30T00:00:00Z, and it is 2026-11-21T",
		"post missions:2027-W30 ann xp=1":                          "board missions:2027-W30 begins at 2027-07-26T00:00:00Z, and it is",
		"post missions.run:2027-W30 ann xp=1":                      "board missions.run:2027-W30 begins at",
		"post missions:2026-11 ann xp=1":                           `family "missions" has no period "monthly"`,
		"load missions:2026-11-22 none.csv":                        "board missions:2026-11-22 begins at",
		"load missions none.csv --period 2026-11-22":               "--period 2026-11-22: board missions:2026-11-22 begins at",
		"post missions. ann xp=1":                                  "missions. ends in a point, and names no type behind it; name one, such as missions.view, or the family alone, missions",
		"post missions.:2026-W47 ann xp=1":                         "missions. ends in a point",
		"load missions. none.csv":                                  "missions. ends in a point",
		"top missions.":                                            "missions. ends in a point",
		"hide missions. ann":                                       "missions. ends in a point",
		"load missions. none.csv --count-by image":                 "ends in a point",
		"post missions ann gold=1":                                 "",
	} {
		code := exitUsage
		if want == "" {
			code, want = exitNotFound, `no column "gold"`
		}
		s.run(strings.Fields(line)...).fails(code, want)
	}
	s.run("post", "missions.run:2026-W47", "ann", "xp=1").ok("posted: ann on missions.run:2026-W47 has xp=1")
	s.run("top", "missions", "--period", "daily:previous").fails(exitNotFound, `board "missions:2026-11-20" is not there: nobody has posted to it, or it has expired`)
	s.run("top", "missions", "--period", "2026-W48").fails(exitNotFound, `board "missions:2026-W48" begins at 2026-11-23T00:00:00Z`)
}

func TestALatePostIsRefused(t *testing.T) {
	s := newFamilies(t)
	s.run("post", "event", "ann", "laps=3").ok("posted: ann on event:2026-W47 has laps=3")
	for _, line := range []string{"post event ann laps=4 --time 2026-11-15T23:00:00Z", "post event ann laps=4 --period weekly:previous", "load event f.csv --period 2026-W46"} {
		s.run(strings.Fields(line)...).fails(exitFailed, "board event:2026-W46 ended at 2026-11-16T00:00:00Z, and late posts are refused", "raise late_grace or set late_posts: accept")
	}
	s.now = func() time.Time { return time.Date(2026, 11, 24, 23, 59, 0, 0, time.UTC) } // within the grace
	s.run("post", "event", "ann", "laps=5", "--time", "2026-11-22T23:00:00Z").ok("posted: ann on event:2026-W47 has laps=5")
}

func TestLoadIntoAFamily(t *testing.T) {
	s := newFamilies(t)
	s.run("load", "missions", s.players(30)).ok("loaded 30 rows into the boards missions, missions:2026-W47, missions:2026-11-21",
		"next: rankcurve --db "+s.db()+" rebuild missions:2026-W47\n")
	for _, period := range []string{"all", "weekly", "daily"} {
		s.run("top", "missions", "--period", period, "-n", "1").squeezed().ok("1 p1 300")
	}
	s.run("load", "missions", s.file("more.csv", "owner,xp\np30,999\n"), "--period", "daily:previous").ok(`loaded 1 row into board "missions:2026-11-20"`)
	s.run("top", "missions", "--period", "daily:previous").squeezed().ok("1 p30 999")
	s.run("rank", "missions", "p30", "--mode", "exact").squeezed().ok("30 exact")
	st := s.store()
	b, err := st.Board(s.ctx, "missions:2026-11-20")
	if want := time.Date(2026, 12, 21, 0, 0, 0, 0, time.UTC); err != nil || !b.Expires.Equal(want) || b.Family != "missions" || b.Period != store.Daily {
		t.Errorf("%+v, %v, want one that expires at %s", b, err, want)
	}
}

func TestBoardsAreListed(t *testing.T) {
	s := newFamilies(t)
	s.run("load", "games", s.players(3)).ok()
	s.run("boards", "missions").fails(exitNotFound, `family "missions" has no boards yet`)
	s.run("boards", "nothing").fails(exitNotFound, `there is no family and no board "nothing"`)
	s.run("post", "missions", "ann", "xp=150").ok()
	s.run("post", "missions", "ann", "xp=150", "--time", "2026-11-15").ok()
	s.run("boards").squeezed().ok(
		"BOARD PERIOD SHARDS COLUMNS START END EXPIRES\n",
		"games - 16 xp:desc:set:0 - - -\n",
		"missions all 2 xp:desc:sum:0 - - -\n",
		"missions:2026-11-21 daily 2 xp:desc:sum:0 2026-11-21 2026-11-22, reset in 14h 30m 2026-12-22\n",
		"missions:2026-W46 weekly 2 xp:desc:sum:0 2026-11-09 2026-11-16, ended -\n",
		"missions:2026-W47 weekly 2 xp:desc:sum:0 2026-11-16 2026-11-23, reset in 1d 14h -\n",
	)
	rows := s.run("boards", "missions", "--json").ok().rows()
	if len(rows) != 5 {
		t.Fatalf("%d boards: %v", len(rows), rows)
	}
	daily, past, current := rows[2], rows[3], rows[4] // after the one of 2026-11-15
	if daily["next_reset"] != "2026-11-22T00:00:00.000Z" || daily["expires"] != "2026-12-22T00:00:00.000Z" || daily["shards"] != 2.0 || daily["period"] != "daily" || daily["family"] != "missions" {
		t.Errorf("%v", daily)
	}
	if past["current"] != false || past["next_reset"] != nil || past["end"] != "2026-11-16T00:00:00.000Z" || current["current"] != true || current["start"] != "2026-11-16T00:00:00.000Z" || current["expires"] != nil {
		t.Errorf("%v\n%v", past, current)
	}
	if plain := s.run("boards", "games", "--json").ok().rows(); len(plain) != 1 || plain[0]["family"] != nil || plain[0]["start"] != nil {
		t.Errorf("%v", plain)
	}
}

// A board that has expired is not found, is not listed, and gives its room back.
func TestPrune(t *testing.T) {
	s := newFamilies(t)
	s.run("load", "missions", s.players(2000)).ok()
	s.run("prune").ok("no board has expired")
	s.now = func() time.Time { return saturday.AddDate(0, 0, 31) }
	gone := `board "missions:2026-11-21" expired at 2026-12-22T00:00:00Z and is gone`
	s.run("top", "missions:2026-11-21").fails(exitNotFound, gone)
	s.run("post", "missions", "ann", "xp=1").ok() // another daily board, by which it is known how long they stay
	if out := s.run("boards").ok().out; strings.Contains(out, "2026-11-21") {
		t.Errorf("an expired board is listed:\n%s", out)
	}
	s.run("prune", "--dry-run").ok("would drop missions:2026-11-21, which expired at 2026-12-22T00:00:00Z\n")
	s.run("load", "games", s.players(2)).ok()
	s.run("prune", "games").ok("no board has expired")
	s.run("prune", "other").fails(exitNotFound, `there is no family and no board "other"`)
	s.run("prune", "mission").fails(exitNotFound, `"mission"`)
	if row := s.run("prune", "missions", "--json").ok().rows()[0]; row["board"] != "missions:2026-11-21" || row["dropped"] != true {
		t.Errorf("%v", row)
	}
	s.run("prune").ok("no board has expired")
	s.run("top", "missions:2026-11-21").fails(exitNotFound, gone)
	s.run("top", "missions", "-n", "1").squeezed().ok("1 p1 20,000")
	info, err := os.Stat(s.db())
	if err != nil {
		t.Fatal(err)
	}
	s.run("load", "missions", s.players(2000), "--period", "daily").ok() // takes the room of the one that went
	if after, err := os.Stat(s.db()); err != nil || after.Size() > info.Size() {
		t.Errorf("the file grew from %d to %d bytes, %v", info.Size(), after.Size(), err)
	}
}

// A family is pruned with its types, whether it has boards itself or not, and beside one
// that cannot be read.
func TestPruneTypes(t *testing.T) {
	for _, itself := range []bool{false, true} {
		s, now := newPhotos(t), saturday
		s.now = func() time.Time { return now }
		s.countLog(s.file("access.csv", accessLogHead)).ok()
		dropped := []string{"dropped photos.download:2026-11-20, ", "dropped photos.view:2026-11-21, "}
		if itself {
			s.run("post", "photos", "ann", "views=5").ok()
			dropped = append(dropped, "dropped photos:2026-11-21, ")
		}
		now = now.AddDate(0, 0, 40)
		s.damageBoard("photos.download:2026-11-21")
		r := s.run("prune", "photos").fails(exitFailed, `decode board "photos.download:2026-11-21"`)
		r.has("output", r.out, dropped)
		if out := s.run("prune", "--dry-run").fails(exitFailed).out; out != "" {
			t.Errorf("there was more to drop: %s", out)
		}
	}
}
