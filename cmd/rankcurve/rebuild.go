package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

const rebuildDescription = `Reads a board and makes the score -> rank curve of each of its columns. The old curve
answers until the new one is published, and stays if the rebuild fails or is stopped.
A column that fails does not keep the others from theirs.

A rebuild walks every shard, or, with --walk or a read budget that does not pay for
all, a few of them, those seen longest ago: the others are carried forward from when
they were seen, and the curve's band says how sure that is.

One that was stopped is gone on with by the next one of the same kind, within ten minutes:
what it had counted is not counted again, and its curve is as of then. Run it once more
for one as of now.

Method "scores" reads every score, "counted" counts between cutpoints; "auto" takes
the scores where they are the cheaper way.

Examples:

   rankcurve rebuild missions
   rankcurve rebuild missions --column xp --full
   rankcurve rebuild missions --walk 4
   rankcurve rebuild missions --dry-run`

func (p *program) rebuildCommand() *cli.Command {
	return &cli.Command{
		Name:        "rebuild",
		Usage:       "make the curves of a board anew",
		ArgsUsage:   "BOARD",
		Description: rebuildDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "column", Usage: "rebuild `COLUMN` alone (default: all)"},
			&cli.BoolFlag{Name: "full", DisableDefaultText: true, Usage: "walk every shard and choose new cutpoints, whatever the read budget"},
			&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "say what it would cost, and write nothing"},
			&cli.StringFlag{Name: "method", Usage: "read by `METHOD`: auto, counted or scores (default: as configured)"},
			&cli.IntFlag{Name: "walk", DefaultText: "as configured", Usage: "walk `M` of the board's shards, carry the others forward; 0: all, or what the budget pays for"},
			auditFlag(),
			periodFlag(), jsonFlag(),
		},
		Action: p.rebuild,
	}
}

func (p *program) rebuild(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	if _, err := sampler.ParseMethod(c.String("method")); err != nil || c.IsSet("method") && c.String("method") == "" {
		return usagef("--method %q is none of auto, counted, scores", c.String("method"))
	}
	if err := checkAuditFlag(c); err != nil {
		return err
	}
	if c.Int("walk") < 0 {
		return usagef("--walk %d is negative; use 0 for all shards", c.Int("walk"))
	}
	patiently := func(cfg config.Config) access {
		return access{patient: true, pace: refreshOptions(cfg, c.Args().First()).Pace}
	}
	return p.withStoreFor(c, patiently, func(cfg config.Config, st store.Store) error {
		b, columns, err := openColumns(c, cfg, st)
		if err != nil {
			return err
		}
		r := rebuilding{c, p, jobs.Refresher{Store: st, Holder: holder(), Now: p.clock(), Log: p.log()}, b.Definition(), refreshOptions(cfg, b.Definition().Name), cfg.Prices}
		if err := r.takeFlags(); err != nil {
			return err
		}
		if c.Bool("dry-run") {
			return r.plan(columns)
		}
		return r.refresh(columns)
	})
}

// takeFlags lets the command line have the last word on the options.
func (r *rebuilding) takeFlags() error {
	if r.c.IsSet("method") {
		r.options.Method = sampler.Method(r.c.String("method"))
	}
	if r.c.IsSet("walk") {
		r.options.Shards = r.c.Int("walk")
	}
	if r.options.Method == sampler.Scores && r.options.Shards > 0 {
		return usagef("--method scores reads every shard, and cannot walk %d of them; use auto or counted, or --walk 0", r.options.Shards)
	}
	r.options.Full = r.c.Bool("full")
	if r.c.IsSet("audit") {
		r.options.Audit = r.c.Int("audit")
	}
	return nil
}

// holder names this process in leases.
func holder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return host + ":" + strconv.Itoa(os.Getpid())
}

// embeddedScores is the size of a board up to which the embedded store has all
// its scores read: there it costs no money, 8 bytes of memory an entry, and makes
// a curve without guesses.
const embeddedScores = 20_000_000

