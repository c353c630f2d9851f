package store

import (
	"slices"
	"strings"
)

// Operator says how a post changes the score that is there. Where there is none, the
// posted one is taken, whatever the operator.
type Operator string

const (
	Set   Operator = "set"   // replaces it
	Sum   Operator = "sum"   // adds to it
	Best  Operator = "best"  // replaces it only with a better one, by the column's order
	Worst Operator = "worst" // replaces it only with a worse one, by the column's order

	// BestRow replaces the row as a whole, all scores and attributes, with those of
	// the post, if its score of the board's first column is better than the one there,
	// by that column's order; otherwise nothing changes. What the post does not name
	// is gone then. It is the operator of a post, or of a board's first column, and
	// then of all posts with scores that name no other operator.
	BestRow Operator = "best_row"
)

// Operators are all of them.
func Operators() []Operator { return []Operator{Set, Sum, Best, Worst, BestRow} }

// Known says whether it is one of [Operators].
func (o Operator) Known() bool { return slices.Contains(Operators(), o) }

// OperatorNames lists the operators for a person: "set, sum, best, worst, best_row".
func OperatorNames() string {
	names := make([]string, 0, len(Operators()))
	for _, o := range Operators() {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}
