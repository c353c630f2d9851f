package store

import "fmt"

// ErrLimit is the [ErrInvalid] of a score that lies beyond a [Limit].
var ErrLimit = fmt.Errorf("%w", ErrInvalid)

// Limit bounds the scores of a column that are plausible; what lies beyond is a mistake
// or a cheat. Both ends are allowed. The zero value allows all.
type Limit struct {
	Min, Max *int64 // in the column's units; nil: no bound on this side
}

// And is what both limits allow.
func (l Limit) And(other Limit) Limit {
	if l.Max == nil || other.Max != nil && *other.Max < *l.Max {
		l.Max = other.Max
	}
	if l.Min == nil || other.Min != nil && *other.Min > *l.Min {
		l.Min = other.Min
	}
	return l
}

// Check reports why a score is not plausible, [ErrLimit] with column, score and limit,
// or nil.
func (l Limit) Check(c Column, score int64) error {
	switch {
	case l.Max != nil && score > *l.Max:
		return fmt.Errorf("column %q: score %s is above the limit of %s: %w", c.Name, FormatScore(score, c.Decimals), FormatScore(*l.Max, c.Decimals), ErrLimit)
	case l.Min != nil && score < *l.Min:
		return fmt.Errorf("column %q: score %s is below the limit of %s: %w", c.Name, FormatScore(score, c.Decimals), FormatScore(*l.Min, c.Decimals), ErrLimit)
	}
	return nil
}

// CheckSum is Check of a sum that replaces a score. One that lies beyond a limit, but no
// farther than the score that it replaces, is let through: it may be on its way back.
func (l Limit) CheckSum(c Column, there, sum int64) error {
	if l.Max != nil && sum > *l.Max && sum <= there || l.Min != nil && sum < *l.Min && sum >= there {
		return nil
	}
	return l.Check(c, sum)
}
