package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const loadDescription = `Sets the scores of all owners in a file. The file is checked as a whole before
anything is written, and loading it again is safe: that is also how to go on after
a stop.

CSV needs a header with a column "owner"; every other column is a score:

   owner,xp,time
   ann,1200,82.35

Spaces around a field of a CSV file do not count, around owners neither.

NDJSON has one object per line: {"owner":"ann","xp":1200,"time":"82.35"}

A board that is not known yet is made from the file: every column ranks largest
first, is replaced by a post, and keeps as many decimals as the file shows.
--column says otherwise, and loads the columns it names alone:
NAME[:asc|desc][:set|sum|best|worst|best_row][:DECIMALS].

--attribute names a column of the file that is no score: its text becomes an attribute of
the row, and an empty field leaves the one that is there.

Where the configuration gives the board periods, the scores are set on its boards of all
of them, as of now; --period names one.

Examples:

   rankcurve load missions scores.csv
   rankcurve load laps laps.csv --column time:asc:best:3 --shards 32
   rankcurve load missions scores.csv --attribute clan
   zcat scores.csv.gz | rankcurve load missions -

` + rollupDescription

// loadBatch is how many rows are stored in one transaction: large ones load
// several times faster, and a stop waits for the one under way. DynamoDB takes row
// by row, so that there a small one is as fast.
const (
	loadBatch         = 250_000
	loadBatchDynamoDB = 2_500
)

func (p *program) loadCommand() *cli.Command {
	return &cli.Command{
		Name:        "load",
		Usage:       "set the scores of a CSV or NDJSON file, making the board if need be",
		ArgsUsage:   "BOARD FILE|-",
		Description: loadDescription,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "`FORMAT` of the file, csv or ndjson (default: by its name, else by its first character)"},
			&cli.StringSliceFlag{Name: "column", Usage: "load the column `SPEC`, and others by more flags (default: all columns)"},
			&cli.StringSliceFlag{Name: "attribute", Usage: "load the column `NAME` as an attribute, and others by more flags"},
			&cli.IntFlag{Name: "shards", DefaultText: fmt.Sprintf("%d, or as configured", config.DefaultShards), Usage: "make the board with `K` shards"},
			periodFlag(), jsonFlag(),
		}, rollupFlags()...),
		Action: p.load,
	}
}

func (p *program) load(c *cli.Context) (err error) {
	if err := arguments(c, 2, 2); err != nil {
		return err
	}
	f, err := parseFormat(c.String("format"))
	if err != nil {
		return err
	}
	specs, err := parseColumns(c.StringSlice("column"))
	if err != nil {
		return err
	}
	attributes, err := attributeColumns(c, specs)
	if err != nil {
		return err
	}
	if isRollup(c) {
		return p.rollUp(c, f, specs)
	}
	cfg, err := p.config(c)
	if err != nil {
		return err
	}
	names, err := loadedBoards(c, cfg)
	if err != nil {
		return err
	}
	l := &loading{program: p, config: cfg, name: names[0], names: names, alone: c.IsSet("period"), specs: specs, attributes: attributes, batch: loadBatch}
	if cfg.Store.Kind == config.KindDynamoDB {
		l.batch = loadBatchDynamoDB
	}
	if c.IsSet("shards") {
		if l.shards = c.Int("shards"); l.shards < 1 || l.shards > store.MaxShards {
			return usagef("--shards %d is not in 1..%d", l.shards, store.MaxShards)
		}
	}
	if err := l.open(c.Context); err != nil {
		return nothingWritten(err)
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if l.input, err = p.openInput(c.Context, c.Args().Get(1), f); err != nil {
		return nothingWritten(err)
	}
	defer l.input.close()
	took, err := l.run(c.Context)
	if err != nil {
		return err
	}
	return l.report(c, took)
}

// attributeColumns are those of --attribute.
func attributeColumns(c *cli.Context, specs []columnSpec) ([]string, error) {
	names := c.StringSlice("attribute")
	for i, name := range names {
		switch {
		case isRollup(c):
			return nil, usagef("--attribute is of a file of scores, and a log has none; leave it out")
		case name == "" || name == ownerColumn || slices.Contains(names[:i], name):
			return nil, usagef("--attribute %q is empty, the owner or there twice; name each column of the file once", name)
		case slices.ContainsFunc(specs, func(s columnSpec) bool { return s.name == name }):
			return nil, usagef("--attribute and --column both name %s; it is one or the other", name)
		}
	}
	return names, nil
}

// A loading is one load under way.
type loading struct {
	program *program
	config  config.Config
	name    string       // of the first board
	names   []string     // of all boards that are loaded, which have one definition
	alone   bool         // --period names one board of a family
	specs   []columnSpec // of --column; none: all of the file's
	shards  int          // of --shards; 0: not said
	batch   int

	store   store.Store        // nil until it is there or has to be made
	board   store.Board        // the first
	boards  []store.Board      // all
	made    []*rankcurve.Board // the same, once they are there
	known   bool               // the board is registered, or configured
	input   *input
	check   *check
	columns []*checked
	leftOut []string // columns of the file that --column does not name
	noIndex []string // columns that a DynamoDB table has no index of

	attributes []string // columns of the file that are attributes
}

// open finds the board, if it is there. The store is not made before the input
// has been checked.
func (l *loading) open(ctx context.Context) error {
	st, err := openStore(ctx, l.config, l.access(true))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		l.store = st
	}
	if err := l.findBoard(ctx); err != nil {
		return errors.Join(err, l.close())
	}
	return nil
}

