package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
)

// errBroken is wrapped by the error of a curve that does not keep its promise.
var errBroken = errors.New("promise is broken")

// An accuracyRow is how the curve did among some owners, in JSON. Errors and widths are
// in percent of the rank; they are null where nobody was asked.
type accuracyRow struct {
	Owners   int      `json:"owners"`
	Inside   int      `json:"inside"`
	Median   *float64 `json:"median_error_percent"`
	P90      *float64 `json:"p90_error_percent"`
	P99      *float64 `json:"p99_error_percent"`
	Max      *float64 `json:"max_error_percent"`
	Coverage *float64 `json:"coverage_percent"`
	Width    *float64 `json:"median_width_percent"`
}

// A depthRow is one decade of ranks in JSON.
type depthRow struct {
	Board  string `json:"board"`
	Column string `json:"column"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	accuracyRow
}

// A verifyRow is the last line of a verification in JSON: all depths together.
type verifyRow struct {
	Board      string   `json:"board"`
	Column     string   `json:"column"`
	Kept       bool     `json:"kept"`
	Broken     []string `json:"broken"`
	Generation int64    `json:"generation"`
	AsOf       string   `json:"as_of"`
	AgeSeconds float64  `json:"age_seconds"`
	Of         int64    `json:"of"`      // as the curve says
	Entries    *int64   `json:"entries"` // as counted; null if not down to the last
	DownTo     *int64   `json:"down_to"` // null: all of the board
	accuracyRow
	Gone       int     `json:"gone"`
	Unreadable int     `json:"unreadable"`
	Seed       uint64  `json:"seed"`
	Requests   int     `json:"requests"`
	ReadUnits  float64 `json:"read_units"`
	Predicted  float64 `json:"predicted_read_units"`
	Dollars    float64 `json:"dollars"`
	Seconds    float64 `json:"seconds"`
}

func accuracyRowOf(a jobs.Accuracy) accuracyRow {
	row := accuracyRow{Owners: a.Owners, Inside: a.Inside}
	if a.Owners > 0 {
		percent := func(part float64) *float64 { part *= 100; return &part }
		row.Median, row.P90, row.P99, row.Max = percent(a.Median), percent(a.P90), percent(a.P99), percent(a.Max)
		row.Coverage, row.Width = percent(a.Coverage()), percent(a.Width)
	}
	return row
}

// judge prints what was found, and fails if the curve does not keep its promise.
func judge(c *cli.Context, v jobs.Verification, prices config.Prices) error {
	broken := v.Broken(jobs.Promise{
		Coverage: c.Float64("min-coverage") / 100, MaxError: c.Float64("max-error") / 100, FromRank: errorsFromRank,
	})
	write := printVerification
	if c.Bool("json") {
		write = printVerificationJSON
	}
	if err := write(c, v, prices, broken); err != nil || len(broken) == 0 {
		return err
	}
	return advicef(errBroken, "the curve of %s.%s breaks its promise: %s; make it anew: `%s`, and see docs/operations.md if that does not mend it",
		v.Board, v.Column, strings.Join(broken, "; "), next(c, "rebuild", v.Board, "--column", v.Column, "--full"))
}

func printVerificationJSON(c *cli.Context, v jobs.Verification, prices config.Prices, broken []string) error {
	for _, d := range v.Depths() {
		if err := printJSON(c.App.Writer, depthRow{v.Board, v.Column, d.From, d.To, accuracyRowOf(d.Accuracy)}); err != nil {
			return err
		}
	}
	row := verifyRow{
		Board: v.Board, Column: v.Column, Kept: len(broken) == 0, Broken: append([]string{}, broken...),
		Generation: v.Generation, AsOf: timestamp(v.AsOf), AgeSeconds: v.At.Sub(v.AsOf).Seconds(),
		Of: v.Of, DownTo: depthOf(v.DownTo), accuracyRow: accuracyRowOf(v.Total()), Gone: v.Gone, Unreadable: v.Unreadable, Seed: v.Seed,
		Requests: v.Usage.Requests, ReadUnits: v.Usage.ReadUnits(), Predicted: v.Predicted,
		Dollars: prices.Reads(v.Usage.ReadUnits()), Seconds: v.Duration.Seconds(),
	}
	if v.Entries >= 0 {
		row.Entries = &v.Entries
	}
	return printJSON(c.App.Writer, row)
}

func printVerification(c *cli.Context, v jobs.Verification, prices config.Prices, broken []string) error {
	w := c.App.Writer
	counted := ""
	if v.Entries >= 0 {
		counted = fmt.Sprintf(" (%s counted)", humanize.Comma(v.Entries))
	}
	fmt.Fprintf(w, "%s.%s: generation %s of %s%s, %s old\n", v.Board, v.Column, humanize.Comma(v.Generation), entriesText(v.Of), counted, ageText(v.At.Sub(v.AsOf)))
	t := newTable(w, "  RANKS", "OWNERS", "MEDIAN ERROR", "P90", "P99", "LARGEST", "IN BAND", "WIDTH").texts(0)
	row := func(name string, a jobs.Accuracy) {
		t.row("  "+name, humanize.Comma(int64(a.Owners)), percentText(100*a.Median), percentText(100*a.P90), percentText(100*a.P99),
			percentText(100*a.Max), percentText(100*a.Coverage()), percentText(100*a.Width))
	}
	for _, d := range v.Depths() {
		row(humanize.Comma(d.From)+" .. "+humanize.Comma(d.To), d.Accuracy)
	}
	if len(v.Checks) > 0 {
		row("all"+depthText(v.DownTo), v.Total())
		if err := t.print(); err != nil {
			return err
		}
	}
	if v.Gone > 0 {
		fmt.Fprintf(w, "%s left the column meanwhile\n", counting(v.Gone, "owner"))
	}
	if v.Unreadable > 0 {
		fmt.Fprintf(w, "%s cannot be read back, and were not asked; `rankcurve rank` says of each why\n", counting(v.Unreadable, "row"))
	}
	fmt.Fprintf(w, "%s read units (%s on DynamoDB) in %s, %s; --seed %d asks the same owners again\n",
		rounded(v.Usage.ReadUnits()), dollars(prices.Reads(v.Usage.ReadUnits())), counting(v.Usage.Requests, "request"), seconds(v.Duration.Round(time.Millisecond)), v.Seed)
	switch {
	case len(v.Checks) == 0:
		fmt.Fprintln(w, "nobody was asked: no owner has a score in the column")
	case len(broken) == 0:
		fmt.Fprintln(w, "kept: "+keptText(v.Total(), c.Float64("min-coverage")))
	default:
		fmt.Fprintln(w, "broken: "+strings.Join(broken, "; "))
	}
	return nil
}

// keptText says how many are in the band, and what to make of it if that is too few.
func keptText(a jobs.Accuracy, promised float64) string {
	text := percentText(100*a.Coverage()) + " of the owners are in the band"
	if 100*a.Coverage() < promised {
		text += fmt.Sprintf(", below the %v %% promised by no more than chance explains", promised)
	}
	return text
}

// ageText is a duration to the second, or to the millisecond of a young one.
func ageText(d time.Duration) string {
	if d < time.Second {
		return seconds(d)
	}
	return d.Round(time.Second).String()
}
