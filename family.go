package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// FamilyDefinition is what the boards of a family have in common, and for which
// periods there are boards.
type FamilyDefinition struct {
	Name    string
	Shards  int
	Columns []store.Column
	Periods []store.Period

	// ExpireAfter is how long after its period's end a board is gone, in whole
	// seconds. A period that is not in it keeps its boards; those of [store.Always]
	// never end.
	ExpireAfter map[store.Period]time.Duration

	// Limits hold for the boards of a period, by column, in place of those of
	// [WithLimits], which hold for the boards of all periods: what is plausible as the
	// sum of a day is less than what is as the sum of all times.
	Limits map[store.Period]map[string]store.Limit

	Late  LatePosts
	Grace time.Duration // with RefuseLate, how long after a period's end its posts are still taken
}

// LatePosts says what becomes of a post for a period that has ended.
type LatePosts string

const (
	AcceptLate LatePosts = "accept" // it changes the board of the period that it was made in; the zero value too
	RefuseLate LatePosts = "refuse" // it is [ErrLate], and changes nothing
)

// ErrLate is a post for a period that has ended, which is not taken any more.
var ErrLate = errors.New("the period has ended")

// labelBytes is the longest that a period adds to a family's name.
const labelBytes = len(":2026-11-21")

// Validate reports every fault of the definition at once, each with its field. The
// error is [store.ErrInvalid].
func (d FamilyDefinition) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if err := (store.Board{Name: d.Name, Shards: d.Shards, Columns: d.Columns}).Validate(); err != nil {
		faults = append(faults, err)
	}
	if _, s, ok := store.ParseBoardName(d.Name); ok {
		fault("name: %q is the name of a %s board; leave the period out", d.Name, s.Period)
	}
	if strings.HasSuffix(d.Name, ".") {
		fault("name: %q ends in a point, behind which a type comes; leave the point out, or name the type", d.Name)
	}
	if len(d.Name)+labelBytes > store.MaxBoard {
		fault("name: %q is too long for a family: with a period it would be over %d bytes", d.Name, store.MaxBoard)
	}
	if len(d.Periods) == 0 {
		fault("periods: there are none; name some of %s", store.PeriodNames())
	}
	faults = append(faults, d.periodFaults()...)
	if len(faults) > 0 {
		return fmt.Errorf("family %q: %w: %w", d.Name, store.ErrInvalid, errors.Join(faults...))
	}
	return nil
}

func (d FamilyDefinition) periodFaults() (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for i, p := range d.Periods {
		switch {
		case !p.Known():
			fault("periods[%d]: %q is none of %s", i, p, store.PeriodNames())
		case slices.Index(d.Periods, p) < i:
			fault("periods[%d]: %s is there twice", i, p)
		}
	}
	for p, after := range d.ExpireAfter {
		if !slices.Contains(d.Periods, p) || p == store.Always || after < time.Second || after%time.Second != 0 {
			fault("expire_after.%s: %s is not a whole number of seconds for a period of the family that ends", p, after)
		}
	}
	if d.Late != "" && d.Late != AcceptLate && d.Late != RefuseLate {
		fault("late_posts: %q is neither %s nor %s", d.Late, AcceptLate, RefuseLate)
	}
	if d.Grace < 0 {
		fault("late_grace: %s is negative", d.Grace)
	}
	for p := range d.Limits {
		if !slices.Contains(d.Periods, p) {
			fault("limits: there are some of the period %q, which the family has not", p)
		}
	}
	return faults
}

// Takes says whether the board of a span takes posts at a time, or why not: [ErrLate]
// where it has ended and late posts are refused, [store.ErrInvalid] for a span that the
// family has not, and for one that is yet to begin, by more than the five minutes that
// clocks may differ. The Family itself asks; who posts to the [Board] of a period directly
// asks for himself.
func (d FamilyDefinition) Takes(s store.Span, now time.Time) error {
	if err := d.has(s, now); err != nil {
		return err
	}
	if d.Late == RefuseLate && s.Ended(now.Add(-d.Grace)) {
		return fmt.Errorf("board %s ended at %s, and late posts are refused (late_posts, late_grace): %w", s.Board(d.Name), s.End.Format(time.RFC3339), ErrLate)
	}
	return nil
}

// has refuses a span that is none of the family's, or is not there yet.
func (d FamilyDefinition) has(s store.Span, now time.Time) error {
	if !slices.Contains(d.Periods, s.Period) {
		return fmt.Errorf("family %q has no period %q: %w", d.Name, s.Period, store.ErrInvalid)
	}
	if of := s.Period.At(s.Start); s.Label != of.Label || !s.Start.Equal(of.Start) || !s.End.Equal(of.End) {
		return fmt.Errorf("family %q: %q from %s to %s is no %s span; make it with Period.At or ParseSpan: %w", d.Name, s.Label, s.Start.Format(time.RFC3339), s.End.Format(time.RFC3339), s.Period, store.ErrInvalid)
	}
	if s.Start.After(now.Add(ahead)) {
		return fmt.Errorf("board %s begins at %s, and it is %s: %w", s.Board(d.Name), s.Start.Format(time.RFC3339), store.Moment(now), store.ErrInvalid)
	}
	return nil
}