func (l *loading) access(mustExist bool) access {
	return access{mustExist: mustExist, patient: true, log: l.program.log()}
}

func (l *loading) close() error {
	if l.store == nil {
		return nil
	}
	return l.store.Close()
}

// findBoard takes the definitions from the configuration, else from the registry,
// and holds what the flags say against them.
func (l *loading) findBoard(ctx context.Context) error {
	for i, name := range l.names {
		b, known, err := l.definition(ctx, name)
		if err != nil {
			return err
		}
		if i == 0 {
			l.board, l.known = b, known
		}
		l.boards = append(l.boards, b)
	}
	if _, configured := l.config.Board(l.name); !configured && l.known && !l.alone {
		if err := wholeFamily(ctx, l.store, l.name, l.program.clock()()); err != nil {
			return err
		}
	}
	if !l.known {
		return l.validateNew()
	}
	return l.mismatch()
}

// definition is a board as it is registered, or else as it is configured.
func (l *loading) definition(ctx context.Context, name string) (b store.Board, known bool, err error) {
	var registered bool
	if l.store != nil {
		b, err = l.store.Board(ctx, name)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return b, false, err
		}
		registered = err == nil
	}
	configured, isConfigured := l.config.Board(name)
	if registered && isConfigured {
		if err := b.Same(configured); err != nil {
			return b, false, hintf(err, "correct the configuration, or load into another board")
		}
	}
	if !registered {
		b = configured
	}
	return b, registered || isConfigured, nil
}

// validateNew refuses at once what can be no board, whatever the file holds.
func (l *loading) validateNew() error {
	l.board = store.Board{Name: l.name, Shards: config.DefaultShards}
	if l.shards != 0 {
		l.board.Shards = l.shards
	}
	probe := l.board
	probe.Columns = []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}
	if len(l.specs) > 0 {
		probe.Columns = nil
	}
	for _, s := range l.specs {
		probe.Columns = append(probe.Columns, s.define())
	}
	if err := probe.Validate(); err != nil {
		return usagef("board %s: %v", l.name, err)
	}
	return nil
}

// mismatch reports flags that say otherwise than the board that is there.
func (l *loading) mismatch() error {
	want := l.board
	want.Columns = slices.Clone(l.board.Columns)
	if l.shards != 0 {
		want.Shards = l.shards
	}
	for _, s := range l.specs {
		i := slices.IndexFunc(want.Columns, func(c store.Column) bool { return c.Name == s.name })
		if i < 0 {
			_, err := l.board.Column(s.name)
			return err
		}
		want.Columns[i] = s.over(want.Columns[i])
	}
	if err := l.board.Same(want); err != nil {
		return hintf(err, "leave the flag out, or load into a new board")
	}
	return nil
}

