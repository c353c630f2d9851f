package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

const verifyDescription = `Holds the published curve against the board: picks owners at random, as many at each
depth, counts their ranks, and says how far the curve's estimates are off and how many
ranks lie in the band that it states.

It costs about one pass over the index, whatever the sample, and is refused beforehand
if that is over the budget. Ranks move while it counts: on a board that is posted to,
the posts of those seconds count as errors of the curve.

The exit code is 1 if fewer owners are in the band than promised, by more than chance
explains (one-sided binomial test at 1 %), or if one is further off than allowed.

Examples:

   rankcurve verify missions
   rankcurve verify missions --column xp --sample 5000 --max-error 1
   rankcurve verify missions --down-to 100000 --budget 2000`

// How much verify asks and spends if nothing is said. The budget is $0.025 on DynamoDB,
// and pays for a board of about twenty million entries.
const (
	defaultSample       = 1000
	mostSampled         = 100_000
	defaultVerifyBudget = 200_000
	errorsFromRank      = 1000 // above, one entry is a large part of a rank
)

func (p *program) verifyCommand() *cli.Command {
	return &cli.Command{
		Name:        "verify",
		Usage:       "count the ranks of some owners, and compare the curve",
		ArgsUsage:   "BOARD",
		Description: verifyDescription,
		Flags: []cli.Flag{
			columnFlag("verify the curve of"),
			&cli.IntFlag{Name: "sample", Value: defaultSample, Usage: "ask `N` owners"},
			&cli.Uint64Flag{Name: "seed", DefaultText: "another each time", Usage: "pick the owners by `SEED`, to pick the same again"},
			&cli.Float64Flag{Name: "budget", Value: defaultVerifyBudget, Usage: "read `UNITS` read units at most"},
			&cli.Int64Flag{Name: "down-to", DefaultText: "the last", Usage: "ask no owner below about `RANK`, which costs less"},
			&cli.Float64Flag{Name: "min-coverage", Value: 100 * jobs.StatedCoverage, Usage: "fail if fewer than `PERCENT` of the owners are in the band, by more than chance"},
			&cli.Float64Flag{Name: "max-error", DefaultText: "none", Usage: "fail if an owner at rank 1000 or below is off by more than `PERCENT` of its rank"},
			jsonFlag(),
		},
		Action: p.verify,
	}
}

func verifyArguments(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	coverage := c.Float64("min-coverage")
	switch {
	case c.Int("sample") < 1 || c.Int("sample") > mostSampled:
		return usagef("--sample %d is not in 1..%d", c.Int("sample"), mostSampled)
	case !(c.Float64("budget") > 0):
		return usagef("--budget must be more than 0 read units")
	case c.IsSet("down-to") && c.Int64("down-to") < 1:
		return usagef("--down-to %d is below 1, the best rank", c.Int64("down-to"))
	case !(coverage >= 0 && coverage <= 100):
		return usagef("--min-coverage %v is not a percentage in 0..100", coverage)
	case c.IsSet("max-error") && !(c.Float64("max-error") > 0):
		return usagef("--max-error %v is not more than 0 %%", c.Float64("max-error"))
	}
	return nil
}

func (p *program) verify(c *cli.Context) error {
	if err := verifyArguments(c); err != nil {
		return err
	}
	patiently := func(cfg config.Config) access {
		return access{patient: true, pace: refreshOptions(cfg, c.Args().First()).Pace}
	}
	return p.withStoreFor(c, patiently, func(cfg config.Config, st store.Store) error {
		b, column, err := openColumn(c, cfg, st)
		if err != nil {
			return err
		}
		curve, err := b.Curve(c.Context, column.Name)
		if err != nil {
			return err
		}
		bar := p.progress("counting "+column.Name, -1, false)
		found, err := jobs.Verifier{Store: st, Pace: refreshOptions(cfg, b.Definition().Name).Pace}.Verify(c.Context, b.Definition(), curve, jobs.VerifyOptions{
			Sample: c.Int("sample"), Seed: seedOf(c), ReadBudget: c.Float64("budget"), DownTo: c.Int64("down-to"), Progress: bar.setOf,
		})
		bar.end()
		if err != nil {
			return verifyError(b, column, cfg.Prices, err)
		}
		warnLeftOut(c, found.Board, found.Column, found.Usage)
		return judge(c, found, cfg.Prices)
	})
}

// seedOf is the seed that is asked for, or any. It is printed, so that a finding can be
// looked at again.
func seedOf(c *cli.Context) uint64 {
	if c.IsSet("seed") {
		return c.Uint64("seed")
	}
	return rand.Uint64N(1 << 32)
}

// verifyError says what to do about a verification that costs too much.
func verifyError(b *rankcurve.Board, column store.Column, prices config.Prices, err error) error {
	var over *jobs.OverBudgetError
	if !errors.As(err, &over) {
		return err
	}
	board, budget := b.Definition().Name+"."+column.Name, humanize.Commaf(over.Budget)
	if over.Spent {
		return advicef(err, "the budget of %s read units is spent, and %s is not counted to its end: the curve led to expect a smaller board; allow more with --budget, or look at the best alone with --down-to RANK", budget, board)
	}
	units, shallower := math.Ceil(over.Units), ""
	if over.DownTo > 0 {
		shallower = fmt.Sprintf(", or look at the best alone with --down-to %d", over.DownTo)
	}
	return advicef(err, "to verify %s takes about %s read units (%s on DynamoDB), the budget is %s and nothing was counted; allow more with --budget %.0f%s",
		board, rounded(units), dollars(prices.Reads(units)), budget, roundedUp(units), shallower)
}

// roundedUp is a number of read units that can be typed and leaves a tenth to spare.
func roundedUp(units float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(units))-1)
	return math.Ceil(1.1*units/unit) * unit
}
