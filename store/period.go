package store

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Period is how long the boards of a family run before the next one begins. All
// periods are those of UTC.
type Period string

const (
	Always  Period = "all"     // one board, without an end
	Monthly Period = "monthly" // from the first of a month
	Weekly  Period = "weekly"  // ISO 8601's: from Monday
	Daily   Period = "daily"   // from midnight
)

// Periods are all of them, the longest first.
func Periods() []Period { return []Period{Always, Monthly, Weekly, Daily} }

// Known says whether it is one of [Periods].
func (p Period) Known() bool { return slices.Contains(Periods(), p) }

// PeriodNames lists the periods for a person: "all, monthly, weekly, daily".
func PeriodNames() string {
	names := make([]string, 0, len(Periods()))
	for _, p := range Periods() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// Span is one stretch of a period: from Start, inclusive, to End, exclusive, which is
// the next reset. Its Label is 2026-11, 2026-W47 or 2026-11-21. That of Always has
// neither a label nor bounds.
type Span struct {
	Period Period
	Label  string
	Start  time.Time
	End    time.Time
}

// At is the span that a time falls into. The year of a week is ISO 8601's: the days
// around New Year may be in a week of the other one.
func (p Period) At(t time.Time) Span {
	t = t.UTC()
	year, month, day := t.Date()
	s := Span{Period: p}
	switch p {
	case Monthly:
		s.Start = date(year, month, 1)
		s.End = date(year, month+1, 1)
		s.Label = s.Start.Format(monthLayout)
	case Weekly:
		s.Start = date(year, month, day-daysSinceMonday(t))
		s.End = s.Start.AddDate(0, 0, 7)
		isoYear, week := t.ISOWeek()
		s.Label = fmt.Sprintf("%04d-W%02d", isoYear, week)
	case Daily:
		s.Start = date(year, month, day)
		s.End = s.Start.AddDate(0, 0, 1)
		s.Label = s.Start.Format(dayLayout)
	case Always:
	}
	return s
}

const (
	monthLayout = "2006-01"
	dayLayout   = "2006-01-02"
)

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func daysSinceMonday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

// Previous is the span before, which of Always is itself.
func (s Span) Previous() Span {
	if s.Period == Always {
		return s
	}
	return s.Period.At(s.Start.Add(-time.Second))
}

// Contains says whether a time falls into the span.
func (s Span) Contains(t time.Time) bool {
	return s.Period == Always || !t.Before(s.Start) && t.Before(s.End)
}

// Ended says whether the span is over. Always never is.
func (s Span) Ended(now time.Time) bool { return s.Period != Always && !now.Before(s.End) }

// Board names the span's board of a family: "missions" of Always, else
// "missions:2026-W47".
func (s Span) Board(family string) string {
	if s.Label == "" {
		return family
	}
	return family + ":" + s.Label
}

// ParseSpan reads a label, which tells its period by its form. Another text, or a day
// or week that no calendar has, is [ErrInvalid].
func ParseSpan(label string) (Span, error) {
	for _, p := range []Period{Monthly, Weekly, Daily} {
		if start, ok := p.start(label); ok {
			if s := p.At(start); s.Label == label {
				return s, nil
			}
		}
	}
	return Span{}, fmt.Errorf("%q is no month, week or day; write it like 2026-11, 2026-W47 or 2026-11-21: %w", label, ErrInvalid)
}

var weekForm = regexp.MustCompile(`^(\d{4})-W(\d{2})$`)

// start is a time in the span of a label, if it has the period's form. A week that
// its year has not falls into another one, whose label differs.
func (p Period) start(label string) (t time.Time, ok bool) {
	var err error
	switch p {
	case Monthly:
		t, err = time.Parse(monthLayout, label)
	case Daily:
		t, err = time.Parse(dayLayout, label)
	case Weekly:
		parts := weekForm.FindStringSubmatch(label)
		if parts == nil {
			return t, false
		}
		year, _ := strconv.Atoi(parts[1]) // digits
		week, _ := strconv.Atoi(parts[2])
		fourth := date(year, time.January, 4) // in week 1, whatever the year
		t = fourth.AddDate(0, 0, 7*(week-1)-daysSinceMonday(fourth))
	case Always:
		return t, false
	}
	return t, err == nil
}

// ParseBoardName takes the name of a period's board apart: "missions:2026-W47" is the
// family missions and that week. ok is false for a name that ends in no label.
func ParseBoardName(name string) (family string, s Span, ok bool) {
	at := strings.LastIndexByte(name, ':')
	if at < 1 {
		return "", Span{}, false
	}
	s, err := ParseSpan(name[at+1:])
	return name[:at], s, err == nil
}
