package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// postToFamily posts to the boards of all of a family's periods.
func (p *program) postToFamily(c *cli.Context, cfg config.Config, def rankcurve.FamilyDefinition, post rankcurve.Post) (err error) {
	if post.Version != nil {
		return usagef("--if-version is of the row of one board, and %s has several; name one with --period", def.Name)
	}
	var at time.Time
	if text := c.String("time"); c.IsSet("time") {
		var ok bool
		if at, ok = parseTime(text); !ok {
			return usagef("--time %q is no time; write it like 2026-11-21T09:30:00Z, or in seconds since 1970", text)
		}
	}
	board := def.Board(store.Always.At(at))
	if post.Scores, err = parseScores(board, c.Args().Slice()[2:]); err != nil {
		return err
	}
	if err := comparableRows(board, post); err != nil {
		return err
	}
	st, err := openStore(c.Context, cfg, access{log: p.log()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	def.Limits = cfg.PeriodLimits(def.Name)
	family, err := rankcurve.NewFamily(st, def, rankcurve.WithClock(clockOf(c)))
	if err != nil {
		return err
	}
	if _, err := family.Spans(at); errors.Is(err, store.ErrInvalid) {
		return usagef("--time: %s", bare(err))
	}
	posted, err := family.Post(c.Context, at, post)
	for _, one := range posted {
		if one.Err != nil {
			continue
		}
		if err := printPosted(c, one.Board, one.Posted); err != nil {
			return err
		}
	}
	return familyPostError(c, err)
}

// familyPostError says what to do about a post that did not reach all boards.
func familyPostError(c *cli.Context, err error) error {
	var fanOut *rankcurve.FanOutError
	switch {
	case errors.As(err, &fanOut):
		return fanOutAdvice(c, fanOut)
	case errors.Is(err, context.Canceled):
		return advicef(err, "stopped before the post was stored; run the same command again")
	}
	return lateHint(contradiction(err))
}

// fanOutAdvice says how a post reaches the boards that it did not. Without its time it
// would go to other boards after midnight.
func fanOutAdvice(c *cli.Context, e *rankcurve.FanOutError) error {
	outcome := fmt.Sprintf("post to family %q: %s", e.Family, e.Outcome())
	look := make([]string, len(e.Unknown))
	for i, board := range e.Unknown {
		look[i] = "`" + next(c, "rank", board, c.Args().Get(1)) + "`"
	}
	switch {
	case e.Final():
		return advicef(e, "%s", outcome)
	case len(e.Forgotten) > 0:
		return advicef(e, "%s; do not run the same command again, for its --id would not be known on %s: look there first with `%s`, and post with --id %s to the other boards that have it not by their own names",
			outcome, strings.Join(e.Forgotten, ", "), next(c, "owner", c.Args().Get(1)), quoted(e.ID))
	case e.ID != "":
		return advicef(e, "%s; run the same command again with --id %s --time %s: where it is stored it changes nothing", outcome, quoted(e.ID), e.At.UTC().Format(time.RFC3339))
	case len(look) > 0:
		return advicef(e, "%s; look first with %s, and post to the boards that have it not by their own names; give a post an --id, by which it is applied once however often it is sent", outcome, strings.Join(look, ", "))
	case len(e.Stored) == 0:
		return advicef(e, "%s; run the same command again", outcome)
	}
	return advicef(e, "%s; it has no --id, so post to the others by their own names: %s", outcome, strings.Join(e.Failed, ", "))
}
