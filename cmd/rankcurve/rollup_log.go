package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A logColumns says which columns of an access log are read; empty: none.
type logColumns struct {
	owner, kind, time string
	sums              []string
}

// names are those that a log must have.
func (l logColumns) names() []string {
	return slices.DeleteFunc(slices.Concat([]string{l.owner, l.kind, l.time}, l.sums), func(name string) bool { return name == "" })
}

// A logLine is one line of an access log. What it has not is empty.
type logLine struct {
	line              int
	owner, kind, time string
	sums              []string // in the order of logColumns
	start             int64    // where it begins in the file, or empty lines before it
	end               int64    // where the next line begins
}

// A logReader reads lines of a log. An error is io.EOF at the end, a *fault for a line
// after which others follow, and of which it is known where it stands, or another one that
// ends the reading.
type logReader interface {
	read() (logLine, error)
}

// An accessLog is a file of lines that only ever grows at its end. Its last line
// counts once its line end is there: until then it may be half written.
type accessLog struct {
	*input
	columns logColumns
	names   []string // of a CSV file's header
	body    int64    // where the lines begin, behind a header
	usable  int64    // where the last whole line ends
}

// openLog finds the ends of a log, and whether it has the columns.
func openLog(in *input, columns logColumns) (*accessLog, error) {
	l := &accessLog{input: in, columns: columns}
	var err error
	if l.usable, err = l.lastLineEnd(); err != nil {
		return nil, err
	}
	if in.blank { // it was rotated just now
		l.body = l.usable
		return l, nil
	}
	if l.body, err = l.begin(); err != nil {
		return nil, err
	}
	return l, nil
}

// empty says that the log has no whole line yet, behind a header at most.
func (l *accessLog) empty() bool { return l.usable <= l.body }

// lastLineEnd looks for the last line break from the file's end.
func (l *accessLog) lastLineEnd() (int64, error) {
	block := make([]byte, 1<<16)
	for end := l.size; end > 0; {
		from := max(0, end-int64(len(block)))
		part := block[:end-from]
		if _, err := l.file.ReadAt(part, from); err != nil {
			return 0, fmt.Errorf("read input: %w", err)
		}
		if at := bytes.LastIndexByte(part, '\n'); at >= 0 {
			return from + int64(at) + 1, nil
		}
		end = from
	}
	return 0, nil
}

// begin reads what stands before the lines: a mark of the byte order, a header.
func (l *accessLog) begin() (body int64, err error) {
	start := make([]byte, len(byteOrderMark))
	if n, _ := l.file.ReadAt(start, 0); bytes.Equal(start[:n], byteOrderMark) {
		body = int64(n)
	}
	if l.format == formatNDJSON {
		return body, nil
	}
	header := csv.NewReader(l.section(body, l.usable))
	names, err := header.Read()
	if errors.Is(err, io.EOF) {
		return body, errors.New("there is no header that ends in a line break; the first line must be one, such as owner,time,type")
	}
	if err != nil {
		return body, csvFault(err, 1)
	}
	for i, name := range names {
		name = strings.TrimSpace(name)
		if first := slices.Index(l.names, name); first >= 0 {
			return body, faultf(1, name, "is the name of columns %d and %d of the header; give each its own", first+1, i+1)
		}
		l.names = append(l.names, name)
	}
	for _, name := range l.columns.names() {
		if !slices.Contains(l.names, name) {
			return body, faultf(1, name, "there is no such column (there are: %s); correct the flag that names it, or the header", someOf(l.names))
		}
	}
	return body + header.InputOffset(), nil
}

// headerLines is how many lines stand before the first that counts.
func (l *accessLog) headerLines() int {
	if l.format == formatNDJSON {
		return 0
	}
	return 1
}

func (l *accessLog) section(from, to int64) *io.SectionReader {
	return io.NewSectionReader(l.file, from, to-from)
}

// between reads the lines from one place to another; both must be where lines begin,
// the first of them that of the line with a number.
func (l *accessLog) between(from, to int64, line int) logReader {
	if l.format == formatNDJSON {
		lines := bufio.NewReaderSize(l.section(from, to), 1<<18)
		return &ndjsonLog{log: l, lines: lines, at: from, line: line}
	}
	c := &csvLog{log: l, buffer: bufio.NewReaderSize(nil, 1<<18), to: to}
	c.begin(from, line)
	return c
}

// text is a line as it stands in the file, without its end.
func (l *accessLog) text(line logLine) (string, error) {
	text := make([]byte, line.end-line.start)
	if _, err := l.file.ReadAt(text, line.start); err != nil {
		return "", fmt.Errorf("read input: %w", err)
	}
	return string(bytes.Trim(text, "\r\n")), nil
}

// A csvLog reads lines of a CSV file.
type csvLog struct {
	log    *accessLog
	buffer *bufio.Reader
	to     int64
	csv    *csv.Reader
	from   int64 // where it began
	line   int
}

