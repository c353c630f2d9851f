package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const topDescription = `Reads the best owners of a board, exactly, from all its shards. Equal scores share
a rank.

Examples:

   rankcurve top missions
   rankcurve top missions -n 100 --column time
   rankcurve top missions --json | jq -r .owner`

const defaultTop = 10

// columnFlag chooses one column of a board, for what the command does with it: with
// "draw", it is "draw `COLUMN`".
func columnFlag(does string) cli.Flag {
	return &cli.StringFlag{Name: "column", Usage: does + " `COLUMN` (default: the board's first)"}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object per line"}
}

func (p *program) topCommand() *cli.Command {
	return &cli.Command{
		Name:        "top",
		Usage:       "print the best owners of a board, exactly",
		ArgsUsage:   "BOARD",
		Description: topDescription,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Value: defaultTop, Usage: fmt.Sprintf("print `N` rows, up to %s", humanize.Comma(rankcurve.MaxTop))},
			columnFlag("print the best by"), jsonFlag(),
		},
		Action: p.top,
	}
}

func (p *program) top(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	n := c.Int("n")
	if n < 1 || n > rankcurve.MaxTop {
		return usagef("-n %d is not in 1..%d", n, rankcurve.MaxTop)
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, err := openBoard(c, cfg, st)
		if err != nil {
			return err
		}
		top, err := b.Top(c.Context, c.String("column"), n)
		if err != nil {
			return err
		}
		warnLeftOut(c, b.Definition().Name, top.Column.Name, top.Usage)
		if c.Bool("json") {
			return printTopJSON(c, b, top)
		}
		if len(top.Rows) == 0 {
			fmt.Fprintf(c.App.ErrWriter, "nobody has a score in column %q yet\n", top.Column.Name)
			return nil
		}
		return printTop(c, top)
	})
}

func printTop(c *cli.Context, top rankcurve.Top) error {
	t := newTable(c.App.Writer, "RANK", "OWNER", strings.ToUpper(top.Column.Name)).texts(1)
	for _, r := range top.Rows {
		t.row(humanize.Comma(r.Rank), r.Owner, scoreText(r.Score, top.Column.Decimals))
	}
	return t.print()
}

func printTopJSON(c *cli.Context, b *rankcurve.Board, top rankcurve.Top) error {
	entries, err := entriesOf(c, b, top.Column.Name)
	if err != nil {
		return err
	}
	for _, r := range top.Rows {
		row := topRow{
			Owner: r.Owner, Board: b.Definition().Name, Column: top.Column.Name, Score: store.FormatScore(r.Score, top.Column.Decimals),
			Rank: r.Rank, Low: r.Rank, High: r.Rank, Exact: true, AsOf: timestamp(top.AsOf),
		}
		if entries > 0 {
			of := max(entries, int64(len(top.Rows))) // the curve may be older than the rows
			percent := 100 * float64(r.Rank) / float64(of)
			row.Of, row.Percent = &of, &percent
		}
		if err := printJSON(c.App.Writer, row); err != nil {
			return err
		}
	}
	return nil
}

// entriesOf is how many entries a column has by its curve; 0 if there is none yet.
func entriesOf(c *cli.Context, b *rankcurve.Board, column string) (int64, error) {
	curve, err := b.Curve(c.Context, column)
	if errors.Is(err, rankcurve.ErrNoCurve) || errors.Is(err, rankcurve.ErrBadCurve) {
		return 0, nil // the rows are exact without it
	}
	if err != nil {
		return 0, err
	}
	return curve.Total(), nil
}
