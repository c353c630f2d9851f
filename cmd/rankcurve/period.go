package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// clockKey is where the program's clock is found in the library's metadata.
const clockKey = "clock"

// clockOf is the clock of this run.
func clockOf(c *cli.Context) func() time.Time {
	return c.App.Metadata[clockKey].(func() time.Time)
}

func (p *program) clock() func() time.Time {
	if p.now == nil {
		return time.Now
	}
	return p.now
}

func periodFlag() cli.Flag {
	return &cli.StringFlag{Name: "period", Usage: "take the family's board of `PERIOD`: weekly, weekly:previous, weekly:2026-W46, 2026-W46"}
}

// The words for a period that need no date.
const (
	currentPeriod  = "current"
	previousPeriod = "previous"
)

// parsePeriod reads PERIOD[:current|:previous|:LABEL] or a label alone.
func parsePeriod(text string, now time.Time) (store.Span, error) {
	name, which, named := strings.Cut(text, ":")
	wrong := usagef("--period %q is no period; write one of %s, with :previous or a date behind it for an earlier one: weekly, weekly:previous, weekly:2026-W46, daily:2026-11-21", text, store.PeriodNames())
	p := store.Period(name)
	if !p.Known() {
		if s, err := store.ParseSpan(text); err == nil {
			return s, nil
		}
		return store.Span{}, wrong
	}
	if named && which == "" {
		return store.Span{}, wrong
	}
	if p == store.Always && named {
		return store.Span{}, usagef("--period %q: the board for all times has no earlier one; write --period all", text)
	}
	switch which {
	case "", currentPeriod:
		return p.At(now), nil
	case previousPeriod:
		return p.At(now).Previous(), nil
	}
	s, err := store.ParseSpan(which)
	if err != nil {
		return store.Span{}, wrong
	}
	if s.Period != p {
		return store.Span{}, usagef("--period %q: %s is of a %s board; write --period %s", text, which, s.Period, which)
	}
	return s, nil
}

// boardNamed is the board that a command line means: its first argument, or with
// --period the board of that period.
func boardNamed(c *cli.Context, cfg config.Config) (string, error) {
	name := c.Args().First()
	if err := namesType(cfg, name); err != nil {
		return "", err
	}
	def, isFamily := cfg.Family(name)
	if !c.IsSet("period") {
		if isFamily && !slices.Contains(def.Periods, store.Always) {
			return "", usagef("%s has boards for the periods %s, and none for all times; say which with --period", name, periodList(def.Periods))
		}
		return name, nil
	}
	span, err := parsePeriod(c.String("period"), clockOf(c)())
	if err != nil {
		return "", err
	}
	if _, own, ok := store.ParseBoardName(name); ok {
		return "", usagef("%s is the board of a %s period already; leave --period out, or name the family alone", name, own.Period)
	}
	if isFamily && !slices.Contains(def.Periods, span.Period) {
		return "", usagef("%s has no period %s (it has: %s)", name, span.Period, periodList(def.Periods))
	}
	return span.Board(name), nil
}

// namesType refuses a type of a family that is empty: its board would be taken for none of
// the family's.
func namesType(cfg config.Config, name string) error {
	family, _, ok := store.ParseBoardName(name)
	if !ok {
		family = name
	}
	base := strings.TrimRight(family, ".")
	if _, known := cfg.Family(base); known && base != family {
		return usagef("%s ends in a point, and names no type behind it; name one, such as %s.view, or the family alone, %s", family, base, base)
	}
	return nil
}

func periodList(periods []store.Period) string {
	names := make([]string, len(periods))
	for i, p := range periods {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// parseTime reads a moment as people and logs write it: RFC 3339, a date with or
// without a time of day in UTC, seconds or milliseconds since 1970.
func parseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	units, err := store.ParseScore(text, 3)
	if err != nil || strings.HasPrefix(text, "-") {
		return time.Time{}, false
	}
	if whole, _, _ := strings.Cut(text, "."); len(whole) >= 12 { // milliseconds; as seconds it would be the year 5138
		units /= 1000
	}
	t := time.UnixMilli(units).UTC()
	return t, t.Year() <= 9999
}

// takesNow refuses what is meant for the board of a period that takes no more, or nothing yet,
// or that the family has not.
func takesNow(c *cli.Context, cfg config.Config, board string) error {
	family, span, ok := store.ParseBoardName(board)
	if !ok {
		return nil
	}
	def, known := cfg.Family(family)
	if !known {
		return nil
	}
	err := def.Takes(span, clockOf(c)())
	switch {
	case !errors.Is(err, store.ErrInvalid):
		return lateHint(err)
	case c.IsSet("period"):
		return usagef("--period %s: %s", c.String("period"), bare(err))
	}
	return usagef("%s", bare(err))
}

// lateHint says what to do about a late post.
func lateHint(err error) error {
	if errors.Is(err, rankcurve.ErrLate) {
		return hintf(err, "nothing was written; raise late_grace or set late_posts: accept to have it")
	}
	return err
}
