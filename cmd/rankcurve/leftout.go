package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/store"
)

// warnLeftOut tells of rows that another program wrote and no column can rank. The
// others are answered all the same, so it is no error, and goes beside the answer.
func warnLeftOut(c *cli.Context, board, column string, u store.Usage) {
	if u.Skipped > 0 {
		warning := fmt.Sprintf("warning: %s of %s.%s cannot be ranked and were left out, such as: %s", counting(u.Skipped, "row"), board, column, u.SkippedRow)
		fmt.Fprintln(c.App.ErrWriter, withFlags(c, warning))
	}
}
