package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	bbolt "go.etcd.io/bbolt"
)

// past makes a board of which three curves are kept, at noon and each hour after: ann goes
// from the first place to the third. It is three in the afternoon in the end.
func (s *shell) past() {
	s.t.Helper()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	for _, rows := range []string{"ann,100\nbob,50\ncy,20\n", "bob,120\n", "cy,150\n"} {
		s.run("load", "games", s.file("games.csv", "owner,xp\n"+rows)).ok()
		s.run("rebuild", "games").ok()
		now = now.Add(time.Hour)
	}
}

func TestRankAndScoreAtATime(t *testing.T) {
	s := newShell(t)
	s.past()
	for at, want := range map[string]float64{
		"2026-11-20T12:00:00Z": 1, "2026-11-20 12:59:59": 1, "1795183200": 3, "2h": 2, "150m": 1, "1h30m": 2, "0s": 3, "2026-11-20T14:00:00+01:00": 2,
	} {
		row := s.run("rank", "games", "--score", "100", "--at", at, "--json").ok().rows()[0]
		if row["rank"] != want || row["of"] != 3.0 || row["score_of"] != nil || row["at"] == nil {
			t.Errorf("at %s: %v, want rank %v", at, row, want)
		}
	}
	row := s.run("rank", "games", "ann", "--at", "150m", "--json").ok().rows()[0]
	wantFields(t, row, rankFields+" at score_of")
	if row["owner"] != "ann" || row["rank"] != 1.0 || row["as_of"] != "2026-11-20T12:00:00.000Z" || row["at"] != "2026-11-20T12:30:00.000Z" || row["score_of"] != "now" || row["generation"] != 1.0 {
		t.Errorf("%v", row)
	}
	s.run("rank", "games", "ann", "cy", "--at", "2026-11-20T13:00:00Z").ok("ann     100      2", "cy      150      1", "at 2026-11-20T13:00:00Z: the ranks that the scores of now had then")
	if out := s.run("rank", "games", "--score", "30", "--at", "2026-11-20T13:00:00Z").ok("at 2026-11-20T13:00:00Z\n").out; strings.Contains(out, "scores of now") {
		t.Error(out)
	}
	r := s.run("rank", "games", "ann", "nobody", "--at", "1h").fails(exitNotFound, `owner "nobody"`)
	r.has("output", r.out, []string{"ann     100      3"})

	s.run("score", "games", "--rank", "1", "--at", "2026-11-20T12:00:00Z").ok("1   100      1")
	row = s.run("score", "games", "--percent", "100", "--at", "2h", "--json").ok().rows()[0]
	if row["score"] != "20" || row["rank"] != 3.0 || row["at"] != "2026-11-20T13:00:00.000Z" || row["generation"] != 2.0 {
		t.Errorf("%v", row)
	}
	s.run("score", "games", "--rank", "4", "--at", "2h").fails(exitUsage, "not in 1..3")
	for _, words := range [][]string{{"rank", "games", "ann"}, {"score", "games", "--rank", "1"}} {
		s.run(append(words, "--at", "2026-11-20T11:59:59Z")...).fails(exitNotFound, "no curve of games.xp as of 2026-11-20T11:59:59Z or before is kept: the oldest is as of 2026-11-20T12:00:00Z")
		s.run(append(words, "--at", "2026-11-20T15:00:01Z")...).fails(exitUsage, "--at 2026-11-20T15:00:01Z is in the future; it is 2026-11-20T15:00:00Z")
		s.run(append(words, "--at", "yesterday")...).fails(exitUsage, `--at "yesterday" is no time`)
		s.run(append(words, "--at", "1w")...).fails(exitNotFound, "no curve of games.xp as of 2026-11-13T15:00:00Z or before is kept")
		s.run(append(words, "--at", "5300w")...).fails(exitUsage, "--at 5300w is longer ago than 36500 days")
		s.run(append(words, "--at", "30m1h")...).fails(exitUsage, `--at "30m1h" is no time`)
		s.run(append(words, "--at", "")...).fails(exitUsage, `--at "" is no time`)
	}
	s.run("rank", "games", "ann", "--mode", "estimate").ok("1 hour ago")
	s.run("rank", "games", "ann", "--at", "1h", "--mode", "exact").fails(exitUsage, "--mode exact counts the board of now")
}

func TestHistory(t *testing.T) {
	s := newShell(t)
	s.past()
	s.run("history", "games", "--score", "100").ok("AS OF                  RANK   BAND   OF       TOP\n2026-11-20T12:00:00Z      1   1       3    33.3 %\n2026-11-20T13:00:00Z      2   2       3    66.7 %\n2026-11-20T14:00:00Z      3   3       3   100.0 %\nof score 100\n")
	s.run("history", "games", "ann", "--since", "2h").ok("T13:00:00Z      2", "T14:00:00Z      3", "of score 100, which ann has now: what scores owners had is not kept")
	rows := s.run("history", "games", "ann", "--since", "2026-11-20T12:00:00.001Z", "--json").ok().rows()
	if len(rows) != 2 || rows[0]["as_of"] != "2026-11-20T13:00:00.000Z" || rows[0]["rank"] != 2.0 || rows[1]["rank"] != 3.0 || rows[0]["owner"] != "ann" || rows[0]["score_of"] != "now" {
		t.Errorf("%v", rows)
	}
	wantFields(t, rows[0], rankFields+" score_of")
	s.run("history", "games", "nobody").fails(exitNotFound, `owner "nobody"`)
	s.run("history", "games", "--score", "1", "--since", "30m").fails(exitNotFound, "no curve of games.xp is kept since 2026-11-20T14:30:00Z, and the published one is as of 2026-11-20T14:00:00Z; make one: ", "rebuild games")
	s.run("history", "games").fails(exitUsage, "name an owner, or use --score")
	s.run("history", "games", "ann", "--score", "1").fails(exitUsage, "leave one of them out")
	s.run("history", "games", "--score", "1.5").fails(exitUsage, "--score", "round it")
	s.run("history", "games", "ann", "--since", "1d ago").fails(exitUsage, "--since")
	s.run("history", "games", "ann", "--column", "gold").fails(exitNotFound, "gold")
}

