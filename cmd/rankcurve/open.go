package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// openBoard opens the board that a command names, with --period that of a family's
// period, and holds a configured definition
// against the registered one: to answer by the registry in silence would leave a
// wrong configuration in use until something is made by it.
func openBoard(c *cli.Context, cfg config.Config, st store.Store, opts ...rankcurve.Option) (*rankcurve.Board, error) {
	name, err := boardNamed(c, cfg)
	if err != nil {
		return nil, err
	}
	b, err := rankcurve.Open(c.Context, st, name, append(opts, rankcurve.WithClock(clockOf(c)))...)
	if err != nil {
		return nil, err
	}
	if configured, isConfigured := cfg.Board(name); isConfigured {
		if err := b.Definition().Same(configured); err != nil {
			return nil, contradiction(err)
		}
	}
	return b, nil
}

// openColumn opens the board that a command names, and its column: the first, unless
// --column names another.
func openColumn(c *cli.Context, cfg config.Config, st store.Store, opts ...rankcurve.Option) (*rankcurve.Board, store.Column, error) {
	b, err := openBoard(c, cfg, st, opts...)
	if err != nil {
		return nil, store.Column{}, err
	}
	column, err := b.Definition().Column(c.String("column"))
	return b, column, err
}

// openColumns opens the board that a command names, and all its columns, unless --column
// names one.
func openColumns(c *cli.Context, cfg config.Config, st store.Store) (*rankcurve.Board, []store.Column, error) {
	if c.IsSet("column") {
		b, column, err := openColumn(c, cfg, st)
		return b, []store.Column{column}, err
	}
	b, err := openBoard(c, cfg, st)
	if err != nil {
		return nil, nil, err
	}
	return b, b.Definition().Columns, nil
}

// contradiction says what to do about a configuration that is not the board's.
func contradiction(err error) error {
	if errors.Is(err, store.ErrBoardMismatch) {
		return hintf(err, "correct the configuration, or name another board")
	}
	return err
}
