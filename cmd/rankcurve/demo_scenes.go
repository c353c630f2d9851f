package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

func (d *demo) title(text string) {
	fmt.Fprintf(d.c.App.Writer, "%s\n%s\n\n", text, strings.Repeat("=", len(text)))
}

// step prints a line of what was done; an empty name continues the one above.
func (d *demo) step(name, format string, args ...any) {
	fmt.Fprintf(d.c.App.Writer, "%-9s %s\n", name, fmt.Sprintf(format, args...))
}

func (d *demo) scene(format string, args ...any) {
	fmt.Fprintf(d.c.App.Writer, "\n%s\n\n", fmt.Sprintf(format, args...))
}

func (d *demo) showTop() error {
	top, err := d.board.Top(d.c.Context, demoColumn, 10)
	if err != nil {
		return err
	}
	d.scene("The best 10, always exact (%s of the index read, over %s)", counting(top.RowsRead, "row"), counting(d.board.Definition().Shards, "shard"))
	t := newTable(d.c.App.Writer, "  RANK", "PLAYER", "XP").texts(1)
	for _, r := range top.Rows {
		t.row(humanize.Comma(r.Rank), r.Owner, scoreText(r.Score, 0))
	}
	return t.print()
}

// showRanks holds estimates against exact counts.
func (d *demo) showRanks() error {
	names := d.players.deep(10)
	estimates, _, err := d.ranks(rankcurve.Estimate, names)
	if err != nil {
		return err
	}
	exact, _, err := d.ranks(rankcurve.Exact, names)
	if err != nil {
		return err
	}
	d.scene("What is my rank? Read from the curve, and counted beside it")
	t := newTable(d.c.App.Writer, "  PLAYER", "XP", "ESTIMATE", "BAND", "EXACT", "OFF BY").texts(0)
	inside, worst := 0, 0.0
	for i, e := range estimates {
		truth := exact[i].Rank
		off := math.Abs(float64(e.Rank-truth)) / float64(truth)
		worst = max(worst, off)
		if e.Low <= truth && truth <= e.High {
			inside++
		}
		t.row("  "+e.Owner, scoreText(e.Score, 0), humanize.Comma(e.Rank), bandText(e.Low, e.High, e.Exact), humanize.Comma(truth), percentText(100*off))
	}
	if err := t.print(); err != nil {
		return err
	}
	fmt.Fprintf(d.c.App.Writer, "\n  %d of %d true ranks lie in their band; the largest error is %s.\n", inside, len(names), percentText(100*worst))
	return nil
}

func (d *demo) ranks(mode rankcurve.Mode, names []string) ([]rankcurve.Rank, store.Usage, error) {
	answers, usage, err := d.board.Rank(d.c.Context, demoColumn, mode, names...)
	if err != nil {
		return nil, usage, err
	}
	ranks := make([]rankcurve.Rank, len(answers))
	for i, a := range answers {
		if a.Err != nil {
			return nil, usage, a.Err
		}
		ranks[i] = a.Rank
	}
	return ranks, usage, nil
}

// The load that the costs are worked out for.
const (
	queriesADay   = 1_000_000
	refreshesADay = 24 * 60 / 5
)

// showCosts compares counting with the curve, from what both just consumed.
func (d *demo) showCosts(report jobs.Report) error {
	each, err := d.unitsEach(rankcurve.Exact)
	if err != nil {
		return err
	}
	own, err := d.unitsEach(rankcurve.Estimate)
	if err != nil {
		return err
	}
	took, err := d.timeLookup()
	if err != nil {
		return err
	}
	refreshes := report.Usage.ReadUnits() * refreshesADay
	prices := d.config.Prices
	d.scene("What %s rank queries a day cost on DynamoDB, at $%s per million read units", humanize.Comma(queriesADay), amountText(prices.ReadUnitMillion))
	t := newTable(d.c.App.Writer, "", "UNITS A QUERY", "UNITS A DAY", "A DAY", "A YEAR").texts(0)
	line := func(what, query string, day float64) {
		t.row("  "+what, query, rounded(day), dollars(prices.Reads(day)), dollars(365*prices.Reads(day)))
	}
	line("count everyone above", humanize.CommafWithDigits(each, 1), each*queriesADay)
	line("read the curve", humanize.CommafWithDigits(own, 1), own*queriesADay+refreshes)
	if err := t.print(); err != nil {
		return err
	}
	fmt.Fprintf(d.c.App.Writer, "\n  The curve's line is the player's own row, and a refresh every 5 minutes\n  (%s units a day). The lookup itself took %d ns here, in process.\n", rounded(refreshes), took.Nanoseconds())
	return nil
}

// unitsEach is what one rank costs in read units, on average over the board. The
// players are asked for one by one, as they come to an app server.
func (d *demo) unitsEach(mode rankcurve.Mode) (float64, error) {
	names, sum := d.players.typical(20), 0.0
	for _, name := range names {
		_, usage, err := d.ranks(mode, []string{name})
		if err != nil {
			return 0, err
		}
		sum += usage.ReadUnits()
	}
	return sum / float64(len(names)), nil
}

// timeLookup asks the curve for a million ranks.
func (d *demo) timeLookup() (time.Duration, error) {
	curve, err := d.board.Curve(d.c.Context, demoColumn)
	if err != nil {
		return 0, err
	}
	const lookups = 1_000_000
	sum, began := predictor.Estimate{}, time.Now()
	for i := range lookups {
		sum.Better += curve.Held(d.players.scores[i%len(d.players.scores)], 0).Better
	}
	took := time.Since(began) / lookups
	if sum.Better < 0 { // uses the sum, so that the loop is not left out
		return 0, fmt.Errorf("the curve gave negative ranks")
	}
	return took, nil
}

func (d *demo) showNext() {
	w := d.c.App.Writer
	d.scene("Try next")
	if !d.kept {
		fmt.Fprint(w, "  rankcurve demo --db demo.db           keep the board, then:\n")
	}
	db := quoted(d.path)
	if !d.kept {
		db = "demo.db"
	}
	for _, line := range []struct{ command, what string }{
		{"rank demo " + d.players.deep(10)[7], "one player's rank, its band and its age"},
		{"score demo --percent 1", "what it takes to be in the best 1 %"},
		{"post demo " + d.players.deep(10)[7] + " xp=5000", "5,000 more: the rank moves at once"},
		{"curve plot demo -o demo.svg", "a picture of the curve"},
	} {
		fmt.Fprintf(w, "  rankcurve --db %s %-36s %s\n", db, line.command, line.what)
	}
	fmt.Fprint(w, "\nYour own scores, in a CSV file with the header owner,xp:\n\n  rankcurve load missions scores.csv && rankcurve rebuild missions && rankcurve top missions\n")
}

func sizeText(bytes int) string { return humanize.IBytes(uint64(bytes)) }
