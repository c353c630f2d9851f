package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// printJSON writes one object on one line.
func printJSON(w io.Writer, object any) error {
	data, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// A rankRow is a rank in JSON, of every command that answers with ranks. Scores
// are decimal strings: a number would be rounded by readers that know floats
// alone.
type rankRow struct {
	Owner      string  `json:"owner,omitempty"`
	Board      string  `json:"board"`
	Column     string  `json:"column"`
	Score      string  `json:"score"`
	Rank       int64   `json:"rank"`
	Low        int64   `json:"low"`
	High       int64   `json:"high"`
	Of         int64   `json:"of"`
	Percent    float64 `json:"percent"`
	Exact      bool    `json:"exact"`
	AsOf       string  `json:"as_of"`
	Generation int64   `json:"generation"`
	Attributes any     `json:"attributes,omitempty"` // there if it is asked for, be it empty
}

// A missingRow stands for an owner without a rank.
type missingRow struct {
	Owner  string `json:"owner"`
	Board  string `json:"board"`
	Column string `json:"column"`
	failure
}

func rankRowOf(r rankcurve.Rank) rankRow {
	return rankRow{
		Owner: r.Owner, Board: r.Board, Column: r.Column, Score: store.FormatScore(r.Score, r.Decimals),
		Rank: r.Rank, Low: r.Low, High: r.High, Of: r.Of, Percent: r.Percent,
		Exact: r.Exact, AsOf: timestamp(r.AsOf), Generation: r.Generation,
	}
}

// A topRow is a row of the exact top, with the fields of a rank. How many rows
// there are beyond the ones read is known from the curve alone; without one it is
// null, unless they were read to the last.
type topRow struct {
	Owner      string   `json:"owner"`
	Board      string   `json:"board"`
	Column     string   `json:"column"`
	Score      string   `json:"score"`
	Rank       int64    `json:"rank"`
	Low        int64    `json:"low"`
	High       int64    `json:"high"`
	Of         *int64   `json:"of"`
	Percent    *float64 `json:"percent"`
	Exact      bool     `json:"exact"`
	AsOf       string   `json:"as_of"`
	Generation int64    `json:"generation"`
	Attributes any      `json:"attributes,omitempty"`
}

// timestamp is a time as JSON has it, to the millisecond.
func timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
