package main

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// ownerColumn is the one that every file has.
const ownerColumn = "owner"

// A csvReader reads a CSV file with a header.
type csvReader struct {
	csv   *csv.Reader
	names []string // of all columns
	owner int      // its place
	row   row
}

func newCSV(r io.Reader) (rowReader, []string, error) {
	c := &csvReader{csv: csv.NewReader(r)}
	c.csv.ReuseRecord = true
	c.csv.FieldsPerRecord = -1 // counted here, with a better message
	header, err := c.csv.Read()
	if err != nil {
		return nil, nil, c.fault(err)
	}
	line, _ := c.csv.FieldPos(0)
	for i, name := range header {
		name = strings.Clone(strings.TrimSpace(name))
		if first := slices.Index(c.names, name); first >= 0 {
			return nil, nil, faultf(line, name, "is the name of columns %d and %d of the header; give each its own", first+1, i+1)
		}
		c.names = append(c.names, name)
	}
	if c.owner = slices.Index(c.names, ownerColumn); c.owner < 0 {
		return nil, nil, faultf(line, ownerColumn, "there is no such column (there are: %s); the first line must be a header, with the owners' column named owner", someOf(c.names))
	}
	c.row.cells = make([]cell, 0, len(c.names)-1)
	return c, slices.Delete(slices.Clone(c.names), c.owner, c.owner+1), nil
}

// readRecord passes over lines of spaces as the standard library does over empty ones.
func readRecord(r *csv.Reader) ([]string, error) {
	for {
		record, err := r.Read()
		if len(record) != 1 || record[0] == "" || strings.TrimSpace(record[0]) != "" {
			return record, err
		}
	}
}

func (c *csvReader) read() (row, error) {
	record, err := readRecord(c.csv)
	if err != nil {
		return row{}, c.fault(err)
	}
	c.row.line, _ = c.csv.FieldPos(0)
	if len(record) != len(c.names) {
		return row{}, faultf(c.row.line, "", "the line has %s, the header %d; separate them by commas, and put quotes around a comma that is part of a name", counting(len(record), "field"), len(c.names))
	}
	c.row.cells = c.row.cells[:0]
	for i, text := range record {
		if i == c.owner {
			c.row.owner = strings.TrimSpace(text)
		} else if text = strings.TrimSpace(text); text != "" {
			c.row.cells = append(c.row.cells, cell{c.names[i], text})
		}
	}
	return c.row, nil
}

// fault names the line that is no CSV; reading can go on behind it.
func (c *csvReader) fault(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	return faultf(parse.Line, "", "%v; put quotes around the whole field, and write a quote inside it twice", parse.Err)
}
