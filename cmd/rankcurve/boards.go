package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const boardsDescription = `Lists the boards of the store, or those of one family: their shards and columns, and of
a board that is for a period when it began, when it is reset, and when it is gone. With
a family come those of its types, photos.view with photos.

Examples:

   rankcurve boards
   rankcurve boards missions
   rankcurve boards missions --json | jq -r 'select(.current) | .next_reset'`

func (p *program) boardsCommand() *cli.Command {
	return &cli.Command{
		Name:        "boards",
		Usage:       "list the boards, with their periods and resets",
		ArgsUsage:   "[FAMILY]",
		Description: boardsDescription,
		Flags:       []cli.Flag{jsonFlag()},
		Action:      p.boards,
	}
}

// A boardRow is a board in JSON. What it has not is null: a board of no family has no
// period, one that is for all times neither start nor end, one that is not current no
// next reset.
type boardRow struct {
	Board     string   `json:"board"`
	Family    *string  `json:"family"`
	Period    *string  `json:"period"`
	Current   bool     `json:"current"`
	Shards    int      `json:"shards"`
	Columns   []string `json:"columns"`
	Created   *string  `json:"created"`
	Start     *string  `json:"start"`
	End       *string  `json:"end"`
	NextReset *string  `json:"next_reset"`
	Expires   *string  `json:"expires"`
}

func (p *program) boards(c *cli.Context) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		family, now := c.Args().First(), clockOf(c)()
		boards, err := st.Boards(c.Context)
		unreadable, err := unreadableOf(err, family)
		if err != nil {
			return err
		}
		boards = slices.DeleteFunc(boards, func(b store.Board) bool {
			return b.Expired(now) || family != "" && b.Family != family && b.Name != family && !strings.HasPrefix(b.Family, family+".")
		})
		if len(boards) == 0 && family != "" && len(unreadable) == 0 {
			return noBoards(cfg, family)
		}
		write := printBoards
		if c.Bool("json") {
			write = printBoardRows
		}
		if err := write(c.App.Writer, boards, unreadable, now); err != nil {
			return err
		}
		return store.Unreadable(unreadable)
	})
}

// printBoards writes those boards that can be read; the error says it of the others.
func printBoards(w io.Writer, boards []store.Board, _ map[string]error, now time.Time) error {
	if len(boards) == 0 {
		return nil
	}
	t := newTable(w, "BOARD", "PERIOD", "SHARDS", "COLUMNS", "START", "END", "EXPIRES").texts(0, 1, 3, 4, 5, 6)
	for _, b := range boards {
		t.row(boardCells(b, now)...)
	}
	return t.print()
}

// An unreadableRow is a board whose definition cannot be read, in JSON.
type unreadableRow struct {
	Board string `json:"board"`
	failure
}

// printBoardRows writes all boards in JSON, those behind that cannot be read.
func printBoardRows(w io.Writer, boards []store.Board, unreadable map[string]error, now time.Time) error {
	for _, b := range boards {
		if err := printJSON(w, boardRowOf(b, now)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unreadable)) {
		if err := printJSON(w, unreadableRow{name, failureOf(unreadable[name])}); err != nil {
			return err
		}
	}
	return nil
}

// unreadableOf takes the boards whose definitions cannot be read out of the error of a
// list: those of a family and of its types, or all. It leaves other errors.
func unreadableOf(err error, family string) (unreadable map[string]error, other error) {
	var some *store.UnreadableError
	if !errors.As(err, &some) {
		return nil, err
	}
	unreadable = map[string]error{}
	for name, why := range some.Rows {
		if of := store.FamilyOf(name); family == "" || name == family || of == family || strings.HasPrefix(of, family+".") {
			unreadable[name] = why
		}
	}
	return unreadable, nil
}

func noBoards(cfg config.Config, family string) error {
	if _, ok := cfg.Family(family); ok {
		return fmt.Errorf("family %q has no boards yet, for nobody has posted to it: %w", family, store.ErrNotFound)
	}
	return fmt.Errorf("there is no family and no board %q; `rankcurve boards` lists all: %w", family, store.ErrNotFound)
}

func boardRowOf(b store.Board, now time.Time) boardRow {
	row := boardRow{Board: b.Name, Shards: b.Shards, Columns: []string{}, Current: true}
	for _, column := range b.Columns {
		row.Columns = append(row.Columns, column.String())
	}
	row.Created, row.Expires = timeOrNull(b.Created), timeOrNull(b.Expires)
	span, ok := b.Span()
	if !ok {
		return row
	}
	period := string(b.Period)
	row.Family, row.Period, row.Current = &b.Family, &period, span.Contains(now)
	row.Start, row.End = timeOrNull(span.Start), timeOrNull(span.End)
	if row.Current {
		row.NextReset = row.End
	}
	return row
}

func timeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := timestamp(t)
	return &text
}

func boardCells(b store.Board, now time.Time) []string {
	day := func(t time.Time) string {
		switch {
		case t.IsZero():
			return "-"
		case t.Equal(t.Truncate(24 * time.Hour)):
			return t.UTC().Format("2006-01-02")
		}
		return t.UTC().Format("2006-01-02 15:04:05")
	}
	columns := make([]string, len(b.Columns))
	for i, column := range b.Columns {
		columns[i] = column.String()
	}
	span, _ := b.Span()
	end := day(span.End)
	switch {
	case span.End.IsZero():
	case span.Contains(now):
		end += ", reset in " + remaining(span.End.Sub(now))
	case span.Ended(now):
		end += ", ended"
	}
	return []string{b.Name, cmp.Or(string(b.Period), "-"), fmt.Sprint(b.Shards), strings.Join(columns, " "), day(span.Start), end, day(b.Expires)}
}

// remaining is a time to come, in its largest unit and the next.
func remaining(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day:
		return fmt.Sprintf("%dd %dh", d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh %dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm %ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
