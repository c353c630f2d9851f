package jobs

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// A Schedule says when a column is due. The zero Schedule is none.
type Schedule struct {
	spec, zone string
	times      cron.Schedule
}

// leastEvery is the shortest period of an @every, as cron itself knows no shorter one.
const leastEvery = time.Second

// ParseSchedule reads a cron expression of five fields, @hourly and the like, or
// "@every 5m". The zone is the IANA name of what the fields are told in; empty is UTC,
// and a CRON_TZ=ZONE in front of the spec wins over it. A spec that can never be due,
// such as the 31st of February, is refused.
//
// The times of "@every" are the multiples of its period, not counted from when the
// program started: so all workers agree on when a column is due.
//
// Where clocks are set forward, what was due in the hour that there is not is due at its
// end. Where they are set back, a time of day that comes twice is due once, but for
// schedules that are due several times in that hour, or in every hour: they go on.
func ParseSchedule(spec, zone string) (Schedule, error) {
	spec = strings.TrimSpace(spec)
	if spec == "" {
		return Schedule{}, errors.New("is empty")
	}
	rest := spec
	if own, after, isSet := zoneOf(spec); isSet {
		zone, rest = own, after
	}
	if zone == "" {
		zone = "UTC"
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return Schedule{}, fmt.Errorf("%q is not a time zone; write it like Europe/Berlin", zone)
	}
	if period, isEvery := strings.CutPrefix(rest, "@every "); isEvery {
		return parseEvery(spec, strings.TrimSpace(period))
	}
	times, err := cron.ParseStandard("CRON_TZ=UTC " + rest)
	if err != nil {
		return Schedule{}, fmt.Errorf("%q is no schedule: %w", spec, err)
	}
	if clock, isClock := times.(*cron.SpecSchedule); isClock && location != time.UTC {
		times = zoned{clock, location}
	}
	s := Schedule{spec, zone, times}
	if s.Next(time.Now()).IsZero() {
		return Schedule{}, fmt.Errorf("%q is never due: there is no such day", spec)
	}
	return s, nil
}

// zoneOf takes the zone off the front of a spec. The library's own way to do it panics
// where nothing follows.
func zoneOf(spec string) (zone, rest string, isSet bool) {
	for _, prefix := range []string{"CRON_TZ=", "TZ="} {
		if after, found := strings.CutPrefix(spec, prefix); found {
			zone, rest, _ = strings.Cut(after, " ")
			return zone, strings.TrimSpace(rest), true
		}
	}
	return "", spec, false
}

func parseEvery(spec, text string) (Schedule, error) {
	period, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return Schedule{}, fmt.Errorf("%q is no schedule: %q is not a duration such as 5m", spec, text)
	case period < leastEvery || period%time.Second != 0:
		return Schedule{}, fmt.Errorf("%q is no schedule: a period is of whole seconds, 1s or more", spec)
	}
	return Schedule{spec: spec, times: every(period)}, nil
}

// every is due at each multiple of a period.
type every time.Duration

// Next implements cron.Schedule.
func (e every) Next(t time.Time) time.Time {
	return t.Truncate(time.Duration(e)).Add(time.Duration(e))
}

// String is the schedule as it was written.
func (s Schedule) String() string { return s.spec }

// Same says that two schedules were written alike, for one zone.
func (s Schedule) Same(other Schedule) bool { return s.spec == other.spec && s.zone == other.zone }

// Next is the first time due after t, in UTC; zero if there is none within five years.
func (s Schedule) Next(t time.Time) time.Time { return s.times.Next(t.UTC()) }

// looksBack are how far Last looks back, the nearest first.
var looksBack = []time.Duration{2 * time.Minute, 2 * time.Hour, 2 * day, 40 * day, 400 * day, 5 * 366 * day}

const day = 24 * time.Hour

// Last is the latest time due at or before t; zero if there was none within years.
func (s Schedule) Last(t time.Time) time.Time {
	t = t.UTC()
	if e, isEvery := s.times.(every); isEvery {
		return t.Truncate(time.Duration(e))
	}
	for _, back := range looksBack {
		var last time.Time
		for at := s.Next(t.Add(-back)); !at.IsZero() && !at.After(t); at = s.Next(at) {
			last = at
		}
		if !last.IsZero() {
			return last
		}
	}
	return time.Time{}
}

// Interval is from the last time due at or before t to the next one.
func (s Schedule) Interval(t time.Time) time.Duration {
	last, next := s.Last(t), s.Next(t)
	if last.IsZero() {
		return s.Next(next).Sub(next)
	}
	return next.Sub(last)
}
