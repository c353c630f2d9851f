package main

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rankcurve/rankcurve/store"
)

// A check reads a whole input and finds all that is wrong with it, before
// anything is written. On the way it learns how many decimals the file shows.
type check struct {
	board   string
	columns map[string]*checked // nil for one that is left out
	strict  bool                // a column that is not there is a fault, not left out
	fresh   bool                // the board is made with the columns of the first row
	names   []string            // of columns, for messages
	texts   []string            // of columns that are attributes
	faults  faults
	seen    map[ownerHash]int // owner -> line
	seeds   [2]maphash.Seed
	rows    int64
}

// An ownerHash stands for an owner, in a fifth of a string's memory. By 128 bits
// with a seed of this run, two owners of ten million collide once in 10^24 files.
type ownerHash [2]uint64

// A checked column is one that the file loads.
type checked struct {
	store.Column
	limit           store.Limit
	open            bool // its decimals are what the file shows
	decimals, whole int  // the most digits after and before the point so far
}

func newCheck(file, board string, columns []*checked, strict bool) *check {
	c := &check{board: board, strict: strict, faults: faults{file: file}, columns: map[string]*checked{}}
	for _, column := range columns {
		c.columns[column.Name] = column
		c.names = append(c.names, column.Name)
	}
	c.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	return c
}

// run checks every row. The error is that of a reading that could not go on; what
// is wrong with rows is in faults.
func (c *check) run(ctx context.Context, rows rowReader) error {
	c.seen, c.rows = map[ownerHash]int{}, 0
	for {
		if c.rows%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r, err := rows.read()
		var f *fault
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &f):
			c.faults.add(f)
		case err != nil:
			return err
		default:
			c.row(r)
		}
		c.rows++
	}
}

// header checks the names of a file's columns, each once for the whole file. In
// NDJSON they are the first object's keys, and the rows tell.
func (c *check) header(line int, names []string) {
	for _, name := range names {
		if _, known := c.columns[name]; !known && c.strict && !slices.Contains(c.texts, name) {
			c.unknown(line, name)
			c.columns[name] = nil
		}
	}
}

func (c *check) unknown(line int, name string) {
	if c.fresh {
		c.faults.add(faultf(line, name, "the board is made with the columns of the first object (%s), and this is none of them; name all columns with --column, or take it out of the file", someOf(c.names)))
		return
	}
	c.faults.add(faultf(line, name, "board %q has no such column (it has: %s); take it out of the file, or name the columns to load with --column", c.board, someOf(c.names)))
}

func (c *check) row(r row) {
	c.owner(r)
	before, scores := c.faults.count, 0
	var attributes map[string]string // those of the row, if it has any
	if len(c.texts) > 0 {
		attributes = make(map[string]string, len(c.texts))
	}
	for _, cell := range r.cells {
		column, known := c.columns[cell.column]
		switch {
		case slices.Contains(c.texts, cell.column):
			attributes[cell.column] = cell.text
			if !utf8.ValidString(cell.text) {
				c.faults.add(faultf(r.line, cell.column, "%q is not UTF-8; write it so", shortened([]byte(cell.text))))
			}
		case column != nil:
			if f := column.check(r.line, cell.text); f != nil {
				c.faults.add(f)
			}
			scores++
		case !known && c.strict:
			c.unknown(r.line, cell.column)
		}
	}
	c.size(r, attributes)
	if scores == 0 && c.faults.count == before {
		c.faults.add(faultf(r.line, "", "the row has no score in %s; give it one, or leave the row out", someOf(c.names)))
	}
}

// size refuses attributes that no row has room for.
func (c *check) size(r row, attributes map[string]string) {
	if len(attributes) == 0 || store.ValidateOwner(r.owner) != nil {
		return
	}
	e := store.Entry{Owner: r.owner, Attributes: attributes}
	if err := (store.Board{Name: c.board, Shards: 1}).ValidateEntry(e); err != nil {
		c.faults.add(faultf(r.line, "", "%s", bare(err)))
	}
}

func (c *check) owner(r row) {
	if r.owner == "" {
		c.faults.add(faultf(r.line, ownerColumn, "is empty; give every row an owner"))
		return
	}
	if err := store.ValidateOwner(r.owner); err != nil {
		c.faults.add(faultf(r.line, "", "%s; rename it", bare(err)))
		return
	}
	hash := ownerHash{maphash.String(c.seeds[0], r.owner), maphash.String(c.seeds[1], r.owner)}
	if first, twice := c.seen[hash]; twice {
		c.faults.add(faultf(r.line, ownerColumn, "%q stands on line %d already; an owner may stand once in a file: keep one of the lines %d and %d", r.owner, first, first, r.line))
		return
	}
	c.seen[hash] = r.line
}

