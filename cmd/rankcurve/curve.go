package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

func (p *program) curveCommand() *cli.Command {
	return &cli.Command{
		Name:      "curve",
		Usage:     "look at a board's score -> rank curve",
		ArgsUsage: "BOARD",
		Subcommands: []*cli.Command{
			p.curveShowCommand(), p.curvePlotCommand(), p.curveExportCommand(),
		},
	}
}

// A shownCurve is a published curve with what is known around it.
type shownCurve struct {
	*predictor.Curve
	column store.Column
	data   []byte // as it was published
	key    store.CurveKey
}

// score turns a key of the curve into a score, in units.
func (s shownCurve) score(key int64) int64 { return s.column.Score(key) }

// loadCurve reads the published curve of one column.
func loadCurve(c *cli.Context, st store.Store, b *rankcurve.Board, name string) (shownCurve, error) {
	column, err := b.Definition().Column(name)
	if err != nil {
		return shownCurve{}, err
	}
	curve, err := b.Curve(c.Context, column.Name)
	if err != nil {
		return shownCurve{}, err
	}
	key := b.Definition().CurveKey(column.Name)
	published, _, err := st.Curve(c.Context, key)
	if err != nil {
		return shownCurve{}, err
	}
	return shownCurve{curve, column, published.Data, key}, nil
}

// withCurve runs work on the curve of the board that a command names.
func (p *program) withCurve(c *cli.Context, work func(s shownCurve) error) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, err := openBoard(c, cfg, st)
		if err != nil {
			return err
		}
		s, err := loadCurve(c, st, b, c.String("column"))
		if err != nil {
			return err
		}
		return work(s)
	})
}

const curveExportDescription = `Writes the published curve as its bytes are in the store: what an app server in any
language decodes (see docs/curve-format.md and predictor/curve.proto). The key that
they have in memcached is in the output of "rankcurve curve show".

Examples:

   rankcurve curve export missions -o missions.curve
   rankcurve curve export missions | protoc --decode_raw`

func (p *program) curveExportCommand() *cli.Command {
	return &cli.Command{
		Name:        "export",
		Usage:       "write the curve's bytes as they are published",
		ArgsUsage:   "BOARD",
		Description: curveExportDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Usage: "write to `FILE` (default: standard output)"},
			columnFlag("write the curve of"),
		},
		Action: p.curveExport,
	}
}

func (p *program) curveExport(c *cli.Context) error {
	if !c.IsSet("o") && p.isTerminal(p.out) {
		return usagef("the curve's bytes are not for a terminal; name a file with -o, or pipe them on")
	}
	if c.IsSet("o") && c.String("o") == "" {
		return usagef("-o is empty; name a file")
	}
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		b, column, err := openColumn(c, cfg, st)
		if err != nil {
			return err
		}
		// Not decoded: bytes that cannot be are what someone may want to look at.
		published, _, err := st.Curve(c.Context, b.Definition().CurveKey(column.Name))
		if errors.Is(err, store.ErrNotFound) {
			_, err = b.Curve(c.Context, column.Name) // says what to run
		}
		if err != nil {
			return err
		}
		if !c.IsSet("o") {
			_, err = p.buffered.Write(published.Data)
			return err
		}
		return writeFile(c.String("o"), func(w io.Writer) error {
			_, err := w.Write(published.Data)
			return err
		})
	})
}

// writeFile writes a whole file, or none: it takes its name when it is complete.
func writeFile(path string, write func(w io.Writer) error) error {
	part := path + ".part"
	f, err := os.Create(part)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(part))
	}
	if err := os.Rename(part, path); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(part))
	}
	return nil
}
