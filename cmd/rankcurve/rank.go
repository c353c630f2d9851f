package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const rankDescription = `Answers "what is my rank?" with a band that the true rank lies in, and the age of
the curve it was read from. The owner's score is read anew, so that a post moves
the owner's own rank at once.

Modes: "estimate" reads the curve alone, "exact" counts everyone above within the
read budget, "auto" counts near the top and estimates below.

Examples:

   rankcurve rank missions ann bob
   rankcurve rank missions ann --mode exact --read-budget 50000
   rankcurve rank missions --score 1200
   rankcurve rank missions --owners-file players.txt --json

The exit code is 3 if an owner is not on the board; the others are still answered.
It is 2 if an owner cannot be one, in the file too, and then none is asked for.`

// rankBatch is how many owners are asked for at once.
const rankBatch = 1000

func (p *program) rankCommand() *cli.Command {
	return &cli.Command{
		Name:        "rank",
		Usage:       "print the rank of owners, or of a score",
		ArgsUsage:   "BOARD OWNER... | BOARD --score S | BOARD --owners-file F",
		Description: rankDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "score", Usage: "ask for the rank that `SCORE` has, or would have"},
			&cli.StringFlag{Name: "owners-file", Usage: "ask for the owners in `FILE`, one per line (- for standard input)"},
			&cli.StringFlag{Name: "mode", Value: string(rankcurve.Auto), Usage: "`MODE`: auto, estimate or exact"},
			&cli.Float64Flag{Name: "read-budget", Usage: "let exact counts read `UNITS` read units", Value: rankcurve.DefaultReadBudget},
			columnFlag("ask for the rank by"), jsonFlag(),
		},
		Action: p.rank,
	}
}

// A rankQuestion is what one rank command asks.
type rankQuestion struct {
	c      *cli.Context
	kind   config.StoreKind
	store  store.Store
	board  *rankcurve.Board
	column store.Column
	mode   rankcurve.Mode
}

func (p *program) rank(c *cli.Context) error {
	mode, owners, err := p.rankArguments(c)
	if err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, err := openBoard(c, cfg, st, rankcurve.WithReadBudget(c.Float64("read-budget")))
		if err != nil {
			return err
		}
		column, err := b.Definition().Column(c.String("column"))
		if err != nil {
			return err
		}
		q := rankQuestion{c, cfg.Store.Kind, st, b, column, mode}
		if c.IsSet("score") {
			return q.ofScore(c.String("score"))
		}
		return q.ofOwners(owners)
	})
}

// rankArguments checks the command line and collects the owners.
func (p *program) rankArguments(c *cli.Context) (rankcurve.Mode, []string, error) {
	if err := arguments(c, 1, -1); err != nil {
		return "", nil, err
	}
	mode, err := rankcurve.ParseMode(c.String("mode"))
	if err != nil {
		return "", nil, usagef("--mode %q is none of auto, estimate, exact", c.String("mode"))
	}
	if !(c.Float64("read-budget") > 0) {
		return "", nil, usagef("--read-budget must be more than 0 read units")
	}
	owners := c.Args().Tail()
	for _, owner := range owners {
		if err := store.ValidateOwner(owner); err != nil {
			return "", nil, usagef("%s", bare(err))
		}
	}
	file := c.IsSet("owners-file")
	switch {
	case c.IsSet("score") && (file || len(owners) > 0):
		return "", nil, usagef("--score asks for a score, not for owners; leave one of them out")
	case c.IsSet("score"):
		return mode, nil, nil
	case !file && len(owners) == 0:
		return "", nil, usagef("rank needs to know of whom; name owners, or use --score or --owners-file")
	case file:
		listed, err := p.readOwners(c.Context, c.String("owners-file"))
		if err != nil {
			return "", nil, err
		}
		owners = append(slices.Clone(owners), listed...)
	}
	return mode, owners, nil
}

func (q rankQuestion) ofScore(text string) error {
	score, err := store.ParseScore(text, q.column.Decimals)
	if err != nil {
		return wrongScore("--score", text, q.column, err)
	}
	rank, _, err := q.board.RankOfScore(q.c.Context, q.column.Name, q.mode, score)
	if err != nil {
		return q.advise(err)
	}
	if q.c.Bool("json") {
		return printJSON(q.c.App.Writer, rankRowOf(rank))
	}
	t := q.table()
	t.row(rankCells(rank)...)
	return t.print()
}

