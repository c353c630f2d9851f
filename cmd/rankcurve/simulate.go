package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/churn"
	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/simulation"
)

const simulateDescription = `Lets a made-up board churn, tick by tick, refreshes its curve at each tick from a few of
the shards, and measures how far four ways to answer ranks are from the truth at the
same read units: a rarer walk of the whole board, the fresh shards scaled up, the last
counts of all shards carried on, and the curve. Nothing is left behind, and the same
flags give the same figures.

Models, for each tick:

   a   0.5 % of the owners gain up to half of their score
   b   5 % of them do
   c   a season's start: all begin at 0, and 5 % of the owners earn a tenth of a draw
   d   growth: 1 % newcomers with a tenth of a draw, and what model a does
   e   bursts: every 24th tick 10 % of the owners gain up to half of their score
   f   decay: all scores fall by 1 %

Boards: lognormal, elo (a bell of whole points, with ties) and atom (lognormal, but 30 %
share one score). A part of a score is, on the elo board, one of its spread of 300 points.

Stores: memory counts in sorted scores and is the fastest; bolt writes every change to a
temporary embedded database and gives the same figures; synthetic computes boards of up
to two billion entries. That one drifts evenly: it knows the models a, b, d and f,
and in place of owners who gain all scores grow and as many owners draw theirs anew.

Examples:

   rankcurve simulate
   rankcurve simulate --model e --board elo --ticks 100
   rankcurve simulate --model c --entries 200000 --shards 32 --walk 2 --json
   rankcurve simulate --store synthetic --entries 100000000 --shards 256 --walk 8`

func (p *program) simulateCommand() *cli.Command {
	return &cli.Command{
		Name:        "simulate",
		Usage:       "measure estimates while a made-up board churns for days",
		Description: simulateDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "model", Value: string(churn.Calm), Usage: "churn by model `LETTER`: a, b, c, d, e or f"},
			&cli.StringFlag{Name: "board", Value: string(churn.Lognormal), Usage: "draw scores from `BOARD`: lognormal, elo or atom"},
			&cli.IntFlag{Name: "entries", Value: 1_000_000, Usage: "begin with `N` entries"},
			&cli.IntFlag{Name: "shards", Value: 64, Usage: "spread them over `K` shards"},
			&cli.IntFlag{Name: "walk", Value: 4, Usage: "walk `M` shards at each tick"},
			&cli.IntFlag{Name: "ticks", Value: 60, Usage: "go on for `T` ticks"},
			&cli.DurationFlag{Name: "every", Value: 5 * time.Minute, Usage: "let `TIME` pass from tick to tick"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "draw from seed `S`"},
			&cli.StringFlag{Name: "store", Value: string(simulation.Memory), Usage: "keep the board in `KIND`: memory, bolt or synthetic"},
			jsonFlag(),
		},
		Action: p.simulate,
	}
}

func (p *program) simulate(c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	for _, f := range clientFlags {
		if p.asked.IsSet(f.name) {
			return usagef("simulate makes a board of its own and asks no other; leave --%s out, or put --store behind the command to say where that board is kept", f.name)
		}
	}
	o, err := simulationOptions(c)
	if err != nil {
		return err
	}
	bar := p.progressOf("ticks", "simulating", int64(o.Ticks), false)
	defer bar.end()
	o.Progress = func(ticks int) { bar.set(int64(ticks)) }
	began := time.Now()
	result, err := simulation.Run(c.Context, o)
	switch {
	case errors.Is(err, context.Canceled):
		return advicef(err, "stopped before it was done; nothing is left behind: run the same command again")
	case err != nil:
		return err
	}
	bar.end()
	if c.Bool("json") {
		return printSimulationJSON(c.App.Writer, o, result)
	}
	return printSimulation(c.App.Writer, o, result, time.Since(began))
}

// simulationOptions reads the flags.
func simulationOptions(c *cli.Context) (simulation.Options, error) {
	o := simulation.Options{
		Store: simulation.Kind(c.String("store")), Entries: c.Int("entries"), Shards: c.Int("shards"),
		Walk: c.Int("walk"), Ticks: c.Int("ticks"), Every: c.Duration("every"), Seed: c.Uint64("seed"),
	}
	var faults [3]error
	if o.Model, faults[0] = churn.ParseModel(c.String("model")); faults[0] != nil {
		faults[0] = fmt.Errorf("--model: %w", faults[0])
	}
	if o.Board, faults[1] = churn.ParseBoard(c.String("board")); faults[1] != nil {
		faults[1] = fmt.Errorf("--board: %w", faults[1])
	}
	if faults[0] == nil {
		faults[2] = o.Validate()
	}
	if err := errors.Join(faults[:]...); err != nil {
		return o, usagef("%v", err)
	}
	return o, nil
}
