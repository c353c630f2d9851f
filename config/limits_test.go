package config_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// bounds are limits in a line.
func bounds(limits map[string]store.Limit, column string) string {
	text := func(bound *int64) string {
		if bound == nil {
			return "none"
		}
		return fmt.Sprint(*bound)
	}
	return text(limits[column].Min) + ".." + text(limits[column].Max)
}

func TestLimitsOfScores(t *testing.T) {
	c := load(t, `
boards:
  - name: missions
    columns:
      - {name: xp, max_score: 1000000}
      - {name: time, order: asc, decimals: 2, min_score: 12.5, max_score: "3600.00"}
      - {name: streak, min_score: -0}
      - {name: level}
    periods: [all, weekly]
`, []string{"RANKCURVE_BOARDS_0_COLUMNS_3_MAX_SCORE=99"}, nil)
	for _, board := range []string{"missions", "missions:2026-W47", "missions.race", "missions.race:2026-W47"} {
		limits := c.Limits(board)
		for column, want := range map[string]string{"xp": "none..1000000", "time": "1250..360000", "streak": "0..none", "level": "none..99", "gold": "none..none"} {
			if got := bounds(limits, column); got != want {
				t.Errorf("%s.%s: %s, want %s", board, column, got, want)
			}
		}
	}
	if limits := c.Limits("laps"); len(limits) != 0 {
		t.Errorf("a board that is not configured has %v", limits)
	}
	byHand := config.Config{Boards: []config.Board{{Board: c.Boards[0].Board}}}
	if limits := byHand.Limits("missions"); len(limits) != 0 {
		t.Errorf("a board without limits has %v", limits)
	}
}

// A period's limit is in place of the one for all, each end by itself.
func TestLimitsOfPeriods(t *testing.T) {
	c := load(t, `
boards:
  - name: missions
    columns:
      - {name: xp, min_score: 0, max_score: 1000000, max_score_of: {daily: 5000, weekly: 20000}}
      - {name: level, min_score_of: {all: 1}}
    periods: [all, weekly, daily]
  - name: plain
    columns: [{name: xp, max_score: 7, max_score_of: {all: 9}}]
`, []string{"RANKCURVE_BOARDS_0_COLUMNS_0_MIN_SCORE_OF_DAILY=-5"}, nil)
	for board, want := range map[string][2]string{
		"missions": {"0..1000000", "1..none"}, "missions:2026-W47": {"0..20000", "none..none"}, "missions:2026-11-21": {"-5..5000", "none..none"},
		"missions.race:2026-11-21": {"-5..5000", "none..none"}, "plain": {"none..9", "none..none"},
	} {
		if got := c.Limits(board); bounds(got, "xp") != want[0] || bounds(got, "level") != want[1] {
			t.Errorf("%s: xp %s, level %s, want %v", board, bounds(got, "xp"), bounds(got, "level"), want)
		}
	}
	limits := c.PeriodLimits("missions.race")
	if len(limits) != 3 || bounds(limits[store.Always], "xp") != "0..1000000" || bounds(limits[store.Daily], "xp") != "-5..5000" {
		t.Errorf("%v", limits)
	}
	if limits := c.PeriodLimits("other"); len(limits) > 0 {
		t.Errorf("a family that is not configured has %v", limits)
	}
}

func TestFaultsOfLimitsOfPeriods(t *testing.T) {
	_, err := config.Load(write(t, `
boards:
  - name: missions
    columns:
      - {name: xp, min_score: 10, max_score_of: {daily: 9, weekly: 1.5}}
      - {name: level, max_score: x, min_score_of: {monthly: 1}}
    periods: [all, weekly, daily]
`), nil, nil)
	if err == nil {
		t.Fatal("no fault")
	}
	sameLines(t, bareNames(err), []string{
		`c.yaml:5: boards[0].columns[0].max_score_of.weekly: "1.5" is not a score of the column, which keeps 0 decimals; write it in digits and a point, or leave it empty for no limit`,
		`c.yaml:5: boards[0].columns[0].min_score: 10 is above max_score_of.daily, 9; lower it, or raise max_score_of.daily`,
		`c.yaml:6: boards[0].columns[1].max_score: "x" is not a score of the column, which keeps 0 decimals; write it in digits and a point, or leave it empty for no limit`,
		`c.yaml:6: boards[0].columns[1].min_score_of.monthly: the board has no period monthly; add it to periods, or leave this out`,
	})
}

func TestFaultsOfLimitsAndHistory(t *testing.T) {
	_, err := config.Load(write(t, `
boards:
  - name: missions
    columns:
      - {name: xp, max_score: 10.5}
      - {name: time, decimals: 2, min_score: lots, max_score: 1e3}
      - {name: level, min_score: 5, max_score: 4}
    refresh: {history: {keep: 0s, every: 0s}}
  - name: laps
    columns: [{name: time, decimals: 19, max_score: 1}]
    refresh: {history: {keep: 7d, every: 1m}}
refresh: {history: {keep: ever, every: 5}}
`), nil, nil)
	if err == nil {
		t.Fatal("no fault")
	}
	sameLines(t, bareNames(err), []string{
		`c.yaml:5: boards[0].columns[0].max_score: "10.5" is not a score of the column, which keeps 0 decimals; write it in digits and a point, or leave it empty for no limit`,
		`c.yaml:6: boards[0].columns[1].min_score: "lots" is not a score of the column, which keeps 2 decimals; write it in digits and a point, or leave it empty for no limit`,
		`c.yaml:6: boards[0].columns[1].max_score: "1e3" is not a score of the column, which keeps 2 decimals; write it in digits and a point, or leave it empty for no limit`,
		`c.yaml:7: boards[0].columns[2].min_score: 5 is above max_score, 4; lower it, or raise max_score`,
		`c.yaml:8: boards[0].refresh.history.every: "0s" is less than 1s; 5m suits most boards`,
		`c.yaml:10: boards[1].columns[0].decimals: 19 is not in 0..18`,
		`c.yaml:11: boards[1].refresh.history.every: 1m over 7d are 10080 curves, of a column 10000 are kept at most; keep them for less long, or further apart`,
		`c.yaml:12: refresh.history.keep: "ever" is not a length of time up to 36500 days; write whole numbers with w, d, h, m or s, such as 30d or 1h30m, or 0s to keep none`,
		`c.yaml:12: refresh.history.every: "5" is not a length of time up to 36500 days; write whole numbers with w, d, h, m or s, such as 30d or 1h30m`,
	})
}

// bareNames is an error without the folder of the configuration file.
func bareNames(err error) string {
	return regexp.MustCompile(`(?m)^\S*/c\.yaml`).ReplaceAllString(err.Error(), "c.yaml")
}
