package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const ownerDescription = `Prints what owners have: on every board that they are on, or on one with --board, their
scores and attributes, and with --ranks their ranks in every column, each with its band.
Rows that are hidden are not there; with --hidden, which is for moderators, they are
shown as such, without a rank, and an owner without a row whom a family hides on its boards
to come is told too ("hide FAMILY --list" lists them all). With --json each row has its version, which
"post --if-version" takes.

Examples:

   rankcurve owner ann
   rankcurve owner ann bob --board missions --ranks
   rankcurve owner --owners-file suspects.txt --board missions --hidden
   rankcurve owner ann --json

The exit code is 3 if an owner is on no board, or not on the one that is named; the
others are still answered.`

func (p *program) ownerCommand() *cli.Command {
	return &cli.Command{
		Name:        "owner",
		Usage:       "print the scores and attributes of owners on all their boards",
		ArgsUsage:   "OWNER... | --owners-file F",
		Description: ownerDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "board", Usage: "look at `BOARD` alone"},
			&cli.StringFlag{Name: "owners-file", Usage: "look at the owners in `FILE`, one per line (- for standard input)"},
			&cli.BoolFlag{Name: "ranks", DisableDefaultText: true, Usage: "print the ranks too"},
			&cli.BoolFlag{Name: "hidden", DisableDefaultText: true, Usage: "print the rows that are hidden too"},
			modeFlag(), readBudgetFlag(), jsonFlag(),
		},
		Action: p.owner,
	}
}

// An ownerQuestion is what one owner command asks.
type ownerQuestion struct {
	c      *cli.Context
	kind   config.StoreKind
	config config.Config
	store  store.Store
	mode   rankcurve.Mode
	boards map[string]*rankcurve.Board // that were opened
	table  *table
	warned map[string]bool // of rows of a board that cannot be ranked
	absent []error         // of owners who have nothing
	untold []error         // why rows and ranks are not told, each once

	families []*rankcurve.Family // of the store and the configuration; nil until they are found
}

func (p *program) owner(c *cli.Context) error {
	mode, owners, err := p.ownerArguments(c)
	if err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		header := []string{"OWNER", "BOARD", "SCORES", "ATTRIBUTES", "UPDATED"}
		if c.Bool("ranks") {
			header = []string{"OWNER", "BOARD", "SCORES", "RANKS", "ATTRIBUTES", "UPDATED"}
		}
		q := ownerQuestion{
			c: c, kind: cfg.Store.Kind, config: cfg, store: st, mode: mode, boards: map[string]*rankcurve.Board{}, warned: map[string]bool{},
			table: newTable(c.App.Writer, header...).texts(0, 1, 2, 3, 4, 5),
		}
		ask := q.everywhere
		if c.IsSet("board") {
			ask = q.onBoard
		}
		for some := range slices.Chunk(owners, rankBatch) {
			if err := ask(some); err != nil {
				return err
			}
		}
		if !c.Bool("json") && len(q.table.rows) > 1 {
			if err := q.table.print(); err != nil {
				return err
			}
		}
		return q.failed(len(owners))
	})
}

// ownerArguments checks the command line and collects the owners.
func (p *program) ownerArguments(c *cli.Context) (rankcurve.Mode, []string, error) {
	least := 1
	if c.IsSet("owners-file") {
		least = 0
	}
	if err := arguments(c, least, -1); err != nil {
		return "", nil, err
	}
	mode, err := parseModeFlags(c)
	if err != nil {
		return "", nil, err
	}
	owners := c.Args().Slice()
	if err := validOwners(owners); err != nil {
		return "", nil, err
	}
	if c.IsSet("board") && c.String("board") == "" {
		return "", nil, usagef("--board is empty; name a board, or leave it out for all")
	}
	if !c.IsSet("owners-file") {
		return mode, owners, nil
	}
	listed, err := p.readOwners(c.Context, c.String("owners-file"))
	return mode, append(owners, listed...), err
}

// open opens a board, once.
func (q *ownerQuestion) open(name string) (*rankcurve.Board, error) {
	if b := q.boards[name]; b != nil {
		return b, nil
	}
	b, err := rankcurve.Open(q.c.Context, q.store, name, rankcurve.WithClock(clockOf(q.c)), rankcurve.WithReadBudget(q.c.Float64("read-budget")))
	if err != nil {
		return nil, err
	}
	q.boards[name] = b
	return b, nil
}

// onBoard answers for owners on the board that is named.
func (q *ownerQuestion) onBoard(owners []string) error {
	b, err := q.open(q.c.String("board"))
	if err != nil {
		return err
	}
	results, err := q.results(b, owners)
	if err != nil {
		return err
	}
	for _, r := range results {
		if family := b.Definition().Family; family != "" && errors.Is(r.Err, store.ErrNotFound) {
			if ahead, err := q.showAhead(r.Owner, family); err != nil {
				return err
			} else if ahead {
				continue
			}
		}
		if err := q.show(b, r); err != nil {
			return err
		}
	}
	return nil
}

