package main

import (
	"errors"
	"slices"
	"strings"
	"time"

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
read budget, "auto" counts near the top and estimates below. What a rank is of, the
curve tells in each of them; on small boards it is counted.

Examples:

   rankcurve rank missions ann bob
   rankcurve rank missions ann --mode exact --read-budget 50000
   rankcurve rank missions --score 1200
   rankcurve rank missions --owners-file players.txt --json
   rankcurve rank missions ann --column xp --column time
   rankcurve rank missions ann --all-columns
   rankcurve rank missions --score 1200 --at 2026-11-20T18:00:00Z
   rankcurve rank missions ann --at 12h

With --at it is the rank of a time, by the newest curve of then or before that is kept.
Of owners it is the rank that their scores of now had then: what scores they had is not
kept. How long curves are kept is configured by refresh.history.

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
			modeFlag(), readBudgetFlag(),
			&cli.StringSliceFlag{Name: "column", Usage: "ask for the rank by `COLUMN` (default: the board's first), and by more with more flags"},
			&cli.BoolFlag{Name: "all-columns", DisableDefaultText: true, Usage: "ask for the rank by every column that the owner has a score in"},
			atFlag("ask for the rank"), periodFlag(), jsonFlag(),
		},
		Action: p.rank,
	}
}

// A rankQuestion is what one rank command asks.
type rankQuestion struct {
	c     *cli.Context
	kind  config.StoreKind
	board *rankcurve.Board
	by    []store.Column
	mode  rankcurve.Mode
	past  []*rankcurve.Past // of each column, with --at
	at    time.Time         // that they are of
}

func modeFlag() cli.Flag {
	return &cli.StringFlag{Name: "mode", Value: string(rankcurve.Auto), Usage: "`MODE`: auto, estimate or exact"}
}

func readBudgetFlag() cli.Flag {
	return &cli.Float64Flag{Name: "read-budget", Usage: "let exact counts read `UNITS` read units", Value: rankcurve.DefaultReadBudget}
}

// parseModeFlags reads what modeFlag and readBudgetFlag take.
func parseModeFlags(c *cli.Context) (rankcurve.Mode, error) {
	mode, err := rankcurve.ParseMode(c.String("mode"))
	if err != nil {
		return "", usagef("--mode %q is none of auto, estimate, exact", c.String("mode"))
	}
	if !(c.Float64("read-budget") > 0) {
		return "", usagef("--read-budget must be more than 0 read units")
	}
	return mode, nil
}

func (p *program) rank(c *cli.Context) error {
	mode, owners, err := p.rankArguments(c)
	if err != nil {
		return err
	}
	at, err := pastTime(c, "at")
	if err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, err := openBoard(c, cfg, st, rankcurve.WithReadBudget(c.Float64("read-budget")))
		if err != nil {
			return err
		}
		by, err := rankColumns(c, b.Definition())
		if err != nil {
			return err
		}
		q := rankQuestion{c: c, kind: cfg.Store.Kind, board: b, by: by, mode: mode}
		if at != nil {
			if err := q.lookBack(*at); err != nil {
				return err
			}
		}
		if c.IsSet("score") {
			return q.ofScore(c.String("score"))
		}
		return q.ofOwners(owners)
	})
}

