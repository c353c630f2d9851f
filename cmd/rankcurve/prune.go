package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const pruneDescription = `Drops the boards that have expired, with their curves: of one family, or all. Nobody
can read them any more; this gives their room back. On DynamoDB the rows are deleted by
DynamoDB itself, if the table's expiry is on ("rankcurve table describe" says so).

A cron job that runs it once a day is enough.

Examples:

   rankcurve prune --dry-run
   rankcurve prune missions`

func (p *program) pruneCommand() *cli.Command {
	return &cli.Command{
		Name:        "prune",
		Usage:       "drop the boards that have expired",
		ArgsUsage:   "[FAMILY]",
		Description: pruneDescription,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "say which there are, and drop none"},
			jsonFlag(),
		},
		Action: p.prune,
	}
}

// A prunedRow is a board that was, or would be, dropped, in JSON.
type prunedRow struct {
	Board   string `json:"board"`
	Expires string `json:"expires"`
	Dropped bool   `json:"dropped"`
}

func (p *program) prune(c *cli.Context) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	patiently := func(config.Config) access { return access{patient: true} }
	return p.withStoreFor(c, patiently, func(_ config.Config, st store.Store) error {
		work, verb := rankcurve.Prune, "dropped"
		if c.Bool("dry-run") {
			work, verb = rankcurve.Expired, "would drop"
		}
		boards, err := work(c.Context, st, c.Args().First(), clockOf(c)())
		for _, b := range boards {
			if !c.Bool("json") {
				fmt.Fprintf(c.App.Writer, "%s %s, which expired at %s\n", verb, b.Name, b.Expires.UTC().Format(time.RFC3339))
				continue
			}
			row := prunedRow{b.Name, timestamp(b.Expires), !c.Bool("dry-run")}
			if printed := printJSON(c.App.Writer, row); printed != nil {
				return errors.Join(err, printed)
			}
		}
		if err == nil && len(boards) == 0 && !c.Bool("json") {
			fmt.Fprintln(c.App.Writer, "no board has expired")
		}
		if c.Context.Err() != nil {
			return advicef(err, "stopped; %s were dropped: run the same command again for the others", counting(len(boards), "board"))
		}
		return err
	})
}