// advise says what to do about an exact rank that costs too much. An estimate is
// no way out where there is no curve to read it from.
func (q rankQuestion) advise(err error) error {
	if !errors.Is(err, store.ErrTooExpensive) {
		return err
	}
	name, budget := q.board.Definition().Name, q.c.Float64("read-budget")
	_, none := q.board.Curve(q.c.Context, q.column.Name)
	if errors.Is(none, rankcurve.ErrNoCurve) || errors.Is(none, rankcurve.ErrBadCurve) {
		return advicef(err, "counting on board %q is over the read budget of %v units, and %s has no usable curve to estimate from; make one: `%s`, or allow more with --read-budget", name, budget, q.column.Name, next(q.c, "rebuild", name))
	}
	return advicef(err, "counting on board %q is over the read budget of %v units; use --mode estimate, or allow more with --read-budget", name, budget)
}

// ofOwners answers for all owners, those that are missing included, and fails in
// the end if there were any.
func (q rankQuestion) ofOwners(owners []string) error {
	t, missing := q.table(), []error{}
	for some := range slices.Chunk(owners, rankBatch) {
		answers, err := q.ask(some)
		if err != nil {
			return q.advise(err)
		}
		for i, a := range answers {
			if a.Err != nil {
				missing = append(missing, q.advise(a.Err))
			}
			if err := q.answer(t, some[i], a); err != nil {
				return err
			}
		}
	}
	if !q.c.Bool("json") && len(t.rows) > 1 {
		if err := t.print(); err != nil {
			return err
		}
	}
	return missingError(missing, len(owners))
}

// ask answers for a batch. A row that cannot be read back fails the store's answer as
// a whole, so the rows are then looked at one by one, and the sound ones asked for.
func (q rankQuestion) ask(owners []string) ([]rankcurve.Answer, error) {
	answers, _, err := q.board.Rank(q.c.Context, q.column.Name, q.mode, owners...)
	if !errors.Is(err, store.ErrCorrupt) {
		return answers, err
	}
	answers = make([]rankcurve.Answer, len(owners))
	var sound []string
	for i, owner := range owners {
		_, _, fault := q.store.EntriesOf(q.c.Context, q.board.Definition(), []string{owner})
		switch {
		case errors.Is(fault, store.ErrCorrupt):
			answers[i].Err = q.damaged(fault)
		case fault != nil:
			return nil, fault
		default:
			sound = append(sound, owner)
		}
	}
	if len(sound) == len(owners) {
		return nil, err // the damage is elsewhere
	}
	rest, _, err := q.board.Rank(q.c.Context, q.column.Name, q.mode, sound...)
	if err != nil {
		return nil, err
	}
	for i := range answers {
		if answers[i].Err == nil {
			answers[i], rest = rest[0], rest[1:]
		}
	}
	return answers, nil
}

// damaged says what helps with a row that cannot be read back. DynamoDB's store does
// so itself, for there the item can be mended by hand.
func (q rankQuestion) damaged(err error) error {
	if q.kind == config.KindDynamoDB {
		return err
	}
	return hintf(err, "no load or post can replace the row, for both keep what else it holds: put back a copy of the database, or load the scores into a new board")
}

func (q rankQuestion) answer(t *table, owner string, a rankcurve.Answer) error {
	switch {
	case a.Err == nil && q.c.Bool("json"):
		return printJSON(q.c.App.Writer, rankRowOf(a.Rank))
	case a.Err == nil:
		t.row(rankCells(a.Rank)...)
	case q.c.Bool("json"):
		return printJSON(q.c.App.Writer, missingRow{Owner: owner, Board: q.board.Definition().Name, Column: q.column.Name, Error: a.Err.Error()})
	}
	return nil
}

func (q rankQuestion) table() *table {
	return newTable(q.c.App.Writer, "OWNER", strings.ToUpper(q.column.Name), "RANK", "BAND", "OF", "TOP", "AS OF").texts(0, 3, 6)
}

func rankCells(r rankcurve.Rank) []string {
	return []string{
		r.Owner, scoreText(r.Score, r.Decimals), humanize.Comma(r.Rank), bandText(r.Low, r.High, r.Exact),
		humanize.Comma(r.Of), percentText(r.Percent), age(r.AsOf),
	}
}

// missingError says in one line who has no rank.
func missingError(missing []error, asked int) error {
	if len(missing) == 0 {
		return nil
	}
	// One that cannot be read is worse than any that is not there, wherever it stands:
	// the exit code is its.
	worst := max(0, slices.IndexFunc(missing, func(err error) bool { return !errors.Is(err, store.ErrNotFound) }))
	if len(missing) == 1 {
		return missing[0]
	}
	return hintf(missing[worst], "and %s more of %s have no rank", humanize.Comma(int64(len(missing)-1)), counting(asked, "owner"))
}
