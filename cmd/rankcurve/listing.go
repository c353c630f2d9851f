package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// A listing prints rows of a board in rank order.
type listing struct {
	c      *cli.Context
	board  *rankcurve.Board
	column store.Column
	owners rankcurve.Attributes // nil if they are not asked for
}

func newListing(c *cli.Context, b *rankcurve.Board, column store.Column, owners rankcurve.Attributes) *listing {
	return &listing{c: c, board: b, column: column, owners: owners}
}

func attributesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "attributes", DisableDefaultText: true, Usage: "print the owners' attributes too, for half a read unit each"}
}

// viewOptions are what attributesFlag asks the library for.
func viewOptions(c *cli.Context) []rankcurve.ViewOption {
	if c.Bool("attributes") {
		return []rankcurve.ViewOption{rankcurve.WithAttributes()}
	}
	return nil
}

// attributes are those of an owner as JSON has them: none at all if they are not
// asked for.
func (l *listing) attributes(owner string) any {
	if l.owners == nil {
		return nil
	}
	if attributes := l.owners[owner]; attributes != nil {
		return attributes
	}
	return map[string]string{}
}

// ranks are rows of which all are read from the best on, so that their ranks are
// exact.
func (l *listing) ranks(p []rankcurve.Row) []rankcurve.Rank {
	ranks := make([]rankcurve.Rank, len(p))
	for i, r := range p {
		ranks[i] = rankcurve.Rank{Owner: r.Owner, Score: r.Score, Decimals: l.column.Decimals, Rank: r.Rank, Low: r.Rank, High: r.Rank, Exact: true}
	}
	return ranks
}

// table starts a table of rows of which nothing but the rank is to be told.
func (l *listing) table() *table {
	header := []string{"RANK", "OWNER", strings.ToUpper(l.column.Name)}
	if l.owners != nil {
		header = append(header, "ATTRIBUTES")
	}
	return newTable(l.c.App.Writer, header...).texts(1, 3)
}

func (l *listing) cells(r rankcurve.Rank) []string {
	cells := []string{humanize.Comma(r.Rank), r.Owner, scoreText(r.Score, r.Decimals)}
	if l.owners != nil {
		cells = append(cells, pairs(l.owners[r.Owner]))
	}
	return cells
}

// pairs are attributes as text, in the order of their names.
func pairs(attributes map[string]string) string {
	texts := make([]string, 0, len(attributes))
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		texts = append(texts, legible(name+"="+attributes[name]))
	}
	return strings.Join(texts, " ")
}
