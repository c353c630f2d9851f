package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

func TestRebuild(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.file("f.csv", "owner,xp,time\nann,10,8.5\nbob,20,\n")).ok()
	s.run("rebuild", "games", "--dry-run").ok("games.xp: would read ", "games.time: would read ", "nothing was written")
	s.run("curve", "show", "games").fails(exitNotFound, "no curve of games.xp yet")
	s.run("rebuild", "games").ok("games.xp: generation 1 of 2 entries", "games.time: generation 1 of 1 entry")
	s.run("rebuild", "games", "--column", "xp", "--full", "--method", "counted").ok("games.xp: generation 2 of 2 entries")
	rows := s.run("rebuild", "games", "--json", "--method=scores").ok().rows()
	if len(rows) != 2 || rows[0]["generation"] != 3.0 || rows[1]["generation"] != 2.0 || rows[0]["method"] != "scores" {
		t.Errorf("rows %v", rows)
	}
	wantFields(t, rows[0], "board column generation method shards walked resumed resumed_of entries requests read_units knots bytes tolerance shape seconds as_of")
	rows = s.run("rebuild", "games", "--dry-run", "--json").ok().rows()
	wantFields(t, rows[0], "board column method shards walked entries requests read_units dollars over_budget")
}

func TestRebuildKeepsToTheConfiguration(t *testing.T) {
	s := newShell(t)
	s.board(3000)
	s.environ = []string{"RANKCURVE_REFRESH_READ_BUDGET=1"}
	s.run("rebuild", "games").fails(exitFailed, "over the read budget", "raise refresh.read_budget, or rebuild with --full")
	s.run("rebuild", "games", "--dry-run").ok("is over the read budget of 1 units, for which a rebuild is refused or stopped; raise refresh.read_budget, or rebuild with --full")
	if rows := s.run("rebuild", "games", "--dry-run", "--json").ok().rows(); rows[0]["over_budget"] != true {
		t.Errorf("rows %v", rows)
	}
	if r := s.run("rebuild", "games", "--dry-run", "--full").ok("would read about 3,"); strings.Contains(r.out, "budget") {
		t.Errorf("--full has no budget: %s", r.out)
	}
	s.run("rebuild", "games", "--full").ok("generation 2")
	s.environ = []string{"RANKCURVE_REFRESH_CURVE_BYTES=1024", "RANKCURVE_REFRESH_TOLERANCE=abs"}
	row := s.run("rebuild", "games", "--json").ok().rows()[0]
	if row["bytes"].(float64) > 1024 || row["shape"] != "abs" {
		t.Errorf("row %v", row)
	}
}

func TestRebuildThatIsStoppedKeepsTheOldCurve(t *testing.T) {
	s := newShell(t)
	s.board(100)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.ctx = ctx
	s.run("rebuild", "games").fails(exitFailed)
	s.ctx = context.Background()
	if row := s.run("curve", "show", "games", "--json").ok().rows()[0]; row["generation"] != 1.0 {
		t.Errorf("curve %v", row)
	}
	if err := rebuildError("games", "xp", context.Canceled); !strings.Contains(err.Error(), "stopped; games.xp keeps the curve it had") {
		t.Error(err)
	}
	if err := rebuildError("games", "xp", store.ErrHeld); !strings.Contains(err.Error(), "wait for it") {
		t.Error(err)
	}
}

func TestRebuildShowsABarOnATerminal(t *testing.T) {
	s := newShell(t)
	s.board(100)
	s.terminal = true
	if r := s.run("rebuild", "games"); r.code != exitDone || !strings.Contains(r.err, "rebuilding xp") {
		t.Errorf("%+v", r)
	}
}

func TestCurveShow(t *testing.T) {
	s := newShell(t)
	s.board(20000)
	s.run("curve", "show", "games").ok("games.xp\n", "order        desc, 0 decimals", "generation   1", "as of", "entries      20,000", "knots", "published", "in memory", "tolerance", "RANK", "10,000", "±0 %")
	row := s.run("curve", "show", "games", "--json", "--column", "xp").ok().rows()[0]
	wantFields(t, row, "board board_id cache_key column order decimals generation as_of age_seconds entries horizon_seconds entries_later knots bytes memory_bytes tolerance shape errors")
	errs := row["errors"].([]any)
	if len(errs) != 6 || errs[2].(map[string]any)["rank"] != 100.0 || errs[2].(map[string]any)["score"] != "199010" {
		t.Errorf("errors %v", errs)
	}
	wantFields(t, errs[0].(map[string]any), "rank score low high relative relative_later")
}

