package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// An Age is a length of time as people write it: 2w, 30d, 1h30m or 45s. The empty one
// is none.
type Age string

const day = 24 * time.Hour

// MaxAge is the longest, so that no time that it is added to is out of range.
const MaxAge = 36500 * day

// ageUnits are in the order in which an age has them, each once at most.
var ageUnits = []struct {
	letter byte
	length time.Duration
}{{'w', 7 * day}, {'d', day}, {'h', time.Hour}, {'m', time.Minute}, {'s', time.Second}}

// Duration reads the age.
func (a Age) Duration() (time.Duration, error) {
	rest, sum := string(a), time.Duration(0)
	for _, unit := range ageUnits {
		number, behind, found := strings.Cut(rest, string(unit.letter))
		n, err := strconv.ParseUint(number, 10, 32)
		if !found || err != nil {
			continue // the number of another unit
		}
		if time.Duration(n) > (MaxAge-sum)/unit.length {
			break
		}
		rest, sum = behind, sum+time.Duration(n)*unit.length
	}
	if rest != "" {
		return 0, fmt.Errorf("%q is not a length of time up to %d days; write whole numbers with w, d, h, m or s, such as 30d or 1h30m", a, MaxAge/day)
	}
	return sum, nil
}

// ExpireAfter says how long after its period's end a board is gone; empty: it stays.
type ExpireAfter struct {
	Monthly, Weekly, Daily Age
}

func (e ExpireAfter) of(p store.Period) Age {
	switch p {
	case store.Monthly:
		return e.Monthly
	case store.Weekly:
		return e.Weekly
	case store.Daily:
		return e.Daily
	case store.Always:
	}
	return ""
}

// IsFamily says whether the board is a family of boards: it has periods that end.
func (b Board) IsFamily() bool {
	return slices.ContainsFunc(b.Periods, func(p store.Period) bool { return p != store.Always })
}

// family is the definition under a name that is the board's, or begins with it.
func (b Board) family(name string) rankcurve.FamilyDefinition {
	def := rankcurve.FamilyDefinition{
		Name: name, Shards: b.Shards, Columns: slices.Clone(b.Columns), Periods: slices.Clone(b.Periods),
		ExpireAfter: map[store.Period]time.Duration{}, Late: b.LatePosts,
	}
	for _, p := range b.Periods {
		if after, err := b.ExpireAfter.of(p).Duration(); err == nil && after > 0 {
			def.ExpireAfter[p] = after
		}
	}
	def.Grace, _ = b.LateGrace.Duration() // Load has refused what is none
	return def
}

// Family finds a configured family by its name. With missions, the families of its
// types are configured too: missions.race is one of the same definition.
func (c Config) Family(name string) (rankcurve.FamilyDefinition, bool) {
	_, _, ofPeriod := store.ParseBoardName(name) // a board of a type, such as missions.race:2026-W47
	if b, ok := c.familyOf(name); ok && b.IsFamily() && !ofPeriod {
		return b.family(name), true
	}
	return rankcurve.FamilyDefinition{}, false
}

// familyOf is the board that is configured under a name, or else the family whose
// name and a point it begins with, the longest one.
func (c Config) familyOf(name string) (found Board, ok bool) {
	for _, b := range c.Boards {
		if b.Name == name {
			return b, true
		}
		if b.IsFamily() && strings.HasPrefix(name, b.Name+".") && !strings.HasSuffix(name, ".") && len(b.Name) > len(found.Name) {
			found, ok = b, true
		}
	}
	return found, ok
}

// Board finds the definition of a configured board, of a family's periods too:
// missions:2026-W47. A family without the period all has none of its own name.
func (c Config) Board(name string) (store.Board, bool) {
	for _, b := range c.Boards {
		if b.Name == name && !b.IsFamily() {
			return b.Board, true
		}
	}
	family, span, ok := store.ParseBoardName(name)
	if !ok {
		family, span = name, store.Always.At(time.Time{})
	}
	def, known := c.Family(family)
	if !known || !slices.Contains(def.Periods, span.Period) {
		return store.Board{}, false
	}
	return def.Board(span), true
}

// Refresh says how a board is refreshed, that of a family's period as the family. One
// that is not configured, being in the store's registry alone, has the defaults.
func (c Config) Refresh(board string) Refresh {
	if b, ok := c.configured(board); ok {
		return b.Refresh
	}
	return c.RefreshDefaults
}

// configured is what is configured for a board, that of a family's period for the family.
func (c Config) configured(board string) (Board, bool) {
	if b, ok := c.familyOf(board); ok && b.Name == board {
		return b, true
	}
	if family, _, ok := store.ParseBoardName(board); ok {
		board = family
	}
	return c.familyOf(board)
}

// familyFaults are those of what makes a board a family, with keys below the board.
func (b Board) familyFaults() (faults []fault) {
	report := func(key, format string, args ...any) {
		faults = append(faults, fault{key: key, text: fmt.Sprintf(format, args...)})
	}
	for i, p := range b.Periods {
		key := fmt.Sprintf("periods[%d]", i)
		switch {
		case !p.Known():
			report(key, "%q is not a period; use one of %s", p, store.PeriodNames())
		case slices.Index(b.Periods, p) < i:
			report(key, "%s is there twice; keep one", p)
		}
	}
	for _, p := range store.Periods() {
		after, err := b.ExpireAfter.of(p).Duration()
		switch {
		case err != nil:
			report("expire_after."+string(p), "%s, or leave it empty for boards that stay", err)
		case after > 0 && !slices.Contains(b.Periods, p):
			report("expire_after."+string(p), "the board has no period %s; add it to periods, or leave this out", p)
		}
	}
	if b.LatePosts != "" && b.LatePosts != rankcurve.AcceptLate && b.LatePosts != rankcurve.RefuseLate {
		report("late_posts", "%q is neither %s nor %s", b.LatePosts, rankcurve.AcceptLate, rankcurve.RefuseLate)
	}
	if _, err := b.LateGrace.Duration(); err != nil {
		report("late_grace", "%s", err)
	}
	return append(faults, b.familyNameFaults()...)
}

func (b Board) familyNameFaults() (faults []fault) {
	report := func(format string, args ...any) {
		faults = append(faults, fault{key: "name", text: fmt.Sprintf(format, args...)})
	}
	if !b.IsFamily() {
		return nil
	}
	if _, _, ok := store.ParseBoardName(b.Name); ok {
		report("%q ends in a period, which the boards of a family get themselves; leave it out", b.Name)
	}
	if strings.HasSuffix(b.Name, ".") {
		report("%q ends in a point, behind which the types of a family come; leave it out", b.Name)
	}
	if longest := len(b.Name + ":2026-11-21"); longest > store.MaxBoard && len(b.Name) <= store.MaxBoard {
		report("%q is too long for a family: with a period it would have %d bytes, and %d are the most", b.Name, longest, store.MaxBoard)
	}
	return faults
}
