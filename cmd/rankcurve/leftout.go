package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/store"
)

// warnLeftOut tells of rows that another program wrote and no column can rank. The
// others are answered all the same, so it is no error, and goes beside the answer. The
// column is empty where several were asked for.
func warnLeftOut(c *cli.Context, board, column string, u store.Usage) {
	if u.Skipped > 0 {
		if column != "" {
			board += "." + column
		}
		warning := fmt.Sprintf("warning: %s of %s cannot be ranked and were left out, such as: %s", counting(u.Skipped, "row"), board, u.SkippedRow)
		fmt.Fprintln(c.App.ErrWriter, legible(withFlags(c, warning)))
	}
}
