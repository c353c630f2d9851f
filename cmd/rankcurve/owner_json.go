package main

import (
	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// An ownerRow is an owner on one board, in JSON.
type ownerRow struct {
	Owner      string            `json:"owner"`
	Board      string            `json:"board"`
	Scores     map[string]string `json:"scores"`
	Attributes map[string]string `json:"attributes"`
	Hidden     bool              `json:"hidden"`
	Updated    *string           `json:"updated"`         // null if it is not known
	Version    int64             `json:"version"`         // which post --if-version takes
	Ranks      any               `json:"ranks,omitempty"` // there if it is asked for, be it empty
}

// An absentOwner stands for an owner who has nothing, in JSON.
type absentOwner struct {
	Owner string `json:"owner"`
	Board string `json:"board,omitempty"`
	failure
}

// row is a result in JSON. A rank that is not told has its error in its place.
func (q *ownerQuestion) row(def store.Board, r rankcurve.Result, ranks []rankcurve.Answer) ownerRow {
	row := ownerRow{Owner: r.Owner, Board: def.Name, Scores: map[string]string{}, Attributes: r.Attributes, Hidden: r.Hidden, Version: r.Version}
	for _, column := range def.Columns {
		if score, there := r.Scores[column.Name]; there {
			row.Scores[column.Name] = store.FormatScore(score, column.Decimals)
		}
	}
	if row.Attributes == nil {
		row.Attributes = map[string]string{}
	}
	if !r.Updated.IsZero() {
		text := timestamp(r.Updated)
		row.Updated = &text
	}
	if q.c.Bool("ranks") {
		places := make([]any, len(ranks))
		for i, a := range ranks {
			places[i] = rankRowOf(a.Rank)
			if a.Err != nil {
				places[i] = missingRow{Owner: r.Owner, Board: def.Name, Column: a.Column, failure: failureOf(a.Err)}
			}
		}
		row.Ranks = places
	}
	return row
}
