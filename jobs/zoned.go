package jobs

import (
	"math/bits"
	"slices"
	"time"

	"github.com/robfig/cron/v3"
)

// zoned are times of day as a clock on the wall shows them. The library's own would leave
// out a time that the clock skips in spring, and with it a day of a daily refresh.
type zoned struct {
	wall *cron.SpecSchedule // of what the clock shows, taken for UTC
	zone *time.Location
}

// atOnce is more than clocks are set back at once.
const atOnce = 4 * time.Hour

// Next implements cron.Schedule.
func (z zoned) Next(t time.Time) (next time.Time) {
	shown := t.Add(z.ahead(t))
	from, until := shown, shown
	if z.ahead(t.Add(-atOnce)) != z.ahead(t.Add(atOnce)) { // what the clock has shown may come again
		from, until = shown.Add(-atOnce), shown.Add(atOnce)
	}
	for w := z.wall.Next(from); !w.IsZero(); w = z.wall.Next(w) {
		for _, at := range z.instants(w) {
			if at.After(t) && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
		if !next.IsZero() && !w.Before(until) {
			break
		}
	}
	return next
}

// ahead is how far the zone's clocks are ahead of UTC.
func (z zoned) ahead(t time.Time) time.Duration {
	_, seconds := t.In(z.zone).Zone()
	return time.Duration(seconds) * time.Second
}

// instants are when a schedule is due that is due when the clock shows w.
func (z zoned) instants(w time.Time) (due []time.Time) {
	about := w.Add(-z.ahead(w))
	before := z.ahead(about.Add(-day))
	for _, ahead := range []time.Duration{before, z.ahead(about.Add(-atOnce)), z.ahead(about.Add(atOnce)), z.ahead(about.Add(day))} {
		if at := w.Add(-ahead); z.ahead(at) == ahead && !slices.ContainsFunc(due, at.Equal) {
			due = append(due, at)
		}
	}
	switch {
	case len(due) == 0 && !z.everyHour(): // the clock never shows it
		end, _ := w.Add(-before).In(z.zone).ZoneBounds()
		return append(due, end.UTC())
	case len(due) > 1 && !z.everyHour() && bits.OnesCount64(z.wall.Minute<<1) == 1:
		return []time.Time{slices.MinFunc(due, time.Time.Compare)}
	}
	return due
}

// everyHour says that the schedule is due in each hour: it needs no care.
func (z zoned) everyHour() bool {
	const hours = 1<<24 - 1
	return z.wall.Hour&hours == hours
}
