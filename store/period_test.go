package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func TestSpansOfATime(t *testing.T) {
	for _, c := range []struct {
		period            store.Period
		time              string
		label, start, end string
	}{
		{store.Monthly, "2026-11-21T12:00:00Z", "2026-11", "2026-11-01", "2026-12-01"},
		{store.Monthly, "2026-12-31T23:59:59Z", "2026-12", "2026-12-01", "2027-01-01"},
		{store.Monthly, "2028-02-29T00:00:00Z", "2028-02", "2028-02-01", "2028-03-01"},
		{store.Weekly, "2026-11-21T12:00:00Z", "2026-W47", "2026-11-16", "2026-11-23"},
		{store.Weekly, "2026-11-22T23:59:59Z", "2026-W47", "2026-11-16", "2026-11-23"},
		{store.Weekly, "2026-11-23T00:00:00Z", "2026-W48", "2026-11-23", "2026-11-30"},
		{store.Weekly, "2026-12-31T23:59:59Z", "2026-W53", "2026-12-28", "2027-01-04"},
		{store.Weekly, "2027-01-01T00:00:00Z", "2026-W53", "2026-12-28", "2027-01-04"},
		{store.Weekly, "2027-01-03T23:59:59Z", "2026-W53", "2026-12-28", "2027-01-04"},
		{store.Weekly, "2027-01-04T00:00:00Z", "2027-W01", "2027-01-04", "2027-01-11"},
		{store.Weekly, "2024-12-30T00:00:00Z", "2025-W01", "2024-12-30", "2025-01-06"},
		{store.Weekly, "2022-01-02T12:00:00Z", "2021-W52", "2021-12-27", "2022-01-03"},
		{store.Daily, "2026-11-21T00:00:00Z", "2026-11-21", "2026-11-21", "2026-11-22"},
		{store.Daily, "2026-11-21T23:59:59.999Z", "2026-11-21", "2026-11-21", "2026-11-22"},
		{store.Daily, "2026-11-21T23:30:00-05:00", "2026-11-22", "2026-11-22", "2026-11-23"}, // UTC counts
	} {
		s := c.period.At(at(t, c.time))
		if s.Label != c.label || !s.Start.Equal(at(t, c.start+"T00:00:00Z")) || !s.End.Equal(at(t, c.end+"T00:00:00Z")) {
			t.Errorf("%s at %s is %+v, want %s from %s to %s", c.period, c.time, s, c.label, c.start, c.end)
		}
		if back, err := store.ParseSpan(c.label); err != nil || back != s {
			t.Errorf("%s reads as %+v, %v, want %+v", c.label, back, err, s)
		}
	}
	if s := store.Always.At(time.Now()); s != (store.Span{Period: store.Always}) || s.Previous() != s || s.Ended(time.Now()) || s.Board("missions") != "missions" {
		t.Errorf("always is %+v", s)
	}
}

// Through fifty years hour by hour: each moment is in its span alone, spans follow
// each other without a gap, and each is found again by its board's name.
func TestSpansTileTheYears(t *testing.T) {
	for _, p := range []store.Period{store.Monthly, store.Weekly, store.Daily} {
		s := p.At(at(t, "2000-01-01T00:00:00Z"))
		seen := map[string]bool{}
		for now := at(t, "2000-01-01T00:00:00Z"); now.Year() < 2050; now = now.Add(time.Hour) {
			next := p.At(now)
			if !next.Contains(now) || next.Ended(now) {
				t.Fatalf("%s is not in %+v", now, next)
			}
			if next == s {
				continue
			}
			if !next.Start.Equal(s.End) || next.Previous() != s || seen[next.Label] || s.Contains(now) || !s.Ended(now) {
				t.Fatalf("%+v follows on %+v at %s", next, s, now)
			}
			seen[next.Label] = true
			family, parsed, ok := store.ParseBoardName(next.Board("a.b:c"))
			if !ok || family != "a.b:c" || parsed != next {
				t.Fatalf("%s reads as %s of %+v", next.Board("a.b:c"), family, parsed)
			}
			s = next
		}
	}
}

func TestWhatIsNoLabel(t *testing.T) {
	for _, label := range []string{"", "2026", "2026-13", "2026-1", "2026-W54", "2027-W53", "2026-W00", "2026-W1", "2026-w47", "2026-W+7", "2026-02-30", "2026-11-21 ", "2026-11-1", "20261121", "all", "12026-W01", "-226-W47"} {
		if s, err := store.ParseSpan(label); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%q reads as %+v, %v", label, s, err)
		}
	}
	for _, name := range []string{"missions", "missions:", ":2026-11", "missions:eu", "missions-2026-11", "missions:2026-11:eu"} {
		if family, s, ok := store.ParseBoardName(name); ok {
			t.Errorf("%q reads as %s and %+v", name, family, s)
		}
	}
}
