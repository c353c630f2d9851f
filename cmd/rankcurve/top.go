package main

import (
	"errors"
	"fmt"
	"time"

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
   rankcurve top missions --attributes
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
			columnFlag("print the best by"), periodFlag(), attributesFlag(), jsonFlag(),
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
		top, err := b.Top(c.Context, c.String("column"), n, viewOptions(c)...)
		if err != nil {
			return err
		}
		warnLeftOut(c, b.Definition().Name, top.Column.Name, top.Usage)
		l := newListing(c, b, top.Column, top.Attributes)
		rows := l.ranks(top.Rows)
		if c.Bool("json") {
			of, err := l.total(top.Read, top.Read < int64(n))
			if err != nil {
				return err
			}
			return l.printTopJSON(rows, top.AsOf, of)
		}
		if len(rows) == 0 {
			nobodyYet(c, top.Column)
			return nil
		}
		return l.printTop(rows)
	})
}

func nobodyYet(c *cli.Context, column store.Column) {
	fmt.Fprintf(c.App.ErrWriter, "nobody has a score in column %q yet\n", column.Name)
}

func (l *listing) printTop(rows []rankcurve.Rank) error {
	t := l.table()
	for _, r := range rows {
		t.row(l.cells(r)...)
	}
	return t.print()
}

// printTopJSON prints rows that were read from the best on, as of when; of is the number
// of entries, 0 if it is not known.
func (l *listing) printTopJSON(rows []rankcurve.Rank, asOf time.Time, of int64) error {
	for _, r := range rows {
		row := topRow{
			Owner: r.Owner, Board: l.board.Definition().Name, Column: l.column.Name, Score: store.FormatScore(r.Score, r.Decimals),
			Rank: r.Rank, Low: r.Low, High: r.High, Exact: true, AsOf: timestamp(asOf), Attributes: l.attributes(r.Owner),
		}
		if of > 0 {
			percent := 100 * float64(r.Rank) / float64(of)
			row.Of, row.Percent = &of, &percent
		}
		if err := printJSON(l.c.App.Writer, row); err != nil {
			return err
		}
	}
	return nil
}

// total is how many entries the column has: so many at least by what was read, or just so
// many. Else the curve tells, which may be older than the rows; it is 0 where there is
// none yet.
func (l *listing) total(least int64, all bool) (int64, error) {
	if all {
		return least, nil
	}
	curve, err := l.board.Curve(l.c.Context, l.column.Name)
	if errors.Is(err, rankcurve.ErrNoCurve) || errors.Is(err, rankcurve.ErrBadCurve) {
		return 0, nil // the rows are exact without it
	}
	if err != nil {
		return 0, err
	}
	return max(least, curve.TotalAt(clockOf(l.c)().Sub(curve.Meta().AsOf))), nil
}
