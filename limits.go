package rankcurve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// cloneLimits copies limits, with what they point to.
func cloneLimits(limits map[string]store.Limit) map[string]store.Limit {
	limits = maps.Clone(limits)
	for name, l := range limits {
		limits[name] = store.Limit{Min: cloneUnits(l.Min), Max: cloneUnits(l.Max)}
	}
	return limits
}

func cloneUnits(units *int64) *int64 {
	if units == nil {
		return nil
	}
	return new(*units)
}

// checkLimits reports limits that the board cannot have.
func checkLimits(def store.Board, limits map[string]store.Limit) error {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if !slices.ContainsFunc(def.Columns, func(c store.Column) bool { return c.Name == name }) {
			return fmt.Errorf("there is a limit of column %q: %w", name, store.ErrNoColumn)
		}
		if l := limits[name]; l.Min != nil && l.Max != nil && *l.Min > *l.Max {
			return fmt.Errorf("column %q: its lowest score of %d units is above its highest of %d: %w", name, *l.Min, *l.Max, store.ErrInvalid)
		}
	}
	return nil
}

// checkPlausible holds a post's scores against limits, but for those that are added
// to what is there: what counts is the sum.
func (b *Board) checkPlausible(p Post, limits map[string]store.Limit) error {
	for _, c := range b.def.Columns {
		score, named := p.Scores[c.Name]
		if !named || !b.wholeRow(p) && operatorOf(c, p) == store.Sum {
			continue
		}
		if err := limits[c.Name].Check(c, score); err != nil {
			return err
		}
	}
	return nil
}

// checkPlausibleSum holds what a sum has become against the limit.
func (b *Board) checkPlausibleSum(c store.Column, p Post, has bool, there, sum int64) error {
	limit := b.options.limits[c.Name]
	switch {
	case operatorOf(c, p) != store.Sum:
		return nil
	case has:
		return limit.CheckSum(c, there, sum)
	}
	return limit.Check(c, sum)
}

// operatorOf is the one by which a post changes a column.
func operatorOf(c store.Column, p Post) store.Operator {
	if p.Operator == "" {
		return c.Operator
	}
	return p.Operator
}
