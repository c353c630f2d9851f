package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/store"
)

// counting is a number of things: "1 row", "2,500 rows".
func counting[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%s %ss", humanize.Comma(int64(n)), thing)
}

// someOf lists names, the first ten of many.
func someOf(names []string) string {
	const most = 10
	list := legible(strings.Join(names[:min(len(names), most)], ", "))
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", list, more)
	}
	return list
}

// A table lines up columns for a person: text to the left, numbers to the right.
type table struct {
	w    io.Writer
	rows [][]string
	text map[int]bool // columns that are not numbers
}

func newTable(w io.Writer, header ...string) *table {
	t := &table{w: w, text: map[int]bool{}}
	t.row(header...)
	return t
}

// texts marks columns, counted from 0, that are set to the left.
func (t *table) texts(columns ...int) *table {
	for _, c := range columns {
		t.text[c] = true
	}
	return t
}

func (t *table) row(cells ...string) {
	shown := make([]string, len(cells))
	for i, cell := range cells {
		shown[i] = legible(cell)
	}
	t.rows = append(t.rows, shown)
}

// print sets the table. tabwriter aligns all columns one way, so what belongs to
// the other side is padded first.
func (t *table) print() error {
	widths := map[int]int{}
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	w := tabwriter.NewWriter(t.w, 0, 0, 3, ' ', 0)
	for _, row := range t.rows {
		for i, cell := range row {
			if !t.text[i] {
				cell = strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + cell
			}
			if i == len(row)-1 {
				cell = strings.TrimRight(cell, " ")
			} else {
				cell += "\t"
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// scoreText is a score with its thousands apart.
func scoreText(units int64, decimals int) string {
	plain := store.FormatScore(units, decimals)
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(plain, "-"), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return plain // cannot be: FormatScore writes digits
	}
	text := humanize.Comma(n)
	if fraction != "" {
		text += "." + fraction
	}
	if units < 0 {
		text = "-" + text
	}
	return text
}

// percentText is a share with as many decimals as tell it from nothing.
func percentText(percent float64) string {
	switch {
	case percent <= 0:
		return "0 %"
	case percent < 0.01:
		return fmt.Sprintf("%.1g %%", percent)
	case percent < 1:
		return fmt.Sprintf("%.2f %%", percent)
	}
	return fmt.Sprintf("%.1f %%", percent)
}

// bandText is how far a rank may be off: "exact" is one that was counted. Where the
// band of an estimate is a single rank, that is what it says.
func bandText(low, high int64, exact bool) string {
	switch {
	case exact:
		return "exact"
	case low == high:
		return humanize.Comma(low)
	}
	return humanize.Comma(low) + " .. " + humanize.Comma(high)
}

// rounded is a large number as people say it: 843,201 stays, 12.3 million.
func rounded(n float64) string {
	if math.Abs(n) >= 1e9 {
		return strconv.FormatFloat(n/1e9, 'f', 1, 64) + " billion"
	}
	if math.Abs(n) >= 1e7 {
		return strconv.FormatFloat(n/1e6, 'f', 1, 64) + " million"
	}
	return humanize.CommafWithDigits(n, 0)
}

// dollars is an amount with as many decimals as it needs.
func dollars(amount float64) string {
	small := roundTo(amount, 2)
	switch {
	case amount >= 99.995:
		return "$" + humanize.Comma(int64(math.Round(amount)))
	case small >= 0.1:
		return fmt.Sprintf("$%.2f", amount)
	}
	return "$" + strconv.FormatFloat(small, 'f', -1, 64)
}

// seconds is a duration for a person.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// age is how long ago something was, by the program's clock.
func age(c *cli.Context, then time.Time) string {
	return humanize.RelTime(then, clockOf(c)(), "ago", "from now")
}
