package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
)

const tableDeleteDescription = `Deletes the table with all its boards. On a terminal it asks for the table's name; a
script says --yes. A table with other keys than rankcurve's is left alone.

Curves in memcached stay, and nobody asks for them any more: each board has a key of its
own, in a new table of the same name too.

Examples:

   rankcurve --table rankcurve table delete
   rankcurve --table rankcurve-test table delete --yes`

func (p *program) tableDeleteCommand() *cli.Command {
	return &cli.Command{
		Name:        "delete",
		Usage:       "delete the table with all its boards",
		Description: tableDeleteDescription,
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "yes", DisableDefaultText: true, Usage: "do not ask"}},
		Action: func(c *cli.Context) error {
			return p.withTable(c, (*tabling).delete)
		},
	}
}

func (t *tabling) delete() error {
	asks := t.program.isTerminal(t.program.in)
	if !asks && !t.c.Bool("yes") {
		return usagef("table delete asks for the table's name, and standard input is no terminal; add --yes to delete %s with all its boards", t.name())
	}
	d, err := t.table.Describe(t.c.Context)
	if err != nil {
		return err
	}
	if errors.Is(d.Fault, store.ErrNoDatabase) {
		return advicef(d.Fault, "table %s %s is not deleted: its keys are %s, so it is not rankcurve's; name another with --table", d.Name, t.place(), d.Keys)
	}
	if !t.c.Bool("yes") {
		if err := t.confirm(d); err != nil {
			return err
		}
	}
	if err := t.table.Delete(t.c.Context); err != nil {
		return err
	}
	t.endProgress()
	fmt.Fprintf(t.c.App.Writer, "deleted table %s %s\n", t.name(), t.place())
	return nil
}

// confirm has the table's name typed.
func (t *tabling) confirm(d dynamo.Description) error {
	fmt.Fprintf(t.program.err, "This deletes table %s %s with %s, for ever.\nType its name to go on: ", d.Name, t.place(), counting(d.Items, "item"))
	typed, err := bufio.NewReader(t.program.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the table's name: %w", err)
	}
	if strings.TrimSpace(typed) != d.Name {
		return fmt.Errorf("table %s is not deleted: that was not its name; run the same command again", d.Name)
	}
	return nil
}
