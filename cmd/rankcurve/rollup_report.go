package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

// A loadedRow is what a load did, in JSON.
type loadedRow struct {
	Boards  []string `json:"boards"`
	Rows    int64    `json:"rows"`
	LeftOut []string `json:"left_out"` // columns of the file
	NoIndex []string `json:"no_index"` // columns that the table has no index of
}

// A countedRow is what a load did that counts a log, in JSON.
type countedRow struct {
	Log     string   `json:"log"`
	Boards  []string `json:"boards"`
	Lines   int64    `json:"lines"`   // that were counted now
	UpTo    int      `json:"up_to"`   // the last line of the log that is counted
	Gone    int64    `json:"gone"`    // of lines, those left out of boards that have expired
	Refused int64    `json:"refused"` // lines that --skip-refused has listed
	Older   bool     `json:"older"`   // the file is an older copy of the log
	Waiting bool     `json:"waiting"`
	NoIndex []string `json:"no_index"`
}

// listed is a list that is never null.
func listed(names []string) []string { return append([]string{}, names...) }

// report says what was done, and what to do next.
func (r *rollup) report(c *cli.Context, before int, took time.Duration) error {
	if r.refused > 0 {
		fmt.Fprintf(c.App.ErrWriter, "warning: %s of %s refused, and listed in %s with the reasons\n", counting(r.refused, "line"), r.log.name, r.skip)
	}
	w, log, names := c.App.Writer, r.journal.log(), slices.Sorted(maps.Keys(r.boards))
	if c.Bool("json") {
		return printJSON(w, countedRow{Log: r.log.name, Boards: listed(names), Lines: r.rows, UpTo: log.Done.Lines, Gone: r.gone, Refused: r.refused, Older: r.older, Waiting: r.waiting(), NoIndex: listed(r.noIndex)})
	}
	switch {
	case r.older:
		fmt.Fprintf(w, "nothing new: %s ends at line %s, and the log that it is an older copy of is counted up to line %s\n", r.log.name, humanize.Comma(int64(r.lines)), humanize.Comma(int64(log.Done.Lines)))
	case r.rows == 0:
		fmt.Fprintf(w, "nothing new: %s is counted up to line %s\n", r.log.name, humanize.Comma(int64(log.Done.Lines)))
	default:
		fmt.Fprintf(w, "counted %s of %s into %s (%s) in %s: %s lines/s\n", counting(r.rows, "line"), r.log.name, counting(len(names), "board"), someOf(names),
			seconds(took), humanize.Comma(int64(float64(r.rows)/max(took.Seconds(), 1e-3))))
		if before > r.log.headerLines() {
			fmt.Fprintf(w, "the lines up to %s were counted before\n", humanize.Comma(int64(before)))
		}
	}
	if r.gone > 0 {
		fmt.Fprintf(w, "%s of long ago left out of boards that have expired\n", counting(r.gone, "line"))
	}
	r.reportWaiting(c)
	if len(r.noIndex) > 0 {
		fmt.Fprintf(w, "the table has no index of %s, without which there are no ranks\nnext: %s\n", someOf(r.noIndex), next(c, "table", "sync"))
	}
	r.reportNext(c, names)
	return nil
}

// reportNext says how the curves get to know of what was counted.
func (r *rollup) reportNext(c *cli.Context, boards []string) {
	const few = 3
	if len(boards) > few {
		fmt.Fprintf(c.App.Writer, "next: %s, for all of them that are due\n", next(c, "worker", "--once"))
		return
	}
	for _, board := range boards {
		fmt.Fprintf(c.App.Writer, "next: %s\n", next(c, "rebuild", board))
	}
}

// reportEmpty is the report of a log that has no line yet.
func (r *rollup) reportEmpty(c *cli.Context) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, countedRow{Log: r.log.name, Boards: []string{}, Waiting: r.waiting(), NoIndex: []string{}})
	}
	fmt.Fprintf(c.App.Writer, "nothing new: %s has no line yet\n", r.log.name)
	r.reportWaiting(c)
	return nil
}

// waiting says that the last line may be half written.
func (r *rollup) waiting() bool { return r.log.usable < r.log.size }

func (r *rollup) reportWaiting(c *cli.Context) {
	if r.waiting() {
		fmt.Fprintln(c.App.Writer, "the last line has no line break at its end yet, and waits for the next run")
	}
}
