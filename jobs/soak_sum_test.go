package jobs_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
)

// end takes the sum of the day.
func (d *soak) end() {
	t := d.t
	t.Helper()
	for _, c := range d.crew {
		c.process.spare()
	}
	for d.deadAtEnd() {
		time.Sleep(time.Minute)
		d.replaceTheDead()
	}
	time.Sleep(20 * time.Minute) // nobody posts any more
	heap, goroutines := d.flat()
	d.totals()
	for _, c := range d.crew {
		for try := 0; len(c.worker.Health().Reasons) > 0; try++ { // three calls in a row may have failed right now
			if try == 20 {
				t.Errorf("%s: %+v", c.process.name, c.worker.Health())
				break
			}
			time.Sleep(time.Minute)
		}
		d.dismiss(c)
	}
	done, due, oldest, readers := d.sum()
	var took time.Duration
	d.outside.do(func() { took = time.Since(d.began) })
	t.Logf("%d boards, %s of simulated time in %s", len(d.names), time.Since(d.boards[quietBoard].since).Round(time.Minute), took.Round(time.Second))
	t.Logf("%d ticks were due, %d are done, none twice; outcomes on all workers: %s", due, done, d.outcomesText())
	t.Logf("%d workers killed%s; %d stopped for longer than their lease; memcached killed and begun anew %d times, %d faults of it seen by workers",
		d.kills, d.ledger.deathsText(), d.stops, d.cacheRestarts, d.crewFaults.Load())
	t.Logf("of boards due every 5m, the oldest curve was %s old in the store, %s as app servers saw it", oldest.Round(time.Second), readers.Round(time.Second))
	t.Logf("heap and goroutines: %.1f MB and %d after the second hour, %.1f MB and %d in the end; after every sixth: %s",
		mb(d.heap), d.threads, mb(heap), goroutines, strings.Join(d.heaps, ", "))
	if due == 0 || done < due*95/100 {
		t.Errorf("%d ticks are done of %d", done, due)
	}
	if float64(heap) > 1.25*float64(d.heap) { // a tenth of the boards came later
		t.Errorf("the heap has grown from %.1f MB to %.1f MB", mb(d.heap), mb(heap))
	}
	if goroutines > d.threads+10 {
		t.Errorf("%d goroutines, %d after the second hour", goroutines, d.threads)
	}
	if d.outcomes[jobs.Unchanged] == 0 || d.outcomes[jobs.Failed] == 0 || d.outcomes[jobs.Held] == 0 || d.crewFaults.Load() == 0 {
		t.Errorf("not all of it was put to the test: %s, %d faults of memcached", d.outcomesText(), d.crewFaults.Load())
	}
}

// sum counts the ticks of boards that are there at the end, and the oldest curves of those
// due every five minutes.
func (d *soak) sum() (done, due int, oldest, readers time.Duration) {
	now := time.Now()
	for _, name := range d.names {
		s := d.boards[name]
		if s.plan.IdleMax > 0 || s.board.Expired(now) || s.ending > 0 {
			continue
		}
		if s.plan.Schedule.Interval(now) == 5*time.Minute {
			oldest = max(oldest, s.oldest)
		}
		done += d.ledger.ticksOf(s.key())
		for at := s.plan.Schedule.Last(s.since); at.Before(now); at = s.plan.Schedule.Next(at) {
			due++
		}
	}
	for _, r := range d.readers {
		readers = max(readers, r.oldest)
		_ = r.cache.Close()
	}
	return done, due, oldest, readers
}

func (d *soak) deadAtEnd() bool {
	return slices.ContainsFunc(d.crew, func(c *crewman) bool { return c.process.isDead() })
}

// totals holds the curves of boards that were refreshed since the last post against what is
// in the store.
func (d *soak) totals() {
	d.t.Helper()
	for _, name := range d.names {
		s := d.boards[name]
		if s.board.Expired(time.Now()) || s.plan.Schedule.Interval(time.Now()) > 10*time.Minute {
			continue
		}
		if c, want := publishedOf(d.t, d.store, name), s.entries(d.t, d.store); c == nil || c.Total() != want || want != int64(s.owners) {
			d.t.Errorf("%s: the curve %v; the board has %d entries, %d were posted", name, c, want, s.owners)
		}
	}
}

func (d *soak) outcomesText() string {
	var texts []string
	for _, o := range slices.Sorted(maps.Keys(d.outcomes)) {
		if d.outcomes[o] > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", d.outcomes[o], o))
		}
	}
	return strings.Join(texts, ", ")
}

func mb(bytes uint64) float64 { return float64(bytes) / (1 << 20) }
