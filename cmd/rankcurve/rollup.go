package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// rollupDescription is the part of load's help that is about access logs.
const rollupDescription = `An access log, with a line for every event, is counted instead: --count-by names the
log's column with the owners and adds the number of each one's lines to the board's
first column, or to --column; --sum adds up a column of the log. With --type-column there
is a board for each type, missions.TYPE, and where the configuration gives the board
periods, --time-column (default: time) says which ones a line is of.

   rankcurve load photos access.csv --count-by image --column views
   rankcurve load photos access.csv --count-by image --type-column type --sum bytes

Counting the same log again adds nothing, whatever the file is called by then; lines that
were added at its end are counted, and a run that was stopped is gone on with. A last line
without a line end waits for the next run.

A log is known by its first line behind the header, so rotated logs are logs of their own.
One that begins like a log that was counted, and then has something else, is refused: a
line of it was changed, or it is another log, which --log NAME tells apart. A copy of a log
as it was earlier has nothing new in it.

A line that cannot be counted refuses all of the file: one without an owner, of a time that
cannot be read, is to come or too late, or beyond a limit. With --skip-refused FILE such lines
are added to FILE, as {"line": 3, "reason": "...", "text": "..."} and with a warning, and
the others are counted. They are done with, too: put what is corrected at the log's end. FILE
is made, or goes on if it is such a list. Of a row that does not take its share, FILE has the
lines, with the "board" that is without them. A run that was stopped while it listed such
lines is gone on with by the same FILE alone.

   rankcurve load photos access.csv --count-by image --skip-refused refused.ndjson

Scores keep to min_score and max_score of the configuration. Where a row does not take
what a log adds, the others of the chunk are counted and the log stays there: the same
command goes on from there when the limit is raised, or the row lowered.`

// How many lines are counted at a time: a run that was stopped counts so many again,
// for nothing where they are stored.
const (
	rollupChunk         = 100_000
	rollupChunkDynamoDB = 5_000
)

// maxLogName is the longest name of a log, in bytes.
const maxLogName = 255

// defaultCounter is the column that a new board counts in.
const defaultCounter = "count"

func rollupFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "count-by", Usage: "count the lines of a log by the owners in its column `NAME`"},
		&cli.StringSliceFlag{Name: "sum", Usage: "add up the log's column `NAME`, or COLUMN=NAME to call it COLUMN on the board; repeat it for others"},
		&cli.StringFlag{Name: "type-column", Usage: "count into a board for each type in the log's column `NAME`"},
		&cli.StringFlag{Name: "time-column", DefaultText: "time", Usage: "take the times of lines from the log's column `NAME`"},
		&cli.StringFlag{Name: "skip-refused", Usage: "list lines that cannot be counted in `FILE`, with the reasons, and count the others"},
		&cli.StringFlag{Name: "log", Usage: "tell the log by `NAME` from others that begin with the same line"},
	}
}

// isRollup says whether a load counts a log.
func isRollup(c *cli.Context) bool {
	return slices.ContainsFunc(rollupFlags(), func(f cli.Flag) bool { return c.IsSet(f.Names()[0]) })
}

// A rollup is one log on its way into the boards of a family.
type rollup struct {
	program *program
	config  config.Config
	now     time.Time
	columns logColumns
	chunk   int // lines
	batch   int // posts

	store   store.Store
	def     rankcurve.FamilyDefinition // under the name that the command line has
	fresh   bool                       // no board of it is there, and none configured
	counter string                     // the column that lines are counted in
	one     int64                      // what a line adds there; 0: lines are not counted
	sums    []string                   // columns of the board, in the order of columns.sums
	summed  []*checked                 // the same

	plausible map[string][]store.Limit // of columns, on the boards of all periods

	log      *accessLog
	logName  string // of --log
	journal  *journal
	older    bool // the file is an older copy of the log
	lines    int  // of the file, then
	families map[string]*rankcurve.Family
	kinds    map[string]bool

	skip    string       // the file of --skip-refused
	list    *refusedList // nil: a line that cannot be counted is an error
	refused int64        // lines that are listed

	rows, gone int64 // of the lines that are not counted yet
	boards     map[string]bool
	noIndex    []string
}

func (p *program) rollUp(c *cli.Context, f format, specs []columnSpec) (err error) {
	cfg, err := p.config(c)
	if err != nil {
		return err
	}
	r := &rollup{program: p, config: cfg, now: p.clock()(), chunk: rollupChunk, batch: rollupBatch, families: map[string]*rankcurve.Family{}, kinds: map[string]bool{}, boards: map[string]bool{}}
	if cfg.Store.Kind == config.KindDynamoDB {
		r.chunk, r.batch = rollupChunkDynamoDB, rollupBatchDynamoDB
	}
	if r.skip = c.String("skip-refused"); c.IsSet("skip-refused") && (r.skip == "" || r.skip == "-") {
		return usagef("--skip-refused %q is no file; name one for the list of refused lines", r.skip)
	}
	if err := r.readFlags(c, specs); err != nil {
		return err
	}
	if err := r.open(c.Context, true); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	defer func() {
		if r.store != nil {
			err = errors.Join(err, r.store.Close())
		}
	}()
	if err := r.define(c, specs); err != nil {
		return err
	}
	in, err := p.openInput(c.Context, c.Args().Get(1), f)
	if err != nil {
		return nothingWritten(err)
	}
	defer in.close()
	if r.log, err = openLog(in, r.columns); err != nil {
		return (&loading{input: in}).inputError(err)
	}
	if r.log.empty() {
		return r.reportEmpty(c)
	}
	return r.run(c)
}