// The times of a history are those that --at takes.
func TestHistoryTellsMilliseconds(t *testing.T) {
	s := newShell(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 7_900_000, time.UTC)
	s.now = func() time.Time { return now }
	s.run("load", "games", s.file("games.csv", "owner,xp,time\nann,100,9\nbob,50,8\n"), "--column", "xp", "--column", "time:asc").ok()
	s.run("history", "games", "ann").fails(exitNotFound, "no curve of games.xp is kept, and none is published; make one: `")
	s.run("rebuild", "games").ok()
	now = now.Add(time.Minute)
	asOf, _, _ := strings.Cut(strings.Split(s.run("history", "games", "ann").ok("2026-11-20T12:00:00.007Z      1   1 ").out, "\n")[1], " ")
	s.run("rank", "games", "ann", "--at", asOf).ok("at 2026-11-20T12:00:00.007Z: ")
	s.run("history", "games", "ann", "--column", "time").ok("2026-11-20T12:00:00.007Z      2   2 ", "of score 9,")
	s.run("score", "games", "--rank", "1", "--at", asOf, "--column", "time").ok("TIME", "    1      8      1   1 ")
}

func TestTimesThatAreTooLongAgo(t *testing.T) {
	s := newShell(t)
	s.past()
	s.run("rank", "games", "ann", "--at", "99999d").fails(exitUsage, "--at 99999d is longer ago than 36500 days, the most there is; name a later time")
	s.run("history", "games", "ann", "--since", "99999999999h").fails(exitUsage, "--since 99999999999h is longer ago than")
	s.run("rank", "games", "ann", "--at", "5y").fails(exitUsage, `--at "5y" is no time`)
}

func TestHowLongCurvesAreKept(t *testing.T) {
	s := newShell(t)
	s.environ = []string{"RANKCURVE_REFRESH_HISTORY_KEEP=90m", "RANKCURVE_REFRESH_HISTORY_EVERY=1h"}
	s.past()
	wantKept := func(want ...float64) {
		t.Helper()
		rows := s.run("history", "games", "--score", "100", "--json").ok().rows()
		for i, row := range rows {
			if len(rows) != len(want) || row["generation"] != want[i] {
				t.Errorf("%v, want the generations %v", rows, want)
			}
		}
	}
	wantKept(1, 2, 3) // at two, that of noon was in force 90 minutes ago
	s.run("rebuild", "games").ok()
	wantKept(1, 2, 3, 4) // at three that of one, but an hour is a long time: ages are as at the curve before
	s.run("rebuild", "games").ok()
	wantKept(2, 3, 5) // the fourth was in force for no time
	s.run("rank", "games", "--score", "100", "--at", "90m").ok("100      2")
	s.run("rank", "games", "--score", "100", "--at", "2026-11-20T12:59:59Z").fails(exitNotFound, "the oldest is as of 2026-11-20T13:00:00Z")
	s.environ = []string{"RANKCURVE_REFRESH_HISTORY_KEEP=0s"}
	s.run("rebuild", "games").ok()
	wantKept(6) // the published one
}

func TestHistoryWithADamagedCurve(t *testing.T) {
	s := newShell(t)
	s.past()
	db, err := bbolt.Open(s.db(), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		history := tx.Bucket([]byte("history"))
		first, data := history.Cursor().First()
		spoilt := append([]byte{}, data...)
		spoilt[len(spoilt)/2] ^= 0xff
		return history.Put(first, spoilt)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	r := s.run("history", "games", "--score", "100").fails(exitFailed, "kept as of 2026-11-20T12:00:00Z is damaged")
	r.has("output", r.out, []string{"2026-11-20T12:00:00Z          damaged", "2026-11-20T13:00:00Z      2"})
	r = s.run("history", "games", "--score", "100", "--json").fails(exitFailed)
	if rows := r.rows(); len(rows) != 3 || rows[0]["error"] == nil || rows[0]["generation"] != 1.0 || rows[1]["rank"] != 2.0 {
		t.Errorf("%v", rows)
	}
	s.run("rank", "games", "--score", "1", "--at", "2026-11-20T12:30:00Z").fails(exitFailed, "ask for another time")
}

func TestThePastOnDynamoDB(t *testing.T) {
	c := newCloud(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c.now = func() time.Time { return now }
	c.bare("table", "create", "--column", "xp").ok()
	for _, rows := range []string{"ann,100\nbob,50\n", "bob,120\n"} {
		c.bare("load", "games", c.file("games.csv", "owner,xp\n"+rows)).ok()
		c.bare("rebuild", "games").ok()
		now = now.Add(time.Hour)
	}
	c.bare("rank", "games", "ann", "--at", "2026-11-20T12:00:00Z").ok("ann     100      1")
	c.bare("rank", "games", "ann", "--at", "1h").ok("ann     100      2")
	c.bare("score", "games", "--rank", "1", "--at", "2h").ok("1   100")
	c.bare("history", "games", "ann").ok("2026-11-20T12:00:00Z      1", "2026-11-20T13:00:00Z      2")
	c.bare("rank", "games", "ann", "--at", "3h").fails(exitNotFound, "the oldest is as of 2026-11-20T12:00:00Z")
}
