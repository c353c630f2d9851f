package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/sampler/plan"
	"github.com/rankcurve/rankcurve/store"
)

const planDescription = `Works out what a board on DynamoDB takes before there is one: how many shards, how many
rows of each make the exact top, which refresh, its price and its error, and what the
alternatives cost. Prices are in the configuration, under prices. Nothing is read.

With BOARD, its entries, shards and entry bytes come from the store, for the price of
counting one shard, which is told; if there is a curve, so does the number of entries that
a change of score passes. Flags win over what was found.

Numbers may end in K, M or B. The scores are taken to be lognormal and to change by a
quarter; on a board where they change by less, say so with --gain, and the error is
smaller. How the error is reckoned is in the package sampler/plan.

Examples:

   rankcurve plan --entries 10M --writes 2000 --every 5m
   rankcurve plan --entries 10M --writes 2000 --every 5m --budget-month 20
   rankcurve plan missions --writes 300 --accuracy 0.2% --json`

func (p *program) planCommand() *cli.Command {
	return &cli.Command{
		Name:        "plan",
		Usage:       "work out shards, price and error of a board",
		ArgsUsage:   "[BOARD]",
		Description: planDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "entries", Usage: "plan for `N` entries"},
			&cli.StringFlag{Name: "writes", Usage: "`N` scores change each second at peak"},
			&cli.DurationFlag{Name: "every", Value: 5 * time.Minute, Usage: "refresh once in `TIME`"},
			&cli.StringFlag{Name: "entry-bytes", DefaultText: "100", Usage: "an entry of the index has `N` bytes"},
			&cli.IntFlag{Name: "top", Value: 100, Usage: "the exact best `N` are asked for"},
			&cli.StringFlag{Name: "budget-month", DefaultText: "none", Usage: "spend `DOLLARS` a month on refreshes at most"},
			&cli.StringFlag{Name: "accuracy", DefaultText: "0.5% without a budget", Usage: "95 of 100 ranks from 10,000 on are off by `PERCENT` of the rank at most"},
			&cli.IntFlag{Name: "shards", DefaultText: "as many as it takes", Usage: "plan for `K` shards"},
			&cli.StringFlag{Name: "churn", DefaultText: "from --writes", Usage: "`PERCENT` of the owners' scores change from one refresh to the next"},
			&cli.StringFlag{Name: "gain", DefaultText: "25%", Usage: "a score changes by `PERCENT` of itself on average"},
			&cli.StringFlag{Name: "queries", Value: "10", Usage: "`N` ranks are asked for each second, to price the alternatives"},
			columnFlag("plan for"),
			jsonFlag(),
		},
		Action: p.plan,
	}
}

const (
	mostEntries   = 1e12
	mostRefreshes = 31 * 24 * time.Hour // from one to the next
)

func (p *program) plan(c *cli.Context) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	if c.IsSet("column") && c.NArg() == 0 {
		return usagef("--column is one of a board's; name the board before it")
	}
	if c.NArg() == 0 {
		if !c.IsSet("entries") {
			return usagef("--entries is missing: how many entries will the board have? Or name a board that is there: `rankcurve plan BOARD`")
		}
		cfg, err := p.config(c)
		if err != nil {
			return err
		}
		return planning{c: c, config: cfg}.run()
	}
	patiently := func(cfg config.Config) access {
		return access{patient: true, pace: refreshOptions(cfg, c.Args().First()).Pace}
	}
	if _, _, err := (planning{c: c}).board(); err != nil { // before anything is read
		return err
	}
	return p.withStoreFor(c, patiently, func(cfg config.Config, st store.Store) error {
		live, err := p.lookAt(c, cfg, st)
		if err != nil {
			return err
		}
		return planning{c, cfg, live}.run()
	})
}

// A planning is one plan command under way.
type planning struct {
	c      *cli.Context
	config config.Config
	live   *liveBoard // nil: there is none
}

func (p planning) run() error {
	b, wishes, err := p.board()
	if err != nil {
		return err
	}
	prices := p.config.Prices
	wishes.Prices = plan.Prices{ReadUnitMillion: prices.ReadUnitMillion, WriteUnitMillion: prices.WriteUnitMillion, RAMGBMonth: prices.RAMGBMonth}
	queries, err := quantityOf(p.c, "queries", 0, 1e9)
	if err != nil {
		return err
	}
	if n := p.c.Int("top"); n < 1 || n > mostTop {
		return usagef("--top %d is not in 1..%d", n, mostTop)
	}
	choice, err := plan.Choose(b, wishes)
	if err != nil {
		return p.impossible(err, b, wishes)
	}
	row := boardPlanOf(choice, wishes, p.c.Int("top"), queries)
	p.live.describe(&row)
	if p.c.Bool("json") {
		return printJSON(p.c.App.Writer, row)
	}
	return row.print(p.c.App.Writer)
}

const mostTop = 100_000

