package config

import (
	"fmt"

	"github.com/rankcurve/rankcurve/store"
)

// ScoreLimit bounds the scores of a column that are plausible, as people write them
// (82.3); empty is no bound. Unlike the rest of a column they are of the configuration
// alone, so that they can be changed at any time.
type ScoreLimit struct {
	Min, Max string
}

// of reads the limit in the column's units. The faults' keys are those of the column.
func (l ScoreLimit) of(c store.Column) (limit store.Limit, faults []fault) {
	for _, bound := range []struct {
		key, text string
		to        **int64
	}{{"min_score", l.Min, &limit.Min}, {"max_score", l.Max, &limit.Max}} {
		if bound.text == "" {
			continue
		}
		score, err := store.ParseScore(bound.text, c.Decimals)
		if err != nil {
			faults = append(faults, fault{key: bound.key, text: fmt.Sprintf("%q is not a score of the column, which keeps %d decimals; write it in digits and a point, or leave it empty for no limit", bound.text, c.Decimals)})
			continue
		}
		*bound.to = &score
	}
	if limit.Min != nil && limit.Max != nil && *limit.Min > *limit.Max {
		faults = append(faults, fault{key: "min_score", text: fmt.Sprintf("%s is above max_score, %s; lower it, or raise max_score", l.Min, l.Max)})
	}
	return limit, faults
}

// limitFaults are those of all columns, with keys below the board.
func (b Board) limitFaults() (faults []fault) {
	for i, l := range b.limited() {
		if c := b.Columns[i]; c.Decimals >= 0 && c.Decimals <= store.MaxDecimals { // else said already
			_, wrong := l.of(c)
			for _, f := range wrong {
				f.key = fmt.Sprintf("columns[%d].%s", i, f.key)
				faults = append(faults, f)
			}
		}
	}
	return faults
}

// limited are the limits of columns that are there: a Board made by hand may have less of
// them, or more.
func (b Board) limited() []ScoreLimit { return b.Limits[:min(len(b.Limits), len(b.Columns))] }

// Limits are what scores a board's columns take, by column, where there is a limit: that
// of a family's period as the family. A board that is not configured has none.
func (c Config) Limits(board string) map[string]store.Limit {
	b, ok := c.configured(board)
	if !ok {
		return nil
	}
	limits := map[string]store.Limit{}
	for i, l := range b.limited() {
		if l != (ScoreLimit{}) {
			limits[b.Columns[i].Name], _ = l.of(b.Columns[i]) // Load has refused what is none
		}
	}
	return limits
}
