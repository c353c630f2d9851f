package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/simulation"
)

// printSimulation sets what was measured in a table.
func printSimulation(w io.Writer, o simulation.Options, r simulation.Result, took time.Duration) error {
	fmt.Fprintf(w, "model %s on the %s board: %s\n", o.Model, o.Board, o.Model.Text())
	fmt.Fprintf(w, "%s at the begin, %s in the end; %d of %s walked, every %s for %s\n\n",
		entriesText(int64(o.Entries)), humanize.Comma(r.Entries), o.Walk, counting(o.Shards, "shard"), spanText(o.Every), counting(o.Ticks, "tick"))
	t := newTable(w, "DEPTH", "FULL WALK", "FRESH SHARDS", "ROLLING SUM", "CURVE", "GAIN", "AT AGE 1", "IN BAND", "AT AGE 1", "WIDTH", "AT AGE 1")
	for _, b := range r.Bands {
		t.row(append([]string{depthsText(b)}, bandCells(b)...)...)
	}
	t.row(append([]string{"all from 10,000"}, bandCells(r.Deep)...)...)
	t.row(append([]string{"all"}, bandCells(r.All)...)...)
	if err := t.print(); err != nil {
		return err
	}
	fmt.Fprintf(w, `
Mean distance to the true rank, as a part of it, right after a refresh; GAIN is how many
times farther off the better of full walk and fresh shards is than the curve. AT AGE 1 is
the same curve one tick later, just before the next. IN BAND: true ranks inside the band,
which is stated at 95 %%. WIDTH: the median of the band, as a part of the rank; in the row
from 10,000 on, over the owners there, of whom most are deep.

The full walk reads all shards every %s ticks, %s read units each: %s in all.
It stands as it is until the next; with its own forecast it would be off by %s.
The curve's refreshes read %s each, %s in all. The first of both is not counted.
Scores lie evenly in the logarithm of their depth, about 200 at each tick. The first
%s are left out: the shards have not been seen often enough.
%s of the board passed in %s.
`,
		humanize.FtoaWithDigits(r.Period, 1), rounded(r.FullUnits), rounded(r.FullTotal), errorText(r.All.FullWalkForecast),
		rounded(r.RollingUnits), rounded(r.RollingTotal), counting(r.WarmUp, "tick"),
		spanText(time.Duration(o.Ticks)*o.Every), seconds(took))
	return nil
}

func bandCells(b simulation.Band) []string {
	gain := "exact"
	if g, ok := b.Gain(); ok {
		gain = strconv.FormatFloat(roundTo(g, 2), 'f', -1, 64) + " x"
	}
	return []string{
		errorText(b.FullWalk), errorText(b.FreshShards), errorText(b.RollingSum),
		errorText(b.Ours), gain, errorText(b.OursAged),
		shareText(b.Inside), shareText(b.InsideAged), errorText(b.Width), errorText(b.WidthAged),
	}
}

func depthsText(b simulation.Band) string {
	if b.To == 0 {
		return humanize.Comma(b.From) + " .."
	}
	return humanize.Comma(b.From) + " .. " + humanize.Comma(b.To)
}

// spanText is a time without the zeros at its end: 5m, 2h30m.
func spanText(d time.Duration) string {
	text := d.String()
	for _, zero := range []struct{ end, kept string }{{"m0s", "m"}, {"h0m", "h"}} {
		if short, found := strings.CutSuffix(text, zero.end); found {
			text = short + zero.kept
		}
	}
	return text
}

// errorText is a relative error with two figures that count.
func errorText(part float64) string {
	return strconv.FormatFloat(roundTo(100*part, 2), 'f', -1, 64) + " %"
}

func shareText(part float64) string { return strconv.FormatFloat(100*part, 'f', 1, 64) + " %" }

// A simulationRow is a range of depths in JSON, "10000-" of all from there on, and "all"
// of the whole board. To is null where it is the end of the board, and gain where the
// curve is exact.
type simulationRow struct {
	Model            string   `json:"model"`
	Board            string   `json:"board"`
	Store            string   `json:"store"`
	Entries          int      `json:"entries"`
	Shards           int      `json:"shards"`
	Walk             int      `json:"walk"`
	Ticks            int      `json:"ticks"`
	WarmUp           int      `json:"warm_up"`
	EverySeconds     float64  `json:"every_seconds"`
	Seed             uint64   `json:"seed"`
	Depth            string   `json:"depth"`
	From             int64    `json:"from"`
	To               *int64   `json:"to"`
	Answers          int      `json:"answers"`
	FullWalk         float64  `json:"full_walk_error"`
	FullWalkForecast float64  `json:"full_walk_forecast_error"`
	FreshShards      float64  `json:"fresh_shards_error"`
	RollingSum       float64  `json:"rolling_sum_error"`
	Ours             float64  `json:"curve_error"`
	OursAged         float64  `json:"curve_error_aged"`
	Gain             *float64 `json:"gain"`
	Inside           float64  `json:"in_band"`
	InsideAged       float64  `json:"in_band_aged"`
	Width            float64  `json:"band_width"`
	WidthAged        float64  `json:"band_width_aged"`
	Period           float64  `json:"full_walk_period"`
	FullTotal        float64  `json:"full_walk_read_units"`
	RollingTotal     float64  `json:"curve_read_units"`
}

func printSimulationJSON(w io.Writer, o simulation.Options, r simulation.Result) error {
	for _, b := range append(slices.Clone(r.Bands), r.Deep) {
		depth := fmt.Sprintf("%d-", b.From)
		if b.To > 0 {
			depth += strconv.FormatInt(b.To, 10)
		}
		if err := printJSON(w, simulationRowOf(o, r, depth, b)); err != nil {
			return err
		}
	}
	return printJSON(w, simulationRowOf(o, r, "all", r.All))
}

func simulationRowOf(o simulation.Options, r simulation.Result, depth string, b simulation.Band) simulationRow {
	row := simulationRow{
		Model: string(o.Model), Board: string(o.Board), Store: string(o.Store),
		Entries: o.Entries, Shards: o.Shards, Walk: o.Walk, Ticks: o.Ticks, WarmUp: r.WarmUp,
		EverySeconds: o.Every.Seconds(), Seed: o.Seed,
		Depth: depth, From: b.From, Answers: b.Answers,
		FullWalk: b.FullWalk, FullWalkForecast: b.FullWalkForecast, FreshShards: b.FreshShards,
		RollingSum: b.RollingSum, Ours: b.Ours, OursAged: b.OursAged,
		Inside: b.Inside, InsideAged: b.InsideAged, Width: b.Width, WidthAged: b.WidthAged,
		Period: r.Period, FullTotal: r.FullTotal, RollingTotal: r.RollingTotal,
	}
	if b.To > 0 {
		row.To = &b.To
	}
	if gain, ok := b.Gain(); ok {
		row.Gain = &gain
	}
	return row
}
