package main

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const postDescription = `Applies one post to an owner's row: each score by the operator of its column, unless
--operator says otherwise. With --id, the same post sent again changes nothing.

set replaces a score, sum adds to it, best and worst replace it only with a better or a
worse one, by the column's order. best_row replaces the whole row, all its scores and
attributes, if the score of the board's first column is better, and else changes nothing.

Examples:

   rankcurve post missions ann xp=150
   rankcurve post missions ann xp=150 time=82.35 --id 7f3a
   rankcurve post missions ann xp=0 --operator set
   rankcurve post missions ann xp=200 --rank --json
   rankcurve post missions ann xp=300 --if-version 7
   rankcurve post missions ann xp=300 --attribute clan=owls --attribute flag=no

Where the configuration gives the board periods, the post goes to its boards of all of
them: missions, missions:2026-W47 and so on, which are made when they are first needed;
--period names one of them. --time says when it happened, if not now.

--id and --time belong together: what was stopped between two boards is sent again with
both, and without --time would go to the boards of another day after midnight.

A score beyond its column's min_score or max_score in the configuration is refused, and
where scores are added up a sum beyond: of the row on each board, so that for a family
max_score_of says what a day or a week takes. One board that refuses a post keeps it from
all.

   rankcurve post missions ann xp=150 --id 7f3a --time 2026-11-21T09:30:00Z
   rankcurve post missions ann xp=150 --period weekly:previous`

func (p *program) postCommand() *cli.Command {
	return &cli.Command{
		Name:        "post",
		Usage:       "post scores of one owner",
		ArgsUsage:   "BOARD OWNER [COLUMN=VALUE...]",
		Description: postDescription,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "attribute", Usage: "set the row's attribute `A=TEXT`, and others by more flags"},
			&cli.StringFlag{Name: "id", Usage: "`ID` of the post, by which a second sending is known"},
			&cli.StringFlag{Name: "operator", Usage: "change the scores by `OPERATOR`: " + store.OperatorNames() + " (default: each column's own)"},
			&cli.Int64Flag{Name: "if-version", DefaultText: "at any", Usage: "post only if the row is at version `N`, as --json tells; 0: if there is none"},
			&cli.BoolFlag{Name: "rank", DisableDefaultText: true, Usage: "tell the estimated rank before and after"},
			&cli.StringFlag{Name: "time", DefaultText: "now", Usage: "post to a family's boards of `TIME`: RFC 3339, a date, or seconds since 1970"},
			periodFlag(), jsonFlag(),
		},
		Action: p.post,
	}
}

func (p *program) post(c *cli.Context) (err error) {
	least := 3
	if c.IsSet("attribute") {
		least = 2
	}
	if err := arguments(c, least, -1); err != nil {
		return err
	}
	post, err := postOf(c)
	if err != nil {
		return err
	}
	cfg, err := p.config(c)
	if err != nil {
		return err
	}
	if def, isFamily := cfg.Family(c.Args().First()); isFamily && !c.IsSet("period") {
		return p.postToFamily(c, cfg, def, post)
	}
	if c.IsSet("time") {
		return usagef("--time says which boards of a family are posted to, and %s is one board; leave it out", c.Args().First())
	}
	st, b, err := p.openForPost(c, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if post.Scores, err = parseScores(b.Definition(), c.Args().Slice()[2:]); err != nil {
		return err
	}
	if err := comparableRows(b.Definition(), post); err != nil {
		return err
	}
	posted, err := b.Post(c.Context, post)
	if err != nil {
		return postError(c, b.Definition().Name, err)
	}
	return printPosted(c, b.Definition(), posted)
}

// postOf is the post that the flags and the owner say, without its scores.
func postOf(c *cli.Context) (post rankcurve.Post, err error) {
	post = rankcurve.Post{Owner: c.Args().Get(1), Operator: store.Operator(c.String("operator")), ID: c.String("id"), Ranks: c.Bool("rank")}
	if c.IsSet("operator") && !post.Operator.Known() {
		return post, usagef("--operator %q is none of %s", post.Operator, store.OperatorNames())
	}
	if c.IsSet("id") && post.ID == "" {
		return post, usagef("--id is empty; name the post, or leave it out")
	}
	if c.IsSet("if-version") {
		version := c.Int64("if-version")
		if version < 0 {
			return post, usagef("--if-version %d is below 0, which is of a row that is not there", version)
		}
		post.Version = &version
	}
	if err := store.ValidateOwner(post.Owner); err != nil {
		return post, usagef("%s", bare(err))
	}
	post.Attributes, err = parseAttributes(c.StringSlice("attribute"))
	return post, err
}

// parseAttributes reads NAME=TEXT of flags. The text may be empty, and have a = itself.
func parseAttributes(texts []string) (map[string]string, error) {
	attributes := make(map[string]string, len(texts))
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" || !utf8.ValidString(text) {
			return nil, usagef("--attribute %q is no attribute; write NAME=TEXT, such as clan=owls", text)
		}
		if _, twice := attributes[name]; twice {
			return nil, usagef("--attribute %s is there twice; post one text", name)
		}
		attributes[name] = value
	}
	return attributes, nil
}

