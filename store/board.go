package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of what a board may be.
const (
	MaxShards   = 1296 // two base-36 characters
	MaxColumns  = 16
	MaxDecimals = 18
	MaxOwner    = 255 // bytes
	MaxBoard    = 128 // bytes
)

// Order says which scores of a column are the better ones.
type Order string

const (
	Desc Order = "desc" // larger is better
	Asc  Order = "asc"  // smaller is better
)

// Column is a ranked statistic of a board.
type Column struct {
	Name     string   `json:"name"`
	Order    Order    `json:"order"`
	Operator Operator `json:"operator"`
	Decimals int      `json:"decimals"`
}

// Key turns a score into the number that the partitions are sorted by: larger is
// better, whatever the column's order.
func (c Column) Key(score int64) int64 {
	if c.Order == Asc {
		return -score
	}
	return score
}

// Score turns a key back into a score.
func (c Column) Score(key int64) int64 {
	if c.Order == Asc {
		return -key
	}
	return key
}

// Board is the registered definition of one leaderboard. It is fixed when the
// board is created: a different shard count would scatter an owner's row to
// another partition.
//
// ID tells a board from all others of its name, in other tables, regions and
// accounts and in this table before it was deleted and made anew. It is part of a
// cache's keys. A board that was registered before there were IDs has none.
type Board struct {
	ID      string    `json:"id,omitempty"`
	Name    string    `json:"name"`
	Shards  int       `json:"shards"`
	Columns []Column  `json:"columns"`
	Created time.Time `json:"created"`

	// Of a board of a family: the family's name, and the period, whose bounds are in
	// the board's name, see [Board.Span]. Both are empty of other boards.
	Family string `json:"family,omitempty"`
	Period Period `json:"period,omitempty"`

	// Expires is when the board is gone, with all its rows; zero: never. It is to the
	// second, and is part of each row that is stored.
	Expires time.Time `json:"expires,omitzero"`
}

// Span is the stretch of time that a board of a family is for; ok is false of other
// boards.
func (b Board) Span() (s Span, ok bool) {
	switch b.Period {
	case "":
		return Span{}, false
	case Always:
		return Always.At(time.Time{}), true
	}
	_, s, ok = ParseBoardName(b.Name)
	return s, ok
}

// Expired says whether the board is gone at a time.
func (b Board) Expired(now time.Time) bool { return !b.Expires.IsZero() && !now.Before(b.Expires) }

// Droppable reports why a board may not be dropped at a time, or nil. The error is
// [ErrInvalid]. Every backend's DropBoard asks it.
func (b Board) Droppable(now time.Time) error {
	switch {
	case b.Expires.IsZero():
		return fmt.Errorf("drop board %q: it has no expiry: %w", b.Name, ErrInvalid)
	case !b.Expired(now):
		return fmt.Errorf("drop board %q: it expires at %s: %w", b.Name, b.Expires.UTC().Format(time.RFC3339), ErrInvalid)
	}
	return nil
}

// Stamped is the definition with what is set when a board is made and was not set
// yet: Created, to the millisecond, and a random ID of at least 128 bits.
func (b Board) Stamped(now time.Time) Board {
	if b.Created.IsZero() {
		b.Created = now.UTC().Truncate(time.Millisecond)
	}
	if b.ID == "" {
		b.ID = rand.Text()
	}
	return b
}

// Column finds a column by name; the empty name is the first column. The error
// is [ErrNoColumn] and lists the columns there are.
func (b Board) Column(name string) (Column, error) {
	if name == "" && len(b.Columns) > 0 {
		return b.Columns[0], nil
	}
	names := make([]string, len(b.Columns))
	for i, c := range b.Columns {
		if c.Name == name {
			return c, nil
		}
		names[i] = c.Name
	}
	return Column{}, fmt.Errorf("board %q has no column %q (it has: %s): %w", b.Name, name, strings.Join(names, ", "), ErrNoColumn)
}

// CurveKey names the curve of one column.
func (b Board) CurveKey(column string) CurveKey {
	return CurveKey{Board: b.Name, Column: column, ID: b.ID}
}

// Partition names one shard of one column's index.
func (b Board) Partition(column string, shard int) Partition {
	return Partition{Board: b.Name, Column: column, Shard: shard}
}