// refreshOptions are a board's as configured. The embedded store has nobody to
// give way to, so only DynamoDB is paced.
func refreshOptions(cfg config.Config, board string) jobs.Options {
	r := cfg.Refresh(board)
	o := jobs.Options{
		Method: sampler.Method(r.Method), Shards: r.Walk, ReadBudget: float64(r.ReadBudget),
		CurveBytes: r.CurveBytes, Head: r.Head, Shape: predictor.Shape(r.Tolerance),
		Audit: r.Audit, AuditBudget: float64(r.AuditBudget),
	}
	o.Keep, o.KeepEvery = r.History.Spans()
	if cfg.Store.Kind == config.KindDynamoDB {
		o.Pace = sampler.Pace{Start: float64(r.Pace.Start), Max: float64(r.Pace.Max)}
	} else {
		o.ScoresUpTo = embeddedScores
	}
	return o
}

// A rebuilding is one rebuild command under way.
type rebuilding struct {
	c         *cli.Context
	program   *program
	refresher jobs.Refresher
	board     store.Board
	options   jobs.Options
	prices    config.Prices
}

// A reportRow is what one refresh did, in JSON.
type reportRow struct {
	Board      string  `json:"board"`
	Column     string  `json:"column"`
	Generation int64   `json:"generation"`
	Method     string  `json:"method"`
	Shards     int     `json:"shards"`
	Walked     int     `json:"walked"`
	Resumed    int     `json:"resumed"`    // counts, or shards, that an earlier one had done
	ResumedOf  int     `json:"resumed_of"` // of so many
	Entries    int64   `json:"entries"`
	Requests   int     `json:"requests"`
	ReadUnits  float64 `json:"read_units"`
	Knots      int     `json:"knots"`
	Bytes      int     `json:"bytes"`
	Tolerance  float64 `json:"tolerance"`
	Shape      string  `json:"shape"`
	Seconds    float64 `json:"seconds"`
	AsOf       string  `json:"as_of"`

	Audit *auditRow `json:"audit,omitempty"`
}

// refresh rebuilds the columns one after the other. One that fails, because another
// process rebuilds it say, does not keep the rest from theirs.
func (r rebuilding) refresh(columns []store.Column) error {
	var failed []error
	for _, column := range columns {
		bar := r.program.progress("rebuilding "+column.Name, -1, false)
		options := r.options
		options.Progress = bar.setOf
		report, err := r.refresher.Refresh(r.c.Context, r.board, column.Name, options)
		bar.end()
		if err != nil {
			failed = append(failed, rebuildError(r.board.Name, column.Name, err))
			if r.c.Context.Err() != nil {
				break
			}
			continue
		}
		warnLeftOut(r.c, report.Board, report.Column, report.Usage)
		if err := errors.Join(r.print(report), r.program.flush()); err != nil {
			return err
		}
	}
	return notRebuilt(failed, len(columns))
}

// notRebuilt is one error for all columns that failed. The exit code is that of the
// first that is not merely missing something.
func notRebuilt(failed []error, asked int) error {
	if len(failed) < 2 {
		return errors.Join(failed...)
	}
	worst := max(0, slices.IndexFunc(failed, func(err error) bool { return exitCode(err) == exitFailed }))
	return advicef(failed[worst], "%d of %s were not rebuilt:\n%v", len(failed), counting(asked, "column"), errors.Join(failed...))
}

// rebuildError says what a refresh that failed has left.
func rebuildError(board, column string, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return advicef(err, "stopped; %s.%s keeps the curve it had; run the same command again", board, column)
	case errors.Is(err, store.ErrHeld):
		return hintf(err, "wait for it, and run again")
	}
	return err
}

