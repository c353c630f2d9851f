package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const aroundDescription = `Prints the owners just before and just behind one on the board, each with its rank.
The owner's own row is marked with ">"; with --score it has no owner, and is the place
that the score has or would have. Equal scores share a rank. Where the owner's rank is
estimated the others are counted from it, and have its band.

Examples:

   rankcurve around missions ann
   rankcurve around missions ann -k 10 --mode exact
   rankcurve around missions --score 1200 --json`

const defaultAround = 5

func (p *program) aroundCommand() *cli.Command {
	return &cli.Command{
		Name:        "around",
		Usage:       "print who is just before and just behind an owner",
		ArgsUsage:   "BOARD OWNER | BOARD --score S",
		Description: aroundDescription,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "k", Value: defaultAround, Usage: fmt.Sprintf("print `K` rows on each side, up to %d", rankcurve.MaxAround)},
			&cli.StringFlag{Name: "score", Usage: "print who is around `SCORE`"},
			modeFlag(), readBudgetFlag(),
			columnFlag("look at the ranks by"), periodFlag(), attributesFlag(), jsonFlag(),
		},
		Action: p.around,
	}
}

func (p *program) around(c *cli.Context) error {
	mode, err := aroundArguments(c)
	if err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, column, err := openColumn(c, cfg, st, rankcurve.WithReadBudget(c.Float64("read-budget")))
		if err != nil {
			return err
		}
		around, err := askAround(c, b, column, mode)
		if err != nil {
			return overBudget(c, b, column, err)
		}
		warnLeftOut(c, b.Definition().Name, around.Column.Name, around.Usage)
		return printAround(c, b, around)
	})
}

func aroundArguments(c *cli.Context) (rankcurve.Mode, error) {
	if err := arguments(c, 1, 2); err != nil {
		return "", err
	}
	mode, err := parseModeFlags(c)
	if err != nil {
		return "", err
	}
	switch k, named := c.Int("k"), c.NArg() == 2; {
	case k < 1 || k > rankcurve.MaxAround:
		return "", usagef("-k %d is not in 1..%d", k, rankcurve.MaxAround)
	case named && c.IsSet("score"):
		return "", usagef("--score asks for a score, not for an owner; leave one of them out")
	case !named && !c.IsSet("score"):
		return "", usagef("around needs to know of whom; name an owner, or use --score")
	case named:
		return mode, validOwners(c.Args().Tail())
	}
	return mode, nil
}

func askAround(c *cli.Context, b *rankcurve.Board, column store.Column, mode rankcurve.Mode) (rankcurve.Around, error) {
	if !c.IsSet("score") {
		return b.Around(c.Context, column.Name, mode, c.Args().Get(1), c.Int("k"), viewOptions(c)...)
	}
	score, err := store.ParseScore(c.String("score"), column.Decimals)
	if err != nil {
		return rankcurve.Around{}, wrongScore("--score", c.String("score"), column, err)
	}
	return b.AroundScore(c.Context, column.Name, mode, score, c.Int("k"), viewOptions(c)...)
}

func printAround(c *cli.Context, b *rankcurve.Board, around rankcurve.Around) error {
	l := newListing(c, b, around.Column, around.Attributes)
	header := []string{"", "OWNER", strings.ToUpper(around.Column.Name), "RANK", "BAND", "OF", "TOP", "AS OF"}
	if l.owners != nil {
		header = append(header, "ATTRIBUTES")
	}
	t := newTable(c.App.Writer, header...).texts(0, 1, 4, 7, 8)
	for _, r := range slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse) {
		if c.Bool("json") {
			row := rankRowOf(r)
			row.Attributes = l.attributes(r.Owner)
			if err := printJSON(c.App.Writer, row); err != nil {
				return err
			}
			continue
		}
		mark := ""
		if r.Owner == around.Pivot.Owner {
			mark = ">"
		}
		cells := append([]string{mark}, rankCells(c, r)...)
		if l.owners != nil {
			cells = append(cells, pairs(l.owners[r.Owner]))
		}
		t.row(cells...)
	}
	if c.Bool("json") {
		return nil
	}
	return t.print()
}
