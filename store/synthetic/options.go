package synthetic

import (
	"errors"
	"fmt"
	"math"

	"github.com/rankcurve/rankcurve/store"
)

// MaxEntries is how many entries a board has at most, newcomers included.
const MaxEntries = 1<<32 - 1

// MaxTick is the last tick that a board can be read at.
const MaxTick = 1 << 20

// Options say what the board is like. The zero value is an empty board.
type Options struct {
	Entries int64  // at tick 0; each has a score in every column
	Seed    uint64 // the same options give the same board, entry for entry

	Model   Model            // the distribution of every column's scores
	Columns map[string]Model // but these columns have their own
	Churn   Churn            // how the board changes; the zero value keeps it still

	// Clock tells the tick that the board is read at, a number from 0 to MaxTick
	// that need not be whole. It is asked once for each call, and must be safe for
	// concurrent use. nil: tick 0. See Store.At too.
	Clock func() float64
}

// Model is how a column's scores are distributed. Numbers are in points, as people
// write scores. The zero value is [Lognormal] with its defaults.
type Model struct {
	Shape  Shape
	Scale  float64 // see Shape; 0: the shape's default
	Spread float64 // see Shape; 0: the shape's default
	Step   float64 // scores are multiples of it; 0: 1 for Elo, and otherwise the column's smallest unit
	Atom   Atom
}

// Atom is a score that many entries share. It stays where it is when all other
// scores gain or shift.
type Atom struct {
	Share float64 // of the entries, below 1; 0: none
	Score float64 // in points, to the column's Step
}

// Churn is how the board changes, in rates per tick. See the package for what each
// one does to the numbers of a shard.
type Churn struct {
	Rescored  float64 // at this rate an entry's score is drawn anew
	Replaced  float64 // at this rate an entry leaves, and another comes in any shard
	Newcomers float64 // entries that come and stay on the worst score, as a part of Options.Entries
	Gain      float64 // scores grow by the factor exp(Gain)
	Shift     float64 // and then by so many points
}

// validate reports every fault at once, each with its field.
func (o Options) validate(b store.Board) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if err := b.Validate(); err != nil {
		fault("board: %w", err)
	}
	if o.Entries < 0 || o.Entries > MaxEntries {
		fault("entries: %d is not in 0..%d", o.Entries, MaxEntries)
	}
	for name := range o.Columns {
		if _, err := b.Column(name); err != nil || name == "" {
			fault("columns: the board has no column %q", name)
		}
	}
	for _, rate := range []struct {
		name        string
		value       float64
		least, most float64
	}{
		{"rescored", o.Churn.Rescored, 0, 64},
		{"replaced", o.Churn.Replaced, 0, 64},
		{"newcomers", o.Churn.Newcomers, 0, 1},
		{"gain", o.Churn.Gain, -1, 1},
		{"shift", o.Churn.Shift, -1e12, 1e12},
	} {
		if !(rate.value >= rate.least && rate.value <= rate.most) { // NaN is in no range
			fault("churn.%s: %v is not in %v..%v", rate.name, rate.value, rate.least, rate.most)
		}
	}
	for _, c := range b.Columns {
		if err := o.model(c.Name).validate(c); err != nil {
			fault("model of column %q: %w", c.Name, err)
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("synthetic board %q: %w: %w", b.Name, store.ErrInvalid, errors.Join(faults...))
	}
	return nil
}

// model is a column's model, with every default filled in.
func (o Options) model(column string) Model {
	m, own := o.Columns[column]
	if !own {
		m = o.Model
	}
	if m.Shape == "" {
		m.Shape = Lognormal
	}
	if m.Scale == 0 {
		m.Scale = shapes[m.Shape].scale
	}
	if m.Spread == 0 {
		m.Spread = shapes[m.Shape].spread
	}
	if m.Step == 0 && m.Shape == Elo {
		m.Step = 1
	}
	return m
}

func (m Model) validate(c store.Column) error {
	shape, known := shapes[m.Shape]
	if !known {
		return fmt.Errorf("shape: %q is none of %s", m.Shape, shapeNames())
	}
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	unit := math.Pow10(-c.Decimals)
	most := float64(store.MaxScore) * unit
	if !(m.Scale > 0 && m.Scale <= most/1000) {
		fault("scale: %v is not in 0..%v, a thousandth of the largest score of %d decimals", m.Scale, most/1000, c.Decimals)
	}
	switch {
	case shape.spread == 0 && m.Spread != 0:
		fault("spread: the shape %s has none; leave it out", m.Shape)
	case shape.spread != 0 && !(m.Spread > 0 && m.Spread <= shape.mostSpread):
		fault("spread: %v is not above 0 and up to %v", m.Spread, shape.mostSpread)
	}
	if !(m.Step == 0 || m.Step >= unit && m.Step <= most/1000) {
		fault("step: %v is not in %v..%v: a column of %d decimals has no finer scores", m.Step, unit, most/1000, c.Decimals)
	}
	if !(m.Atom.Share >= 0 && m.Atom.Share < 1) {
		fault("atom.share: %v is not in 0..1", m.Atom.Share)
	}
	if !(math.Abs(m.Atom.Score) <= most) {
		fault("atom.score: %v is not in ±%v", m.Atom.Score, most)
	}
	return errors.Join(faults...)
}
