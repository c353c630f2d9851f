package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

func TestPlanForNumbers(t *testing.T) {
	s := newShell(t)
	s.bare(strings.Fields("plan --entries 10M --writes 2000 --every 5m")...).ok(
		"A board of 10,000,000 entries, 100 bytes each; 2,000 score changes a second, refreshed every 5m",
		"writes: 8 shards at least", "Top 100, exact: read 27 rows of each shard", "one round suffices in 99.9",
		"Refresh: walk 3 of the 8 shards", "refresh.walk: 3", "a month: ", "1,000,000", "count each rank", "sorted set in RAM", "1.32 GB")
	for _, alike := range []string{"--entries 10,000,000 --writes 2K", "--entries 0.01B --writes 2000.0 --every 300s", "--entries 10m --churn 6% --gain 25 --entry-bytes 100 --top 100 --accuracy .5% --queries 10"} {
		got, want := s.bare(append([]string{"plan"}, strings.Fields(alike)...)...).ok(), s.bare(strings.Fields("plan --entries 10M --writes 2000")...).ok()
		if got.out != want.out {
			t.Errorf("%s:\n%s\nwant\n%s", alike, got.out, want.out)
		}
	}
	s.bare(strings.Fields("plan --entries 50K --writes 2")...).ok("Shards: 1: there is no need to shard", "walk the shard (refresh.walk: 0), read every score")
	s.bare(strings.Fields("plan --entries 10M --writes 2000 --shards 4")...).ok("4 shards cannot take the writes at peak")
	s.bare(strings.Fields("plan --entries 10M --writes 2000 --budget-month 5")...).ok("32 rather than 8, so that a refresh can walk a smaller part of the board")
	s.bare(strings.Fields("plan --entries 1 --writes 0")...).ok("Shards: 1")
	s.bare(strings.Fields("plan --entries 1B --writes 50000 --every 1h --budget-month 500")...).ok("200 shards")
}

func TestPlanHelps(t *testing.T) {
	for line := range strings.Lines(newShell(t).bare("plan", "--help").ok("USAGE:", "[BOARD]", "Examples:").out) {
		if len(line) > 140 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

func TestPlanIsOneJSONObject(t *testing.T) {
	s := newShell(t)
	rows := s.bare(strings.Fields("plan --entries 10M --writes 2000 --every 5m --json")...).ok().rows()
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	shards, top, refresh := rows[0]["shards"].(map[string]any), rows[0]["top"].(map[string]any), rows[0]["refresh"].(map[string]any)
	for _, tc := range []struct {
		of   map[string]any
		name string
		want any
	}{
		{rows[0], "entries", 1e7},
		{rows[0], "entry_bytes", 100.0},
		{rows[0], "writes_per_second", 2000.0},
		{rows[0], "every_seconds", 300.0},
		{rows[0], "churn", 0.06},
		{shards, "chosen", 8.0},
		{shards, "for_writes", 8.0},
		{shards, "asked", false},
		{top, "n", 100.0},
		{top, "rows_per_shard", 27.0},
		{top, "rows", 216.0},
		{top, "requests", 8.0},
		{refresh, "walked", 3.0},
		{refresh, "rotation", 3.0},
		{refresh, "method", "rolling"},
		{refresh, "pace_units", 300.0},
	} {
		if tc.of[tc.name] != tc.want {
			t.Errorf("%s is %v, want %v", tc.name, tc.of[tc.name], tc.want)
		}
	}
	for _, name := range []string{"read_units", "write_units", "table_read_units", "requests", "seconds", "read_units_month", "write_units_month", "dollars_month", "full_walk_dollars_month"} {
		if n, ok := refresh[name].(float64); !ok || n <= 0 {
			t.Errorf("refresh.%s is %v", name, refresh[name])
		}
	}
	ranks := []float64{10_000, 10_001, 100_000, 1_000_000, 5_000_000}
	for i, e := range rows[0]["errors"].([]any) {
		row := e.(map[string]any)
		if row["rank"] != ranks[i] || row["read"] != (i == 0) || !(row["typical"].(float64) < row["within_95"].(float64) && row["within_95"].(float64) < row["within_95_before_next"].(float64)) {
			t.Errorf("error %d is %v", i, row)
		}
	}
	names := ""
	for _, a := range rows[0]["alternatives"].([]any) {
		names += ", " + a.(map[string]any)["name"].(string)
	}
	if got := strings.TrimPrefix(names, ", "); got != "this plan, full walk each time, count each rank, sorted set in RAM" {
		t.Errorf("the alternatives are %s", got)
	}
}

// Prices are the configuration's.
func TestPlanPrices(t *testing.T) {
	s := newShell(t)
	month := func() (refresh, ram float64) {
		row := s.bare(strings.Fields("plan --entries 1M --writes 10 --shards 4 --json")...).ok().rows()[0]
		return row["refresh"].(map[string]any)["dollars_month"].(float64), row["alternatives"].([]any)[3].(map[string]any)["dollars_month"].(float64)
	}
	refresh, ram := month()
	s.environ = []string{"RANKCURVE_PRICES_READ_UNIT_MILLION=0.25", "RANKCURVE_PRICES_WRITE_UNIT_MILLION=1.25", "RANKCURVE_PRICES_RAM_GB_MONTH=6"}
	if dearer, cheaper := month(); dearer < 1.99*refresh || dearer > 2.01*refresh || cheaper != ram/2 {
		t.Errorf("at twice the price $%v, and $%v for half the price of RAM; were $%v and $%v", dearer, cheaper, refresh, ram)
	}
}

func TestPlanForABoard(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(3000)).ok()
	s.run(strings.Fields("plan games --writes 5")...).ok("games.xp of about 3,", "of 16 shards: counted one for", "it was never refreshed", "no curve to tell the density")
	s.run("rebuild", "games").ok()
	r := s.run(strings.Fields("plan games --writes 5 --json")...).ok().rows()[0]
	probe := r["probe"].(map[string]any)
	if n := r["entries"].(float64); n < 2000 || n > 4000 {
		t.Errorf("%v entries planned for, there are 3,000", n)
	}
	if r["shards"].(map[string]any)["chosen"] != 16.0 || r["board"] != "games" || r["column"] != "xp" || probe["density_from_curve"] != true || probe["requests"] != 1.0 || probe["read_units"].(float64) <= 0 || probe["last_refresh_read_units"].(float64) <= 0 {
		t.Errorf("%v", r)
	}
	s.run(strings.Fields("plan games --writes 5 --entries 1M --shards 32")...).ok("games.xp of 1,000,000 entries", "Shards: 32 shards", "its curve's", "its last refresh took")
	s.run(strings.Fields("plan games --writes 5 --column gold")...).fails(exitNotFound, `no column "gold"`)
	s.run(strings.Fields("plan nothing --writes 5")...).fails(exitNotFound, `board "nothing"`)
	s.run("load", "empty", s.file("empty.csv", "owner,xp\n"))
	st := s.store()
	if err := st.CreateBoard(s.ctx, store.Board{Name: "bare", Shards: 4, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}}); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	s.run(strings.Fields("plan bare --writes 5")...).fails(exitUsage, "the shard of bare.xp that was counted has no entries", "--entries")
	s.run(strings.Fields("plan bare --writes 5 --entries 2M")...).ok("bare.xp of 2,000,000 entries, 100 bytes each", "Shards: 4 shards")
}

