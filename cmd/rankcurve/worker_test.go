package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

func TestWorkerOnceRefreshesWhatIsDue(t *testing.T) {
	s := newShell(t).stopClock()
	s.run("load", "games", s.players(30)).ok()
	s.run("--log-level", "error", "worker", "--once").ok("1 column refreshed, 0 not due, 0 left to other workers, 0 failed")
	s.run("rank", "games", "p7").ok("exact")
	s.run("--log-level", "error", "worker", "--once").ok("0 columns refreshed, 1 not due")
	s.run("worker", "now").fails(exitUsage, "1 argument is not what `rankcurve worker` takes")
	s.bare("worker", "--once", "--db", "none.db").fails(exitNotFound, "no database at none.db")
	s.run("worker", "--listen", "9464").fails(exitUsage, `flag: worker.listen: "9464" is not HOST:PORT`)
	s.environ = []string{"RANKCURVE_REFRESH_SCHEDULE=0 0 31 2 *"}
	s.run("worker").fails(exitUsage, `RANKCURVE_REFRESH_SCHEDULE: refresh.schedule: "0 0 31 2 *" is never due`)
}

// A board that contradicts the registry is left alone, by name, and the others are not.
func TestWorkerOnceFailsForABoardThatContradictsTheRegistry(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(30)).ok()
	s.run("load", "other", s.players(5)).ok()
	cfg := s.file("c.yaml", "boards: [{name: games, shards: 3, columns: [{name: xp}]}]\n")
	r := s.run("--config", cfg, "worker", "--once")
	for _, want := range []string{"rankcurve: board games: ", "has 16 shards, not 3", "correct the configuration"} {
		if r.code != exitFailed || !strings.Contains(r.err, want) || !strings.Contains(r.out, "1 column refreshed, 0 not due, 0 left to other workers, 1 failed") {
			t.Errorf("exit code %d, want %s in\n%s%s", r.code, want, r.out, r.err)
		}
	}
}

// The log's lines have every figure of a refresh, as text and as JSON.
func TestWorkerLogsALineForEachRefresh(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(30)).ok()
	s.environ = []string{"RANKCURVE_LOG_FORMAT=json"}
	r := s.run("worker", "--once").ok2(t)
	var line map[string]any
	if err := json.Unmarshal([]byte(strings.SplitN(r.err, "\n", 2)[0]), &line); err != nil {
		t.Fatalf("%v in %s", err, r.err)
	}
	for _, key := range []string{"board", "column", "generation", "method", "shards", "walked", "entries", "resumed", "requests", "read_units", "knots", "bytes", "tolerance", "duration_seconds", "outcome", "due"} {
		if _, there := line[key]; !there {
			t.Errorf("no %s in %s", key, r.err)
		}
	}
	s.environ = nil
	s.run("load", "other", s.players(5)).ok()
	if r := s.run("worker", "--once"); !strings.Contains(r.err, "level=INFO msg=refreshed board=other column=xp generation=1") {
		t.Errorf("said %s", r.err)
	}
}

// ok2 is ok for a command that logs.
func (r result) ok2(t *testing.T) result {
	t.Helper()
	if r.code != exitDone {
		t.Fatalf("%s: exit code %d: %s", r.line, r.code, r.err)
	}
	return r
}

// A board of a family's period is refreshed once more after its end.
func TestPlanForABoardOfAPeriodEnds(t *testing.T) {
	s := newShell(t)
	cfg, err := config.Load(s.file("c.yaml", `
boards:
  - name: missions
    columns: [{name: xp, operator: sum}]
    periods: [all, daily]
    late_posts: refuse
    late_grace: 90s
    refresh: {schedule: "@hourly", timezone: Asia/Tokyo, idle_max: 2h}
`), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, ok := cfg.Board("missions:2026-11-21")
	if !ok {
		t.Fatal("the family has no such board")
	}
	plan, err := planFor(cfg, b)
	if err != nil || !plan.Ends.Equal(time.Date(2026, 11, 22, 0, 1, 30, 0, time.UTC)) || plan.IdleMax != 2*time.Hour || plan.Schedule.String() != "@hourly" {
		t.Errorf("%+v, %v", plan, err)
	}
	all, _ := cfg.Board("missions")
	if plan, err := planFor(cfg, all); err != nil || !plan.Ends.IsZero() {
		t.Errorf("the board without an end: %+v, %v", plan, err)
	}
	if plan, err := planFor(cfg, store.Board{Name: "elsewhere", Shards: 1}); err != nil || plan.Schedule.String() != "@every 5m" {
		t.Errorf("a board that is not configured: %+v, %v", plan, err)
	}
}
