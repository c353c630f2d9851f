package config_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const families = `
boards:
  - name: missions
    columns: [{name: xp, operator: sum}]
    periods: [all, weekly, daily]
    expire_after: {daily: 30d, weekly: ""}
    late_posts: refuse
    late_grace: 90m
    refresh: {head: 300}
  - name: event
    columns: [{name: time, order: asc}]
    periods: [daily]
  - name: missions.race
    columns: [{name: laps}]
  - {name: plain, columns: [{name: xp}], periods: [all]}
`

func TestFamilyIsWhatTheFileSays(t *testing.T) {
	c := load(t, families, nil, nil)
	def, ok := c.Family("missions")
	if !ok || def.Name != "missions" || def.Late != rankcurve.RefuseLate || def.Grace != 90*time.Minute ||
		!slices.Equal(def.Periods, []store.Period{store.Always, store.Weekly, store.Daily}) || len(def.ExpireAfter) != 1 || def.ExpireAfter[store.Daily] != 30*24*time.Hour {
		t.Errorf("%+v, %t", def, ok)
	}
	if err := def.Validate(); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]bool{"missions.sprint": true, "event": true, "missions.race": false, "plain": false, "plain.a": false, "missionsx": false, "other": false} {
		if def, ok := c.Family(name); ok != want || ok && def.Name != name {
			t.Errorf("family %s: %+v, %t", name, def, ok)
		}
	}
}

func TestBoardFindsThoseOfPeriods(t *testing.T) {
	c := load(t, families, nil, nil)
	for name, want := range map[string]store.Period{
		"missions": store.Always, "missions:2026-W47": store.Weekly, "missions:2026-11-21": store.Daily, "missions.sprint": store.Always,
		"missions.sprint:2026-W47": store.Weekly, "event:2026-11-21": store.Daily, "plain": "", "missions.race": "",
	} {
		b, ok := c.Board(name)
		if !ok || b.Name != name || b.Period != want || b.Expires.IsZero() == (want == store.Daily && b.Family == "missions") {
			t.Errorf("%s is %+v, %t", name, b, ok)
		}
	}
	for _, name := range []string{"missions:2026-11", "event", "event:2026-W47", "plain:2026-W47", "missions.race:2026-W47", "missions:x"} {
		if b, ok := c.Board(name); ok {
			t.Errorf("%s is %+v", name, b)
		}
	}
	for name, want := range map[string]int{"missions": 300, "missions:2026-W47": 300, "missions.sprint:2026-W47": 300, "missions.race": 10000, "event:2026-11-21": 10000, "x:2026-11-21": 10000} {
		if got := c.Refresh(name).Head; got != want {
			t.Errorf("%s is refreshed with head %d, want %d", name, got, want)
		}
	}
}

func TestAges(t *testing.T) {
	for text, want := range map[config.Age]time.Duration{"": 0, "0d": 0, "30d": 720 * time.Hour, "12h": 12 * time.Hour, "90m": 90 * time.Minute, "45s": 45 * time.Second, "36500d": config.MaxAge, "1h30m": 90 * time.Minute, "2w": 336 * time.Hour, "1w2d3h4m5s": 9*24*time.Hour + 3*time.Hour + 4*time.Minute + 5*time.Second, "1w0s": 168 * time.Hour} {
		if got, err := text.Duration(); err != nil || got != want {
			t.Errorf("%q is %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []config.Age{"d", "30", "-1d", "+1d", "1.5h", "30 d", "30dd", "36501d", "36500d1s", "5215w", "99999999999s", "é", "30m1h", "1h1h", "1h30", "h", "1h m", "1.5h30m", "0x1h", "1_0h"} {
		if got, err := text.Duration(); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}
