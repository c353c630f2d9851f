package config

import (
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// A fault is one thing wrong with a configuration.
type fault struct {
	where string // file:line, the variable, or "flag"; "" if it was set nowhere
	key   string // "" when the fault is of no single key
	text  string
}

func (f fault) Error() string {
	parts := slices.DeleteFunc([]string{f.where, f.key, f.text}, func(s string) bool { return s == "" })
	return strings.Join(parts, ": ")
}

// nearest is the candidate that a misspelt word was most likely meant to be: the
// one with the fewest characters to insert, drop or replace.
func nearest(word string, candidates []string) string {
	return slices.MinFunc(candidates, func(a, b string) int {
		return smetrics.WagnerFischer(word, a, 1, 1, 1) - smetrics.WagnerFischer(word, b, 1, 1, 1)
	})
}