func (r rebuilding) print(report jobs.Report) error {
	w := r.c.App.Writer
	if r.c.Bool("json") {
		return printJSON(w, reportRow{
			Board: report.Board, Column: report.Column, Generation: report.Generation, Method: string(report.Method),
			Shards: report.Shards, Walked: report.Walked, Resumed: report.Resumed, ResumedOf: report.ResumedOf,
			Entries: report.Entries, Requests: report.Usage.Requests, ReadUnits: report.Usage.ReadUnits(),
			Knots: report.Knots, Bytes: report.Bytes, Tolerance: report.Tolerance, Shape: string(report.Shape),
			Seconds: report.Duration.Seconds(), AsOf: timestamp(report.AsOf),
			Audit: auditRowOf(report.Audit),
		})
	}
	fmt.Fprintf(w, "%s.%s: generation %d of %s in %s, %s knots in %s, by %s; %s read units in %s\n",
		report.Board, report.Column, report.Generation, entriesText(report.Entries), seconds(report.Duration.Round(time.Millisecond)),
		humanize.Comma(int64(report.Knots)), humanize.IBytes(uint64(report.Bytes)), methodText(report.Method, report.Walked, report.Shards),
		rounded(report.Usage.ReadUnits()), counting(report.Usage.Requests, "request"))
	printResumed(w, report)
	printAudit(w, report)
	return nil
}

// printResumed says what was done already by a refresh that was stopped.
func printResumed(w io.Writer, report jobs.Report) {
	if report.Resumed == 0 {
		return
	}
	piece := "count"
	if report.Method == sampler.Rolling {
		piece = "shard"
	}
	fmt.Fprintf(w, "%s.%s: resumed: %s of %s had been done by a refresh that was stopped; the curve is as of %s\n",
		report.Board, report.Column, humanize.Comma(int64(report.Resumed)), counting(report.ResumedOf, piece), timestamp(report.AsOf))
}

func methodText(m sampler.Method, walked, shards int) string {
	switch m {
	case sampler.Scores:
		return "reading every score"
	case sampler.Rolling:
		return fmt.Sprintf("walking %d of %s", walked, counting(shards, "shard"))
	}
	return "counting between cutpoints"
}

// A planRow is what a refresh would cost, in JSON.
type planRow struct {
	Board      string  `json:"board"`
	Column     string  `json:"column"`
	Method     string  `json:"method"`
	Shards     int     `json:"shards"`
	Walked     int     `json:"walked"`
	Entries    int64   `json:"entries"`
	Requests   int     `json:"requests"`
	ReadUnits  float64 `json:"read_units"`
	Dollars    float64 `json:"dollars"`
	OverBudget bool    `json:"over_budget"`
}

func (r rebuilding) plan(columns []store.Column) error {
	for _, column := range columns {
		plan, err := r.refresher.Plan(r.c.Context, r.board, column.Name, r.options)
		if err != nil {
			return rebuildError(r.board.Name, column.Name, err)
		}
		cost := r.prices.Reads(plan.ReadUnits)
		if r.c.Bool("json") {
			err = printJSON(r.c.App.Writer, planRow{r.board.Name, column.Name, string(plan.Method), r.board.Shards, plan.Shards, plan.Entries, plan.Requests, plan.ReadUnits, cost, r.overBudget(plan)})
			if err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(r.c.App.Writer, "%s.%s: would read %s of %s by %s: %s read units (%s on DynamoDB) in about %s; nothing was written\n",
			r.board.Name, column.Name, r.plannedText(plan.Entries), counting(r.board.Shards, "shard"), methodText(plan.Method, plan.Shards, r.board.Shards), rounded(plan.ReadUnits), dollars(cost), counting(plan.Requests, "request"))
		if r.overBudget(plan) {
			fmt.Fprintf(r.c.App.Writer, "%s.%s: that is over the read budget of %s units, for which a rebuild is refused or stopped; raise refresh.read_budget, or rebuild with --full\n", r.board.Name, column.Name, rounded(r.options.ReadBudget))
		}
	}
	return nil
}

// plannedText is how many entries one counted shard lets expect. One that is empty
// says no more than that there are few.
func (r rebuilding) plannedText(entries int64) string {
	switch {
	case r.board.Shards == 1:
		return entriesText(entries)
	case entries == 0:
		return "few entries, if any (the one shard that was counted has none)"
	}
	return "about " + entriesText(entries)
}

// overBudget reports whether a rebuild would not be carried through, for what it costs.
func (r rebuilding) overBudget(plan sampler.Prediction) bool {
	return r.options.ReadBudget > 0 && plan.ReadUnits > r.options.ReadBudget && !r.options.Full
}
