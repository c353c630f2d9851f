package store

import (
	"fmt"
	"maps"
	"slices"
)

// UnreadableError is the error of an answer of many rows, or definitions, that is whole but for some
// which are there and cannot be read back. It is what their errors are, [ErrCorrupt].
// Take it out with errors.As.
type UnreadableError struct {
	Rows map[string]error // why not, by owner, or by board where all are of one owner or are boards; one at least
}

// Unreadable is the error of the rows that could not be read, as in Rows, or nil.
func Unreadable(rows map[string]error) error {
	if len(rows) == 0 {
		return nil
	}
	return &UnreadableError{Rows: rows}
}

// Of is the error of those rows whose names are wanted, or nil.
func (e *UnreadableError) Of(wanted func(name string) bool) error {
	rows := maps.Clone(e.Rows)
	maps.DeleteFunc(rows, func(name string, _ error) bool { return !wanted(name) })
	return Unreadable(rows)
}

// Error implements error: what the first row's says, in the order of the names.
func (e *UnreadableError) Error() string {
	all := e.Unwrap()
	if more := len(all) - 1; more > 0 {
		return fmt.Sprintf("%v; and %d more cannot be read", all[0], more)
	}
	return all[0].Error()
}

// Unwrap are the rows' errors, in the order of the names.
func (e *UnreadableError) Unwrap() []error {
	all := make([]error, 0, len(e.Rows))
	for _, name := range slices.Sorted(maps.Keys(e.Rows)) {
		all = append(all, e.Rows[name])
	}
	return all
}
