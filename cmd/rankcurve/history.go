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

const historyDescription = `Prints how the rank of a score moved: a line for each curve that was kept, the oldest
first, with its time. How long curves are kept, and how many of them, is configured by
refresh.history.

Of an owner it is the rank that the score of now had at each time: what scores owners
had is not kept.

Examples:

   rankcurve history missions --score 1200
   rankcurve history missions ann --since 12h
   rankcurve history missions ann --since 2026-11-20 --column time --json

The exit code is 3 if the owner is not on the board, or no curve is kept since then.`

func (p *program) historyCommand() *cli.Command {
	return &cli.Command{
		Name:        "history",
		Usage:       "print how the rank of a score moved",
		ArgsUsage:   "BOARD OWNER | BOARD --score S",
		Description: historyDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "score", Usage: "look at the rank of `SCORE`"},
			&cli.StringFlag{Name: "since", DefaultText: "as far as curves are kept", Usage: "begin at `TIME`: RFC 3339, a date, or 1h30m for so long ago"},
			columnFlag("look at the ranks by"), periodFlag(), jsonFlag(),
		},
		Action: p.history,
	}
}

func (p *program) history(c *cli.Context) error {
	since, err := historyArguments(c)
	if err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, column, err := openColumn(c, cfg, st)
		if err != nil {
			return err
		}
		score, err := historyScore(c, b, column)
		if err != nil {
			return err
		}
		answers, _, err := b.History(c.Context, column.Name, score, since, time.Time{})
		if err != nil {
			return err
		}
		if len(answers) == 0 {
			return noHistory(c, b, column, since)
		}
		return printHistory(c, column, score, answers)
	})
}

// historyArguments checks the command line; the zero time is as far back as there is.
func historyArguments(c *cli.Context) (since time.Time, err error) {
	if err := arguments(c, 1, 2); err != nil {
		return since, err
	}
	switch named := c.NArg() == 2; {
	case named && c.IsSet("score"):
		return since, usagef("--score asks for a score, not for an owner; leave one of them out")
	case !named && !c.IsSet("score"):
		return since, usagef("history needs to know of whom; name an owner, or use --score")
	}
	if err := validOwners(c.Args().Tail()); err != nil {
		return since, err
	}
	from, err := pastTime(c, "since")
	if from != nil {
		since = *from
	}
	return since, err
}

// historyScore is the one that is looked at, an owner's of now.
func historyScore(c *cli.Context, b *rankcurve.Board, column store.Column) (int64, error) {
	if c.IsSet("score") {
		score, err := store.ParseScore(c.String("score"), column.Decimals)
		if err != nil {
			return 0, wrongScore("--score", c.String("score"), column, err)
		}
		return score, nil
	}
	owner := c.Args().Get(1)
	results, _, err := b.Owners(c.Context, rankcurve.RankIn{}, owner)
	if err != nil {
		return 0, err
	}
	if results[0].Err != nil {
		return 0, results[0].Err
	}
	score, there := results[0].Scores[column.Name]
	if !there {
		return 0, fmt.Errorf("owner %q has no %s on board %q: %w", owner, column.Name, b.Definition().Name, store.ErrNotFound)
	}
	return score, nil
}

// noHistory says why there is nothing to tell: not since then, or not at all.
func noHistory(c *cli.Context, b *rankcurve.Board, column store.Column, since time.Time) error {
	key, when := b.Definition().CurveKey(column.Name), ""
	if !since.IsZero() {
		when = " since " + moment(since)
	}
	curve, err := b.Curve(c.Context, column.Name)
	published := "and none is published"
	switch {
	case err == nil:
		published = "and the published one is as of " + moment(curve.Meta().AsOf)
	case errors.Is(err, rankcurve.ErrBadCurve):
		published = "and the published one is damaged"
	case !errors.Is(err, rankcurve.ErrNoCurve):
		return err
	}
	return advicef(rankcurve.ErrNoCurve, "no curve of %s is kept%s, %s; make one: `%s`", key, when, published, next(c, "rebuild", key.Board))
}

// A historyRow is a rank by one kept curve, in JSON.
type historyRow struct {
	rankRow
	ScoreOf string `json:"score_of,omitempty"`
}

// A damagedCurveRow stands for a kept curve that cannot be used.
type damagedCurveRow struct {
	Board      string `json:"board"`
	Column     string `json:"column"`
	AsOf       string `json:"as_of"`
	Generation int64  `json:"generation"`
	failure
}

// printHistory prints the answers, and fails in the end if a curve is damaged.
func printHistory(c *cli.Context, column store.Column, score int64, answers []rankcurve.Answer) error {
	t := newTable(c.App.Writer, "AS OF", "RANK", "BAND", "OF", "TOP").texts(0, 2)
	var damaged []error
	for _, a := range answers {
		a.Owner = c.Args().Get(1)
		if a.Err != nil {
			damaged = append(damaged, a.Err)
		}
		if !c.Bool("json") {
			t.row(historyCells(a)...)
			continue
		}
		if err := printHistoryJSON(c, a); err != nil {
			return err
		}
	}
	if !c.Bool("json") {
		if err := t.print(); err != nil {
			return err
		}
		of := fmt.Sprintf("of score %s", scoreText(score, column.Decimals))
		if owner := c.Args().Get(1); owner != "" {
			of += ", which " + owner + " has now: what scores owners had is not kept"
		}
		fmt.Fprintln(c.App.Writer, of)
	}
	return errors.Join(damaged...)
}

func printHistoryJSON(c *cli.Context, a rankcurve.Answer) error {
	if a.Err != nil {
		return printJSON(c.App.Writer, damagedCurveRow{a.Board, a.Column, timestamp(a.AsOf), a.Generation, failureOf(a.Err)})
	}
	row := historyRow{rankRow: rankRowOf(a.Rank)}
	if a.Owner != "" {
		row.ScoreOf = scoresOfNow
	}
	return printJSON(c.App.Writer, row)
}

func historyCells(a rankcurve.Answer) []string {
	if a.Err != nil {
		return []string{moment(a.AsOf), "", "damaged", "", ""}
	}
	return []string{moment(a.AsOf), humanize.Comma(a.Rank.Rank), bandText(a.Low, a.High, a.Exact), humanize.Comma(a.Of), percentText(a.Percent)}
}
