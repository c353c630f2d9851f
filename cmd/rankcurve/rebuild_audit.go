package main

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/jobs"
)

// mostAudited is as many owners as the configuration allows too.
const mostAudited = 10_000

func auditFlag() cli.Flag {
	return &cli.IntFlag{Name: "audit", DefaultText: "as configured", Usage: "then count the ranks of `N` owners, and say how far the curve is off; 0 is none"}
}

func checkAuditFlag(c *cli.Context) error {
	if n := c.Int("audit"); n < 0 || n > mostAudited {
		return usagef("--audit %d is not in 0..%d", n, mostAudited)
	}
	if c.IsSet("audit") && c.Bool("dry-run") {
		return usagef("--dry-run publishes no curve that --audit could ask; leave one of them out")
	}
	return nil
}

// An auditRow is what became of a refresh's audit, in JSON.
type auditRow struct {
	Owners    int     `json:"owners"`
	Median    float64 `json:"median_error_percent"`
	Max       float64 `json:"max_error_percent"`
	Coverage  float64 `json:"coverage_percent"`
	DownTo    *int64  `json:"down_to"` // null: all of the board
	Requests  int     `json:"requests"`
	ReadUnits float64 `json:"read_units"`
}

// auditRowOf is nil without an audit.
func auditRowOf(a jobs.Audit) *auditRow {
	if a.Owners == 0 {
		return nil
	}
	return &auditRow{
		Owners: a.Owners, Median: 100 * a.Median, Max: 100 * a.Max, Coverage: 100 * a.Coverage,
		DownTo: depthOf(a.DownTo), Requests: a.Usage.Requests, ReadUnits: a.Usage.ReadUnits(),
	}
}

func depthOf(downTo int64) *int64 {
	if downTo == 0 {
		return nil
	}
	return &downTo
}

func printAudit(w io.Writer, report jobs.Report) {
	a := report.Audit
	if a.Owners == 0 {
		return
	}
	fmt.Fprintf(w, "%s.%s: audit of %s%s: median error %s, largest %s, %s in the band; %s read units in %s\n",
		report.Board, report.Column, counting(a.Owners, "owner"), depthText(a.DownTo),
		percentText(100*a.Median), percentText(100*a.Max), percentText(100*a.Coverage),
		rounded(a.Usage.ReadUnits()), counting(a.Usage.Requests, "request"))
}

// depthText says how deep it was asked, where that is not to the end.
func depthText(downTo int64) string {
	if downTo == 0 {
		return ""
	}
	return " down to rank " + humanize.Comma(downTo)
}
