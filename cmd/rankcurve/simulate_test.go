package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// A simulation of a second.
var smallSimulation = []string{"simulate", "--entries", "50000", "--shards", "8", "--walk", "2", "--ticks", "6"}

func TestSimulate(t *testing.T) {
	s := newShell(t)
	r := s.bare(append(smallSimulation, "--model", "d", "--every", "30m")...).ok(
		"model d on the lognormal board: 1 % newcomers",
		"50,000 entries at the begin, 53,076 in the end; 2 of 8 shards walked, every 30m for 6 ticks",
		"FULL WALK", "FRESH SHARDS", "ROLLING SUM", "CURVE", "IN BAND", "WIDTH",
		"10 .. 100 ", "30,000 .. ", "all from 10,000", " exact ", "The full walk reads all shards every ",
		"\n3 ticks are left out", "3h of the board passed in ")
	again := s.bare(append(smallSimulation, "--model", "d", "--every", "30m")...).ok()
	if head(r.out) != head(again.out) {
		t.Errorf("two runs differ:\n%s\n%s", r.out, again.out)
	}
	for line := range strings.Lines(r.out) {
		if len([]rune(line)) > 150 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

// head is all but the last line, which is about this run's time.
func head(out string) string {
	return out[:strings.LastIndex(strings.TrimSpace(out), "\n")]
}

func TestSimulateJSON(t *testing.T) {
	rows := newShell(t).bare(append(smallSimulation, "--json", "--store", "bolt", "--board", "elo")...).ok().rows()
	if len(rows) != 7 {
		t.Fatalf("%d lines", len(rows))
	}
	depths := []string{"10-100", "100-1000", "1000-10000", "10000-30000", "30000-", "10000-", "all"}
	for i, row := range rows {
		if row["depth"] != depths[i] || row["model"] != "a" || row["board"] != "elo" || row["store"] != "bolt" || row["shards"] != 8.0 || row["warm_up"] != 3.0 {
			t.Errorf("line %d: %v", i, row)
		}
		for _, name := range []string{"full_walk_error", "full_walk_forecast_error", "fresh_shards_error", "rolling_sum_error", "curve_error", "curve_error_aged", "in_band", "in_band_aged", "band_width", "band_width_aged"} {
			if value, is := row[name].(float64); !is || value < 0 || value > 3 {
				t.Errorf("line %d: %s is %v", i, name, row[name])
			}
		}
		if open := row["to"] == nil; open != (i >= 4) {
			t.Errorf("line %d ends at %v", i, row["to"])
		}
	}
	if rows[0]["gain"] != nil || rows[6]["gain"].(float64) < 1 {
		t.Errorf("gains %v and %v", rows[0]["gain"], rows[6]["gain"])
	}
	if rows[6]["full_walk_period"].(float64) < 2 || rows[6]["curve_read_units"].(float64) < 100 {
		t.Errorf("%v", rows[6])
	}
}

func TestSimulateOnASyntheticBoard(t *testing.T) {
	newShell(t).bare("simulate", "--store", "synthetic", "--entries", "300000", "--shards", "16", "--walk", "2", "--ticks", "4", "--model", "f").ok("all scores fall", "150,000 ..")
}

func TestSimulateSaysWhatItCannot(t *testing.T) {
	s := newShell(t)
	for line, want := range map[string]string{
		"simulate x":                           "1 argument is not what",
		"simulate --model g":                   `--model: "g" is none of a, b, c, d, e, f`,
		"simulate --board zipf":                `--board: "zipf" is none of lognormal, elo, atom`,
		"simulate --store redis":               `--store: "redis" is none of memory, bolt, synthetic`,
		"simulate --entries 10":                "--entries: 10 is not in 50000..20000000",
		"simulate --walk 64":                   "--walk: 64 is not in 1..63: some of the 64 shards, not all",
		"simulate --ticks 0 --shards 1":        "--ticks: 0 is not in",
		"simulate --every soon":                "invalid value",
		"simulate --every 1ms":                 "--every: 1ms is not in",
		"simulate --store synthetic --model c": "a synthetic board drifts evenly and knows no model c; use a, b, d or f, or --store memory",
		"--db x.db simulate":                   "leave --db out",
		"--store bolt simulate":                "leave --store out",
		"simulate --memcached h:1":             "leave --memcached out",
	} {
		s.bare(strings.Fields(line)...).fails(exitUsage, want)
	}
}

func TestASimulationThatIsStoppedSaysSo(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	s := newShell(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // on its way as soon as its board is there: 10,000 ticks take hours
		defer cancel()
		for left, err := os.ReadDir(temporary); err == nil && len(left) == 0 && ctx.Err() == nil; left, err = os.ReadDir(temporary) {
			time.Sleep(time.Millisecond)
		}
	}()
	s.ctx = ctx
	s.bare("simulate", "--store", "bolt", "--ticks", "10000").fails(exitFailed, "stopped before it was done; nothing is left behind")
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSimulateShowsHowFarItIs(t *testing.T) {
	s := newShell(t)
	s.terminal = true
	r := s.bare(smallSimulation...)
	if r.code != exitDone || !strings.Contains(r.err, "simulating") || !strings.Contains(r.out, "FULL WALK") {
		t.Errorf("exit code %d: %q", r.code, r.err)
	}
}

func TestSpans(t *testing.T) {
	for text, want := range map[string]string{"5m": "5m", "1h": "1h", "90m": "1h30m", "30s": "30s", "65s": "1m5s", "10h": "10h", "20m": "20m"} {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := spanText(d); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}