// bare is an error's text without the sentinel at its end.
func bare(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+store.ErrInvalid.Error())
}

// check judges one score, and notes its digits.
func (c *checked) check(line int, text string) *fault {
	decimals := c.Decimals
	if c.open {
		shown, err := store.Decimals(text)
		if err != nil {
			return c.diagnose(line, text, store.MaxDecimals)
		}
		decimals = min(shown, store.MaxDecimals)
	}
	score, err := store.ParseScore(text, decimals)
	if err != nil {
		return c.diagnose(line, text, decimals)
	}
	if err := c.limit.Check(c.Column, score); err != nil {
		_, said, _ := strings.Cut(bare(err), ": ") // the fault names the column
		return faultf(line, c.Name, "%s; correct it, or change min_score and max_score in the configuration", said)
	}
	whole, _, _ := strings.Cut(text, ".")
	c.whole = max(c.whole, len(strings.TrimLeft(whole, "-0")))
	c.decimals = max(c.decimals, decimals)
	return nil
}

// plainLimit is the longest number with an exponent that is written out for a hint.
const plainLimit = 100

// plainNumber writes out the digits of a number with an exponent. It is "" for one
// that no score can be: tiny tells one with too many decimals from one out of range.
func plainNumber(text string) (plain string, tiny bool) {
	near, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(near) > float64(store.MaxScore) {
		return "", false
	}
	if strings.Trim(text[:strings.IndexAny(text, "eE")], "+-0.") == "" {
		return "0", false
	}
	if math.Abs(near) < math.Pow10(-store.MaxDecimals) || len(text) > plainLimit {
		return "", true
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", true // cannot be: the number was read before
	}
	plain = exact.FloatString(store.MaxDecimals)
	if back, _ := new(big.Rat).SetString(plain); back.Cmp(exact) != 0 {
		return "", true
	}
	return strings.TrimSuffix(strings.TrimRight(plain, "0"), "."), false
}

// diagnoseExponent says how to write a number without its exponent, if it is a score
// at all.
func (c *checked) diagnoseExponent(line int, text string) *fault {
	plain, tiny := plainNumber(text)
	said := shortened([]byte(text))
	switch {
	case tiny:
		return faultf(line, c.Name, "%q is written with an exponent, and has more decimals than the %d that a score keeps; round it, and write its digits out", said, store.MaxDecimals)
	case plain == "":
		return faultf(line, c.Name, "%q is written with an exponent, and is out of range: the limit is ±%s; use a larger unit, and write the digits out", said, store.FormatScore(store.MaxScore, c.Decimals))
	}
	return faultf(line, c.Name, "%q is written with an exponent; write its digits out: %s", said, plain)
}

var exponent = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+$`)

// diagnose says what is wrong with a score that was refused.
func (c *checked) diagnose(line int, text string, decimals int) *fault {
	shown, err := store.Decimals(text)
	said := shortened([]byte(text))
	switch {
	case exponent.MatchString(text):
		return c.diagnoseExponent(line, text)
	case err != nil:
		return faultf(line, c.Name, "%q is not a number; write digits, with a point before decimals, such as 1200 or -3.5", said)
	case shown > decimals && c.open:
		return faultf(line, c.Name, "%q has %s, a score keeps %d at most; round it", said, counting(shown, "decimal"), store.MaxDecimals)
	case shown > decimals:
		return faultf(line, c.Name, "%q has %s, the column keeps %d; round it, or load a new board whose column keeps more", said, counting(shown, "decimal"), decimals)
	}
	limit := store.FormatScore(store.MaxScore, decimals)
	return faultf(line, c.Name, "%q is out of range, the limit is ±%s; use fewer decimals or a larger unit", said, limit)
}

// settle fixes the decimals of the open columns. It reports whether a score may
// now be out of range, so that the file has to be checked again.
func (c *check) settle() (again bool) {
	const always = 18 // digits of a score that is in range whatever they are
	for _, column := range c.columns {
		if column != nil && column.open {
			column.open, column.Decimals = false, column.decimals
			again = again || column.whole+column.decimals > always
		}
	}
	return again
}
