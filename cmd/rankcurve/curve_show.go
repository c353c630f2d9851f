package main

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

const curveShowDescription = `Prints what a board's curves say of themselves: how old and how large they are, how
far a rank read from them may be off, and what they forecast. A rank that is asked for
later follows the forecast for one horizon, and its band grows with the age.

With memcached configured that is also the key under which an app server in any
language finds the curve there.

Examples:

   rankcurve curve show missions
   rankcurve curve show missions --json | jq .tolerance`

func (p *program) curveShowCommand() *cli.Command {
	return &cli.Command{
		Name:        "show",
		Usage:       "print a curve's age, size and error",
		ArgsUsage:   "BOARD",
		Description: curveShowDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "column", Usage: "show `COLUMN` alone (default: all)"},
			jsonFlag(),
		},
		Action: p.curveShow,
	}
}

func (p *program) curveShow(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, columns, err := openColumns(c, cfg, st)
		if err != nil {
			return err
		}
		for i, column := range columns {
			s, err := loadCurve(c, st, b, column.Name)
			if err != nil {
				return err
			}
			if i > 0 && !c.Bool("json") {
				fmt.Fprintln(c.App.Writer)
			}
			cacheKey, err := cacheKeyOf(cfg, s.key)
			if err != nil {
				return err
			}
			if err := s.show(c, cacheKey); err != nil {
				return err
			}
		}
		return nil
	})
}

// A curveRow is a curve in JSON.
type curveRow struct {
	Board          string     `json:"board"`
	BoardID        string     `json:"board_id"`
	CacheKey       *string    `json:"cache_key"` // null without a cache
	Column         string     `json:"column"`
	Order          string     `json:"order"`
	Decimals       int        `json:"decimals"`
	Generation     int64      `json:"generation"`
	AsOf           string     `json:"as_of"`
	AgeSeconds     float64    `json:"age_seconds"`
	Entries        int64      `json:"entries"`
	HorizonSeconds float64    `json:"horizon_seconds"` // 0: nothing is forecast
	EntriesLater   int64      `json:"entries_later"`   // one horizon later
	Knots          int        `json:"knots"`
	Bytes          int        `json:"bytes"`
	MemoryBytes    int        `json:"memory_bytes"`
	Tolerance      float64    `json:"tolerance"`
	Shape          string     `json:"shape"`
	Errors         []errorRow `json:"errors"`
}

// An errorRow is how far a rank at one place may be off.
type errorRow struct {
	Rank     int64   `json:"rank"`
	Score    string  `json:"score"`
	Low      int64   `json:"low"`
	High     int64   `json:"high"`
	Relative float64 `json:"relative"` // half the band, as a part of the rank
	Later    float64 `json:"relative_later"`

	units int64
}

// show prints the curve; the cache's key is nil without one.
func (s shownCurve) show(c *cli.Context, cacheKey *string) error {
	m := s.Meta()
	tolerance, shape := s.Tolerance()
	errs := s.errorsAt(s.decades())
	if c.Bool("json") {
		return printJSON(c.App.Writer, curveRow{
			Board: m.Board, BoardID: s.key.ID, CacheKey: cacheKey, Column: m.Column, Order: string(s.column.Order), Decimals: m.Decimals,
			Generation: m.Generation, AsOf: timestamp(m.AsOf), AgeSeconds: clockOf(c)().Sub(m.AsOf).Seconds(),
			Entries: s.Total(), HorizonSeconds: m.Horizon.Seconds(), EntriesLater: s.TotalAt(m.Horizon), Knots: s.Knots(), Bytes: len(s.data), MemoryBytes: s.MemoryBytes(),
			Tolerance: tolerance, Shape: string(shape), Errors: errs,
		})
	}
	facts := newTable(c.App.Writer, m.Board+"."+m.Column).texts(0, 1)
	facts.row("  order", string(s.column.Order)+", "+counting(m.Decimals, "decimal"))
	facts.row("  generation", humanize.Comma(m.Generation))
	facts.row("  as of", m.AsOf.Format("2006-01-02 15:04:05 UTC")+", "+age(c, m.AsOf))
	facts.row("  entries", humanize.Comma(s.Total()))
	facts.row("  knots", humanize.Comma(int64(s.Knots())))
	facts.row("  published", humanize.IBytes(uint64(len(s.data))))
	facts.row("  in memory", humanize.IBytes(uint64(s.MemoryBytes())))
	facts.row("  tolerance", toleranceText(tolerance, shape))
	facts.row("  forecast", s.forecastText())
	if cacheKey != nil {
		facts.row("  cache key", *cacheKey)
	}
	if err := facts.print(); err != nil || s.Total() == 0 {
		return err
	}
	fmt.Fprintln(c.App.Writer)
	return s.showErrors(c, errs)
}

