package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// A program is one run of the command line: where it reads and writes, and the
// environment it was started in.
type program struct {
	in         io.Reader
	out, err   io.Writer
	environ    []string
	isTerminal func(stream any) bool
	json       bool             // the command line asks for it
	now        func() time.Time // nil: time.Now
	level      slog.LevelVar
	buffered   *bufio.Writer // over out
	asked      *cli.Context  // of the flags of all commands; nil before they are read
}

// flush shows what was written so far. Only commands that take long call it; the
// end of every command does too.
func (p *program) flush() error {
	if err := p.buffered.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// isTerminal reports whether a stream is a terminal, with a person behind it.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// run carries out one command line and returns the exit code.
func (p *program) run(ctx context.Context, words []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			p.complain(internalError(r))
			code = exitFailed
		}
	}()
	p.json = wantsJSON(words[1:])
	app := p.app()
	p.buffered = bufio.NewWriter(p.out)
	app.Writer = legibleWriter{p.buffered}
	err := p.dispatch(ctx, app, words)
	if flushed := p.flush(); !errors.Is(err, flushed) {
		err = errors.Join(err, flushed)
	}
	if err != nil {
		p.complain(withNextStep(err))
	}
	return exitCode(err)
}

func (p *program) dispatch(ctx context.Context, app *cli.App, words []string) error {
	rest := words[1:]
	if len(rest) > 0 && rest[0] == completionWord {
		for _, candidate := range completions(app, rest[1:]) {
			fmt.Fprintln(app.Writer, candidate)
		}
		return nil
	}
	if len(rest) > 0 && rest[0] == "help" {
		rest = append(slices.Clone(rest[1:]), "--help")
	}
	ordered, err := interleave(app, rest)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, append(words[:1:1], ordered...))
}

const appDescription = `Try it without any set-up:

   rankcurve demo

or with scores of your own, a CSV file with the header owner,xp:

   rankcurve load missions scores.csv     make a board of it
   rankcurve rebuild missions             make its score -> rank curve
   rankcurve rank missions ann bob        ask for ranks
   rankcurve top missions -n 20           the best, exactly

Boards are kept in the file rankcurve.db of the working folder; --db names another.
With --store dynamodb they are kept in a table, which this makes:

   rankcurve --store dynamodb table create --column xp

Each global flag is a key of the configuration too, in a file or in the environment:
RANKCURVE_STORE_KIND=dynamodb. Flags may stand before and after arguments.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 not found: a curve that
nobody has made yet neither. With --json an error is the last line of standard error, an
object with "error" and a "code" such as no_curve; the README lists them.`

// app is the whole command line.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:        "rankcurve",
		HelpName:    "rankcurve",
		Usage:       "ranks on leaderboards of any size, from a curve of a few kilobytes",
		UsageText:   "rankcurve [--config F] [--db F | --table NAME] COMMAND [flags] [arguments]",
		Description: appDescription,
		Version:     versionText(),
		Reader:      p.in,
		ErrWriter:   legibleWriter{p.err},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "config", Usage: "read the configuration from `FILE` (environment: RANKCURVE_CONFIG)"},
			&cli.StringFlag{Name: "log-level", Value: "warn", Usage: "log to standard error from `LEVEL` up: debug, info, warn, or error for none"},
		},
		Commands: []*cli.Command{
			p.demoCommand(),
			p.loadCommand(), p.postCommand(), p.removeCommand(), p.hideCommand(), p.unhideCommand(), p.rebuildCommand(), p.workerCommand(),
			p.topCommand(), p.rankCommand(), p.scoreCommand(), p.historyCommand(),
			p.aroundCommand(), p.pageCommand(), p.ownerCommand(), p.boardsCommand(), p.pruneCommand(), p.curveCommand(), p.verifyCommand(), p.planCommand(),
			p.tableCommand(), p.configCommand(), p.simulateCommand(), p.completionCommand(),
		},
		Metadata:                  map[string]any{clockKey: p.clock()},
		Before:                    p.before,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		OnUsageError:              usageFault,
		ExitErrHandler:            func(*cli.Context, error) {}, // run alone decides on the exit code
	}
	for _, f := range clientFlags {
		app.Flags = append(app.Flags, f.cli())
	}
	prepare(app.Commands)
	return app
}

// prepare sets what all commands share. Without HideHelpCommand, "help" and "h"
// could not be boards' or owners' names.
func prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.OnUsageError = usageFault
		prepare(c.Subcommands)
	}
}

// usageFault is what the library found wrong with a flag's value.
func usageFault(c *cli.Context, err error, _ bool) error {
	name := c.App.Name
	if c.Command != nil && c.Command.HelpName != "" {
		name = c.Command.HelpName
	}
	return usagef("%v; `%s --help` says what it takes", err, name)
}

func (p *program) before(c *cli.Context) error {
	p.asked = c
	return p.setLevel(c)
}

func (p *program) setLevel(c *cli.Context) error {
	if err := p.level.UnmarshalText([]byte(c.String("log-level"))); err != nil {
		return usagef("--log-level %q is none of debug, info, warn, error", c.String("log-level"))
	}
	return nil
}

// log writes to standard error, from --log-level up. Errors are left out: what
// fails is returned to the command too, which tells it in its own words.
func (p *program) log() *slog.Logger {
	return slog.New(belowError{slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: &p.level})})
}

type belowError struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h belowError) Enabled(ctx context.Context, level slog.Level) bool {
	return level < slog.LevelError && h.Handler.Enabled(ctx, level)
}

// arguments checks how many arguments there are; usage names them.
func arguments(c *cli.Context, least, most int) error {
	n := c.NArg()
	if n >= least && (n <= most || most < 0) {
		return nil
	}
	what := fmt.Sprintf("%d arguments are", n)
	if n == 1 {
		what = "1 argument is"
	}
	taken := strings.TrimSpace(c.Command.HelpName + " " + c.Command.ArgsUsage)
	return usagef("%s not what `%s` takes; `%s --help` has examples", what, taken, c.Command.HelpName)
}