var (
	boardName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]*$`)
	boardID    = regexp.MustCompile(`^[A-Za-z0-9_-]{0,64}$`)
	columnName = regexp.MustCompile(`^[a-z][a-z0-9_]{1,30}$`)
)

// Validate reports every fault of the definition at once, each with its field.
func (b Board) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(b.Name) > MaxBoard || !boardName.MatchString(b.Name) {
		fault("name: %q is not a board name: use 1 to %d letters, digits and _ . : -, the first a letter or digit", b.Name, MaxBoard)
	}
	if !boardID.MatchString(b.ID) {
		fault("id: %q is not a board's ID: use up to 64 letters, digits, _ and -, or leave it empty to have one made", b.ID)
	}
	if b.Shards < 1 || b.Shards > MaxShards {
		fault("shards: %d is not in 1..%d", b.Shards, MaxShards)
	}
	if len(b.Columns) == 0 || len(b.Columns) > MaxColumns {
		fault("columns: %d of them; a board has 1 to %d", len(b.Columns), MaxColumns)
	}
	seen := map[string]bool{}
	for i, c := range b.Columns {
		for _, err := range c.faults() {
			fault("columns[%d].%w", i, err)
		}
		if i > 0 && c.Operator == BestRow {
			fault("columns[%d].operator: best_row is of the first column alone, for it replaces the row as a whole; move %s to the front, or give it another operator", i, c.Name)
		}
		if seen[c.Name] {
			fault("columns[%d].name: %q is there twice", i, c.Name)
		}
		seen[c.Name] = true
	}
	faults = append(faults, b.familyFaults()...)
	return errors.Join(faults...)
}

// familyFaults holds what a board says of its family against its name.
func (b Board) familyFaults() (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !b.Expires.Equal(b.Expires.Truncate(time.Second)) || !b.Expires.IsZero() && b.Expires.Unix() <= 0 {
		fault("expires: %s is not a whole second after 1970", b.Expires)
	}
	if b.Family == "" && b.Period == "" {
		return faults
	}
	if !b.Period.Known() || b.Family == "" {
		fault("period: a board of a family has the family's name and one of the periods %s, not %q and %q", PeriodNames(), b.Family, b.Period)
		return faults
	}
	if s, ok := b.Span(); !ok || s.Period != b.Period || s.Board(b.Family) != b.Name {
		fault("name: %q is not the name of a %s board of family %q", b.Name, b.Period, b.Family)
	}
	return faults
}

func (c Column) faults() (faults []error) {
	if !columnName.MatchString(c.Name) {
		faults = append(faults, fmt.Errorf("name: %q is not a column name: use 2 to 31 of a-z 0-9 _, the first a letter", c.Name))
	}
	if c.Order != Desc && c.Order != Asc {
		faults = append(faults, fmt.Errorf("order: %q is neither desc nor asc", c.Order))
	}
	if !c.Operator.Known() {
		faults = append(faults, fmt.Errorf("operator: %q is none of %s", c.Operator, OperatorNames()))
	}
	if c.Decimals < 0 || c.Decimals > MaxDecimals {
		faults = append(faults, fmt.Errorf("decimals: %d is not in 0..%d", c.Decimals, MaxDecimals))
	}
	return faults
}

// Same reports how the definition differs from another, or nil. The ID, the creation
// time, the family and the expiry do not count: a board keeps those it was made with. The error is [ErrBoardMismatch].
func (b Board) Same(other Board) error {
	switch {
	case b.Shards != other.Shards:
		return fmt.Errorf("board %q has %d shards, not %d; a board keeps the number it was made with: %w", b.Name, b.Shards, other.Shards, ErrBoardMismatch)
	case !slices.Equal(b.Columns, other.Columns):
		return fmt.Errorf("board %q has the columns %s, not %s; a board keeps the columns it was made with: %w", b.Name, columnList(b.Columns), columnList(other.Columns), ErrBoardMismatch)
	}
	return nil
}

func columnList(columns []Column) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = c.String()
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// String writes the column as the command line takes it:
// NAME:ORDER:OPERATOR:DECIMALS.
func (c Column) String() string {
	return fmt.Sprintf("%s:%s:%s:%d", c.Name, c.Order, c.Operator, c.Decimals)
}

// ValidateOwner reports why a text cannot name an owner, or nil. The error is
// [ErrInvalid].
func ValidateOwner(owner string) error {
	switch {
	case owner == "":
		return fmt.Errorf("owner is empty: %w", ErrInvalid)
	case len(owner) > MaxOwner:
		return fmt.Errorf("owner of %d bytes is too long, the limit is %d: %w", len(owner), MaxOwner, ErrInvalid)
	case owner[0] == '#':
		return fmt.Errorf("owner %q starts with #, which is kept for the system: %w", owner, ErrInvalid)
	case !utf8.ValidString(owner):
		return fmt.Errorf("owner %q is not UTF-8: %w", owner, ErrInvalid)
	case strings.ContainsFunc(owner, unicode.IsControl):
		return fmt.Errorf("owner %q has a control character: %w", owner, ErrInvalid)
	}
	return nil
}
