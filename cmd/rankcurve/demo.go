package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

const demoDescription = `Makes a board of synthetic players in a temporary database, makes its curve, asks it
for ranks and counts the true ones beside them, and says what both would cost on
DynamoDB. The players are the same in every run.

Examples:

   rankcurve demo
   rankcurve demo --entries 5000000
   rankcurve demo --db demo.db       keep the board there, in a new file`

// The demo's board.
const (
	demoBoard   = "demo"
	demoColumn  = "xp"
	demoEntries = 1_000_000
	demoLeast   = 1_000
	demoMost    = 20_000_000
)

func (p *program) demoCommand() *cli.Command {
	return &cli.Command{
		Name:        "demo",
		Usage:       "see it work on a million synthetic players",
		Description: demoDescription,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "entries", Value: demoEntries, Usage: "make `N` players"},
			&cli.BoolFlag{Name: "keep", DisableDefaultText: true, Usage: "keep the temporary database, and say where it is"},
		},
		Action: p.demo,
	}
}

// A demo is one demo under way.
type demo struct {
	c       *cli.Context
	program *program
	config  config.Config
	path    string // of the database
	kept    bool
	store   store.Store
	board   *rankcurve.Board
	players players
}

func (p *program) demo(c *cli.Context) (err error) {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	if c.IsSet("db") && c.Bool("keep") {
		return usagef("--keep keeps the temporary database, and the one of --db stays anyway; leave --keep out")
	}
	n := c.Int("entries")
	if n < demoLeast || n > demoMost {
		return usagef("--entries %d is not in %d..%d", n, demoLeast, demoMost)
	}
	cfg, err := p.config(c)
	if err != nil {
		return err
	}
	d := &demo{c: c, program: p, config: cfg, path: cfg.Store.Bolt.Path, kept: c.IsSet("db") || c.Bool("keep")}
	var opts []bolt.Option
	if !c.IsSet("db") {
		folder, failure := os.MkdirTemp("", "rankcurve-demo-*")
		if failure != nil {
			return fmt.Errorf("make a temporary folder: %w", failure)
		}
		d.path = filepath.Join(folder, "demo.db")
		opts = append(opts, bolt.NoSync()) // after a power cut nobody asks for it
		defer func() {
			if !d.kept || err != nil {
				err = errors.Join(err, os.RemoveAll(folder))
			}
		}()
	}
	d.config.Store.Kind, d.config.Store.Bolt.Path, d.config.Cache.Kind = config.KindBolt, d.path, config.CacheNone // whatever is configured
	if d.store, err = openStore(c.Context, d.config, access{bolt: opts}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.store.Close()) }()
	if err := d.refuseOther(); err != nil {
		return err
	}
	return d.stopped(d.run(n))
}

// stopped says what a demo that was stopped has left.
func (d *demo) stopped(err error) error {
	switch {
	case !errors.Is(err, context.Canceled) || isAdvice(err):
		return err
	case d.c.IsSet("db"):
		return advicef(err, "stopped; %s keeps what was made so far: delete it, or name another file with --db, and run again", d.path)
	}
	return advicef(err, "stopped; the temporary database is deleted: run the same command again")
}

// refuseOther keeps the demo from a board that is there: it would reset the scores
// of the players it makes, and count those it does not know.
func (d *demo) refuseOther() error {
	_, err := d.store.Board(d.c.Context, demoBoard)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s has a board %q already, and nothing in it was changed; name a file that is not there yet with --db, or ask the board that is: `%s`", d.path, demoBoard, next(d.c, "top", demoBoard))
}

// run goes through the demo's scenes.
func (d *demo) run(n int) error {
	d.players = newPlayers(n)
	d.title("rankcurve demo: " + counting(n, "player") + " on one board")
	if err := errors.Join(d.program.flush(), d.load(), d.program.flush()); err != nil {
		return err
	}
	report, err := d.refresh()
	if err != nil {
		return err
	}
	if err := d.program.flush(); err != nil {
		return err
	}
	for _, scene := range []func() error{d.showTop, d.showRanks, func() error { return d.showCosts(report) }} {
		if err := errors.Join(scene(), d.program.flush()); err != nil {
			return err
		}
	}
	d.showNext()
	return nil
}

// load stores the players, batch by batch.
func (d *demo) load() error {
	ctx := d.c.Context
	board, err := rankcurve.New(ctx, d.store, store.Board{
		Name: demoBoard, Shards: config.DefaultShards,
		Columns: []store.Column{{Name: demoColumn, Order: store.Desc, Operator: store.Sum}},
	}, rankcurve.WithReadBudget(1e12))
	if err != nil {
		return err
	}
	d.board = board
	began, total := time.Now(), len(d.players.scores)
	bar := d.program.progress("loading", int64(total), true)
	defer bar.end()
	for from := 0; from < total; from += loadBatch {
		if err := ctx.Err(); err != nil {
			return d.stopped(err)
		}
		to := min(from+loadBatch, total)
		if _, err := d.store.Load(context.WithoutCancel(ctx), board.Definition(), d.players.entries(from, to)); err != nil {
			return err
		}
		bar.set(int64(to))
	}
	bar.end()
	where := "into a temporary database"
	if d.kept {
		where = "into " + d.path
	}
	d.step("load", "%s in %s, %s", counting(total, "player"), seconds(time.Since(began)), where)
	d.step("", "30 %% are newcomers who all have exactly %s xp", scoreText(newcomerScore, 0))
	return nil
}

func (d *demo) refresh() (jobs.Report, error) {
	bar := d.program.progress("rebuilding", -1, false)
	defer bar.end()
	options := refreshOptions(d.config, demoBoard)
	options.Progress, options.ReadBudget = bar.setOf, 0
	r := jobs.Refresher{Store: d.store, Holder: holder(), Log: d.program.log()}
	report, err := r.Refresh(d.c.Context, d.board.Definition(), demoColumn, options)
	if err != nil {
		return report, rebuildError(demoBoard, demoColumn, err)
	}
	curve, err := d.board.Curve(d.c.Context, demoColumn)
	if err != nil {
		return report, err
	}
	bar.end()
	d.step("rebuild", "a curve of %s in %s", entriesText(report.Entries), seconds(report.Duration))
	d.step("", "%s: %s to publish, %s in an app server's memory, at any board size", counting(report.Knots, "knot"), sizeText(report.Bytes), sizeText(curve.MemoryBytes()))
	units := report.Usage.ReadUnits()
	d.step("", "on DynamoDB: %s read units, %s", rounded(units), dollars(d.config.Prices.Reads(units)))
	return report, nil
}