// comparableRows refuses a post by best_row that says nothing of what rows are compared by.
func comparableRows(board store.Board, post rankcurve.Post) error {
	first := board.Columns[0]
	_, named := post.Scores[first.Name]
	if len(post.Scores) == 0 && post.Operator == "" { // attributes alone are merged
		return nil
	}
	if named || post.Operator != store.BestRow && (post.Operator != "" || first.Operator != store.BestRow) {
		return nil
	}
	return usagef("best_row compares rows by the board's first column, %s; post it too, or change the others by another --operator", first.Name)
}

// postError says what to do about a post that failed.
func postError(c *cli.Context, board string, err error) error {
	switch {
	case errors.Is(err, rankcurve.ErrForgotten):
		return advicef(err, "%v; see what the row is now: `%s`", err, next(c, "owner", c.Args().Get(1), "--board", board, "--json"))
	case errors.Is(err, store.ErrUnknown) && c.IsSet("id"):
		return advicef(err, "%v; run the same command again: its --id keeps it from being applied twice", err)
	case errors.Is(err, store.ErrUnknown):
		return advicef(err, "%v; look with `%s` before it is posted again, and give a post an --id, by which it is applied once however often it is sent", err, next(c, "rank", board, c.Args().Get(1)))
	case errors.Is(err, context.Canceled):
		return advicef(err, "stopped before the post was stored; run the same command again")
	case errors.Is(err, store.ErrConflict) && c.IsSet("if-version"):
		return hintf(err, "nothing was posted: see what the row is now, with its version, and post for that: `%s`", next(c, "owner", c.Args().Get(1), "--board", board, "--json"))
	}
	return err
}

// openForPost opens the board, and makes one that is configured: an app server
// that posts may be the first to see it.
func (p *program) openForPost(c *cli.Context, cfg config.Config) (store.Store, *rankcurve.Board, error) {
	name, err := boardNamed(c, cfg)
	if err != nil {
		return nil, nil, err
	}
	if err := takesNow(c, cfg, name); err != nil {
		return nil, nil, err
	}
	def, configured := cfg.Board(name)
	st, err := openStore(c.Context, cfg, access{mustExist: !configured, log: p.log()})
	if err != nil {
		return nil, nil, err
	}
	var b *rankcurve.Board
	if !configured && !c.IsSet("period") {
		err = wholeFamily(c.Context, st, name, clockOf(c)())
	}
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	if configured {
		b, err = rankcurve.New(c.Context, st, def, rankcurve.WithClock(clockOf(c)), rankcurve.WithLimits(cfg.Limits(name)))
	} else {
		b, err = rankcurve.Open(c.Context, st, name, rankcurve.WithClock(clockOf(c)))
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
	if exponent.MatchString(text) {
		return usagef("%s: %s", where, (&checked{Column: column}).diagnoseExponent(0, text).what)
	}
	if shown, fault := store.Decimals(text); fault == nil && shown > column.Decimals {
		return usagef("%s: %q has %s, the column keeps %d; round it", where, text, counting(shown, "decimal"), column.Decimals)
	}
	return usagef("%s: %s", where, bare(err))
}
