package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// define finds the definition of the boards that a log is counted into: as configured,
// else as one of them is registered, else of the flags.
func (r *rollup) define(c *cli.Context, specs []columnSpec) error {
	name := c.Args().First()
	if family, s, ok := store.ParseBoardName(name); ok {
		return usagef("%s is the board of one %s period; name the family, %s: the lines say themselves when they were", name, s.Period, family)
	}
	known, err := r.known(c.Context, name)
	if err != nil {
		return err
	}
	if !known {
		if err := r.invent(c, name, specs); err != nil {
			return err
		}
	} else if shards := c.Int("shards"); c.IsSet("shards") && shards != r.def.Shards {
		return hintf(store.Board{Name: name, Shards: r.def.Shards}.Same(store.Board{Shards: shards}), "leave the flag out, or count into a new board")
	}
	r.plausible = map[string][]store.Limit{}
	for _, limits := range r.limits(r.def.Name) {
		for column, limit := range limits {
			r.plausible[column] = append(r.plausible[column], limit)
		}
	}
	ends := slices.ContainsFunc(r.def.Periods, func(p store.Period) bool { return p != store.Always })
	if r.columns.time = c.String("time-column"); ends {
		r.columns.time = cmp.Or(r.columns.time, "time")
	}
	return r.choose(c, specs)
}

func (r *rollup) known(ctx context.Context, name string) (bool, error) {
	if def, ok := r.config.Family(name); ok {
		r.def = def
		return true, nil
	}
	b, ok := r.config.Board(name)
	if !ok && r.store != nil {
		boards, err := r.store.Boards(ctx)
		unreadable, err := unreadableOf(err, name)
		if err != nil {
			return false, err
		}
		if err := store.Unreadable(unreadable); err != nil { // it may say what the columns are
			return false, err
		}
		for _, one := range boards {
			if one.Name != name && one.Family != name && !strings.HasPrefix(one.Family, name+".") {
				continue
			}
			if one.Period != "" && one.Period != store.Always {
				return false, usagef("board %s was made for a family with %s boards, and none is configured under the name %s: set its periods in the configuration, or name it with --config", one.Name, one.Period, name)
			}
			b, ok = one, true
		}
	}
	r.def = rankcurve.FamilyDefinition{Name: name, Shards: b.Shards, Columns: b.Columns, Periods: []store.Period{store.Always}}
	return ok, nil
}

// invent makes a definition of the flags alone.
func (r *rollup) invent(c *cli.Context, name string, specs []columnSpec) error {
	r.fresh, r.def.Shards = true, config.DefaultShards
	if c.IsSet("shards") {
		r.def.Shards = c.Int("shards")
	}
	if c.IsSet("count-by") {
		counter := columnSpec{name: defaultCounter, decimals: -1}
		if len(specs) > 0 {
			counter = specs[0]
		}
		counter.operator = cmp.Or(counter.operator, store.Sum)
		r.def.Columns = append(r.def.Columns, counter.define())
	}
	for _, sum := range r.sums {
		r.def.Columns = append(r.def.Columns, store.Column{Name: sum, Order: store.Desc, Operator: store.Sum})
	}
	if err := r.def.Validate(); err != nil {
		return usagef("board %s: %v", name, err)
	}
	return nil
}

// choose decides which columns are changed.
func (r *rollup) choose(c *cli.Context, specs []columnSpec) error {
	board := r.def.Board(store.Always.At(r.now))
	for _, name := range r.sums {
		column, err := board.Column(name)
		if err != nil {
			return err
		}
		r.summed = append(r.summed, &checked{Column: column, open: r.fresh})
	}
	if !c.IsSet("count-by") {
		return nil
	}
	i := slices.IndexFunc(board.Columns, func(column store.Column) bool { return !slices.Contains(r.sums, column.Name) })
	if len(specs) > 0 {
		i = slices.IndexFunc(board.Columns, func(column store.Column) bool { return column.Name == specs[0].name })
	}
	switch {
	case i < 0 && len(specs) > 0:
		_, err := board.Column(specs[0].name)
		return err
	case i < 0:
		return usagef("board %s has no column left to count lines in; name one with --column", r.def.Name)
	case len(specs) > 0 && slices.Contains(r.sums, specs[0].name):
		return usagef("--column and --sum name %s both; a column has the number of lines or a sum", specs[0].name)
	case len(specs) > 0 && !r.fresh && specs[0].over(board.Columns[i]) != board.Columns[i]:
		return usagef("--column %s: the board has %s; leave the rest out", specs[0].name, board.Columns[i])
	}
	r.counter, r.one = board.Columns[i].Name, 1
	for range board.Columns[i].Decimals {
		r.one *= 10
	}
	return nil
}

// settle fixes the decimals that a new board's sums keep. It reports whether an amount
// may now be out of range, so that the log has to be checked again.
func (r *rollup) settle() (again bool) {
	const always = 18 // digits of an amount that is in range whatever they are
	for _, column := range r.summed {
		if !column.open {
			continue
		}
		column.open, column.Decimals = false, column.decimals
		again = again || column.whole+column.decimals > always
		for i := range r.def.Columns {
			if r.def.Columns[i].Name == column.Name {
				r.def.Columns[i].Decimals = column.Decimals
			}
		}
	}
	return again
}
