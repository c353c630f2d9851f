package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/store/dynamo"
)

const tableDescribeDescription = `Shows the table: its indexes, their sizes and what they are doing, whether rows expire
and backups are kept, and what is wrong with it. DynamoDB counts items and bytes every
few hours. A table of other keys is shown too, and is an error.

Examples:

   rankcurve --store dynamodb table describe
   rankcurve --config rankcurve.yaml table describe --json | jq .indexes`

func (p *program) tableDescribeCommand() *cli.Command {
	return &cli.Command{
		Name:        "describe",
		Usage:       "show the table, its indexes and what is wrong with them",
		Description: tableDescribeDescription,
		Flags:       []cli.Flag{jsonFlag()},
		Action: func(c *cli.Context) error {
			return p.withTable(c, (*tabling).describe)
		},
	}
}

// A tableRow is a table in JSON.
type tableRow struct {
	Table    string     `json:"table"`
	Place    string     `json:"place"`
	Status   string     `json:"status"`
	Keys     string     `json:"keys"`
	Billing  string     `json:"billing"`
	Items    int64      `json:"items"`
	Bytes    int64      `json:"bytes"`
	Expiry   string     `json:"expiry"`
	Recovery string     `json:"recovery"`
	Indexes  []indexRow `json:"indexes"`
	Warnings []string   `json:"warnings"`
}

type indexRow struct {
	Index  string `json:"index"`
	Column string `json:"column"`
	Status string `json:"status"`
	Keys   string `json:"keys"`
	Fault  string `json:"fault,omitempty"`
	Items  int64  `json:"items"`
	Bytes  int64  `json:"bytes"`

	Projection string `json:"projection"`
}

func (t *tabling) describe() error {
	d, err := t.table.Describe(t.c.Context)
	if err != nil {
		return err
	}
	var warnings []string
	if d.Fault != nil { // another's table has no boards to look for
		warnings = append(warnings, d.Fault.Error())
	} else if warnings, err = t.warnings(d); err != nil {
		return err
	}
	for i := range warnings {
		warnings[i] = withFlags(t.c, warnings[i])
	}
	if t.c.Bool("json") {
		err = printJSON(t.c.App.Writer, tableRowOf(d, t.place(), warnings))
	} else {
		err = t.print(d, warnings)
	}
	if err == nil && d.Fault != nil {
		return fmt.Errorf("table %s is none that rankcurve can use: %w", d.Name, d.Fault)
	}
	return err
}

func (t *tabling) print(d dynamo.Description, warnings []string) error {
	if d.Fault != nil {
		warnings = nil // the error says it
	}
	w := t.c.App.Writer
	fmt.Fprintf(w, "table %s %s: %s, %s\n", d.Name, t.place(), d.Status, d.Billing)
	fmt.Fprintf(w, "%s in %s, as DynamoDB last counted; keys %s\n", counting(d.Items, "item"), humanize.IBytes(uint64(d.Bytes)), d.Keys)
	fmt.Fprintf(w, "expiry: %s; point-in-time recovery: %s\n", d.Expiry, d.Recovery)
	if len(d.Indexes) > 0 {
		lines := newTable(w, "INDEX", "STATUS", "ITEMS", "SIZE", "KEYS", "PROJECTION").texts(0, 1, 4, 5)
		for _, i := range d.Indexes {
			lines.row(i.Name, i.Status, humanize.Comma(i.Items), humanize.IBytes(uint64(i.Bytes)), i.Keys, i.Projection)
		}
		if err := lines.print(); err != nil {
			return err
		}
	}
	t.warn(warnings)
	return nil
}

// warnings are what stands in the way of ranks, or may some day.
func (t *tabling) warnings(d dynamo.Description) (warnings []string, err error) {
	columns, err := t.named()
	if err != nil {
		return nil, err
	}
	registered, err := t.registered()
	unreadable, err := unreadableOf(err, "")
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(unreadable)) {
		warnings = append(warnings, unreadable[name].Error())
	}
	sync := next(t.c, "table", "sync")
	for _, column := range sortedOnce(append(columns, registered...)) {
		i := slices.IndexFunc(d.Indexes, func(i dynamo.IndexDescription) bool { return i.Column == column })
		if i < 0 {
			warnings = append(warnings, fmt.Sprintf("column %s has no index, and so no ranks; `%s` adds it", column, sync))
		}
	}
	for _, i := range d.Indexes { // of columns without a board too: it may be what keeps the board from being made
		if i.Fault != "" {
			warnings = append(warnings, wrongIndex(d.Name, i).Error())
		} else if i.Column != "" && i.Wide() {
			warnings = append(warnings, wideIndex(d.Name, i))
		}
	}
	if !strings.HasPrefix(d.Expiry, "on ") {
		warnings = append(warnings, fmt.Sprintf("rows of ended boards do not expire (%s); `%s` switches that on where it can be had", d.Expiry, sync))
	}
	if d.Recovery != "on" {
		warnings = append(warnings, fmt.Sprintf("there is no point-in-time recovery (%s): what is deleted is gone; `%s` switches it on where it can be had", d.Recovery, sync))
	}
	return warnings, nil
}

func tableRowOf(d dynamo.Description, place string, warnings []string) tableRow {
	row := tableRow{
		Table: d.Name, Place: strings.TrimPrefix(strings.TrimPrefix(place, "in "), "at "), Status: d.Status, Keys: d.Keys, Billing: d.Billing,
		Items: d.Items, Bytes: d.Bytes, Expiry: d.Expiry, Recovery: d.Recovery, Indexes: []indexRow{}, Warnings: append([]string{}, warnings...),
	}
	for _, i := range d.Indexes {
		row.Indexes = append(row.Indexes, indexRow{i.Name, i.Column, i.Status, i.Keys, i.Fault, i.Items, i.Bytes, i.Projection})
	}
	return row
}
