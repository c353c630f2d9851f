package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// checkInput checks the whole input, and completes the definition of a new board
// from it.
func (l *loading) checkInput(ctx context.Context) error {
	if err := l.choose(); err != nil {
		return err
	}
	if err := l.pass(ctx); err != nil {
		return err
	}
	if l.check.faults.count == 0 && l.check.rows == 0 {
		return fmt.Errorf("%s has a header and no rows; nothing was loaded", l.input.name)
	}
	// What is wrong already would be found, and told, a second time.
	if l.check.settle() && l.check.faults.count == 0 { // with all decimals known, a large score may be too large
		if err := l.pass(ctx); err != nil {
			return err
		}
	}
	if !l.known {
		for _, c := range l.columns {
			l.board.Columns = append(l.board.Columns, c.Column)
		}
	}
	return l.check.faults.err()
}

// choose decides which of the file's columns are loaded, and as what.
func (l *loading) choose() error {
	_, names, err := l.input.rows(func(int64) {})
	if err != nil {
		return l.inputError(err)
	}
	specs := l.specs
	if len(specs) == 0 && !l.known {
		specs = specsOf(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(l.attributes, name) }))
	}
	limits := l.limits()
	chosen := l.board.Columns // of a known board: all, or those that the flags name
	if len(specs) > 0 {
		chosen = nil
		for _, s := range specs {
			column, err := l.board.Column(s.name)
			if err != nil {
				column = s.define()
			}
			chosen = append(chosen, column)
			l.columns = append(l.columns, &checked{Column: column, limit: limits[column.Name], open: !l.known && s.decimals < 0})
		}
	} else {
		for _, column := range chosen {
			l.columns = append(l.columns, &checked{Column: column, limit: limits[column.Name]})
		}
	}
	return l.validateColumns(names, chosen)
}

// limits are those that all boards together set, by column.
func (l *loading) limits() map[string]store.Limit {
	all := map[string]store.Limit{}
	for _, name := range l.names {
		for column, limit := range l.config.Limits(name) {
			all[column] = all[column].And(limit)
		}
	}
	return all
}

// validateColumns refuses a file whose columns cannot be loaded as they are.
func (l *loading) validateColumns(names []string, chosen []store.Column) error {
	if len(names) == 0 {
		return l.inputError(faultf(1, "", "there is no column beside owner; add one with the scores"))
	}
	if !l.known {
		board := l.board
		board.Columns = slices.Clone(chosen)
		for i, c := range chosen { // no name that is valid is as long as to be cut
			board.Columns[i].Name = shortened([]byte(c.Name))
		}
		if err := board.Validate(); err != nil {
			return l.inputError(faultf(1, "", "no board can be made of the columns:\n%v\nrename them in the file, or name the columns to load with --column", err))
		}
	}
	if err := l.namedColumns(names); err != nil {
		return err
	}
	l.check = newCheck(l.input.name, l.name, l.columns, len(l.specs) == 0)
	l.check.texts = l.attributes
	l.check.fresh = !l.known
	for _, name := range names {
		if _, loaded := l.check.columns[name]; !loaded && len(l.specs) > 0 && !slices.Contains(l.attributes, name) {
			l.leftOut = append(l.leftOut, name)
		}
	}
	if l.input.format == formatCSV {
		l.check.header(1, names)
	}
	return nil
}

// namedColumns refuses flags that name columns which the file has not. What keys NDJSON has
// is known at its end alone.
func (l *loading) namedColumns(names []string) error {
	if l.input.format != formatCSV {
		return nil
	}
	for _, s := range l.specs {
		if !slices.Contains(names, s.name) {
			return l.inputError(faultf(1, s.name, "there is no such column (there are: %s); correct --column", someOf(names)))
		}
	}
	for _, name := range l.attributes {
		if !slices.Contains(names, name) {
			return l.inputError(faultf(1, name, "there is no such column (there are: %s); correct --attribute", someOf(names)))
		}
	}
	return nil
}

// inputError puts the file's name before a fault that ends the reading.
func (l *loading) inputError(err error) error {
	var f *fault
	if errors.As(err, &f) {
		one := faults{file: l.input.name}
		one.add(f)
		return one.err()
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s has no rows; nothing was loaded", l.input.name)
	}
	return fmt.Errorf("%s: %w", l.input.name, err)
}

