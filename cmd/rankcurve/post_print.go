package main

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// A postedRow is a row after a post, in JSON.
type postedRow struct {
	Owner      string            `json:"owner"`
	Board      string            `json:"board"`
	Scores     map[string]string `json:"scores"`
	Attributes map[string]string `json:"attributes"`
	Hidden     bool              `json:"hidden"`
	Updated    *string           `json:"updated"` // null if it is not known
	Version    int64             `json:"version"`
	Changed    bool              `json:"changed"`
	Changes    []changeRow       `json:"changes"`
}

// A changeRow is what a post made of one column. A score that is not there is null;
// ranks are there with --rank alone, and rank_error where there is none.
type changeRow struct {
	Column     string   `json:"column"`
	Before     *string  `json:"before"`
	After      *string  `json:"after"`
	RankBefore *rankRow `json:"rank_before,omitempty"`
	RankAfter  *rankRow `json:"rank_after,omitempty"`
	RankError  string   `json:"rank_error,omitempty"`
}

func printPosted(c *cli.Context, board store.Board, posted rankcurve.Posted) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, postedRowOf(board, posted))
	}
	var texts []string
	for _, column := range board.Columns {
		if score, there := posted.Entry.Scores[column.Name]; there {
			texts = append(texts, column.Name+"="+store.FormatScore(score, column.Decimals))
		}
	}
	verb := "posted"
	if !posted.Changed {
		verb = "unchanged"
	}
	if len(texts) == 0 {
		texts = []string{"no score"}
	}
	if c.IsSet("attribute") {
		texts = append(texts, "and", pairs(posted.Entry.Attributes))
	}
	fmt.Fprintf(c.App.Writer, "%s: %s on %s has %s\n", verb, posted.Entry.Owner, board.Name, strings.Join(texts, " "))
	if posted.Entry.Hidden {
		fmt.Fprintf(c.App.Writer, "%s is hidden there, and in no view; `%s` puts them back\n", posted.Entry.Owner, next(c, "unhide", board.Name, posted.Entry.Owner))
	}
	if c.Bool("rank") {
		for _, change := range posted.Changes {
			fmt.Fprintf(c.App.Writer, "%s: %s\n", change.Column, rankChangeText(c, board.Name, change))
		}
	}
	return nil
}

func postedRowOf(board store.Board, posted rankcurve.Posted) postedRow {
	row := postedRow{Owner: posted.Entry.Owner, Board: board.Name, Scores: map[string]string{}, Attributes: map[string]string{}, Hidden: posted.Entry.Hidden, Updated: timeOrNull(posted.Entry.Updated), Version: posted.Entry.Version, Changed: posted.Changed, Changes: []changeRow{}}
	maps.Copy(row.Attributes, posted.Entry.Attributes)
	decimals := map[string]int{}
	for _, column := range board.Columns {
		decimals[column.Name] = column.Decimals
	}
	for name, score := range posted.Entry.Scores {
		row.Scores[name] = store.FormatScore(score, decimals[name])
	}
	for _, change := range posted.Changes {
		out := changeRow{
			Column: change.Column, Before: formatted(change.Before, decimals[change.Column]), After: formatted(change.After, decimals[change.Column]),
			RankBefore: changedRank(change.RankBefore), RankAfter: changedRank(change.RankAfter),
		}
		if change.RankErr != nil {
			out.RankError = change.RankErr.Error()
		}
		row.Changes = append(row.Changes, out)
	}
	return row
}

func formatted(score *int64, decimals int) *string {
	if score == nil {
		return nil
	}
	text := store.FormatScore(*score, decimals)
	return &text
}

func changedRank(r *rankcurve.Rank) *rankRow {
	if r == nil {
		return nil
	}
	row := rankRowOf(*r)
	return &row
}

// rankChangeText is where a post has moved its owner, by the curve: that it is an
// estimate, and how old, is told as `rank` tells it.
func rankChangeText(c *cli.Context, board string, change rankcurve.Change) string {
	switch {
	case errors.Is(change.RankErr, rankcurve.ErrNoCurve), errors.Is(change.RankErr, rankcurve.ErrBadCurve):
		return fmt.Sprintf("no rank, for there is no curve to estimate it by; `%s` makes one", next(c, "rebuild", board))
	case change.RankErr != nil:
		return "no rank: " + change.RankErr.Error()
	}
	after := change.RankAfter
	if after == nil {
		return "no rank any more, for the post took the score away"
	}
	moved := "first rank"
	if before := change.RankBefore; before != nil {
		moved = "rank " + humanize.Comma(before.Rank) + " ->"
	}
	return fmt.Sprintf("%s %s of %s, estimated (band %s, curve of %s)", moved, humanize.Comma(after.Rank), humanize.Comma(after.Of), bandText(after.Low, after.High, after.Exact), age(c, after.AsOf))
}
