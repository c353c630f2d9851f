package jobs_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
)

// pageOf is the page of metrics as far as it is of a board: a line for each series.
func pageOf(h *hand, board string) (lines []string) {
	h.t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.Metric {
			var labels []string
			of := ""
			for _, l := range m.Label {
				if l.GetName() == "board" {
					of = l.GetValue()
				} else if l.GetName() != "column" {
					labels = append(labels, l.GetName()+"="+l.GetValue())
				}
			}
			if of == board {
				lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %g %s", strings.TrimPrefix(family.GetName(), "rankcurve_"), m.GetCounter().GetValue()+m.GetGauge().GetValue(), strings.Join(labels, " "))))
			}
		}
	}
	return lines
}

// What alerts look for rises of is on the page before the first refresh of a board has
// ended, at 0, and gone with the board.
func TestCountersAreThereBeforeTheyRise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boards := &registry{Store: faulty{newBoards(t, 50, "games"), "games", func(ctx context.Context) error { return sleeping(ctx, time.Hour) }}}
		time.Sleep(time.Minute)
		plan := everyFive(t)
		plan.Options.Audit = 10
		h := newHand(t, boards, settled(plan)).work()
		time.Sleep(time.Minute)
		want := []string{
			"audited_in_band_total 0", "audited_owners_total 0", "curves_worse_total 0 reason=band", "curves_worse_total 0 reason=entries",
			"lease_held 1", "refresh_failures 0", "refresh_read_units_total 0", "refresh_requests_total 0", "refresh_resumed_total 0",
			"ticks_late_total 0", "ticks_total 0 outcome=failed", "ticks_total 0 outcome=missed", "ticks_total 0 outcome=running",
		}
		if got := pageOf(h, "games"); !slices.Equal(got, want) {
			t.Errorf("the page has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		boards.hidden.Store(true)
		time.Sleep(3 * time.Hour)
		if got := pageOf(h, "games"); len(got) > 0 {
			t.Errorf("without the board the page has\n%s", strings.Join(got, "\n"))
		}
		h.stop()
	})
}

// A curve that is worse leaves the time of it, which no scrape can come too late for; what
// audits find is counted.
func TestAWorseCurveLeavesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 2000, "games")
		if _, err := (jobs.Refresher{Store: st, Holder: "rebuild"}).Refresh(t.Context(), named("games"), "xp", jobs.Options{}); err != nil {
			t.Fatal(err)
		}
		depart(t, st, "games", 0, 1000)
		time.Sleep(10 * time.Minute)
		plan := everyFive(t)
		plan.Options.Audit = 10
		h := newHand(t, st, settled(plan)).work()
		time.Sleep(time.Minute)
		page := strings.Join(pageOf(h, "games"), "\n")
		for _, line := range []string{"curves_worse_total 1 reason=entries", "audited_owners_total 10", "audited_in_band_total 10"} {
			if !strings.Contains(page, line) {
				t.Errorf("no %q on the page\n%s", line, page)
			}
		}
		var at float64
		for _, line := range strings.Split(page, "\n") {
			_, _ = fmt.Sscanf(line, "curve_worse_timestamp_seconds %g reason=entries", &at)
		}
		if now := float64(time.Now().Unix()); at < now-60 || at > now {
			t.Errorf("it was worse at %g, it is %g", at, now)
		}
		h.stop()
	})
}
