//go:build promises

// Half an hour of arithmetic, which no other test run should wait for: make simulate.

package simulation

import (
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/churn"
)

// What is promised of estimates under churn, at the scale that it is promised for: make
// simulate. What was measured is written into docs/estimation.md, be the promises kept
// or not.
func TestPromisesUnderChurn(t *testing.T) {
	var measured measurements
	t.Run("all", func(t *testing.T) {
		for _, m := range churn.Models() {
			for _, b := range churn.Boards() {
				t.Run(string(m)+"-"+string(b), func(t *testing.T) {
					t.Parallel()
					r := simulate(t, promised(m, b))
					measured.add(m, b, r)
					p := promise{T: t, Result: r, model: m, board: b}
					p.accuracy()
					p.ratios()
					p.bands()
				})
			}
		}
	})
	measured.write(t, "../../../../docs/estimation.md")
}

// promised is the run that a promise is about.
func promised(m churn.Model, b churn.Board) Options {
	return Options{
		Model: m, Board: b, Store: Memory, Entries: 1_000_000, Shards: 64, Walk: 4,
		Ticks: 64, Every: 5 * time.Minute, Seed: 1,
	}
}

// A promise holds a run against what is promised of its model.
type promise struct {
	*testing.T
	Result
	model churn.Model
	board churn.Board
}

func (p promise) accuracy() {
	if p.model != churn.Calm || p.board != churn.Lognormal {
		return
	}
	for _, b := range p.Bands {
		most := 1.0
		switch {
		case b.From >= 75_000:
			most = 0.001
		case b.From >= 10_000:
			most = 0.003
		}
		if b.Ours > most {
			p.Errorf("from rank %d: off by %.3f %% on average, promised %.1f %%", b.From, 100*b.Ours, 100*most)
		}
	}
}

func (p promise) ratios() {
	for _, b := range p.Bands {
		switch {
		case p.model == churn.Calm && b.From >= 75_000:
			if b.FullWalk < 8*b.Ours {
				p.Errorf("from rank %d: off by %.3f %%, and the full walk by %.1f times that, promised 8", b.From, 100*b.Ours, b.FullWalk/b.Ours)
			}
		case p.model != churn.Calm && b.From >= 30_000:
			least := 2.0
			if p.model == churn.Season {
				least = 1
			}
			if gain, ok := b.Gain(); ok && gain < least {
				p.Errorf("from rank %d: off by %.3f %%, and the better of full walk (%.3f %%) and fresh shards (%.3f %%) by %.2f times that, promised %.0f",
					b.From, 100*b.Ours, 100*b.FullWalk, 100*b.FreshShards, gain, least)
			}
		}
	}
}

func (p promise) bands() {
	overall, each, width := 0.95, 0.90, 1.0
	switch p.model {
	case churn.Season, churn.Bursts:
		overall, each = 0.90, 0
	case churn.Calm, churn.Growth, churn.Decay:
		width = 0.01
	}
	for _, b := range append(p.Bands, p.All) {
		least := each
		if b == p.All {
			least = overall
		}
		if b.Inside < least || b.InsideAged < least {
			p.Errorf("from rank %d: %.1f %% inside the band, %.1f %% a tick later, promised %.0f %%", b.From, 100*b.Inside, 100*b.InsideAged, 100*least)
		}
	}
	if p.Deep.Width > width {
		p.Errorf("from rank 10,000: the band is %.2f %% of the rank wide in the median, promised %.0f %%", 100*p.Deep.Width, 100*width)
	}
}
