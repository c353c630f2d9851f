package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A format is how rows are written in a file.
type format string

const (
	formatCSV    format = "csv"
	formatNDJSON format = "ndjson"
)

func parseFormat(name string) (format, error) {
	switch f := format(name); f {
	case "", formatCSV, formatNDJSON:
		return f, nil
	}
	return "", usagef("--format %q is neither csv nor ndjson", name)
}

// An input is a file of rows that can be read more than once.
type input struct {
	name   string // in messages
	size   int64
	blank  bool // nothing is in it
	format format
	file   *os.File
	spool  bool // the file is a copy of ours, to be removed
}

// openInput opens a file, or spools what can be read only once: standard input
// ("-"), pipes.
func (p *program) openInput(ctx context.Context, path string, f format) (*input, error) {
	in := &input{name: path, format: f}
	var err error
	if path == "-" {
		in.name = "standard input"
		err = in.spoolFrom(ctx, p.in)
	} else {
		err = in.open(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	if err := in.measure(); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

func (in *input) open(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s; name one that is there, or - for standard input", path)
	}
	if err != nil {
		return fmt.Errorf("open input: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		return errors.Join(fmt.Errorf("open input: %w", err), f.Close())
	case info.IsDir():
		return errors.Join(fmt.Errorf("%s is a folder; name one file", path), f.Close())
	case !info.Mode().IsRegular():
		defer f.Close()
		return in.spoolFrom(ctx, f)
	}
	in.file = f
	return nil
}

// spoolFrom copies a stream into a file of our own, because the input is read
// twice: once to check all of it, once to store it.
func (in *input) spoolFrom(ctx context.Context, r io.Reader) error {
	f, err := os.CreateTemp("", "rankcurve-input-*")
	if err != nil {
		return fmt.Errorf("spool input: %w", err)
	}
	in.file, in.spool = f, true
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(f, r)
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done(): // a read that waits for its writer cannot be called off
		err = ctx.Err()
	}
	if err != nil {
		in.close()
		return fmt.Errorf("spool input: %w", err)
	}
	return nil
}

func (in *input) close() {
	_ = in.file.Close() // only read, or thrown away
	if in.spool {
		_ = os.Remove(in.file.Name())
	}
}

// measure finds size and format: by the name's extension, else by the first
// character.
func (in *input) measure() error {
	info, err := in.file.Stat()
	if err != nil {
		return fmt.Errorf("open input: %w", err)
	}
	in.size = info.Size()
	start := make([]byte, 512)
	n, err := in.file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read input: %w", err)
	}
	start = bytes.TrimLeft(bytes.TrimPrefix(start[:n], byteOrderMark), " \t\r\n")
	in.blank = len(start) == 0 && int64(n) == in.size
	switch {
	case bytes.IndexByte(start, 0) >= 0 || bytes.HasPrefix(start, gzipMagic):
		return fmt.Errorf("%s is not text; unpack or export it as CSV or NDJSON first", in.name)
	case bytes.HasPrefix(start, []byte("[")) && in.format != formatCSV:
		return fmt.Errorf("%s is one JSON array; write one object per line (jq -c '.[]' does)", in.name)
	case in.format != "":
	case in.extension() == ".csv":
		in.format = formatCSV
	case bytes.HasPrefix(start, []byte("{")) || in.extension() == ".ndjson" || in.extension() == ".jsonl":
		in.format = formatNDJSON
	default:
		in.format = formatCSV
	}
	return nil
}

func (in *input) extension() string { return strings.ToLower(filepath.Ext(in.name)) }

var (
	byteOrderMark = []byte("\xef\xbb\xbf") // spreadsheets write it
	gzipMagic     = []byte("\x1f\x8b")
)

// A row is one owner's line. Its cells belong to the reader until the next row.
type row struct {
	line  int
	owner string
	cells []cell
}

// A cell is one score as it is written.
type cell struct{ column, text string }

// A rowReader reads a file row by row. An error is io.EOF at the end, a *fault
// for a row after which others follow, or another one that ends the reading.
type rowReader interface {
	read() (row, error)
}

// rows reads the input from its start. The names are those of its columns other
// than owner: of the header, or of the first object.
func (in *input) rows(onBytes func(int64)) (r rowReader, names []string, err error) {
	if _, err := in.file.Seek(0, io.SeekStart); err != nil {
		return nil, nil, fmt.Errorf("read input: %w", err)
	}
	stream := bufio.NewReaderSize(&counted{in.file, onBytes, 0}, 1<<18)
	if mark, err := stream.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, _ = stream.Discard(len(byteOrderMark)) // peeked
	}
	if in.format == formatNDJSON {
		return newNDJSON(stream)
	}
	return newCSV(stream)
}

// A counted reader reports how many bytes it has read.
type counted struct {
	io.Reader
	report func(int64)
	n      int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	c.report(c.n)
	return n, err
}
