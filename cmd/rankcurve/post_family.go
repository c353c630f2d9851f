package main

import (
	"errors"
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
	family, err := rankcurve.NewFamily(st, def, rankcurve.WithClock(clockOf(c)), rankcurve.WithLimits(cfg.Limits(def.Name)))
	if err != nil {
		return err
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
	case errors.As(err, &fanOut) && fanOut.ID == "" && len(fanOut.Stored) == 0:
		return contradiction(err)
	case errors.As(err, &fanOut):
		return advicef(err, "%v", contradiction(err))
	case errors.Is(err, store.ErrInvalid) && c.IsSet("time"):
		return usagef("--time: %s", bare(err))
	}
	return lateHint(err)
}