// everywhere answers for owners on all boards that they are on. Their rows are read
// again where ranks are asked for, one board after the other.
func (q *ownerQuestion) everywhere(owners []string) error {
	for _, owner := range owners {
		rows, err := q.boardsOf(owner)
		var some *store.UnreadableError // other rows are none the worse for it
		switch {
		case errors.As(err, &some):
		case err != nil:
			return err
		case len(rows) == 0:
			if err := q.nowhere(owner); err != nil {
				return err
			}
		}
		for _, o := range rows {
			b, err := q.open(o.Board.Name)
			if err != nil {
				return err
			}
			e := o.Entry
			r := rankcurve.Result{Owner: e.Owner, Board: o.Board.Name, Scores: e.Scores, Attributes: e.Attributes, Updated: e.Updated, Version: e.Version, Hidden: e.Hidden}
			if q.c.Bool("ranks") && !e.Hidden {
				again, err := q.results(b, []string{owner})
				if err != nil {
					return err
				}
				r.Ranks = again[0].Ranks // none if the row went meanwhile
			}
			if err := q.show(b, r); err != nil {
				return err
			}
		}
		if some == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(some.Rows)) {
			if err := q.missing(rankcurve.Result{Owner: owner, Board: name, Err: some.Rows[name]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// nowhere answers for an owner who is on no board.
func (q *ownerQuestion) nowhere(owner string) error {
	ahead, err := q.showAhead(owner, "")
	if err != nil || ahead {
		return err
	}
	return q.missing(rankcurve.Result{Owner: owner, Err: fmt.Errorf("owner %q is on no board: %w", owner, store.ErrNotFound)})
}

func (q *ownerQuestion) boardsOf(owner string) ([]store.Owned, error) {
	ask := rankcurve.BoardsOf
	if q.c.Bool("hidden") {
		ask = rankcurve.BoardsOfWithHidden
	}
	rows, _, err := ask(q.c.Context, q.store, owner, rankcurve.WithClock(clockOf(q.c)))
	return rows, err
}

// results are those on one board, with ranks in every column if they are asked for.
func (q *ownerQuestion) results(b *rankcurve.Board, owners []string) ([]rankcurve.Result, error) {
	in := rankcurve.RankIn{Mode: q.mode}
	if q.c.Bool("ranks") {
		for _, column := range b.Definition().Columns {
			in.Columns = append(in.Columns, column.Name)
		}
	}
	ask := b.Owners
	if q.c.Bool("hidden") {
		ask = b.OwnersWithHidden
	}
	results, usage, err := ask(q.c.Context, in, owners...)
	if name := b.Definition().Name; !q.warned[name] {
		warnLeftOut(q.c, name, "", usage)
		q.warned[name] = usage.Skipped > 0
	}
	return results, err
}

// show prints one row, or notes that there is none.
func (q *ownerQuestion) show(b *rankcurve.Board, r rankcurve.Result) error {
	if r.Err != nil {
		return q.missing(r)
	}
	def := b.Definition()
	var ranks []rankcurve.Answer // in the columns that the owner has a score in
	for i, column := range def.Columns {
		if _, there := r.Scores[column.Name]; !there || len(r.Ranks) == 0 {
			continue
		}
		a := r.Ranks[i]
		if a.Err != nil {
			a.Err = overBudget(q.c, b, column, a.Err)
			q.note(a.Err)
		}
		ranks = append(ranks, a)
	}
	if !q.c.Bool("json") {
		q.table.row(q.cells(def, r, ranks)...)
		return nil
	}
	return printJSON(q.c.App.Writer, q.row(def, r, ranks))
}

// missing notes an owner of whom nothing is told.
func (q *ownerQuestion) missing(r rankcurve.Result) error {
	r.Err = damagedRow(q.kind, r.Err)
	if errors.Is(r.Err, store.ErrNotFound) {
		q.absent = append(q.absent, r.Err)
	} else {
		q.note(r.Err)
	}
	if !q.c.Bool("json") {
		return nil
	}
	return printJSON(q.c.App.Writer, absentOwner{Owner: r.Owner, Board: r.Board, failure: failureOf(r.Err)})
}

// note keeps what went wrong to the end, in as many words as differ.
func (q *ownerQuestion) note(err error) {
	if !slices.ContainsFunc(q.untold, func(other error) bool { return other.Error() == err.Error() }) {
		q.untold = append(q.untold, err)
	}
}

// failed says in the end what is missing. What could not be read is worse than what is
// not there: the exit code is its.
func (q *ownerQuestion) failed(asked int) error {
	if more := len(q.absent) - 1; more > 0 {
		q.absent = []error{hintf(q.absent[0], "and %s more of %s have none", humanize.Comma(int64(more)), counting(asked, "owner"))}
	}
	all := slices.Concat(q.untold, q.absent)
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	const most = 5
	texts := make([]string, 0, most+1)
	for _, err := range all[:min(len(all), most)] {
		texts = append(texts, err.Error())
	}
	if more := len(all) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return advicef(all[0], "%s", strings.Join(texts, "\n"))
}

func (q *ownerQuestion) cells(def store.Board, r rankcurve.Result, ranks []rankcurve.Answer) []string {
	scores, places := make([]string, 0, len(def.Columns)), make([]string, 0, len(ranks))
	for _, column := range def.Columns {
		if score, there := r.Scores[column.Name]; there {
			scores = append(scores, column.Name+"="+scoreText(score, column.Decimals))
		}
	}
	for _, a := range ranks {
		place := "not told"
		if a.Err == nil {
			place = fmt.Sprintf("%s of %s (%s)", humanize.Comma(a.Rank.Rank), humanize.Comma(a.Of), bandText(a.Low, a.High, a.Exact))
		}
		places = append(places, a.Column+": "+place)
	}
	board, updated := def.Name, "not known"
	if r.Hidden {
		board += " (hidden)"
	}
	if !r.Updated.IsZero() {
		updated = age(q.c, r.Updated)
	}
	cells := []string{r.Owner, board, strings.Join(scores, " ")}
	if q.c.Bool("ranks") {
		cells = append(cells, strings.Join(places, ", "))
	}
	return append(cells, pairs(r.Attributes), updated)
}