// The density of the board itself decides how many entries a gain passes: of scores that
// lie evenly, a gain of 25 % at the middle passes an eighth of the board, over all gains.
func TestPlanTakesTheDensityFromTheCurve(t *testing.T) {
	s := newShell(t)
	s.board(20_000)
	errors := s.run(strings.Fields("plan games --churn 1% --json")...).ok().rows()[0]["errors"].([]any)
	last := errors[len(errors)-1].(map[string]any)
	// Those behind the score s pass it by the gain g from s/(1+g) on: half of the entries are below the middle, so
	// 0.5 g/(1+g) of them, on average over 0..50 %.
	passed := 0.0
	for i := range 100 {
		g := 0.005 * (float64(i) + 0.5)
		passed += 0.5 * g / (1 + g) / 100
	}
	rank := last["rank"].(float64)
	want := 0.01 * 2 * rank * passed * 12 // an hour has 12 refreshes
	if got := last["crossings_per_hour"].(float64); got < 0.97*want || got > 1.03*want {
		t.Errorf("%.1f entries pass rank %v in an hour, want %.1f", got, rank, want)
	}
}

func TestPlanWithoutSense(t *testing.T) {
	s := newShell(t)
	for line, want := range map[string]string{
		"plan":                                                               "--entries is missing",
		"plan a b":                                                           "2 arguments are not what",
		"plan --entries 10M":                                                 "--writes is missing",
		"plan games":                                                         "--writes is missing",
		"plan --entries 10M --column xp":                                     "--column is one of a board's",
		"plan --entries ten --writes 5":                                      `--entries "ten" is not a number; write it like 2500, 2K, 10M or 1.5B`,
		"plan --entries -5 --writes 5":                                       `--entries "-5" is not a number`,
		"plan --entries 1e7 --writes 5":                                      `--entries "1e7" is not a number`,
		"plan --entries 0 --writes 5":                                        "--entries 0 is not in 1..1000000000000",
		"plan --entries 2000000M --writes 5":                                 "--entries 2000000M is not in",
		"plan --entries 1M --writes fast":                                    `--writes "fast" is not a number`,
		"plan --entries 1M --writes 1M":                                      "--writes 1000000 would take 4000 shards, and a board has 1296 at most",
		"plan --entries 1M --writes 5 --every 1ms":                           "--every 1ms is not in 1s..",
		"plan --entries 1M --writes 5 --every -5m":                           "--every -5m",
		"plan --entries 1M --writes 5 --every soon":                          `invalid value "soon" for flag -every`,
		"plan --entries 1M --writes 5 --entry-bytes 5":                       "--entry-bytes 5 is not in 20..4096",
		"plan --entries 1M --writes 5 --top 0":                               "--top 0 is not in 1..100000",
		"plan --entries 1M --writes 5 --top 100001":                          "--top 100001 is not in",
		"plan --entries 1M --writes 5 --shards 0":                            "--shards 0 is not in 1..1296",
		"plan --entries 1M --writes 5 --shards 1297":                         "--shards 1297 is not in",
		"plan --entries 1M --writes 5 --accuracy 0":                          "--accuracy 0 is not above 0",
		"plan --entries 1M --writes 5 --accuracy 101%":                       "--accuracy 101% is not above 0 and up to 100%",
		"plan --entries 1M --writes 5 --accuracy good":                       `--accuracy "good" is not a percentage; write it like 0.5%`,
		"plan --entries 1M --writes 5 --accuracy 1K":                         `--accuracy "1K" is not a percentage`,
		"plan --entries 1M --writes 5 --budget-month 0":                      "--budget-month 0 is not in 0.01..",
		"plan --entries 1M --writes 5 --budget-month $5":                     `--budget-month "$5" is not a number`,
		"plan --entries 1M --writes 5 --churn 0":                             "--churn 0 is not above 0",
		"plan --entries 1M --writes 5 --gain -1%":                            `--gain "-1%" is not a percentage`,
		"plan --entries 1M --writes 5 --queries -1":                          `--queries "-1" is not a number`,
		"plan --entries 10M --writes 2000 --budget-month 0.5":                "--budget-month 0.5 does not pay for the least there is, a walk of 1 of 128 shards every 5m, which costs $2.5",
		"plan --entries 10M --writes 2000 --accuracy 0.05%":                  "--accuracy 0.05% cannot be had: a walk of all 64 shards leaves 95 of 100 ranks around 5,000,000 off by up to 0.08 %; ask for that, or let a refresh read every score",
		"plan --entries 10M --writes 2000 --accuracy 0.01%":                  "off by up to 0.08 %; ask for that\n",
		"plan --entries 10M --writes 2000 --accuracy 0.1% --budget-month 10": "allow more than $10.00 with --budget-month",
		"plan --entries 100M --writes 2 --every 1m --shards 1":               "--every 1m0s is too short: a walk of the one shard takes",
	} {
		s.run(strings.Fields(line)...).fails(exitUsage, want)
	}
	s.environ = []string{"RANKCURVE_REFRESH_METHOD=scores"}
	s.bare(strings.Fields("plan --entries 10M --writes 2000 --budget-month 50")...).fails(exitUsage, "a walk of all 8 shards every 5m")
}

