package main

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve/store"
)

// A fault is one thing wrong with one line of a file.
type fault struct {
	line   int
	column string // "" when it is of the line as a whole
	what   string // what is wrong; what to do
}

func (f *fault) Error() string { return legible(fmt.Sprintf("%d: %s", f.line, f.reason())) }

// reason is the fault without its line.
func (f *fault) reason() string {
	if f.column == "" {
		return f.what
	}
	return f.column + ": " + f.what
}

// Unwrap makes a fault a [store.ErrInvalid].
func (f *fault) Unwrap() error { return store.ErrInvalid }

func faultf(line int, column, format string, args ...any) *fault {
	return &fault{line, shortened([]byte(column)), fmt.Sprintf(format, args...)}
}

// maxFaults is how many faults are worth reading at once.
const maxFaults = 10

// Faults are all that is wrong with a file: the first ones in full, the rest as
// a number.
type faults struct {
	file  string
	first []*fault
	count int
}

func (f *faults) add(one *fault) {
	if f.count++; len(f.first) < maxFaults {
		f.first = append(f.first, one)
	}
}

// err is nil if nothing was wrong.
func (f *faults) err() error {
	if f.count == 0 {
		return nil
	}
	lines := make([]string, 0, len(f.first)+2)
	for _, one := range f.first {
		lines = append(lines, f.file+":"+one.Error())
	}
	if more := f.count - len(f.first); more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", humanize.Comma(int64(more))))
	}
	if f.count > 1 {
		lines = append([]string{"nothing was written, because of:"}, lines...)
	}
	return advicef(store.ErrInvalid, "%s", strings.Join(lines, "\n"))
}
