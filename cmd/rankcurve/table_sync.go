package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/store"
)

const tableSyncDescription = `Adds the indexes that the table lacks, one at a time as DynamoDB wants it: for every
column of the boards in the table, of the boards in the configuration, and of those
that --column names. It deletes nothing; indexes that no column uses, and ones of
another shape or with more than keys in them, are reported with the command that
deletes them.

An index of a large table takes long, and costs a write unit for every row. A stop
leaves DynamoDB at work; the same command again waits for it.

Examples:

   rankcurve --store dynamodb table sync
   rankcurve --config rankcurve.yaml table sync --column gold`

func (p *program) tableSyncCommand() *cli.Command {
	return &cli.Command{
		Name:        "sync",
		Usage:       "add the indexes that the table lacks, and report stale ones",
		Description: tableSyncDescription,
		Flags:       []cli.Flag{indexColumnFlag()},
		Action: func(c *cli.Context) error {
			return p.withTable(c, (*tabling).sync)
		},
	}
}

func (t *tabling) sync() error {
	columns, err := t.named()
	if err != nil {
		return err
	}
	registered, err := t.registered()
	unreadable, err := unreadableOf(err, "")
	if err != nil {
		return err
	}
	columns = sortedOnce(append(columns, registered...))
	done, err := t.table.Sync(t.c.Context, columns)
	t.endProgress()
	w := t.c.App.Writer
	for _, index := range done.Added { // those of before an error too
		fmt.Fprintf(w, "added index %s\n", index)
	}
	if err != nil {
		return err
	}
	for _, index := range done.Wide {
		done.Warnings = append(done.Warnings, wideIndex(t.name(), index))
	}
	t.warn(done.Warnings)
	if len(unreadable) > 0 {
		done.Stale = nil // they may be of its columns
	}
	for _, index := range done.Stale {
		fmt.Fprintf(w, "stale: index %s is of no column that is known here, and makes writes dearer; if nothing else reads it, delete it: %s\n", index, withFlags(t.c, deleteIndex(t.name(), index)))
	}
	if len(done.Wrong) > 0 {
		return t.wrong()
	}
	if len(done.Added) == 0 {
		fmt.Fprintf(w, "table %s %s lacks no index\n", t.name(), t.place())
	}
	if err := store.Unreadable(unreadable); err != nil {
		return fmt.Errorf("the columns of a board are not known, nor which indexes are stale: %w", err)
	}
	return nil
}

// wrong names the indexes that no column can use.
func (t *tabling) wrong() error {
	d, err := t.table.Describe(t.c.Context)
	if err != nil {
		return err
	}
	var wrong []error
	for _, i := range d.Indexes {
		if i.Fault != "" {
			wrong = append(wrong, wrongIndex(d.Name, i))
		}
	}
	if len(wrong) == 0 {
		return fmt.Errorf("an index was of another shape and is gone now; run the same command again: %w", store.ErrConflict)
	}
	return errors.Join(wrong...)
}
