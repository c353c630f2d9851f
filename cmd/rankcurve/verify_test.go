package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// publishWrong puts a curve of "games" in place that takes every player for a third
// further down than they are.
func (s *shell) publishWrong(players int) {
	s.t.Helper()
	st := s.store()
	defer st.Close()
	board, err := st.Board(s.ctx, "games")
	if err != nil {
		s.t.Fatal(err)
	}
	var keys []int64
	for i := players * 4 / 3; i > 0; i-- {
		keys = append(keys, int64(15*i))
	}
	_, data, err := predictor.Build(predictor.Meta{Board: "games", Column: "xp", Generation: 9, AsOf: time.Now()}, predictor.PointsOf(keys), predictor.Options{})
	if err == nil {
		_, err = st.Publish(s.ctx, board.CurveKey("xp"), store.Published{Generation: 9, Data: data})
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestVerify(t *testing.T) {
	s := newShell(t)
	s.board(5000)
	r := s.run("verify", "games", "--sample", "300", "--seed", "5").ok(
		"games.xp: generation 1 of 5,000 entries (5,000 counted), ", " old\n",
		"--seed 5 asks the same owners again", "kept: 100.0 % of the owners are in the band",
	)
	lines := strings.Split(r.out, "\n")
	for i, pattern := range []string{
		`^  RANKS +OWNERS +MEDIAN ERROR +P90 +P99 +LARGEST +IN BAND +WIDTH$`,
		`^  1 \.\. 10 +10 +[0-9.]+ % +[0-9.]+ % +[0-9.]+ % +[0-9.]+ % +100\.0 % +[0-9.]+ %$`,
		`^  11 \.\. 100 +90 `, `^  101 \.\. 1,000 +11\d `, `^  1,001 \.\. 10,000 +[78]\d `, `^  all +(29\d|300) `,
		`^[0-9,]+ read units \(\$0\.0000\d+ on DynamoDB\) in \d+ requests, \d+ m?s; --seed 5`, `^kept: `, `^$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(lines[i+1]) {
			t.Errorf("line %d is %q, want %s", i+1, lines[i+1], pattern)
		}
	}
	table := func(r result) string { return strings.Join(strings.Split(r.out, "\n")[1:7], "\n") }
	if again := s.run("verify", "games", "--sample", "300", "--seed", "5").ok(); table(again) != table(r) {
		t.Errorf("the same seed prints\n%s\nand\n%s", table(r), table(again))
	}
	s.run("verify", "games", "--down-to", "200").ok("all down to rank 200 ", "of 5,000 entries, ")
}

func TestVerifyInJSON(t *testing.T) {
	s := newShell(t)
	s.board(5000)
	rows := s.run("verify", "games", "--json", "--seed", "1").ok().rows()
	if len(rows) != 5 {
		t.Fatalf("%d lines, want four decades and a last one", len(rows))
	}
	names := func(row map[string]any) string { return strings.Join(slices.Sorted(maps.Keys(row)), " ") }
	const accuracy = "coverage_percent inside max_error_percent median_error_percent median_width_percent owners p90_error_percent p99_error_percent"
	fields := func(more string) string {
		all := strings.Fields(accuracy + " " + more)
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	owners := 0.0
	for i, row := range rows[:4] {
		if got, want := names(row), fields("board column from to"); got != want {
			t.Errorf("a decade has the fields %s, want %s", got, want)
		}
		if row["from"] != []float64{1, 11, 101, 1001}[i] || row["to"] != []float64{10, 100, 1000, 10_000}[i] || row["coverage_percent"] != 100.0 {
			t.Errorf("decade %d: %v", i, row)
		}
		owners += row["owners"].(float64)
	}
	last := rows[4]
	if got, want := names(last), fields("board column kept broken generation as_of age_seconds of entries down_to gone unreadable seed requests read_units predicted_read_units dollars seconds"); got != want {
		t.Errorf("the last line has the fields %s, want %s", got, want)
	}
	for name, want := range map[string]any{"board": "games", "column": "xp", "kept": true, "generation": 1.0, "of": 5000.0, "entries": 5000.0, "down_to": nil, "owners": owners, "seed": 1.0, "gone": 0.0} {
		if last[name] != want {
			t.Errorf("%s is %v, want %v", name, last[name], want)
		}
	}
	if broken, ok := last["broken"].([]any); !ok || len(broken) != 0 {
		t.Errorf("broken is %v, want an empty list", last["broken"])
	}
	part := s.run("verify", "games", "--json", "--down-to", "200").ok().rows()
	if last := part[len(part)-1]; last["entries"] != nil || last["down_to"] != 200.0 {
		t.Errorf("down to rank 200: %v", last)
	}
}

func TestVerifyOfAWrongCurve(t *testing.T) {
	s := newShell(t)
	s.board(5000)
	s.publishWrong(5000)
	r := s.run("verify", "games", "--sample", "300").fails(exitFailed,
		"the curve of games.xp breaks its promise: the band held ", " owners, promised are 95 %: further below than chance explains", "rebuild games --column xp --full`", "docs/operations.md")
	r.has("output", r.out, []string{"generation 9 of 6,666 entries (5,000 counted)", "broken: the band held"})
	rows := s.run("verify", "games", "--json").fails(exitFailed, "breaks its promise").rows()
	if last := rows[len(rows)-1]; last["kept"] != false || len(last["broken"].([]any)) != 1 || last["coverage_percent"].(float64) > 90 {
		t.Errorf("%v", last)
	}
	s.run("verify", "games", "--min-coverage", "0").ok("kept: ")
	s.run("verify", "games", "--min-coverage", "0", "--max-error", "1000").ok("kept: ")
	s.run("verify", "games", "--min-coverage", "0", "--max-error", "1.5").fails(exitFailed, "an error of ", "allowed is 1.5 % from rank 1000 on")
	s.run("rebuild", "games").ok("generation 10 of 5,000")
	s.run("verify", "games").ok("generation 10", "kept: 100.0 %")
}

// What is configured under prices is what is told, wherever a price is.
func TestPricesAreTheConfiguredOnes(t *testing.T) {
	s := newShell(t)
	s.board(50_000)
	s.environ = []string{"RANKCURVE_PRICES_READ_UNIT_MILLION=1000000"} // a dollar each
	row := func(words ...string) map[string]any {
		t.Helper()
		rows := s.run(append(words, "--json")...).ok().rows()
		return rows[len(rows)-1]
	}
	for _, words := range [][]string{{"rebuild", "games", "--dry-run"}, {"verify", "games"}} {
		r := row(words...)
		if r["dollars"] != r["read_units"] || r["read_units"].(float64) < 100 {
			t.Errorf("%v: $%v for %v read units at a dollar each", words, r["dollars"], r["read_units"])
		}
	}
	units := regexp.MustCompile(`([0-9,]+) read units \(\$([0-9,]+) on DynamoDB\)`)
	for _, text := range []string{
		s.run("rebuild", "games", "--dry-run").ok().out, s.run("verify", "games", "--seed", "1").ok().out,
		s.run("verify", "games", "--seed", "1", "--budget", "150").fails(exitFailed).err,
	} {
		if m := units.FindStringSubmatch(text); m == nil || m[1] != m[2] {
			t.Errorf("at a dollar each: %s", text)
		}
	}
	demo := s.bare("demo", "--entries", "1000").ok("at $1000000 per million read units").out
	if m := regexp.MustCompile(`on DynamoDB: ([0-9,]+) read units, \$([0-9,.]+)`).FindStringSubmatch(demo); m == nil || m[1] != strings.TrimSuffix(m[2], ".00") {
		t.Errorf("at a dollar each: %s", demo)
	}
}

func TestVerifyOverBudget(t *testing.T) {
	s := newShell(t)
	s.board(50_000)
	r := s.run("verify", "games", "--budget", "150", "--sample", "50").fails(exitFailed, "to verify games.xp takes about ", " on DynamoDB), the budget is 150 and nothing was counted; allow more with --budget ", " --down-to ")
	advised := regexp.MustCompile(`--budget (\d+), or look at the best alone with --down-to (\d+)\n`).FindStringSubmatch(r.err)
	if advised == nil || r.out != "" {
		t.Fatalf("%s%s", r.out, r.err)
	}
	s.run("verify", "games", "--budget", advised[1], "--sample", "50").ok("kept: ", "(50,000 counted)")
	s.run("verify", "games", "--budget", "150", "--sample", "50", "--down-to", advised[2]).ok("kept: ", "all down to rank ")
	for _, budget := range []string{"0.5", "7.9", "8"} { // the best rows alone are over it, or all but
		r := s.run("verify", "games", "--budget", budget, "--sample", "50").fails(exitFailed, "the budget is "+budget+" and nothing was counted; allow more with --budget ")
		advised := regexp.MustCompile(`--budget (\d+)\n`).FindStringSubmatch(r.err)
		if advised == nil {
			t.Fatal(r.err)
		}
		s.run("verify", "games", "--budget", advised[1], "--sample", "50").ok("kept: ", "(50,000 counted)")
	}
}

func TestVerifyWithNothingToAsk(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(3)).ok()
	s.run("verify", "games").fails(exitNotFound, "no curve of games.xp yet: run `rankcurve --db ", "rebuild games`")
	s.run("rebuild", "games").ok()
	s.run("verify", "game").fails(exitNotFound, `the boards are games`)
	s.run("verify", "games", "--column", "gold").fails(exitNotFound, `no column "gold"`)
	s.run("verify", "games").ok("of 3 entries (3 counted)", "  1 .. 10", "kept: 100.0 %")
	for _, owner := range []string{"p1", "p2", "p3"} {
		s.takeOff(owner)
	}
	s.run("rebuild", "games").ok()
	s.run("verify", "games").ok("of 0 entries (0 counted)", "nobody was asked")
	rows := s.run("verify", "games", "--json").ok().rows()
	if len(rows) != 1 || rows[0]["owners"] != 0.0 || rows[0]["coverage_percent"] != nil || rows[0]["kept"] != true {
		t.Errorf("%v", rows)
	}
}

// takeOff takes an owner off the board's ranking.
func (s *shell) takeOff(owner string) {
	s.t.Helper()
	st := s.store()
	defer st.Close()
	board, err := st.Board(s.ctx, "games")
	if err != nil {
		s.t.Fatal(err)
	}
	e, _, err := st.Entry(s.ctx, board, owner)
	if err != nil {
		s.t.Fatal(err)
	}
	e.Hidden = true
	if _, err := st.Put(s.ctx, board, e); err != nil {
		s.t.Fatal(err)
	}
}

func TestVerifyRefusesWrongFlags(t *testing.T) {
	s := newShell(t)
	s.board(3)
	for line, want := range map[string]string{
		"verify":                            "0 arguments are not what `rankcurve verify BOARD` takes",
		"verify games more":                 "2 arguments are not what",
		"verify games --sample 0":           "--sample 0 is not in 1..100000",
		"verify games --sample 100001":      "--sample 100001 is not in",
		"verify games --budget 0":           "--budget must be more than 0",
		"verify games --budget NaN":         "--budget must be more than 0",
		"verify games --down-to 0":          "--down-to 0 is below 1",
		"verify games --min-coverage 101":   "--min-coverage 101 is not a percentage in 0..100",
		"verify games --min-coverage NaN":   "--min-coverage NaN is not",
		"verify games --max-error 0":        "--max-error 0 is not more than 0 %",
		"verify games --max-error NaN":      "--max-error NaN is not",
		"verify games --seed -1":            "invalid value",
		"rebuild games --audit -1":          "--audit -1 is not in 0..10000",
		"rebuild games --audit 10001":       "--audit 10001 is not in",
		"rebuild games --audit 5 --dry-run": "--dry-run publishes no curve that --audit could ask",
	} {
		s.run(strings.Fields(line)...).fails(exitUsage, want)
	}
}

func TestRebuildWithAnAudit(t *testing.T) {
	s := newShell(t)
	s.board(3000)
	r := s.run("rebuild", "games", "--audit", "100").ok("games.xp: generation 2", "games.xp: audit of 100 owners: median error ", ", largest ", " in the band; ", " read units in ")
	if strings.Count(r.out, "\n") != 2 {
		t.Errorf("output %q", r.out)
	}
	audit := s.run("rebuild", "games", "--audit", "100", "--json").ok().rows()[0]["audit"].(map[string]any)
	names := "coverage_percent down_to max_error_percent median_error_percent owners read_units requests"
	if got := strings.Join(slices.Sorted(maps.Keys(audit)), " "); got != names || audit["owners"] != 100.0 || audit["coverage_percent"] != 100.0 || audit["down_to"] != nil {
		t.Errorf("audit is %v", audit)
	}
	if row := s.run("rebuild", "games", "--json").ok().rows()[0]; row["audit"] != nil {
		t.Errorf("nobody asked for an audit: %v", row)
	}
	s.environ = []string{"RANKCURVE_REFRESH_AUDIT=60", "RANKCURVE_REFRESH_AUDIT_BUDGET=40"}
	if r := s.run("rebuild", "games").ok(); !regexp.MustCompile(`audit of [1-6]\d owners down to rank \d+: `).MatchString(r.out) {
		t.Errorf("output %q", r.out)
	}
	if r := s.run("rebuild", "games", "--audit", "0").ok(); strings.Contains(r.out, "audit") {
		t.Errorf("output %q", r.out)
	}
	// 16 shards take 8 read units at least.
	s.environ = append(s.environ, "RANKCURVE_REFRESH_AUDIT_BUDGET=7")
	if r := s.run("rebuild", "games"); r.code != exitDone || !strings.Contains(r.out, "games.xp: generation") || !strings.Contains(r.err, "audit failed; the curve is published all the same") {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
}

// On a table, with the pace that a refresh has: the same owners, the same answers.
func TestVerifyOnDynamoDB(t *testing.T) {
	c, embedded := newCloud(t), newShell(t)
	c.games(1500)
	embedded.board(1500)
	for _, words := range [][]string{{"verify", "games", "--seed", "3", "--sample", "120"}, {"verify", "games", "--sample", "50", "--seed", "4", "--down-to", "300"}} {
		table := func(r result) string { _, text, _ := strings.Cut(r.ok().out, "\n"); return steady(text) }
		got, want := table(c.bare(words...)), table(embedded.run(words...))
		unit := regexp.MustCompile(`.*asks the same owners again`)
		if got, want := unit.ReplaceAllString(got, ""), unit.ReplaceAllString(want, ""); got != want {
			t.Errorf("%v:\n%s\non the embedded store:\n%s", words, got, want)
		}
	}
	c.bare("rebuild", "games", "--audit", "40").ok("games.xp: audit of 40 owners: median error ")
}
