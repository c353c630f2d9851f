package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/store"
)

const tableCreateDescription = `Makes the table, with one index for each column: those of the boards in the configuration
and those that --column names. It is on demand, keeps point-in-time backups, and lets
rows of ended boards expire; where that cannot be had, a warning says so.

Examples:

   rankcurve --store dynamodb table create --column xp --column time
   rankcurve --config rankcurve.yaml table create
   rankcurve --table rankcurve --endpoint http://127.0.0.1:4567 table create --column xp`

func (p *program) tableCreateCommand() *cli.Command {
	return &cli.Command{
		Name:        "create",
		Usage:       "make the table and its indexes",
		Description: tableCreateDescription,
		Flags:       []cli.Flag{indexColumnFlag()},
		Action: func(c *cli.Context) error {
			return p.withTable(c, (*tabling).create)
		},
	}
}

func (t *tabling) create() error {
	columns, err := t.named()
	if err != nil {
		return err
	}
	if len(columns) == 0 {
		return usagef("no column is named, and a board has no ranks without its column's index; name them, such as `%s`, or configure boards", next(t.c, "table", "create", "--column", "xp"))
	}
	warnings, err := t.table.Create(t.c.Context, columns)
	switch {
	case errors.Is(err, store.ErrInUse):
		if d, err := t.table.Describe(t.c.Context); err == nil && d.Fault != nil {
			return fmt.Errorf("table %s is there already, %s, and none that rankcurve can use: %w", t.name(), t.place(), d.Fault)
		}
		return advicef(err, "table %s is there already, %s; `%s` adds the indexes that it lacks", t.name(), t.place(), next(t.c, "table", "sync"))
	case err != nil:
		return err
	}
	t.endProgress()
	fmt.Fprintf(t.c.App.Writer, "made table %s %s, with %s\n", t.name(), t.place(), indexNames(columns))
	t.warn(warnings)
	fmt.Fprintf(t.c.App.Writer, "next: %s\n", next(t.c, "load", "BOARD", "FILE"))
	return nil
}
