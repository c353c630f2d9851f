package config

import (
	"fmt"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// ScoreLimit bounds the scores of a column that are plausible, as people write them
// (82.3); empty is no bound. Unlike the rest of a column they are of the configuration
// alone, so that they can be changed at any time.
type ScoreLimit struct {
	Min, Max     string       // of every board
	MinOf, MaxOf PeriodScores // of a period's boards, in place of Min and Max
}

// PeriodScores is a score for each period; empty is none.
type PeriodScores struct {
	All, Monthly, Weekly, Daily string
}

// of is the score of a period.
func (s PeriodScores) of(p store.Period) string {
	switch p {
	case store.Always:
		return s.All
	case store.Monthly:
		return s.Monthly
	case store.Weekly:
		return s.Weekly
	case store.Daily:
		return s.Daily
	}
	return ""
}

// A bound is one end of a limit, and the key that says it.
type bound struct {
	key, text string
	to        **int64
}

// of reads the limit of a period's boards in the column's units; that of no period is what
// holds for all. The faults' keys are those of the column.
func (l ScoreLimit) of(c store.Column, p store.Period) (limit store.Limit, faults []fault) {
	low, high := bound{"min_score", l.Min, &limit.Min}, bound{"max_score", l.Max, &limit.Max}
	if text := l.MinOf.of(p); text != "" {
		low.key, low.text = "min_score_of."+string(p), text
	}
	if text := l.MaxOf.of(p); text != "" {
		high.key, high.text = "max_score_of."+string(p), text
	}
	for _, bound := range []bound{low, high} {
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
		faults = append(faults, fault{key: low.key, text: fmt.Sprintf("%s is above %s, %s; lower it, or raise %s", low.text, high.key, high.text, high.key)})
	}
	return limit, faults
}

// limitFaults are those of all columns, with keys below the board.
func (b Board) limitFaults() (faults []fault) {
	for i, l := range b.limited() {
		if c := b.Columns[i]; c.Decimals >= 0 && c.Decimals <= store.MaxDecimals { // else said already
			for _, f := range b.faultsOf(l, c) {
				f.key = fmt.Sprintf("columns[%d].%s", i, f.key)
				faults = append(faults, f)
			}
		}
	}
	return faults
}

// faultsOf are those of one column's limit, each once.
func (b Board) faultsOf(l ScoreLimit, c store.Column) (faults []fault) {
	_, faults = l.of(c, "")
	for _, p := range store.Periods() {
		if slices.Contains(b.Periods, p) {
			_, wrong := l.of(c, p)
			faults = append(faults, wrong...)
			continue
		}
		for _, bound := range []bound{{key: "min_score_of.", text: l.MinOf.of(p)}, {key: "max_score_of.", text: l.MaxOf.of(p)}} {
			if bound.text != "" {
				faults = append(faults, fault{key: bound.key + string(p), text: fmt.Sprintf("the board has no period %s; add it to periods, or leave this out", p)})
			}
		}
	}
	seen := map[fault]bool{}
	return slices.DeleteFunc(faults, func(f fault) bool {
		twice := seen[f]
		seen[f] = true
		return twice
	})
}

// limited are the limits of columns that are there: a Board made by hand may have less of
// them, or more.
func (b Board) limited() []ScoreLimit { return b.Limits[:min(len(b.Limits), len(b.Columns))] }

// Limits are what scores a board's columns take, by column, where there is a limit: that
// of a family's period as the family says of the period. A board that is not configured
// has none.
func (c Config) Limits(board string) map[string]store.Limit {
	period := store.Always
	if _, s, ok := store.ParseBoardName(board); ok {
		period = s.Period
	}
	b, ok := c.configured(board)
	if !ok {
		return nil
	}
	return b.limitsOf(period)
}

// PeriodLimits are the Limits of a family's boards, by period.
func (c Config) PeriodLimits(family string) map[store.Period]map[string]store.Limit {
	b, ok := c.configured(family)
	if !ok {
		return nil
	}
	limits := make(map[store.Period]map[string]store.Limit, len(b.Periods))
	for _, p := range b.Periods {
		limits[p] = b.limitsOf(p)
	}
	return limits
}

func (b Board) limitsOf(p store.Period) map[string]store.Limit {
	limits := map[string]store.Limit{}
	for i, l := range b.limited() {
		limit, _ := l.of(b.Columns[i], p) // Load has refused what is none
		if limit != (store.Limit{}) {
			limits[b.Columns[i].Name] = limit
		}
	}
	return limits
}
