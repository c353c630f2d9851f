package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const pageDescription = `Reads a board page by page, best first, with exact ranks. A page ends with a cursor,
which the next page is asked for with: each owner comes once while nothing changes. A
cursor goes with one board, one column and one size, is signed, and can be kept: any
program that uses the same store, or the same cursor.key, takes it.

Examples:

   rankcurve page missions
   rankcurve page missions --size 1000 --column time --json
   rankcurve page missions --cursor AV3rK...

With --json, the last line is {"cursor": "..."} while more follows. The exit code is 2 if
a cursor cannot be used: then start again without one.`

func (p *program) pageCommand() *cli.Command {
	return &cli.Command{
		Name:        "page",
		Usage:       "print a board page by page, exactly",
		ArgsUsage:   "BOARD",
		Description: pageDescription,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "size", DefaultText: fmt.Sprintf("%d, or the cursor's", rankcurve.DefaultPage), Usage: fmt.Sprintf("print `N` rows, up to %d", rankcurve.MaxPage)},
			&cli.StringFlag{Name: "cursor", Usage: "print the page that follows on the one which ended with `CURSOR`"},
			columnFlag("print the board by"), periodFlag(), attributesFlag(), jsonFlag(),
		},
		Action: p.page,
	}
}

// A cursorRow ends a page in JSON.
type cursorRow struct {
	Cursor string `json:"cursor"`
}

func (p *program) page(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	if size := c.Int("size"); c.IsSet("size") && (size < 1 || size > rankcurve.MaxPage) {
		return usagef("--size %d is not in 1..%d", size, rankcurve.MaxPage)
	}
	if c.IsSet("cursor") && c.String("cursor") == "" {
		return usagef("--cursor is empty; leave it out for the first page")
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, err := openBoard(c, cfg, st, cursorOptions(cfg.Cursor)...)
		if err != nil {
			return err
		}
		page, err := b.Page(c.Context, rankcurve.PageQuery{Column: c.String("column"), Size: c.Int("size"), Cursor: c.String("cursor")}, viewOptions(c)...)
		if errors.Is(err, rankcurve.ErrBadCursor) {
			return usagef("%v", err)
		}
		if err != nil {
			return err
		}
		warnLeftOut(c, b.Definition().Name, page.Column.Name, page.Usage)
		return printPage(c, b, page)
	})
}

func cursorOptions(cfg config.Cursor) []rankcurve.Option {
	oldest, _ := cfg.MaxAge.Duration() // Load has refused what is none
	options := []rankcurve.Option{rankcurve.WithCursorMaxAge(oldest)}
	if cfg.Key != "" {
		options = append(options, rankcurve.WithCursorKey([]byte(cfg.Key)))
	}
	return options
}

func printPage(c *cli.Context, b *rankcurve.Board, page rankcurve.Page) error {
	l := newListing(c, b, page.Column, page.Attributes)
	rows := l.ranks(page.Rows)
	if c.Bool("json") {
		last, least := page.Cursor == "", page.Read
		if !last {
			least++ // for more follow
		}
		of, err := l.total(least, last)
		if err != nil {
			return err
		}
		if err := l.printTopJSON(rows, page.AsOf, of); err != nil || page.Cursor == "" {
			return err
		}
		return printJSON(c.App.Writer, cursorRow{page.Cursor})
	}
	if page.Read == 0 {
		nobodyYet(c, page.Column)
		return nil
	}
	if err := l.printTop(rows); err != nil || page.Cursor == "" {
		return err
	}
	words := []string{"page", b.Definition().Name, "--cursor", page.Cursor}
	if c.Bool("attributes") {
		words = append(words, "--attributes")
	}
	fmt.Fprintf(c.App.Writer, "\nnext: %s\n", next(c, words...))
	return nil
}