// run checks the input, makes the board and stores the rows.
func (l *loading) run(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	if l.input.blank {
		return 0, fmt.Errorf("%s is empty; its first line must be a header such as owner,xp, or an object such as {\"owner\":\"ann\",\"xp\":1200}", l.input.name)
	}
	if err := l.checkInput(ctx); err != nil {
		return 0, nothingWritten(err)
	}
	if err := l.makeBoard(ctx); err != nil {
		return 0, noRows(err)
	}
	if err := l.storeRows(ctx); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

// nothingWritten says so of a load that was stopped before it wrote.
func nothingWritten(err error) error {
	if errors.Is(err, context.Canceled) {
		return advicef(err, "stopped while the input was read; nothing was written: run the same command again")
	}
	return err
}

// noRows says so of a load that was stopped while the board was made.
func noRows(err error) error {
	if errors.Is(err, context.Canceled) {
		return advicef(err, "stopped while the board was made; no rows were stored: run the same command again")
	}
	return err
}

// makeBoard registers the board, and makes the store if it is not there yet.
func (l *loading) makeBoard(ctx context.Context) error {
	if l.store == nil {
		st, err := openStore(ctx, l.config, l.access(false))
		if err != nil {
			return err
		}
		l.store = st
	}
	if !l.known {
		l.boards = []store.Board{l.board}
	}
	if l.config.Store.Kind == config.KindDynamoDB {
		if err := l.checkIndexes(ctx); err != nil {
			return err
		}
	}
	for i, b := range l.boards {
		made, err := rankcurve.New(ctx, l.store, b, rankcurve.WithClock(l.program.clock()))
		if err != nil {
			return err
		}
		l.boards[i] = made.Definition()
		l.made = append(l.made, made)
	}
	return nil
}

// report says what was done, and what to do with it.
func (l *loading) report(c *cli.Context, took time.Duration) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, loadedRow{Boards: l.names, Rows: l.check.rows, LeftOut: listed(l.leftOut), NoIndex: listed(l.noIndex)})
	}
	rate := float64(l.check.rows) / max(took.Seconds(), 1e-3)
	w := c.App.Writer
	fmt.Fprintf(w, "loaded %s into %s (%s) in %s: %s rows/s\n", counting(l.check.rows, "row"), l.namesText(), columnsText(l.board.Columns), seconds(took), humanize.Comma(int64(rate)))
	if len(l.leftOut) > 0 {
		fmt.Fprintf(w, "left out, because --column does not name them: %s\n", someOf(l.leftOut))
	}
	if len(l.noIndex) > 0 {
		fmt.Fprintf(w, "the table has no index of %s, without which there are no ranks\nnext: %s\nthen: %s\n", someOf(l.noIndex), next(c, "table", "sync"), next(c, "rebuild", l.name))
		return nil
	}
	for _, name := range l.names {
		fmt.Fprintf(w, "next: %s\n", next(c, "rebuild", name))
	}
	return nil
}

// namesText names the boards.
func (l *loading) namesText() string {
	if len(l.names) == 1 {
		return fmt.Sprintf("board %q", l.name)
	}
	return "the boards " + strings.Join(l.names, ", ")
}

// loadedBoards names the boards that a command line loads: one, or with a family all
// of its boards of now.
func loadedBoards(c *cli.Context, cfg config.Config) ([]string, error) {
	def, isFamily := cfg.Family(c.Args().First())
	if isFamily && !c.IsSet("period") {
		names := make([]string, len(def.Periods))
		for i, p := range def.Periods {
			names[i] = p.At(clockOf(c)()).Board(def.Name)
		}
		return names, nil
	}
	name, err := boardNamed(c, cfg)
	if err != nil {
		return nil, err
	}
	return []string{name}, takesNow(c, cfg, name)
}

func columnsText(columns []store.Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.String()
	}
	return someOf(names)
}
