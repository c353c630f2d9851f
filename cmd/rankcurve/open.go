package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// openBoard opens the board that a command names, and holds a configured definition
// against the registered one: to answer by the registry in silence would leave a
// wrong configuration in use until something is made by it.
func openBoard(c *cli.Context, cfg config.Config, st store.Store, opts ...rankcurve.Option) (*rankcurve.Board, error) {
	b, err := rankcurve.Open(c.Context, st, c.Args().First(), opts...)
	if err != nil {
		return nil, err
	}
	if configured, isConfigured := cfg.Board(c.Args().First()); isConfigured {
		if err := b.Definition().Same(configured); err != nil {
			return nil, contradiction(err)
		}
	}
	return b, nil
}

// contradiction says what to do about a configuration that is not the board's.
func contradiction(err error) error {
	if errors.Is(err, store.ErrBoardMismatch) {
		return hintf(err, "correct the configuration, or name another board")
	}
	return err
}
