package main

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const ownerDescription = `Prints what owners have: on every board that they are on, or on one with --board, their
scores and attributes, and with --ranks their ranks in every column. Owners who are
hidden on a board are shown as such, without a rank.

Examples:

   rankcurve owner ann
   rankcurve owner ann bob --board missions --ranks
   rankcurve owner ann --json

The exit code is 3 if an owner is on no board, or not on the one that is named; the
others are still answered.`

func (p *program) ownerCommand() *cli.Command {
	return &cli.Command{
		Name:        "owner",
		Usage:       "print the scores and attributes of owners on all their boards",
		ArgsUsage:   "OWNER...",
		Description: ownerDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "board", Usage: "look at `BOARD` alone"},
			&cli.BoolFlag{Name: "ranks", DisableDefaultText: true, Usage: "print the ranks too"},
			modeFlag(), readBudgetFlag(), jsonFlag(),
		},
		Action: p.owner,
	}
}

// An ownerRow is an owner on one board, in JSON.
type ownerRow struct {
	Owner      string            `json:"owner"`
	Board      string            `json:"board"`
	Scores     map[string]string `json:"scores"`
	Attributes map[string]string `json:"attributes"`
	Hidden     bool              `json:"hidden"`
	Updated    *string           `json:"updated"` // null if it is not known
	Ranks      any               `json:"ranks,omitempty"`
}

// An absentOwner stands for an owner who has nothing, in JSON.
type absentOwner struct {
	Owner string `json:"owner"`
	Board string `json:"board,omitempty"`
	Error string `json:"error"`
}

// An ownerQuestion is what one owner command asks.
type ownerQuestion struct {
	c      *cli.Context
	store  store.Store
	mode   rankcurve.Mode
	board  *store.Board                // the one that is looked at; nil: all
	boards map[string]*rankcurve.Board // that ranks were asked of
	table  *table
}

func (p *program) owner(c *cli.Context) error {
	if err := arguments(c, 1, -1); err != nil {
		return err
	}
	mode, err := parseModeFlags(c)
	if err != nil {
		return err
	}
	if err := validOwners(c.Args().Slice()); err != nil {
		return err
	}
	if c.IsSet("board") && c.String("board") == "" {
		return usagef("--board is empty; name a board, or leave it out for all")
	}
	return p.withStore(c, func(_ config.Config, st store.Store) error {
		header := []string{"OWNER", "BOARD", "SCORES", "ATTRIBUTES", "UPDATED"}
		if c.Bool("ranks") {
			header = []string{"OWNER", "BOARD", "SCORES", "RANKS", "ATTRIBUTES", "UPDATED"}
		}
		q := ownerQuestion{
			c: c, store: st, mode: mode, boards: map[string]*rankcurve.Board{},
			table: newTable(c.App.Writer, header...).texts(0, 1, 2, 3, 4, 5),
		}
		if c.IsSet("board") {
			b, err := rankcurve.Open(c.Context, st, c.String("board"))
			if err != nil {
				return err
			}
			def := b.Definition()
			q.board = &def
		}
		return q.answer(c.Args().Slice())
	})
}

// answer answers for all owners, and fails in the end if any has nothing.
func (q *ownerQuestion) answer(owners []string) error {
	var missing []error
	for _, owner := range owners {
		rows, err := q.rowsOf(owner)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := q.show(row); err != nil {
				return err
			}
		}
		if len(rows) > 0 {
			continue
		}
		missing = append(missing, q.absent(owner))
		if q.c.Bool("json") {
			row := absentOwner{Owner: owner, Error: missing[len(missing)-1].Error()}
			if q.board != nil {
				row.Board = q.board.Name
			}
			if err := printJSON(q.c.App.Writer, row); err != nil {
				return err
			}
		}
	}
	if !q.c.Bool("json") && len(q.table.rows) > 1 {
		if err := q.table.print(); err != nil {
			return err
		}
	}
	if len(missing) > 1 {
		return hintf(missing[0], "and %s more of %s have none", humanize.Comma(int64(len(missing)-1)), counting(len(owners), "owner"))
	}
	if len(missing) == 1 {
		return missing[0]
	}
	return nil
}