func TestCurveShowsItsForecast(t *testing.T) {
	s := newShell(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	s.board(2000)
	s.run("curve", "show", "games").ok("forecast     none: ranks are told as of then")
	now = now.Add(5 * time.Minute)
	s.run("rebuild", "games").ok("generation 2")
	r := s.run("curve", "show", "games").ok("forecast     one horizon of 5m0s later 2,000 entries (+0 %)", "5m0s LATER\n")
	if strings.Contains(r.out, "none: ranks") {
		t.Error(r.out)
	}
	row := s.run("curve", "show", "games", "--json", "--column", "xp").ok().rows()[0]
	if row["horizon_seconds"] != 300.0 || row["entries_later"] != 2000.0 {
		t.Errorf("row %v", row)
	}
	last := row["errors"].([]any)[3].(map[string]any)
	if last["rank"] != 1000.0 || last["relative_later"].(float64) <= last["relative"].(float64) {
		t.Errorf("row %v", last)
	}
}

// What was changed by hand between two rebuilds is no way in which the board goes on.
func TestRebuildsAtOnceForetellNothing(t *testing.T) {
	s := newShell(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	s.board(6)
	s.run("remove", "games", "p2", "p5").ok()
	now = now.Add(300 * time.Millisecond)
	s.run("rebuild", "games").ok("generation 2 of 4 entries")
	s.run("curve", "show", "games").ok("forecast     none: ranks are told as of then")
	now = now.Add(time.Minute)
	for i, row := range s.run("rank", "games", "p1", "p3", "p4", "p6", "--mode", "estimate", "--json").ok().rows() {
		if rank := float64(i + 1); row["rank"] != rank || row["low"] != rank || row["high"] != rank || row["of"] != 4.0 {
			t.Errorf("a minute later %v", row)
		}
	}
}

func TestCurveExportWritesTheBytes(t *testing.T) {
	s := newShell(t)
	s.board(100)
	out := s.run("curve", "export", "games").ok().out
	curve, err := predictor.Decode([]byte(out))
	if err != nil || curve.Total() != 100 {
		t.Fatalf("decode: %v", err)
	}
	path := filepath.Join(s.folder, "games.curve")
	s.run("curve", "export", "games", "-o", path).ok()
	if data, err := os.ReadFile(path); err != nil || string(data) != out {
		t.Errorf("the file differs: %v", err)
	}
	s.terminal = true
	s.run("curve", "export", "games").fails(exitUsage, "not for a terminal; name a file with -o")
	s.terminal = false
	s.run("load", "other", s.players(3)).ok()
	s.run("curve", "export", "other").fails(exitNotFound, "no curve of other.xp yet")
	s.run("curve", "export", "games", "-o", filepath.Join(s.folder, "none", "f")).fails(exitFailed, "write ", "no such file")
}

func TestCurvePlot(t *testing.T) {
	s := newShell(t)
	for name, content := range map[string]string{
		"atom":     "owner,xp\na,1000\nb,1000\nc,1000\nd,5\n",
		"one":      "owner,xp\na,7\n",
		"equal":    "owner,xp\na,7\nb,7\n",
		"zero":     "owner,xp\na,0\n",
		"negative": "owner,xp\na,-5.5\nb,-1000.25\nc,3\n",
		"skewed":   "owner,xp\na,1000000000000\nb,5\nc,1\nd,0\n",
		"huge":     "owner,xp\na,4611686018427387903\nb,-4611686018427387903\n",
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.run("load", name, s.file(name+".csv", content)).ok()
			s.run("rebuild", name).ok()
			s.run("curve", "plot", name).ok("xp of "+name+" by rank", "┬", "┼")
			picture := filepath.Join(s.folder, name)
			s.run("curve", "plot", name, "-o", picture+".png").ok("drew " + picture + ".png")
			f, err := os.Open(picture + ".png")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if img, err := png.Decode(f); err != nil || img.Bounds().Dx() < 1000 {
				t.Errorf("PNG: %v", err)
			}
			s.run("curve", "plot", name, "-o", picture+".SVG").ok()
			svg, err := os.ReadFile(picture + ".SVG")
			if err != nil || !bytes.Contains(svg, []byte("xp by rank")) || bytes.Contains(svg, []byte("NaN")) {
				t.Errorf("SVG: %v", err)
			}
			for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("SVG: %v", err)
				}
			}
		})
	}
}

func TestCurveOfAnEmptyColumn(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.file("f.csv", "owner,xp,time\nann,1,\n"), "--column", "xp", "--column", "time").ok()
	s.run("rebuild", "games").ok("games.time: generation 1 of 0 entries")
	s.run("curve", "show", "games").ok("entries      0")
	s.run("curve", "plot", "games", "--column", "time").fails(exitFailed, "there is nothing to draw")
}

func TestShortNumbers(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 1: "1", 999: "999", 999.9: "1k", 1000: "1k", 1234: "1.23k", 7352952: "7.35M", -250: "-250", 2e9: "2G", 4.6e18: "4600000T"} {
		if got := short(n); got != want {
			t.Errorf("%v is %s, want %s", n, got, want)
		}
	}
}

// A plan counts one shard; that it is empty does not say that the board is.
func TestAPlanFromAnEmptyShard(t *testing.T) {
	s := newShell(t)
	owner := ""
	for i := 0; owner == ""; i++ {
		if name := fmt.Sprintf("p%d", i); store.ShardOf(name, 16) != 0 {
			owner = name
		}
	}
	s.run("load", "games", s.file("f.csv", "owner,xp\n"+owner+",1\n")).ok()
	s.run("rebuild", "games", "--dry-run").ok("would read few entries, if any (the one shard that was counted has none) of 16 shards")
	s.run("load", "one", s.file("f.csv", "owner,xp\n"+owner+",1\n"), "--shards", "1").ok()
	s.run("rebuild", "one", "--dry-run").ok("would read 1 entry of 1 shard")
}
