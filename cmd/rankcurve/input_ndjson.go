package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine keeps a file without line ends from being read as one line.
const maxLine = 1 << 20

// An ndjsonReader reads one flat JSON object per line.
type ndjsonReader struct {
	lines *bufio.Scanner
	line  int
	cells []cell
	ahead *row // the first row, which the names were taken from
}

func newNDJSON(r io.Reader) (rowReader, []string, error) {
	n := &ndjsonReader{lines: bufio.NewScanner(r)}
	n.lines.Buffer(make([]byte, 1<<16), maxLine)
	first, err := n.read()
	if err != nil {
		return nil, nil, err
	}
	n.ahead = &first
	names := make([]string, len(first.cells))
	for i, c := range first.cells {
		names[i] = c.column
	}
	return n, names, nil
}

func (n *ndjsonReader) read() (row, error) {
	if n.ahead != nil {
		first := *n.ahead
		n.ahead = nil
		return first, nil
	}
	for n.lines.Scan() {
		n.line++
		if text := bytes.TrimSpace(n.lines.Bytes()); len(text) > 0 {
			return n.parse(text)
		}
	}
	err := n.lines.Err()
	switch {
	case err == nil:
		return row{}, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return row{}, fmt.Errorf("line %d is longer than %d bytes; write one object per line", n.line+1, maxLine)
	}
	return row{}, fmt.Errorf("read input: %w", err)
}

// parse reads one object. The standard library judges whether it is one; the
// fields are then picked by hand, in a fifth of the time of decoding into a map,
// and with keys that are there twice in sight.
func (n *ndjsonReader) parse(text []byte) (row, error) {
	if !json.Valid(text) {
		var ignored any
		return row{}, faultf(n.line, "", "not JSON: %v; write one object per line, such as {\"owner\":\"ann\",\"xp\":1200}", json.Unmarshal(text, &ignored))
	}
	if text[0] != '{' {
		return row{}, faultf(n.line, "", "is no JSON object; write one per line, such as {\"owner\":\"ann\",\"xp\":1200}")
	}
	r := row{line: n.line, cells: n.cells[:0]}
	fields := scanner{text, 1}
	owned := false
	for {
		key, value := fields.next()
		switch {
		case key == nil:
			if n.cells = r.cells; !owned {
				return row{}, faultf(n.line, ownerColumn, "is missing; give every object an owner")
			}
			return r, nil
		case string(key) == `"owner"`:
			if owned {
				return row{}, faultf(n.line, ownerColumn, "is there twice in one object; keep one")
			}
			owned = true
			name, ok := ownerText(value)
			if !ok {
				return row{}, faultf(n.line, ownerColumn, "%s is not a name; write a string", shortened(value))
			}
			r.owner = name
		default:
			c := cell{column: plainText(key)}
			if err := n.score(&c, value, r.cells); err != nil {
				return row{}, err
			}
			r.cells = append(r.cells, c)
		}
	}
}

// score takes a value that stands in a column's place.
func (n *ndjsonReader) score(c *cell, value []byte, before []cell) error {
	for _, b := range before {
		if b.column == c.column {
			return faultf(n.line, c.column, "is there twice in one object; keep one")
		}
	}
	switch value[0] {
	case '"':
		c.text = plainText(value)
	case '{', '[', 't', 'f', 'n':
		return faultf(n.line, c.column, "%s is not a number; write a number, or leave the key out", shortened(value))
	default:
		c.text = string(value)
	}
	return nil
}

// ownerText reads a name, or an id that is written as a whole number.
func ownerText(value []byte) (string, bool) {
	switch {
	case value[0] == '"':
		return plainText(value), true
	case len(bytes.TrimLeft(value, "-0123456789")) == 0:
		return string(value), true
	}
	return "", false
}

// plainText is the text of a JSON string.
func plainText(quoted []byte) string {
	inside := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside)
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return string(inside) // cannot be: the line was valid
	}
	return text
}

func shortened(value []byte) string { return shortenedTo(value, 40) }

func shortenedTo(value []byte, most int) string {
	if len(value) > most {
		return strings.ToValidUTF8(string(value[:most]), "") + "..."
	}
	return string(value)
}

// A scanner picks the fields of a valid JSON object.
type scanner struct {
	text []byte
	at   int
}

// next is a key and its value as they are written; nil at the end.
func (s *scanner) next() (key, value []byte) {
	s.skip(" \t\r\n,")
	if s.text[s.at] == '}' {
		return nil, nil
	}
	key = s.value()
	s.skip(" \t\r\n:")
	return key, s.value()
}

func (s *scanner) skip(set string) {
	for strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

// value reads on to the end of the value that begins here.
func (s *scanner) value() []byte {
	from, depth := s.at, 0
	for {
		switch s.text[s.at] {
		case '"':
			s.passString()
			if depth == 0 {
				return s.text[from:s.at]
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return s.text[from:s.at]
			}
			if depth--; depth == 0 {
				s.at++
				return s.text[from:s.at]
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return s.text[from:s.at]
			}
		}
		s.at++
	}
}

func (s *scanner) passString() {
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
}