// pass checks the input once from start to end.
func (l *loading) pass(ctx context.Context) error {
	bar := l.program.progress("checking", l.input.size, true)
	defer bar.end()
	rows, _, err := l.input.rows(bar.set)
	if err != nil {
		return l.inputError(err)
	}
	if err := l.check.run(ctx, rows); err != nil {
		return l.inputError(err)
	}
	return nil
}

// A batch is what one transaction stores.
type batch struct {
	entries []store.Entry
	err     error // of reading on; io.EOF at the end
}

// storeRows reads the input again and stores it, one batch after the other; the
// next one is read while one is stored.
func (l *loading) storeRows(ctx context.Context) error {
	bar := l.program.progress("storing", l.check.rows, false)
	defer bar.end()
	rows, _, err := l.input.rows(func(int64) {})
	if err != nil {
		return l.inputError(err)
	}
	log, batches := l.program.log(), make(chan batch)
	done := make(chan struct{})
	defer close(done)
	go l.readBatches(rows, batches, done)
	stored := int64(0)
	for {
		b := <-batches
		ended := errors.Is(b.err, io.EOF)
		if b.err != nil && !ended {
			return fmt.Errorf("%s of %s: %w", l.progressText(stored), l.input.name, b.err)
		}
		if len(b.entries) > 0 {
			if ctx.Err() != nil {
				return advicef(ctx.Err(), "stopped: %s; run the same command again to finish", l.progressText(stored))
			}
			// A batch that has begun is stored whole: the number said is the number there.
			for _, board := range l.made {
				if err := l.storeOn(context.WithoutCancel(ctx), board, b.entries); err != nil {
					return fmt.Errorf("%s: %w", l.progressText(stored), err)
				}
			}
			stored += int64(len(b.entries))
			bar.set(stored)
			log.Debug("batch stored", "board", l.name, "rows", stored, "of", l.check.rows)
		}
		if ended {
			return nil
		}
	}
}

// storeOn stores rows on one board, and hides those of owners whom its family hides.
func (l *loading) storeOn(ctx context.Context, b *rankcurve.Board, entries []store.Entry) error {
	def := b.Definition()
	if _, err := l.store.Load(ctx, def, entries); err != nil || def.Family == "" {
		return err
	}
	owners := make([]string, len(entries))
	for i, e := range entries {
		owners[i] = e.Owner
	}
	return b.KeepHidden(ctx, owners...)
}

func (l *loading) progressText(stored int64) string {
	return fmt.Sprintf("%s of %s rows are stored", humanize.Comma(stored), humanize.Comma(l.check.rows))
}

func (l *loading) readBatches(rows rowReader, to chan<- batch, done <-chan struct{}) {
	for {
		b := l.readBatch(rows)
		select {
		case to <- b:
		case <-done:
			return
		}
		if b.err != nil {
			return
		}
	}
}

func (l *loading) readBatch(rows rowReader) (b batch) {
	defer func() {
		if r := recover(); r != nil { // on a goroutine of its own, it would end the process
			b.err = internalError(r)
		}
	}()
	b.entries = make([]store.Entry, 0, min(int64(l.batch), l.check.rows))
	for len(b.entries) < l.batch {
		r, err := rows.read()
		if err != nil {
			b.err = err
			return b
		}
		e, err := l.entry(r)
		if err != nil {
			b.err = fmt.Errorf("line %d, which was in order when it was checked: %w", r.line, err)
			return b
		}
		b.entries = append(b.entries, e)
	}
	return b
}

func (l *loading) entry(r row) (store.Entry, error) {
	e := store.Entry{Owner: r.owner, Scores: make(map[string]int64, len(r.cells))}
	for _, cell := range r.cells {
		if slices.Contains(l.attributes, cell.column) {
			if e.Attributes == nil {
				e.Attributes = make(map[string]string, len(l.attributes))
			}
			e.Attributes[cell.column] = cell.text
			continue
		}
		column := l.check.columns[cell.column]
		if column == nil {
			continue
		}
		score, err := store.ParseScore(cell.text, column.Decimals)
		if err != nil {
			return e, err
		}
		e.Scores[cell.column] = score
	}
	return e, nil
}