// rankColumns are the columns to rank by, the first one if none is named.
func rankColumns(c *cli.Context, def store.Board) ([]store.Column, error) {
	names := c.StringSlice("column")
	if c.Bool("all-columns") {
		return def.Columns, nil
	}
	if len(names) == 0 {
		names = []string{""}
	}
	by := make([]store.Column, 0, len(names))
	for _, name := range names {
		column, err := def.Column(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(by, column) {
			return nil, usagef("--column names %s twice; name each column once", column.Name)
		}
		by = append(by, column)
	}
	return by, nil
}

// rankArguments checks the command line and collects the owners.
func (p *program) rankArguments(c *cli.Context) (rankcurve.Mode, []string, error) {
	if err := arguments(c, 1, -1); err != nil {
		return "", nil, err
	}
	mode, err := parseModeFlags(c)
	if err != nil {
		return "", nil, err
	}
	owners := c.Args().Tail()
	if err := validOwners(owners); err != nil {
		return "", nil, err
	}
	if err := rankContradictions(c, owners); err != nil || !c.IsSet("owners-file") {
		return mode, owners, err
	}
	listed, err := p.readOwners(c.Context, c.String("owners-file"))
	if err != nil {
		return "", nil, err
	}
	return mode, append(slices.Clone(owners), listed...), nil
}

// validOwners refuses names on the command line that no owner can have.
func validOwners(owners []string) error {
	for _, owner := range owners {
		if err := store.ValidateOwner(owner); err != nil {
			return usagef("%s", bare(err))
		}
	}
	return nil
}

// rankContradictions says what does not go together, or is missing.
func rankContradictions(c *cli.Context, owners []string) error {
	score, file, all := c.IsSet("score"), c.IsSet("owners-file"), c.Bool("all-columns")
	switch {
	case all && c.IsSet("column"):
		return usagef("--all-columns asks for every column; leave it or --column out")
	case score && (file || len(owners) > 0):
		return usagef("--score asks for a score, not for owners; leave one of them out")
	case score && (all || len(c.StringSlice("column")) > 1):
		return usagef("--score is a score of one column; name one with --column")
	case c.IsSet("at") && c.String("mode") == string(rankcurve.Exact):
		return usagef("--mode exact counts the board of now; leave it or --at out")
	case !score && !file && len(owners) == 0:
		return usagef("rank needs to know of whom; name owners, or use --score or --owners-file")
	}
	return nil
}

func (q rankQuestion) ofScore(text string) error {
	column := q.by[0]
	score, err := store.ParseScore(text, column.Decimals)
	if err != nil {
		return wrongScore("--score", text, column, err)
	}
	var rank rankcurve.Rank
	if q.past != nil {
		rank, err = q.past[0].RankOfScore(score)
	} else {
		rank, _, err = q.board.RankOfScore(q.c.Context, column.Name, q.mode, score)
	}
	if err != nil {
		return q.advise(err)
	}
	if q.c.Bool("json") {
		return printJSON(q.c.App.Writer, q.row(rank))
	}
	t := q.table()
	t.row(rankCells(q.c, rank)...)
	defer q.explain()
	return t.print()
}

// row is a rank in JSON.
func (q rankQuestion) row(r rankcurve.Rank) any {
	if q.past == nil {
		return rankRowOf(r)
	}
	return struct {
		rankRow
		rankAt
	}{rankRowOf(r), q.rankedAt()}
}

func (q rankQuestion) advise(err error) error {
	if errors.Is(err, store.ErrTooExpensive) {
		for _, column := range q.by {
			err = overBudget(q.c, q.board, column, err)
		}
	}
	return err
}

// overBudget says what to do about an exact rank that costs too much. An estimate is
// no way out where there is no curve to read it from.
func overBudget(c *cli.Context, b *rankcurve.Board, column store.Column, err error) error {
	if !errors.Is(err, store.ErrTooExpensive) || isAdvice(err) {
		return err
	}
	name, budget := b.Definition().Name, c.Float64("read-budget")
	_, none := b.Curve(c.Context, column.Name)
	if errors.Is(none, rankcurve.ErrNoCurve) || errors.Is(none, rankcurve.ErrBadCurve) {
		return advicef(err, "counting on board %q is over the read budget of %v units, and %s has no usable curve to estimate from; make one: `%s`, or allow more with --read-budget", name, budget, column.Name, next(c, "rebuild", name))
	}
	return advicef(err, "counting on board %q is over the read budget of %v units; use --mode estimate, or allow more with --read-budget", name, budget)
}

// ofOwners answers for all owners, those that are missing included, and fails in
// the end if there were any.
func (q rankQuestion) ofOwners(owners []string) error {
	t, missing := q.table(), []error{}
	var left store.Usage // of the batch that met most rows which cannot be ranked: each may meet the same
	defer func() { q.warnLeftOut(left) }()
	for some := range slices.Chunk(owners, rankBatch) {
		answers, usage, err := q.ask(some)
		if usage.Skipped > left.Skipped {
			left = usage
		}
		if err != nil {
			return q.advise(err)
		}
		for i, ofOne := range answers {
			told, why := q.told(ofOne)
			for _, err := range why {
				missing = append(missing, q.advise(err))
			}
			for _, a := range told {
				if err := q.answer(t, some[i], a); err != nil {
					return err
				}
			}
		}
	}
	if !q.c.Bool("json") && len(t.rows) > 1 {
		if err := t.print(); err != nil {
			return err
		}
		q.explain()
	}
	return missingError(missing, len(owners))
}

func (q rankQuestion) warnLeftOut(u store.Usage) {
	column := ""
	if len(q.by) == 1 {
		column = q.by[0].Name
	}
	warnLeftOut(q.c, q.board.Definition().Name, column, u)
}

// told are the answers of one owner that are shown, and why some have no rank, in as
// many words as differ. Where every column is asked for, those without a score count
// only if there is no other.
func (q rankQuestion) told(answers []rankcurve.Answer) (told []rankcurve.Answer, why []error) {
	if q.c.Bool("all-columns") {
		without := func(a rankcurve.Answer) bool { return errors.Is(a.Err, store.ErrNotFound) }
		if with := slices.DeleteFunc(slices.Clone(answers), without); len(with) > 0 {
			answers = with
		} else {
			answers = answers[:1]
		}
	}
	for _, a := range answers {
		same := func(err error) bool { return err.Error() == a.Err.Error() }
		if a.Err != nil && !slices.ContainsFunc(why, same) {
			why = append(why, a.Err)
		}
	}
	return answers, why
}

// ask answers for a batch.
func (q rankQuestion) ask(owners []string) ([][]rankcurve.Answer, store.Usage, error) {
	ask := q.askNow
	if q.past != nil {
		ask = q.askThen
	}
	answers, usage, err := ask(owners)
	for _, ofOne := range answers {
		for i := range ofOne {
			ofOne[i].Err = damagedRow(q.kind, ofOne[i].Err)
		}
	}
	return answers, usage, err
}

func (q rankQuestion) askNow(owners []string) ([][]rankcurve.Answer, store.Usage, error) {
	names := make([]string, len(q.by))
	for i, column := range q.by {
		names[i] = column.Name
	}
	return q.board.Ranks(q.c.Context, names, q.mode, owners...)
}

// damagedRow says what helps with a row that cannot be read back, and leaves other errors
// as they are. DynamoDB's store does so itself, for there the item can be mended by hand.
func damagedRow(kind config.StoreKind, err error) error {
	if kind == config.KindDynamoDB || !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	return hintf(err, "no load or post can replace the row, for both keep what else it holds: put back a copy of the database, or load the scores into a new board")
}

func (q rankQuestion) answer(t *table, owner string, a rankcurve.Answer) error {
	switch {
	case a.Err == nil && q.c.Bool("json"):
		return printJSON(q.c.App.Writer, q.row(a.Rank))
	case a.Err == nil && len(q.by) > 1:
		t.row(slices.Insert(rankCells(q.c, a.Rank), 1, a.Column)...)
	case a.Err == nil:
		t.row(rankCells(q.c, a.Rank)...)
	case q.c.Bool("json"):
		return printJSON(q.c.App.Writer, missingRow{Owner: owner, Board: q.board.Definition().Name, Column: a.Column, failure: failureOf(a.Err)})
	}
	return nil
}

func (q rankQuestion) table() *table {
	if len(q.by) > 1 {
		return newTable(q.c.App.Writer, "OWNER", "COLUMN", "SCORE", "RANK", "BAND", "OF", "TOP", "AS OF").texts(0, 1, 4, 7)
	}
	return newTable(q.c.App.Writer, "OWNER", strings.ToUpper(q.by[0].Name), "RANK", "BAND", "OF", "TOP", "AS OF").texts(0, 3, 6)
}

func rankCells(c *cli.Context, r rankcurve.Rank) []string {
	return []string{
		r.Owner, scoreText(r.Score, r.Decimals), humanize.Comma(r.Rank), bandText(r.Low, r.High, r.Exact),
		humanize.Comma(r.Of), percentText(r.Percent), age(c, r.AsOf),
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