// board is what the flags and the live board say.
func (p planning) board() (b plan.Board, w plan.Wishes, err error) {
	b = plan.Board{EntryBytes: plan.DefaultEntryBytes, Every: p.c.Duration("every")}
	options := refreshOptions(p.config, "")
	b.Walk.Pace = sampler.Pace{Start: float64(p.config.RefreshDefaults.Pace.Start), Max: float64(p.config.RefreshDefaults.Pace.Max)}
	if p.live != nil {
		options = p.live.options
		b.Entries, b.EntryBytes, b.Passed, w.Shards = p.live.entries, p.live.entryBytes, p.live.passed, p.live.board.Shards
	}
	b.Walk.Method, b.Walk.Head, b.CurveBytes = options.Method, options.Head, options.CurveBytes
	if b.Every < time.Second || b.Every > mostRefreshes {
		return b, w, usagef("--every %s is not in 1s..%s", b.Every, mostRefreshes)
	}
	read := func(flag string, to *float64, least, most float64) {
		if p.c.IsSet(flag) && err == nil {
			*to, err = quantityOf(p.c, flag, least, most)
		}
	}
	part := func(flag string, to *float64, most float64) {
		if p.c.IsSet(flag) && err == nil {
			*to, err = percentageOf(p.c, flag, most)
		}
	}
	entries := float64(b.Entries)
	read("entries", &entries, 1, mostEntries)
	b.Entries = int64(entries)
	read("entry-bytes", &b.EntryBytes, 20, 4096)
	read("writes", &w.Writes, 0, 1e9)
	read("budget-month", &w.Budget, 0.01, 1e9)
	part("accuracy", &w.Accuracy, 1)
	part("churn", &b.Churn, 100)
	part("gain", &b.Gain, 10)
	if err != nil {
		return b, w, err
	}
	if p.c.IsSet("shards") {
		w.Shards = p.c.Int("shards")
		if w.Shards < 1 || w.Shards > store.MaxShards {
			return b, w, usagef("--shards %d is not in 1..%d", w.Shards, store.MaxShards)
		}
	}
	return b, w, p.churn(&b, &w)
}

// churn makes the changes a second and those of an owner from one refresh to the next
// of each other, where one of them was not said.
func (p planning) churn(b *plan.Board, w *plan.Wishes) error {
	entries := float64(max(1, b.Entries))
	switch {
	case p.c.IsSet("churn") && !p.c.IsSet("writes"):
		w.Writes = b.Churn * entries / b.Every.Seconds()
	case !p.c.IsSet("writes"):
		return usagef("--writes is missing: how many scores change each second at peak? Or say with --churn how many percent of the owners' change from one refresh to the next")
	case !p.c.IsSet("churn"):
		b.Churn = w.Writes * b.Every.Seconds() / entries
	}
	if least := plan.ShardsForWrites(w.Writes); least > store.MaxShards {
		return usagef("--writes %.0f would take %d shards, and a board has %d at most: share the owners out to several boards, such as one for each region", w.Writes, least, store.MaxShards)
	}
	return nil
}

// impossible says what to change about wishes that no plan keeps to.
func (p planning) impossible(err error, b plan.Board, w plan.Wishes) error {
	var no *plan.ImpossibleError
	if !errors.As(err, &no) {
		return err
	}
	cheapest := no.Cheapest
	switch no.Wish {
	case plan.Budget:
		return usagef("--budget-month %s does not pay for the least there is, a walk of %s every %s, which costs %s a month; allow that much, or refresh once in %s%s",
			p.c.String("budget-month"), shardsText(cheapest), everyText(b.Every), dollars(roundedUpCents(cheapest.Monthly.Dollars)), everyText(scaled(b.Every, cheapest.Monthly.Dollars/w.Budget)), p.orMoreShards())
	case plan.Time:
		return usagef("--every %s is too short: a walk of %s takes %.0f s at the pace; refresh once in %s, or raise refresh.pace.max%s",
			b.Every, shardsText(cheapest), cheapest.Cost.Seconds, everyText(scaled(b.Every, cheapest.Cost.Seconds/b.Every.Seconds())), p.orMoreShards())
	}
	surest := no.Surest
	more := ""
	if surest.Walked < surest.Board.Shards && w.Budget > 0 {
		more = ", or allow more than " + dollars(w.Budget) + " with --budget-month"
	}
	b.Walk.Method = sampler.Scores
	if _, err := plan.Choose(b, w); err == nil {
		more += ", or let a refresh read every score, which takes about the same reads and 8 bytes of memory an entry (refresh.method: scores)"
	}
	return usagef("--accuracy %s cannot be had: a walk of %s leaves 95 of 100 ranks around %s off by up to %s; ask for that%s",
		p.c.String("accuracy"), shardsText(surest), humanize.Comma(surest.Worst.Rank), percentText(100*surest.Off()), more)
}

func (p planning) orMoreShards() string {
	if p.c.IsSet("shards") || p.live != nil {
		return ", or plan for more shards with --shards"
	}
	return ""
}

// shardsText is "2 of 8 shards".
func shardsText(c plan.Choice) string {
	if c.Walked == c.Board.Shards {
		if c.Walked == 1 {
			return "the one shard"
		}
		return fmt.Sprintf("all %d shards", c.Walked)
	}
	return fmt.Sprintf("%d of %d shards", c.Walked, c.Board.Shards)
}
