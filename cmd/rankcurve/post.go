package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

const postDescription = `Applies one post to an owner's row: each score by the operator of its column, unless
--operator says otherwise. With --id, the same post sent again changes nothing.

Examples:

   rankcurve post missions ann xp=150
   rankcurve post missions ann xp=150 time=82.35 --id 7f3a
   rankcurve post missions ann xp=0 --operator set`

func (p *program) postCommand() *cli.Command {
	return &cli.Command{
		Name:        "post",
		Usage:       "post scores of one owner",
		ArgsUsage:   "BOARD OWNER COLUMN=VALUE...",
		Description: postDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "id", Usage: "`ID` of the post, by which a second sending is known"},
			&cli.StringFlag{Name: "operator", Usage: "change the scores by `OPERATOR`: set, sum or best (default: each column's own)"},
			jsonFlag(),
		},
		Action: p.post,
	}
}

func (p *program) post(c *cli.Context) (err error) {
	if err := arguments(c, 3, -1); err != nil {
		return err
	}
	operator := store.Operator(c.String("operator"))
	if c.IsSet("operator") && !slices.Contains([]store.Operator{store.Set, store.Sum, store.Best}, operator) {
		return usagef("--operator %q is none of set, sum, best", operator)
	}
	if c.IsSet("id") && c.String("id") == "" {
		return usagef("--id is empty; name the post, or leave it out")
	}
	owner := c.Args().Get(1)
	if err := store.ValidateOwner(owner); err != nil {
		return usagef("%s", bare(err))
	}
	st, b, err := p.openForPost(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	scores, err := parseScores(b.Definition(), c.Args().Slice()[2:])
	if err != nil {
		return err
	}
	posted, err := b.Post(c.Context, rankcurve.Post{Owner: owner, Scores: scores, Operator: operator, ID: c.String("id")})
	if errors.Is(err, context.Canceled) {
		return advicef(err, "stopped before the post was stored; run the same command again")
	}
	if err != nil {
		return err
	}
	return printPosted(c, b.Definition(), posted)
}

// openForPost opens the board, and makes one that is configured: an app server
// that posts may be the first to see it.
func (p *program) openForPost(c *cli.Context) (store.Store, *rankcurve.Board, error) {
	cfg, err := p.config(c)
	if err != nil {
		return nil, nil, err
	}
	def, configured := cfg.Board(c.Args().First())
	st, err := openStore(c.Context, cfg, access{mustExist: !configured, log: p.log()})
	if err != nil {
		return nil, nil, err
	}
	var b *rankcurve.Board
	if configured {
		b, err = rankcurve.New(c.Context, st, def)
	} else {
		b, err = rankcurve.Open(c.Context, st, c.Args().First())
	}
	if err = contradiction(err); err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	return st, b, nil
}

// parseScores reads COLUMN=VALUE arguments.
func parseScores(board store.Board, texts []string) (map[string]int64, error) {
	scores := make(map[string]int64, len(texts))
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" {
			return nil, usagef("%q is no score; write COLUMN=VALUE, such as %s=150", text, board.Columns[0].Name)
		}
		column, err := board.Column(name)
		if err != nil {
			return nil, err
		}
		if _, twice := scores[name]; twice {
			return nil, usagef("column %s is there twice; post one value", name)
		}
		if scores[name], err = store.ParseScore(value, column.Decimals); err != nil {
			return nil, wrongScore(name, value, column, err)
		}
	}
	return scores, nil
}

// wrongScore says what is wrong with a score on the command line.
func wrongScore(where, text string, column store.Column, err error) error {
	if shown, fault := store.Decimals(text); fault == nil && shown > column.Decimals {
		return usagef("%s: %q has %s, the column keeps %d; round it", where, text, counting(shown, "decimal"), column.Decimals)
	}
	return usagef("%s: %s", where, bare(err))
}

// A postedRow is a row after a post, in JSON.
type postedRow struct {
	Owner   string            `json:"owner"`
	Board   string            `json:"board"`
	Scores  map[string]string `json:"scores"`
	Version int64             `json:"version"`
	Changed bool              `json:"changed"`
}

func printPosted(c *cli.Context, board store.Board, posted rankcurve.Posted) error {
	row := postedRow{Owner: posted.Entry.Owner, Board: board.Name, Scores: map[string]string{}, Version: posted.Entry.Version, Changed: posted.Changed}
	var texts []string
	for _, column := range board.Columns {
		if score, there := posted.Entry.Scores[column.Name]; there {
			row.Scores[column.Name] = store.FormatScore(score, column.Decimals)
			texts = append(texts, column.Name+"="+row.Scores[column.Name])
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, row)
	}
	verb := "posted"
	if !posted.Changed {
		verb = "unchanged"
	}
	fmt.Fprintf(c.App.Writer, "%s: %s on %s has %s\n", verb, row.Owner, row.Board, strings.Join(texts, " "))
	return nil
}
