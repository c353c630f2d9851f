package main

import (
	"slices"

	"github.com/xrash/smetrics"
)

// nearest is the candidate that a misspelt word was most likely meant to be: the
// one with the fewest characters to insert, drop or replace.
func nearest(word string, candidates []string) string {
	return slices.MinFunc(candidates, func(a, b string) int {
		return smetrics.WagnerFischer(word, a, 1, 1, 1) - smetrics.WagnerFischer(word, b, 1, 1, 1)
	})
}
