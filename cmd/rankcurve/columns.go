package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rankcurve/rankcurve/store"
)

// A columnSpec is a --column flag: NAME[:asc|desc][:OPERATOR][:DECIMALS]. What
// it leaves out is not said.
type columnSpec struct {
	name     string
	order    store.Order
	operator store.Operator
	decimals int // -1: not said
}

// parseColumn reads a spec. The parts differ from each other, so that any may be
// left out.
func parseColumn(text string) (columnSpec, error) {
	parts := strings.Split(text, ":")
	c := columnSpec{name: parts[0], decimals: -1}
	if c.name == "" {
		return c, usagef("--column %q names no column; write NAME[:asc|desc][:OPERATOR][:DECIMALS], such as time:asc:best:2", text)
	}
	for _, part := range parts[1:] {
		decimals, err := strconv.Atoi(part)
		switch {
		case c.order == "" && slices.Contains([]string{"asc", "desc"}, part):
			c.order = store.Order(part)
		case c.operator == "" && store.Operator(part).Known():
			c.operator = store.Operator(part)
		case c.decimals < 0 && err == nil && decimals >= 0 && decimals <= store.MaxDecimals:
			c.decimals = decimals
		default:
			return c, usagef("--column %q: %q is none of asc, desc, %s, 0..%d, or there twice; write NAME[:asc|desc][:OPERATOR][:DECIMALS], such as time:asc:best:2", text, part, store.OperatorNames(), store.MaxDecimals)
		}
	}
	return c, nil
}

func parseColumns(texts []string) ([]columnSpec, error) {
	specs := make([]columnSpec, 0, len(texts))
	for _, text := range texts {
		c, err := parseColumn(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(specs, func(s columnSpec) bool { return s.name == c.name }) {
			return nil, usagef("--column names %s twice; give each column one", c.name)
		}
		specs = append(specs, c)
	}
	return specs, nil
}

// define makes a new column of the spec; decimals that were not said are 0 until
// the file has been seen.
func (c columnSpec) define() store.Column {
	column := store.Column{Name: c.name, Order: store.Desc, Operator: store.Set, Decimals: max(0, c.decimals)}
	return c.over(column)
}

// over is a column with what the spec says of it.
func (c columnSpec) over(column store.Column) store.Column {
	if c.order != "" {
		column.Order = c.order
	}
	if c.operator != "" {
		column.Operator = c.operator
	}
	if c.decimals >= 0 {
		column.Decimals = c.decimals
	}
	return column
}

// specsOf are the specs of columns of which nothing but the name is known.
func specsOf(names []string) []columnSpec {
	specs := make([]columnSpec, len(names))
	for i, name := range names {
		specs[i] = columnSpec{name: name, decimals: -1}
	}
	return specs
}