func (r *rollup) open(ctx context.Context, mustExist bool) error {
	st, err := openStore(ctx, r.config, access{mustExist: mustExist, patient: true, log: r.program.log()})
	if err == nil {
		r.store = st
	}
	return err
}

// readFlags takes what does not depend on the board.
func (r *rollup) readFlags(c *cli.Context, specs []columnSpec) error {
	for _, name := range []string{"count-by", "type-column", "time-column"} {
		if c.IsSet(name) && c.String(name) == "" {
			return usagef("--%s is empty; name a column of the log", name)
		}
	}
	if r.logName = c.String("log"); c.IsSet("log") && (r.logName == "" || len(r.logName) > maxLogName) {
		return usagef("--log has %d bytes; give the log a name of 1 to %d", len(r.logName), maxLogName)
	}
	counted, sums := c.IsSet("count-by"), c.StringSlice("sum")
	switch {
	case !counted && len(sums) == 0:
		return usagef("nothing is counted or summed up; add --count-by NAME or --sum NAME")
	case c.IsSet("period"):
		return usagef("--period does not go with a log, whose lines say themselves when they were; leave it out")
	case len(specs) > 1 || len(specs) == 1 && !counted:
		return usagef("--column names the one column that --count-by counts in")
	}
	r.columns = logColumns{owner: ownerColumn, kind: c.String("type-column")}
	if counted {
		r.columns.owner = c.String("count-by")
	}
	return r.readSums(sums)
}

// readSums takes --sum NAME, or COLUMN=NAME where the board's column has another name
// than the log's.
func (r *rollup) readSums(sums []string) error {
	for _, sum := range sums {
		column, name, two := strings.Cut(sum, "=")
		if !two {
			name = column
		}
		if column == "" || name == "" {
			return usagef("--sum %q names no column; write NAME, or COLUMN=NAME to add up the log's NAME in the board's COLUMN", sum)
		}
		if slices.Contains(r.sums, column) {
			return usagef("--sum names the column %s twice; give each column one", column)
		}
		r.sums, r.columns.sums = append(r.sums, column), append(r.columns.sums, name)
	}
	return nil
}

// how says which lines are counted how: the same log counted in another way is another
// count of the same lines.
func (r *rollup) how() string {
	words := []string{"owners in " + r.columns.owner}
	if r.one != 0 {
		words = append(words, "lines in "+r.counter)
	}
	for i, column := range r.sums {
		words = append(words, "sum of "+column)
		if name := r.columns.sums[i]; name != column {
			words[len(words)-1] += " from " + name
		}
	}
	if r.columns.kind != "" {
		words = append(words, "types in "+r.columns.kind)
	}
	return strings.Join(words, ", ")
}

// run counts what is not counted yet.
func (r *rollup) run(c *cli.Context) (err error) {
	ctx, start := c.Context, time.Now()
	began, err := r.log.summer().to(r.log.body)
	if err != nil {
		return err
	}
	if r.store == nil { // it is not made for a log that cannot be counted
		if err := r.checkLines(ctx, began, began.Bytes); err != nil {
			return nothingWritten(err)
		}
		if err := r.open(ctx, false); err != nil {
			return err
		}
	}
	if r.journal, err = r.openJournal(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.journal.release(ctx)) }()
	if err := r.findPlace(began); err != nil {
		return err
	}
	before := r.journal.log().Done.Lines
	if !r.older {
		if err := r.keepList(); err != nil {
			return err
		}
		if err := r.checkNew(ctx); err != nil {
			return nothingWritten(err)
		}
	}
	if err := r.countAndList(ctx); err != nil {
		return err
	}
	return r.report(c, before, time.Since(start))
}

// countAndList counts what there is to count, with a list of what is refused if
// --skip-refused names one.
func (r *rollup) countAndList(ctx context.Context) (err error) {
	begun := r.journal.log().Next != nil
	if r.older || r.rows+r.refused == 0 && !begun {
		return nil
	}
	if r.noIndex, err = r.missingIndexes(ctx); err != nil {
		return err
	}
	if r.skip != "" {
		if r.list, err = openList(r.skip, r.log.input, r.journal.log()); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.list.close()) }()
	}
	return r.count(ctx)
}

// findPlace looks up how far the log is counted.
func (r *rollup) findPlace(began mark) error {
	f, err := r.log.marks(r.journal.places())
	if err != nil {
		return err
	}
	if r.older, err = r.journal.find(r.logName, r.how(), began, f); r.older {
		r.lines = f.last.Lines
	}
	return err
}

// checkNew checks the lines that are not counted yet, and completes the columns of a
// new board from them.
func (r *rollup) checkNew(ctx context.Context) error {
	log := r.journal.log()
	underWay := log.Done.Bytes
	if log.Next != nil {
		underWay = log.Next.Bytes
	}
	if err := r.checkLines(ctx, log.Done, underWay); err != nil {
		return err
	}
	if r.settle() {
		return r.checkLines(ctx, log.Done, underWay)
	}
	return nil
}

// missingIndexes are the columns that a table has no index of.
func (r *rollup) missingIndexes(ctx context.Context) ([]string, error) {
	if r.config.Store.Kind != config.KindDynamoDB {
		return nil, nil
	}
	l := loading{program: r.program, config: r.config, board: store.Board{Columns: r.def.Columns}}
	err := l.checkIndexes(ctx)
	return l.noIndex, err
}