// What an error says to do instead is a plan.
func TestPlanAdviceIsSound(t *testing.T) {
	s := newShell(t)
	for _, line := range []string{
		"plan --entries 10M --writes 2000 --budget-month 2.54",
		"plan --entries 10M --writes 2000 --budget-month 0.5 --every 28m",
		"plan --entries 100M --writes 2 --every 1h15m --shards 1",
		"plan --entries 10M --writes 2000 --accuracy 0.09%",
	} {
		s.bare(strings.Fields(line)...).ok("Refresh: walk")
	}
	s.environ = []string{"RANKCURVE_REFRESH_METHOD=scores"}
	s.bare(strings.Fields("plan --entries 10M --writes 2000 --accuracy 0.05%")...).ok("read every score")
}

func TestEveryText(t *testing.T) {
	for d, want := range map[time.Duration]string{5 * time.Minute: "5m", time.Hour: "1h", 80 * time.Minute: "1h20m", 90 * time.Second: "1m30s", time.Second: "1s", 0: "0s", 10 * time.Second: "10s", 3610 * time.Second: "1h0m10s"} {
		if got := everyText(d); got != want {
			t.Errorf("%s is said as %q, want %q", d, got, want)
		}
	}
}

// The README's plan is what the command says.
func TestTheReadmesPlan(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const command = "rankcurve plan --entries 10M --writes 2000 --every 5m"
	_, block, found := strings.Cut(string(data), "\n```console\n$ "+command+"\n")
	block, _, closed := strings.Cut(block, "```\n")
	if !found || !closed {
		t.Fatalf("README.md has no console block of %q", command)
	}
	if out := newShell(t).bare(strings.Fields(command)[1:]...).ok().out; out != block {
		t.Errorf("README.md shows\n%s\nand the command says\n%s", block, out)
	}
}