// showErrors prints the band at some ranks, and what it will be by the horizon.
func (s shownCurve) showErrors(c *cli.Context, errs []errorRow) error {
	m := s.Meta()
	header := []string{"  RANK", m.Column, "BAND", "ERROR"}
	if m.Horizon > 0 {
		header = append(header, horizonText(m.Horizon)+" LATER")
	}
	t := newTable(c.App.Writer, header...).texts(2)
	for _, e := range errs {
		cells := []string{"  " + humanize.Comma(e.Rank), scoreText(e.units, s.column.Decimals), bandText(e.Low, e.High, false), "±" + percentText(100*e.Relative)}
		if m.Horizon > 0 {
			cells = append(cells, "±"+percentText(100*e.Later))
		}
		t.row(cells...)
	}
	return t.print()
}

// forecastText says what the curve knows of the time after its own.
func (s shownCurve) forecastText() string {
	m := s.Meta()
	if m.Horizon == 0 {
		return "none: ranks are told as of then, whatever the age"
	}
	now, later := s.Total(), s.TotalAt(m.Horizon)
	change, sign := later-now, "+"
	if change < 0 {
		change, sign = -change, "-"
	}
	return fmt.Sprintf("one horizon of %s later %s (%s%s), the drift then stops; the band grows on with the age",
		horizonText(m.Horizon), entriesText(later), sign, percentText(100*float64(change)/float64(max(now, 1))))
}

// decades are the ranks worth a look: 1, 10, 100 and so on, and the last.
func (s shownCurve) decades() []int64 {
	var ranks []int64
	for r := int64(1); r < s.Total(); r *= 10 {
		ranks = append(ranks, r)
	}
	if s.Total() > 0 {
		ranks = append(ranks, s.Total())
	}
	return ranks
}

// errorsAt is the band around the entries at some ranks.
func (s shownCurve) errorsAt(ranks []int64) []errorRow {
	rows := make([]errorRow, len(ranks))
	for i, rank := range ranks {
		key := s.KeyAt(rank, 0)
		e, later := s.Held(key, 0), s.Held(key, s.Meta().Horizon)
		units := s.score(key)
		rows[i] = errorRow{
			Rank: e.Better + 1, Score: store.FormatScore(units, s.column.Decimals),
			Low: e.Low + 1, High: e.High + 1,
			Relative: relativeError(e), Later: relativeError(later), units: units,
		}
	}
	return rows
}

// horizonText is a horizon as finely as anybody cares.
func horizonText(d time.Duration) string {
	if d >= 10*time.Second {
		d = d.Round(time.Second)
	}
	return d.String()
}

// relativeError is half the band, as a part of the rank.
func relativeError(e predictor.Estimate) float64 {
	return float64(e.High-e.Low) / 2 / float64(e.Better+1)
}

func toleranceText(scale float64, shape predictor.Shape) string {
	switch {
	case scale == 0:
		return "none: the curve is exact at every score that was read"
	case shape == predictor.Abs:
		return fmt.Sprintf("%.3g entries at every rank", scale)
	}
	return fmt.Sprintf("%.3g x the square root of the distance to the nearer end", scale)
}
