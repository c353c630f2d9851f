package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve/sampler"
)

func (r boardPlan) print(w io.Writer) error {
	name := "A board"
	if r.Board != "" {
		name = r.Board + "." + r.Column
	}
	entries := entriesText(r.Entries)
	if r.Probe != nil && r.Probe.Estimated {
		entries = "about " + entries
	}
	fmt.Fprintf(w, "%s of %s, %s bytes each; %s a second, refreshed every %s\n",
		name, entries, humanize.CommafWithDigits(r.EntryBytes, 0), counting(int64(math.Round(r.Writes)), "score change"), everyText(r.every()))
	if r.Probe != nil {
		fmt.Fprintf(w, "  %s\n", r.Probe.text())
	}
	r.printShards(w)
	r.printTop(w)
	r.printRefresh(w)
	if err := r.printErrors(w); err != nil {
		return err
	}
	return r.printAlternatives(w)
}

func (r boardPlan) every() time.Duration {
	return time.Duration(r.EverySeconds * float64(time.Second))
}

func (r boardPlan) printShards(w io.Writer) {
	s := r.Shards
	headline := counting(s.Chosen, "shard")
	if s.Chosen == 1 {
		headline = "1: there is no need to shard"
	}
	fmt.Fprintf(w, "\nShards: %s\n", headline)
	fmt.Fprintf(w, "  writes: %s at least, of %.0f changes a second each: a change takes 2 write units of a\n  partition of the index, which takes 1,000 a second, and half of that is left free\n", counting(s.ForWrites, "shard"), s.WritesPerShard)
	pace := fmt.Sprintf("%.0f read units a second of each", r.Refresh.PaceUnits)
	if r.Refresh.PaceUnits <= 0 {
		pace = "no pace"
	}
	if s.ForFullWalk != nil {
		fmt.Fprintf(w, "  reads: a walk of all ends in half of the interval with %s or more, at %s\n", humanize.Comma(int64(*s.ForFullWalk)), pace)
	} else {
		fmt.Fprintf(w, "  reads: a walk of all ends in half of the interval with no number of shards, at %s\n", pace)
	}
	switch {
	case s.Asked && s.Chosen < s.ForWrites:
		fmt.Fprintf(w, "  %s cannot take the writes at peak\n", counting(s.Chosen, "shard"))
	case s.Asked:
	case s.Chosen > s.ForWrites:
		fmt.Fprintf(w, "  %d rather than %d, so that a refresh can walk a smaller part of the board\n", s.Chosen, s.ForWrites)
	}
}

func (r boardPlan) printTop(w io.Writer) {
	t := r.Top
	fmt.Fprintf(w, "\nTop %s, exact: read %s of each shard\n", humanize.Comma(int64(t.N)), counting(t.RowsPerShard, "row"))
	fmt.Fprintf(w, "  one round suffices in %s of all cases or more; %s, %s, %s\n",
		probabilityText(t.OneRound), counting(t.Rows, "row"), unitsText(t.ReadUnits), counting(t.Requests, "request"))
}

func (r boardPlan) printRefresh(w io.Writer) {
	f := r.Refresh
	way := "count between cutpoints"
	if f.Method == string(sampler.Scores) {
		way = "read every score"
	}
	switch {
	case f.Walked < r.Shards.Chosen:
		fmt.Fprintf(w, "\nRefresh: walk %d of the %d shards and carry the others forward (refresh.walk: %d)\n", f.Walked, r.Shards.Chosen, f.Walked)
		fmt.Fprintf(w, "  every shard is seen once in %s; the errors below hold from the third time on\n", everyText(time.Duration(f.Rotation)*r.every()))
	case r.Shards.Chosen == 1:
		fmt.Fprintf(w, "\nRefresh: walk the shard (refresh.walk: 0), %s\n", way)
	default:
		fmt.Fprintf(w, "\nRefresh: walk all %d shards (refresh.walk: 0), %s\n", f.Walked, way)
	}
	fmt.Fprintf(w, "  each: %s in %s, %s; %s and %s for state and curve\n",
		unitsText(f.ReadUnits), counting(f.Requests, "request"), secondsText(f.Seconds), unitsText(f.TableReadUnits), strings.Replace(unitsText(f.WriteUnits), "read", "write", 1))
	fmt.Fprintf(w, "  a month: %s, %s; %s\n", unitsText(f.ReadUnitsMonth), strings.Replace(unitsText(f.WriteUnitsMonth), "read", "write", 1), dollars(f.DollarsMonth))
}

func (r boardPlan) printErrors(w io.Writer) error {
	fmt.Fprintf(w, "\nError of a rank, as a part of it\n")
	t := newTable(w, "  RANK", "TYPICAL", "95 OF 100 WITHIN", "BEFORE THE NEXT REFRESH").texts(4)
	for _, e := range r.Errors {
		cells := []string{"  " + humanize.Comma(e.Rank), planPercent(e.Typical), planPercent(e.Within95), planPercent(e.Within95Old)}
		if e.Read {
			cells = append(cells, "read itself")
		}
		t.row(cells...)
	}
	return t.print()
}

func (r boardPlan) printAlternatives(w io.Writer) error {
	fmt.Fprintf(w, "\nPrice of %s ranks a second\n", plain(*r.Alternatives[0].Queries))
	t := newTable(w, "  WAY", "A MONTH").texts(0, 2)
	for _, a := range r.Alternatives {
		var what string
		switch {
		case a.Gigabytes > 0:
			what = fmt.Sprintf("%s GB, whatever the ranks asked for; no replica", humanize.FtoaWithDigits(roundTo(a.Gigabytes, 3), 4))
		case a.Rank > 0:
			what = fmt.Sprintf("%s each, at rank %s", unitsText(a.UnitsEach), humanize.Comma(a.Rank))
		default:
			what = "refreshes, and half a read unit for each owner's row"
		}
		t.row("  "+a.Name, dollars(a.DollarsMonth), what)
	}
	return t.print()
}

func unitsText(units float64) string {
	if units < 10 {
		return humanize.CommafWithDigits(units, 1) + " read units"
	}
	return rounded(math.Round(units)) + " read units"
}

func planPercent(part float64) string { return percentText(100 * part) }

// probabilityText does not round up to a certainty.
func probabilityText(p float64) string {
	if p >= 1 {
		return "100 %"
	}
	return fmt.Sprintf("%.2f %%", math.Floor(1e4*p)/1e2)
}

// secondsText is how long a walk lasts, as far as that can be foretold.
func secondsText(s float64) string {
	if s < 1 {
		return "under a second"
	}
	return "about " + everyText(time.Duration(math.Ceil(s))*time.Second)
}

// everyText is a time without the parts that are 0: 5m0s is 5m.
func everyText(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// scaled is a time so many times as long, a tenth to spare, in whole minutes or seconds.
func scaled(d time.Duration, times float64) time.Duration {
	long := time.Duration(1.1 * times * float64(d))
	unit := time.Second
	if long > 10*time.Minute {
		unit = time.Minute
	}
	return (long + unit - 1).Truncate(unit)
}

func roundedUpCents(amount float64) float64 { return math.Ceil(100*amount) / 100 }