func (c *csvLog) begin(from int64, line int) {
	c.buffer.Reset(c.log.section(from, c.to))
	c.csv, c.from, c.line = csv.NewReader(c.buffer), from, line
	c.csv.ReuseRecord = true
	c.csv.FieldsPerRecord = -1
}

func (c *csvLog) read() (logLine, error) {
	start := c.from + c.csv.InputOffset()
	record, err := readRecord(c.csv)
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return c.broken(start, parse)
	}
	if err != nil {
		return logLine{}, err
	}
	number, _ := c.csv.FieldPos(0)
	l := logLine{line: c.line + number - 1, start: start, end: c.from + c.csv.InputOffset()}
	if len(record) != len(c.log.names) {
		return l, faultf(l.line, "", "the line has %s, the header %d; separate them by commas, and put quotes around a comma that is part of a field", counting(len(record), "field"), len(c.log.names))
	}
	columns := c.log.columns
	text := func(name string) string {
		if name == "" {
			return ""
		}
		return strings.TrimSpace(record[slices.Index(c.log.names, name)])
	}
	l.owner, l.kind, l.time = text(columns.owner), text(columns.kind), text(columns.time)
	for _, name := range columns.sums {
		l.sums = append(l.sums, text(name))
	}
	return l, nil
}

// broken is a line that is no CSV. What follows is read anew from the next one: with a
// quote that is not closed it would be all up to the next quote.
func (c *csvLog) broken(start int64, parse *csv.ParseError) (logLine, error) {
	l, fault := logLine{line: c.line + parse.StartLine - 1, start: start, end: start}, csvFault(parse, c.line)
	c.buffer.Reset(c.log.section(start, c.to))
	for {
		text, err := c.buffer.ReadBytes('\n')
		if l.end += int64(len(text)); len(bytes.TrimSpace(text)) > 0 || errors.Is(err, io.EOF) {
			c.begin(l.end, l.line+1)
			return l, fault
		}
		if err != nil {
			return l, fmt.Errorf("read input: %w", err)
		}
		l.start = l.end
	}
}

// csvFault names the line that is no CSV, of a reader that began at a line.
func csvFault(err error, began int) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	return faultf(began+parse.StartLine-1, "", "%v; put quotes around the whole field, and write a quote inside it twice", parse.Err)
}

// An ndjsonLog reads lines of one JSON object each. Other fields than the named ones
// may hold anything.
type ndjsonLog struct {
	log   *accessLog
	lines *bufio.Reader
	at    int64
	line  int // of the next
}

func (n *ndjsonLog) read() (logLine, error) {
	for {
		text, err := n.lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return logLine{}, io.EOF // the section ends in a line break
		case errors.Is(err, bufio.ErrBufferFull):
			return logLine{}, fmt.Errorf("line %d is longer than %d bytes; write one object per line", n.line, n.lines.Size())
		case err != nil:
			return logLine{}, fmt.Errorf("read input: %w", err)
		}
		start := n.at
		n.at += int64(len(text))
		n.line++
		if text = bytes.TrimSpace(text); len(text) > 0 {
			l, err := n.parse(text)
			l.start = start
			return l, err
		}
	}
}

func (n *ndjsonLog) parse(text []byte) (logLine, error) {
	l := logLine{line: n.line - 1, end: n.at, sums: make([]string, len(n.log.columns.sums))}
	if !json.Valid(text) || text[0] != '{' {
		return l, faultf(l.line, "", "is no JSON object; write one per line, such as {\"owner\":\"ann\",\"time\":\"2026-11-21T09:30:00Z\"}")
	}
	fields, seen := scanner{text, 1}, map[string]bool{}
	for {
		key, value := fields.next()
		if key == nil {
			return l, nil
		}
		name := plainText(key)
		places := n.places(&l, name)
		if len(places) == 0 {
			continue
		}
		if seen[name] {
			return l, faultf(l.line, name, "is there twice in one object; keep one")
		}
		seen[name] = true
		plain, ok := logText(value)
		if !ok {
			return l, faultf(l.line, name, "%s is neither a text nor a number", shortened(value))
		}
		for _, place := range places {
			*place = plain
		}
	}
}

// places are where the value of a field belongs: one column may serve two ends.
func (n *ndjsonLog) places(l *logLine, name string) (places []*string) {
	columns := n.log.columns
	for i, sum := range columns.sums {
		if sum == name {
			places = append(places, &l.sums[i])
		}
	}
	if name == columns.owner {
		places = append(places, &l.owner)
	}
	if name == columns.kind {
		places = append(places, &l.kind)
	}
	if name == columns.time {
		places = append(places, &l.time)
	}
	return places
}

// logText is a text, a number as it is written, or nothing for null.
func logText(value []byte) (string, bool) {
	switch value[0] {
	case '"':
		return strings.TrimSpace(plainText(value)), true
	case 'n':
		return "", true
	case '{', '[', 't', 'f':
		return "", false
	}
	return string(value), true
}
