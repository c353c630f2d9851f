package main

import (
	"errors"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const scoreDescription = `Reads the curve backwards: the score that it takes to be at a rank, or among the
best so many percent. ASKED is that rank, RANK the one that the score has: equal
scores share the best of theirs.

Examples:

   rankcurve score missions --rank 1000
   rankcurve score missions --percent 5 --column time
   rankcurve score missions --rank 1000 --at 2026-11-20T18:00:00Z

With --at it is the score that the rank took at a time, by the newest curve of then or
before that is kept. How long curves are kept is configured by refresh.history.`

func (p *program) scoreCommand() *cli.Command {
	return &cli.Command{
		Name:        "score",
		Usage:       "print the score that a rank takes",
		ArgsUsage:   "BOARD --rank R | BOARD --percent P",
		Description: scoreDescription,
		Flags: []cli.Flag{
			&cli.Int64Flag{Name: "rank", DefaultText: "none", Usage: "ask for the score at `RANK`, 1 being the best"},
			&cli.Float64Flag{Name: "percent", DefaultText: "none", Usage: "ask for the score of the best `PERCENT`, such as 0.1 or 25"},
			columnFlag("ask for the score in"), atFlag("ask for the score"), periodFlag(), jsonFlag(),
		},
		Action: p.score,
	}
}

// A scoreRow is a score by rank in JSON: rank is the one asked for, score_rank the
// one that this score has, low and high its band. It is never exact, for a curve counts
// nothing.
type scoreRow struct {
	Board      string  `json:"board"`
	Column     string  `json:"column"`
	Score      string  `json:"score"`
	Rank       int64   `json:"rank"`
	ScoreRank  int64   `json:"score_rank"`
	Low        int64   `json:"low"`
	High       int64   `json:"high"`
	Of         int64   `json:"of"`
	Percent    float64 `json:"percent"`
	Exact      bool    `json:"exact"`
	AsOf       string  `json:"as_of"`
	Generation int64   `json:"generation"`
	At         string  `json:"at,omitempty"` // the time that was asked for, with --at
}

func (p *program) score(c *cli.Context) error {
	if err := scoreArguments(c); err != nil {
		return err
	}
	at, err := pastTime(c, "at")
	if err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, err := openBoard(c, cfg, st)
		if err != nil {
			return err
		}
		s, err := askScore(c, b, at)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			row := scoreRow{
				Board: s.Board, Column: s.Column, Score: store.FormatScore(s.Score, s.Decimals),
				Rank: s.Rank, ScoreRank: s.ScoreRank, Low: s.Low, High: s.High, Of: s.Of, Percent: s.Percent,
				AsOf: timestamp(s.AsOf), Generation: s.Generation,
			}
			if at != nil {
				row.At = timestamp(*at)
			}
			return printJSON(c.App.Writer, row)
		}
		t := newTable(c.App.Writer, "ASKED", strings.ToUpper(s.Column), "RANK", "BAND", "OF", "TOP", "AS OF").texts(3, 6)
		t.row(humanize.Comma(s.Rank), scoreText(s.Score, s.Decimals), humanize.Comma(s.ScoreRank), bandText(s.Low, s.High, false), humanize.Comma(s.Of), percentText(s.Percent), age(c, s.AsOf))
		return t.print()
	})
}

func scoreArguments(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	rank, percent := c.IsSet("rank"), c.IsSet("percent")
	switch {
	case rank == percent:
		return usagef("score takes one of --rank and --percent; `%s --help` has examples", c.Command.HelpName)
	case rank && c.Int64("rank") < 1:
		return usagef("--rank %d is below 1, the best rank", c.Int64("rank"))
	case percent && !(c.Float64("percent") > 0 && c.Float64("percent") <= 100):
		return usagef("--percent %v is not above 0 and up to 100", c.Float64("percent"))
	}
	return nil
}

func askScore(c *cli.Context, b *rankcurve.Board, at *time.Time) (s rankcurve.ScoreAt, err error) {
	column, rank, percent := c.String("column"), c.Int64("rank"), c.Float64("percent")
	switch {
	case at != nil:
		var past *rankcurve.Past
		if past, _, err = b.At(c.Context, column, *at); err != nil {
			return s, pastError(err)
		}
		if c.IsSet("percent") {
			s, err = past.ScoreAtPercent(percent)
		} else {
			s, err = past.ScoreAtRank(rank)
		}
	case c.IsSet("percent"):
		s, err = b.ScoreAtPercent(c.Context, column, percent)
	default:
		s, err = b.ScoreAtRank(c.Context, column, rank)
	}
	if errors.Is(err, store.ErrInvalid) {
		return s, usagef("%s", bare(err))
	}
	return s, err
}

// entriesText is a number of entries.
func entriesText(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return humanize.Comma(n) + " entries"
}
