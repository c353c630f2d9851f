package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Owners, attributes and the cells of files are texts of others. One with a line break in
// it would break a table, one with an escape sequence would act on the terminal, and one
// that turns the direction of writing would pass for another. So what is not printable is
// written as the escape that JSON has for it, in a JSON string too, where it means the
// same. Line breaks of our own are written as they are; those of others become \n in the
// cells of tables and in attributes.

// legible is a text on one line, with escapes in place of all that is not printable.
func legible(text string) string {
	return escaped(text, strconv.IsPrint)
}

// legibleLines is a text of several lines.
func legibleLines(text string) string {
	return escaped(text, printsOnLines)
}

func printsOnLines(r rune) bool { return strconv.IsPrint(r) || r == '\n' || r == '\t' }

// escaped has escapes in place of the runes that do not print, and of bytes that are no
// rune.
func escaped(text string, prints func(rune) bool) string {
	from := firstUnprintable(text, prints)
	if from < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:from])
	for at := from; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case prints(r):
			b.WriteString(text[at : at+size])
		case r == '\n':
			b.WriteString(`\n`)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		at += size
	}
	return b.String()
}

// firstUnprintable is where the first rune begins that does not print; -1: all do.
func firstUnprintable(text string, prints func(rune) bool) int {
	for at, r := range text {
		if r >= ' ' && r < utf8.RuneSelf-1 {
			continue // most
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[at:]); size == 1 {
				return at
			}
		}
		if !prints(r) {
			return at
		}
	}
	return -1
}

// A legibleWriter writes legible lines. Each write is of whole runes.
type legibleWriter struct{ w io.Writer }

// Write implements io.Writer.
func (l legibleWriter) Write(b []byte) (int, error) {
	text := string(b)
	if shown := legibleLines(text); len(shown) != len(text) {
		if _, err := io.WriteString(l.w, shown); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return l.w.Write(b)
}
