package jobs_test

import (
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
)

// dueIn are the times due in a year, as a clock in the zone shows them.
func dueIn(t *testing.T, spec, zone string, from, to time.Time) (times []time.Time) {
	t.Helper()
	s, err := jobs.ParseSchedule(spec, zone)
	if err != nil {
		t.Fatal(err)
	}
	for at := s.Next(from); at.Before(to); at = s.Next(at) {
		times = append(times, at)
	}
	return times
}

// A day that has no half past two is refreshed all the same, and one that has two of them
// once. What is due every few minutes goes on.
func TestSchedulesWhereClocksAreChanged(t *testing.T) {
	year := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		spec, zone        string
		shortest, longest time.Duration
	}{
		{"30 2 * * *", "Europe/Berlin", 23*time.Hour + 30*time.Minute, 25 * time.Hour},
		{"0 3 * * *", "Europe/Berlin", 23 * time.Hour, 25 * time.Hour},
		{"@daily", "Africa/Cairo", 23 * time.Hour, 25 * time.Hour},
		{"@daily", "America/Santiago", 23 * time.Hour, 25 * time.Hour},
		{"@daily", "Asia/Beirut", 23 * time.Hour, 25 * time.Hour},
		{"15 2 * * *", "Australia/Lord_Howe", 23*time.Hour + 45*time.Minute, 24*time.Hour + 30*time.Minute},
		{"30 1 * * *", "Europe/London", 23*time.Hour + 30*time.Minute, 25 * time.Hour},
		{"0 */6 * * *", "Africa/Cairo", 5 * time.Hour, 7 * time.Hour},
		{"*/10 * * * *", "Europe/Berlin", 10 * time.Minute, 10 * time.Minute},
		{"45 * * * *", "America/New_York", time.Hour, time.Hour},
		{"*/20 1-23 * * *", "Europe/Berlin", 20 * time.Minute, 80 * time.Minute},
	} {
		times := dueIn(t, c.spec, c.zone, year, year.AddDate(1, 0, 0))
		shortest, longest := 400*day, time.Duration(0)
		for i, at := range times[1:] {
			apart := at.Sub(times[i])
			shortest, longest = min(shortest, apart), max(longest, apart)
		}
		if shortest != c.shortest || longest != c.longest {
			t.Errorf("%s in %s: %s to %s apart, want %s to %s", c.spec, c.zone, shortest, longest, c.shortest, c.longest)
		}
	}
	samoa := dueIn(t, "0 6 * * *", "Pacific/Apia", at(t, "2011-12-28T00:00:00Z"), at(t, "2012-01-02T00:00:00Z"))
	if len(samoa) != 6 || samoa[1].Sub(samoa[0]) != day || samoa[2].Sub(samoa[1]) != 18*time.Hour { // the 30th, which there was not, at its end
		t.Errorf("where a day was left out: %s", samoa)
	}
}

const day = 24 * time.Hour

// Whatever the spec, the zone and the time: the next time is later, the last one is the one
// before it, and what is due each day at a time has no two days between.
func FuzzZonedSchedule(f *testing.F) {
	zones := []string{"Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Africa/Cairo", "Asia/Beirut", "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "America/Santiago", "Africa/Casablanca", "UTC"}
	f.Add(uint8(30), uint8(2), uint8(0), int64(1774745000))
	f.Add(uint8(0), uint8(0), uint8(3), int64(1777000000))
	f.Add(uint8(15), uint8(24), uint8(6), int64(1775300000))
	f.Fuzz(func(t *testing.T, minute, hour, zone uint8, unix int64) {
		hours := "*"
		if hour%25 < 24 {
			hours = itoa(int(hour % 25))
		}
		spec := itoa(int(minute%60)) + " " + hours + " * * *"
		name := zones[int(zone)%len(zones)]
		s, err := jobs.ParseSchedule(spec, name)
		if err != nil {
			t.Fatal(err)
		}
		from := time.Unix(946684800+(unix&0xffffffff)%(40*365*86400), 0).UTC() // 2000 to 2040
		one := s.Next(from)
		two := s.Next(one)
		if !one.After(from) || !two.After(one) {
			t.Errorf("%s in %s: after %s come %s and %s", spec, name, from, one, two)
		}
		if apart := two.Sub(one); hours != "*" && (apart > 26*time.Hour || apart < 22*time.Hour && name != "Pacific/Apia") || hours == "*" && apart > 2*time.Hour {
			t.Errorf("%s in %s: from %s to %s it is %s", spec, name, one, two, apart)
		}
		if last := s.Last(two.Add(-time.Second)); !last.Equal(one) {
			t.Errorf("%s in %s: the last before %s is %s, not %s", spec, name, two, last, one)
		}
	})
}