func (q *ownerQuestion) rowsOf(owner string) ([]store.Owned, error) {
	if q.board == nil {
		rows, _, err := rankcurve.BoardsOf(q.c.Context, q.store, owner)
		return rows, err
	}
	entries, _, err := q.store.EntriesOf(q.c.Context, *q.board, []string{owner})
	if err != nil || entries[0].Version == 0 {
		return nil, err
	}
	return []store.Owned{{Board: *q.board, Entry: entries[0]}}, nil
}

func (q *ownerQuestion) absent(owner string) error {
	if q.board != nil {
		return fmt.Errorf("owner %q is not on board %q: %w", owner, q.board.Name, store.ErrNotFound)
	}
	return fmt.Errorf("owner %q is on no board: %w", owner, store.ErrNotFound)
}

// show prints one row.
func (q *ownerQuestion) show(o store.Owned) error {
	ranks, err := q.ranks(o)
	if err != nil {
		return err
	}
	if !q.c.Bool("json") {
		q.table.row(q.cells(o, ranks)...)
		return nil
	}
	row := ownerRow{Owner: o.Entry.Owner, Board: o.Board.Name, Scores: map[string]string{}, Attributes: o.Entry.Attributes, Hidden: o.Entry.Hidden}
	for _, column := range o.Board.Columns {
		if score, there := o.Entry.Scores[column.Name]; there {
			row.Scores[column.Name] = store.FormatScore(score, column.Decimals)
		}
	}
	if row.Attributes == nil {
		row.Attributes = map[string]string{}
	}
	if at := o.Entry.Updated; !at.IsZero() {
		text := timestamp(at)
		row.Updated = &text
	}
	if q.c.Bool("ranks") {
		rows := make([]rankRow, len(ranks))
		for i, r := range ranks {
			rows[i] = rankRowOf(r)
		}
		row.Ranks = rows
	}
	return printJSON(q.c.App.Writer, row)
}

// ranks are those in every column that the owner has a score in; a hidden one has none.
func (q *ownerQuestion) ranks(o store.Owned) (ranks []rankcurve.Rank, err error) {
	if !q.c.Bool("ranks") || o.Entry.Hidden {
		return nil, nil
	}
	b := q.boards[o.Board.Name]
	if b == nil {
		if b, err = rankcurve.Open(q.c.Context, q.store, o.Board.Name, rankcurve.WithReadBudget(q.c.Float64("read-budget"))); err != nil {
			return nil, err
		}
		q.boards[o.Board.Name] = b
	}
	var in []string
	for _, column := range o.Board.Columns {
		if _, there := o.Entry.Scores[column.Name]; there {
			in = append(in, column.Name)
		}
	}
	answers, _, err := b.Ranks(q.c.Context, in, q.mode, o.Entry.Owner)
	if err != nil {
		return nil, overBudget(q.c, b, o.Board.Columns[0], err)
	}
	for _, a := range answers[0] {
		if a.Err == nil { // else the row went meanwhile
			ranks = append(ranks, a.Rank)
		}
	}
	return ranks, nil
}

func (q *ownerQuestion) cells(o store.Owned, ranks []rankcurve.Rank) []string {
	scores, places := make([]string, 0, len(o.Board.Columns)), make([]string, 0, len(ranks))
	for _, column := range o.Board.Columns {
		if score, there := o.Entry.Scores[column.Name]; there {
			scores = append(scores, column.Name+"="+scoreText(score, column.Decimals))
		}
	}
	for _, r := range ranks {
		places = append(places, fmt.Sprintf("%s: %s of %s", r.Column, humanize.Comma(r.Rank), humanize.Comma(r.Of)))
	}
	board, updated := o.Board.Name, "not known"
	if o.Entry.Hidden {
		board += " (hidden)"
	}
	if !o.Entry.Updated.IsZero() {
		updated = age(o.Entry.Updated)
	}
	cells := []string{o.Entry.Owner, board, strings.Join(scores, " ")}
	if q.c.Bool("ranks") {
		cells = append(cells, strings.Join(places, ", "))
	}
	return append(cells, pairs(o.Entry.Attributes), updated)
}
