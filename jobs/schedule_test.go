package jobs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestScheduleIsDueWhenItSays(t *testing.T) {
	for _, c := range []struct{ spec, zone, now, last, next string }{
		{"@every 5m", "", "2026-11-21T12:07:30Z", "2026-11-21T12:05:00Z", "2026-11-21T12:10:00Z"},
		{"@every 5m", "", "2026-11-21T12:05:00Z", "2026-11-21T12:05:00Z", "2026-11-21T12:10:00Z"},
		{"@every 1h30m", "Asia/Tokyo", "2026-11-21T12:07:30Z", "2026-11-21T12:00:00Z", "2026-11-21T13:30:00Z"},
		{"*/15 * * * *", "", "2026-11-21T12:14:59Z", "2026-11-21T12:00:00Z", "2026-11-21T12:15:00Z"},
		{"0 6 * * *", "Europe/Berlin", "2026-11-21T12:00:00Z", "2026-11-21T05:00:00Z", "2026-11-22T05:00:00Z"},
		{"0 6 * * *", "Europe/Berlin", "2026-07-21T12:00:00Z", "2026-07-21T04:00:00Z", "2026-07-22T04:00:00Z"},
		{"CRON_TZ=Asia/Tokyo 0 6 * * *", "Europe/Berlin", "2026-11-21T12:00:00Z", "2026-11-20T21:00:00Z", "2026-11-21T21:00:00Z"},
		{"TZ=UTC 0 6 * * *", "Europe/Berlin", "2026-11-21T12:00:00Z", "2026-11-21T06:00:00Z", "2026-11-22T06:00:00Z"},
		{"@weekly", "", "2026-11-21T12:00:00Z", "2026-11-15T00:00:00Z", "2026-11-22T00:00:00Z"},
		{"0 0 29 2 *", "", "2026-11-21T12:00:00Z", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"* 0-5 * * *", "", "2026-11-21T23:00:00Z", "2026-11-21T05:59:00Z", "2026-11-22T00:00:00Z"},
	} {
		s, err := jobs.ParseSchedule(c.spec, c.zone)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		now := at(t, c.now)
		if last, next := s.Last(now), s.Next(now); !last.Equal(at(t, c.last)) || !next.Equal(at(t, c.next)) {
			t.Errorf("%s in %q at %s: last %s, next %s; want %s and %s", c.spec, c.zone, c.now, last, next, c.last, c.next)
		}
	}
}

func TestScheduleThatIsNoneIsRefused(t *testing.T) {
	for spec, want := range map[string]string{
		"":                        "is empty",
		"0 0 31 2 *":              "is never due",
		"0 0 30 2 *":              "is never due",
		"0 0 31 4,6,9,11 *":       "is never due",
		"@every":                  "no schedule",
		"@every 5":                `"5" is not a duration such as 5m`,
		"@every 0s":               "1s or more",
		"@every -5m":              "1s or more",
		"@every 1500ms":           "whole seconds",
		"* * * *":                 "no schedule",
		"61 * * * *":              "no schedule",
		"@sometimes":              "no schedule",
		"TZ=":                     "no schedule",
		"CRON_TZ=UTC":             "no schedule",
		"CRON_TZ=Mars/Base * * *": "not a time zone",
		"CRON_TZ=Local * * * * *": "not a time zone",
	} {
		if _, err := jobs.ParseSchedule(spec, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
	if _, err := jobs.ParseSchedule("@hourly", "Nowhere"); err == nil {
		t.Error("an unknown zone was taken")
	}
}

// Two schedules are the same if they were written alike and for one zone: those that happen
// to be due at the same times for now are not.
func TestSchedulesAreTheSameByTheirTextAndZone(t *testing.T) {
	parse := func(spec, zone string) jobs.Schedule {
		s, err := jobs.ParseSchedule(spec, zone)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	winter := parse("0 6 * * *", "")
	if winter.Same(parse("0 6 * * *", "Europe/London")) || winter.Same(parse("0 6-7 * * *", "")) || !winter.Same(parse("0 6 * * *", "UTC")) {
		t.Error("text or zone are not compared")
	}
}

// Whatever the spec, it is refused, or Last and Next are on the two sides of now.
func FuzzParseSchedule(f *testing.F) {
	for _, seed := range []string{"@every 5m", "*/7 3 1-5 */2 ?", "TZ=UTC", "CRON_TZ= x", "0 0 31 2 *", "@daily", "1,2,3 * * JAN mon"} {
		f.Add(seed)
	}
	now := time.Date(2026, 11, 21, 12, 7, 30, 0, time.UTC)
	f.Fuzz(func(t *testing.T, spec string) {
		s, err := jobs.ParseSchedule(spec, "")
		if err != nil {
			return
		}
		if next := s.Next(now); !next.After(now) {
			t.Errorf("%q: next is %s", spec, next)
		}
		if last := s.Last(now); last.After(now) || !last.IsZero() && s.Next(last).Before(now) && s.Next(last).After(last) && !s.Next(last).After(now) {
			t.Errorf("%q: last is %s, and after it comes %s", spec, last, s.Next(last))
		}
	})
}
