package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
)

// A mark is a place in a log where a line begins, with what stands before it.
type mark struct {
	Bytes int64  `json:"bytes"`
	Lines int    `json:"lines"` // before it
	Sum   string `json:"sha256"`
}

// milestone says whether the place behind a line is kept for good: of every doubling of
// the lines the first, and those a quarter, half and three quarters on. So of a copy that
// ends anywhere four fifths can be told to be the same, by some hundred marks at most.
func milestone(line int) bool {
	for line >= 8 && line%2 == 0 {
		line /= 2
	}
	return line < 8
}

// A summer sums up a log from its start on, and counts its lines.
type summer struct {
	log   *accessLog
	hash  hash.Hash
	bytes int64
	lines int
}

func (l *accessLog) summer() *summer { return &summer{log: l, hash: sha256.New()} }

// to goes on to a place, which must not be before the last one.
func (s *summer) to(place int64) (mark, error) {
	section, block := s.log.section(s.bytes, place), make([]byte, 1<<16)
	for {
		n, err := section.Read(block)
		s.hash.Write(block[:n])
		s.lines += bytes.Count(block[:n], []byte("\n"))
		s.bytes += int64(n)
		if errors.Is(err, io.EOF) {
			return mark{s.bytes, s.lines, hex.EncodeToString(s.hash.Sum(nil))}, nil
		}
		if err != nil {
			return mark{}, fmt.Errorf("read input: %w", err)
		}
	}
}

// Marks are those of a file, by place: some that were asked for, and its last.
type marks struct {
	at   map[int64]mark
	last mark
}

// marks are those of the places in the file that are asked for.
func (l *accessLog) marks(places []int64) (marks, error) {
	f, s := marks{at: map[int64]mark{}}, l.summer()
	slices.Sort(places)
	for _, place := range append(slices.Compact(places), l.usable) {
		if place > l.usable {
			continue
		}
		m, err := s.to(place)
		if err != nil {
			return marks{}, err
		}
		f.at[place], f.last = m, m
	}
	return f, nil
}

// has says whether the file has the same before a mark as it had when that was made.
func (f marks) has(m mark) bool { return f.at[m.Bytes].Sum == m.Sum }

// endsBefore says whether the file ends before a mark, in lines too: one that has as many
// lines in fewer bytes has others.
func (f marks) endsBefore(m mark) bool { return m.Bytes > f.last.Bytes && m.Lines > f.last.Lines }