// clone is one that shares nothing with the definition.
func (d FamilyDefinition) clone() FamilyDefinition {
	d.Columns, d.Periods, d.ExpireAfter = slices.Clone(d.Columns), slices.Clone(d.Periods), maps.Clone(d.ExpireAfter)
	d.Limits = maps.Clone(d.Limits)
	for p, limits := range d.Limits {
		d.Limits[p] = cloneLimits(limits)
	}
	return d
}

// Board is the definition of the family's board for a span.
func (d FamilyDefinition) Board(s store.Span) store.Board {
	b := store.Board{
		Name: s.Board(d.Name), Shards: d.Shards, Columns: slices.Clone(d.Columns),
		Family: d.Name, Period: s.Period,
	}
	if after := d.ExpireAfter[s.Period]; after > 0 && s.Period != store.Always {
		b.Expires = s.End.Add(after)
	}
	return b
}

// Family posts to boards of one definition that run for different periods, such as
// missions, missions:2026-11 and missions:2026-W47. Make one with [NewFamily]; it is
// safe for concurrent use and meant to be kept.
type Family struct {
	store   store.Store
	def     FamilyDefinition
	options options
	opts    []Option
	checker *Board // of no period and without limits, to refuse what no board takes

	mu     sync.Mutex
	boards map[string]*Board // those that were posted to, by name
}

// NewFamily checks a definition. It touches no store: boards are made when they are
// first posted to. The error is [store.ErrInvalid], and [store.ErrNoColumn] for a limit of
// a column that is not there.
func NewFamily(st store.Store, def FamilyDefinition, opts ...Option) (*Family, error) {
	if err := def.Validate(); err != nil {
		return nil, err
	}
	o, err := optionsOf(opts)
	if err != nil {
		return nil, fmt.Errorf("family %q: %w", def.Name, err)
	}
	f := &Family{store: st, def: def.clone(), options: o, opts: slices.Clone(opts), boards: map[string]*Board{}}
	checked := f.options
	checked.limits = nil
	f.checker = newBoard(st, def.Board(store.Always.At(time.Time{})), checked)
	for _, p := range def.Periods {
		if err := checkLimits(f.checker.def, f.limits(p)); err != nil {
			return nil, fmt.Errorf("family %q: %w", def.Name, err)
		}
	}
	return f, nil
}

// limits are those of the boards of a period, by column.
func (f *Family) limits(p store.Period) map[string]store.Limit {
	limits := maps.Clone(f.options.limits)
	return overlaid(limits, f.def.Limits[p])
}

// optsOf are the options of a period's boards.
func (f *Family) optsOf(p store.Period) []Option {
	return append(slices.Clone(f.opts), WithLimits(f.limits(p)))
}

// Definition is the family as it was made. The answer is the caller's to change.
func (f *Family) Definition() FamilyDefinition { return f.def.clone() }

// Open opens the board of a period that a time falls into; the zero time is now. One
// that nobody has posted to yet, and one that has expired, is [store.ErrNotFound], a
// period that the family has not [store.ErrInvalid].
func (f *Family) Open(ctx context.Context, p store.Period, at time.Time) (*Board, error) {
	if !slices.Contains(f.def.Periods, p) {
		return nil, fmt.Errorf("family %q has no period %q: %w", f.def.Name, p, store.ErrInvalid)
	}
	if at.IsZero() {
		at = f.options.clock()
	}
	return Open(ctx, f.store, p.At(at).Board(f.def.Name), f.optsOf(p)...)
}

// Make opens the board of a span, and registers it first where that is needed. It
// costs what [New] does, once for each board in the life of the Family. A board whose
// expiry is past is [store.ErrNotFound]. A span that the family has not, or that begins more
// than five minutes from now, is [store.ErrInvalid].
func (f *Family) Make(ctx context.Context, s store.Span) (*Board, error) {
	if err := f.def.has(s, f.options.clock()); err != nil {
		return nil, err
	}
	name := s.Board(f.def.Name)
	f.mu.Lock()
	known := f.boards[name]
	f.mu.Unlock()
	if known != nil {
		return known, known.gone()
	}
	made, err := New(ctx, f.store, f.def.Board(s), f.optsOf(s.Period)...) // many at once make the same
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if other := f.boards[name]; other != nil {
		return other, nil
	}
	for old, b := range f.boards {
		if b.gone() != nil {
			delete(f.boards, old)
		}
	}
	f.boards[name] = made
	return made, nil
}
