package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/sampler/plan"
	"github.com/rankcurve/rankcurve/store"
)

// A liveBoard is what a plan takes from a board that is there.
type liveBoard struct {
	board      store.Board
	column     store.Column
	options    jobs.Options
	entries    int64
	entryBytes float64
	probe      store.Usage // what it took to find out
	lastUnits  float64     // read units of the last refresh; 0: there was none
	passed     func(better, gain float64) float64
}

// lookAt counts one shard, and reads the last walk's state and the curve if there are any.
func (p *program) lookAt(c *cli.Context, cfg config.Config, st store.Store) (*liveBoard, error) {
	b, err := openBoard(c, cfg, st)
	if err != nil {
		return nil, err
	}
	l := &liveBoard{board: b.Definition(), options: refreshOptions(cfg, b.Definition().Name), entryBytes: plan.DefaultEntryBytes}
	if l.column, err = l.board.Column(c.String("column")); err != nil {
		return nil, err
	}
	counted := l.options
	counted.ReadBudget, counted.Shards = 0, 0 // it is asked for what is there, not what is allowed
	found, err := jobs.Refresher{Store: st, Holder: holder(), Log: p.log()}.Plan(c.Context, l.board, l.column.Name, counted)
	if err != nil {
		return nil, err
	}
	if found.Entries == 0 && !c.IsSet("entries") {
		return nil, usagef("the shard of %s.%s that was counted has no entries, which says nothing of the board; say how many it will have with --entries", l.board.Name, l.column.Name)
	}
	l.entries, l.probe = found.Entries, found.Probe
	if rows := float64(found.Entries) / float64(l.board.Shards); rows > 0 {
		// A page's last block is half full on average.
		l.entryBytes = max(20, (found.Probe.ReadUnits()*2-0.5*float64(found.Probe.Requests))*4096/rows)
	}
	return l, errors.Join(l.readState(c, st), l.readCurve(c, b))
}

// readState reads what the last refresh took. One that cannot be read any more is as
// good as none: the next refresh starts cold.
func (l *liveBoard) readState(c *cli.Context, st store.Store) error {
	data, _, err := st.State(c.Context, l.board.CurveKey(l.column.Name))
	if err == nil {
		if state, damaged := sampler.DecodeState(data); damaged == nil {
			l.lastUnits = state.Units
		}
		return nil
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrCorrupt) {
		return nil
	}
	return err
}

// readCurve takes the density of the board from its curve, if there is one.
func (l *liveBoard) readCurve(c *cli.Context, b *rankcurve.Board) error {
	curve, err := b.Curve(c.Context, l.column.Name)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, rankcurve.ErrNoCurve) {
		return nil
	}
	if err != nil {
		return err
	}
	if curve.Total() > 0 && l.column.Score(curve.KeyAt(max(1, curve.Total()/2), 0)) > 0 {
		l.passed = passedOn(curve, l.column)
	}
	return nil
}

// passedOn is the part of the entries that a gain would take past a place, by the curve.
func passedOn(curve *predictor.Curve, column store.Column) func(better, gain float64) float64 {
	total := float64(curve.Total())
	return func(better, gain float64) float64 {
		key := curve.KeyAt(max(1, int64(better*total)), 0)
		from := float64(column.Score(key)) / (1 + gain)
		if column.Order == store.Asc {
			from = float64(column.Score(key)) * (1 + gain)
		}
		return max(0, curve.Better(column.Key(int64(math.Round(from))))-curve.Better(key)) / total
	}
}

// describe adds to a plan what it took from the board.
func (l *liveBoard) describe(row *boardPlan) {
	if l == nil {
		return
	}
	row.Board, row.Column = l.board.Name, l.column.Name
	row.Probe = &planProbe{ReadUnits: l.probe.ReadUnits(), Requests: l.probe.Requests, LastRefreshUnits: l.lastUnits, Shards: l.board.Shards, DensityFromCurve: l.passed != nil, Estimated: row.Entries == l.entries && l.board.Shards > 1}
}

func (p *planProbe) text() string {
	last := "it was never refreshed"
	if p.LastRefreshUnits > 0 {
		last = "its last refresh took " + rounded(p.LastRefreshUnits) + " read units"
	}
	density := "no curve to tell the density: taken as lognormal"
	if p.DensityFromCurve {
		density = "the density is its curve's"
	}
	return fmt.Sprintf("of %s: counted one for %s read units in %s; %s; %s",
		counting(p.Shards, "shard"), humanize.CommafWithDigits(p.ReadUnits, 1), counting(p.Requests, "request"), last, density)
}
