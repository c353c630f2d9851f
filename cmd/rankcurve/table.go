package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
)

func (p *program) tableCommand() *cli.Command {
	return &cli.Command{
		Name:  "table",
		Usage: "make, change, describe or delete the DynamoDB table",
		Subcommands: []*cli.Command{
			p.tableCreateCommand(), p.tableSyncCommand(), p.tableDescribeCommand(), p.tableDeleteCommand(),
		},
	}
}

func indexColumnFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "column", Usage: "make an index for the column `NAME` too; repeat it for others"}
}

// A tabling is one table command under way.
type tabling struct {
	c       *cli.Context
	program *program
	config  config.Config
	table   *dynamo.Table
	client  *dynamodb.Client
	line    int // characters of the progress that stands on the terminal
	said    dynamo.Progress
}

// withTable runs a command's work on the configured table.
func (p *program) withTable(c *cli.Context, work func(t *tabling) error) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, err := p.config(c)
	if err != nil {
		return err
	}
	if cfg.Store.Kind != config.KindDynamoDB {
		return usagef("boards are kept in %s, the embedded store, which has no table and needs no making; for DynamoDB's, add --store dynamodb or set store.kind", cfg.Store.Bolt.Path)
	}
	t := &tabling{c: c, program: p, config: cfg}
	if t.table, t.client, err = dynamoTable(c.Context, cfg.Store.DynamoDB, t.progress); err != nil {
		return err
	}
	err = work(t)
	t.endProgress()
	return t.explain(err)
}

// explain adds what is to be done where the store's own words do not know it.
func (t *tabling) explain(err error) error {
	if err == nil || isAdvice(err) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return advicef(err, "stopped; DynamoDB goes on with what it has begun: `%s` shows how far it is", next(t.c, "table", "describe"))
	}
	return dynamoFault(err, t.config.Store.DynamoDB, t.client)
}

func (t *tabling) name() string { return t.config.Store.DynamoDB.Table }

// place is where the table is, "in eu-west-1".
func (t *tabling) place() string { return tablePlace(t.config.Store.DynamoDB, t.client) }

// progress shows what is waited for: on a terminal as a line that changes, else in
// the log, when it changes.
func (t *tabling) progress(now dynamo.Progress) {
	if t.program.isTerminal(t.program.err) {
		text := fmt.Sprintf("%s: %s, %s", now.What, now.Status, now.Elapsed.Round(time.Second))
		fmt.Fprintf(t.program.err, "\r%-*s", t.line, text)
		t.line = len(text)
		return
	}
	if now.What != t.said.What || now.Status != t.said.Status {
		t.program.log().Info("waiting for DynamoDB", "what", now.What, "status", now.Status, "elapsed", now.Elapsed)
	}
	t.said = now
}

func (t *tabling) endProgress() {
	if t.line > 0 {
		fmt.Fprintf(t.program.err, "\r%*s\r", t.line, "")
		t.line = 0
	}
}

// named are the columns of --column and of the configured boards.
func (t *tabling) named() ([]string, error) {
	columns := t.c.StringSlice("column")
	for _, name := range columns {
		probe := store.Board{Name: "probe", Shards: 1, Columns: []store.Column{{Name: name, Order: store.Desc, Operator: store.Set}}}
		if err := probe.Validate(); err != nil {
			return nil, usagef("--column: %q is not a column name: use 2 to 31 of a-z 0-9 _, the first a letter", name)
		}
	}
	for _, b := range t.config.Boards {
		columns = append(columns, columnNames(b.Board)...)
	}
	return sortedOnce(columns), nil
}

// registered are the columns of the boards that are in the table; those of a board whose
// definition cannot be read are missing, and the error is a *store.UnreadableError.
func (t *tabling) registered() ([]string, error) {
	st, err := dynamo.Open(t.c.Context, t.client, t.name())
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Close() }()
	boards, err := st.Boards(t.c.Context)
	var columns []string
	for _, b := range boards {
		columns = append(columns, columnNames(b)...)
	}
	return columns, err
}

func columnNames(b store.Board) []string {
	names := make([]string, len(b.Columns))
	for i, c := range b.Columns {
		names[i] = c.Name
	}
	return names
}

func sortedOnce(names []string) []string {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// warn tells what is not as it should be, and does no harm yet.
func (t *tabling) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(t.c.App.Writer, "warning: "+withFlags(t.c, w))
	}
}

func indexNames(columns []string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = dynamo.IndexName(c)
	}
	return strings.Join(names, ", ")
}
