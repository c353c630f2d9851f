package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const removeDescription = `Deletes owners' rows: their scores, attributes and post ids. A later post makes a new
row; to keep somebody off a board for good, hide them.

A file of more than 100 owners is removed with --yes alone, for no command brings the
rows back.
` + moderateDescription + `
Examples:

   rankcurve remove missions ann bob
   rankcurve remove missions --owners-file cheats.txt --yes`

const hideDescription = `Takes owners off every view of the board, and out of its next curve. The rows are kept,
posts go on changing them, and unhide puts them back as they are by then. One who is
hidden already stays so. Whom a family hides is listed by --list, the last hidden first;
"owner NAME --hidden" tells of one.
` + moderateDescription + `
Examples:

   rankcurve hide missions ann
   rankcurve hide missions --list
   rankcurve hide missions --owners-file cheats.txt --json
   grep -h cheat reports/* | cut -d, -f2 | rankcurve hide missions --owners-file -`

const unhideDescription = `Puts owners who are hidden back on every view of the board, and into its next curve.
One who is not hidden stays so.
` + moderateDescription + `
Examples:

   rankcurve unhide missions ann
   rankcurve unhide missions --owners-file cleared.txt`

const moderateDescription = `
Of a family it is done on all boards that are there; --period names one. Whom a family
hides stays hidden on the boards to come, and need not have a row yet: the answer names who
has none, for a name may be wrong. A file of owners has one per line, without a heading;
spaces around them do not count. Types of a family,
photos.view and photos.like of photos, are families themselves: where photos has no board
of its own it means those that are there.

Estimated ranks come from the curve, which counts the owners as it did until it is made
anew, by "rebuild" or by a worker.

The exit code is 3 if an owner is on no board; it is done to the others all the
same, so that a command which was stopped can be run again. It is 2 if an owner cannot
be one, in the file too, and then nothing is done.
`

// A moderation is one of the three commands.
type moderation struct {
	name, usage, description string
	done, already            string // what was done to owners, and what the others were
	do                       func(m moderator) moderate
	forGood                  bool
	lists                    bool
}

// A moderator is a board, or a family.
type moderator interface {
	Remove(ctx context.Context, owners ...string) ([]rankcurve.Moderated, error)
	Hide(ctx context.Context, owners ...string) ([]rankcurve.Moderated, error)
	Unhide(ctx context.Context, owners ...string) ([]rankcurve.Moderated, error)
}

type moderate func(ctx context.Context, owners ...string) ([]rankcurve.Moderated, error)

func (p *program) removeCommand() *cli.Command {
	return p.moderateCommand(moderation{
		name: "remove", usage: "delete the rows of owners", description: removeDescription, done: "removed",
		do: func(m moderator) moderate { return m.Remove }, forGood: true,
	})
}

func (p *program) hideCommand() *cli.Command {
	return p.moderateCommand(moderation{
		name: "hide", usage: "take owners off every view, and keep their rows", description: hideDescription, done: "hidden", already: "hidden already",
		do: func(m moderator) moderate { return m.Hide }, lists: true,
	})
}

func (p *program) unhideCommand() *cli.Command {
	return p.moderateCommand(moderation{
		name: "unhide", usage: "put owners who are hidden back", description: unhideDescription, done: "back", already: "not hidden",
		do: func(m moderator) moderate { return m.Unhide },
	})
}

// moderateBatch is how many owners are done at once: a stop waits for those under way.
const moderateBatch = 500

// removeUnasked is how many owners of a file are removed without --yes.
const removeUnasked = 100

func (p *program) moderateCommand(m moderation) *cli.Command {
	command := &cli.Command{
		Name: m.name, Usage: m.usage, Description: m.description,
		ArgsUsage: "BOARD OWNER... | BOARD --owners-file F",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "owners-file", Usage: m.name + " the owners in `FILE`, one per line (- for standard input)"},
			periodFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error { return p.moderate(c, m) },
	}
	if m.lists {
		command.ArgsUsage += " | FAMILY --list"
		command.Flags = append(command.Flags, &cli.BoolFlag{Name: listFlag, DisableDefaultText: true, Usage: "list whom the family hides, the last hidden first"})
	}
	if m.forGood {
		command.Flags = append(command.Flags, &cli.BoolFlag{Name: "yes", DisableDefaultText: true, Usage: fmt.Sprintf("remove more than %d owners of a file", removeUnasked)})
	}
	return command
}

func (p *program) moderate(c *cli.Context, m moderation) error {
	if m.lists && c.Bool(listFlag) {
		return p.listHidden(c)
	}
	owners, err := p.moderatedOwners(c, m)
	if err != nil {
		return err
	}
	patiently := func(config.Config) access { return access{patient: true} }
	return p.withStoreFor(c, patiently, func(cfg config.Config, st store.Store) error {
		places, err := moderatedPlaces(c, cfg, st)
		if err != nil {
			return err
		}
		var failed []error
		for _, place := range places {
			t := moderationTally{c: c, moderation: m, place: place, of: len(owners)}
			if err := t.run(p, owners); err != nil {
				return err
			}
			if err := t.report(); err != nil {
				failed = append(failed, err)
			}
		}
		return moderationFailure(failed, len(places))
	})
}

// moderationFailure is what failed on several families: not to be on one of them is no
// failure.
func moderationFailure(failed []error, places int) error {
	for _, err := range failed {
		if len(failed) == places || !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// moderatedOwners are those of the command line, each once.
func (p *program) moderatedOwners(c *cli.Context, m moderation) ([]string, error) {
	if err := arguments(c, 1, -1); err != nil {
		return nil, err
	}
	owners := slices.Clone(c.Args().Tail())
	if err := validOwners(owners); err != nil {
		return nil, err
	}
	if c.IsSet("owners-file") {
		listed, err := p.readOwners(c.Context, c.String("owners-file"))
		if err != nil {
			return nil, err
		}
		if m.forGood && len(listed) > removeUnasked && !c.Bool("yes") {
			return nil, usagef("%s lists %s, and no command brings removed rows back; add --yes to remove them all, or hide them", c.String("owners-file"), counting(len(listed), "owner"))
		}
		owners = append(owners, listed...)
	}
	if len(owners) == 0 {
		return nil, usagef("%s needs to know whom; name owners, or use --owners-file", m.name)
	}
	seen := make(map[string]bool, len(owners))
	return slices.DeleteFunc(owners, func(owner string) bool {
		twice := seen[owner]
		seen[owner] = true
		return twice
	}), nil
}

// A moderationTally is what came of it so far.
type moderationTally struct {
	c *cli.Context
	moderation
	place         moderatedPlace
	of            int
	changed, same []string
	rowless       []string // of both, those without a row on any board
	rows          int
	failed        []error
}

func (t *moderationTally) run(p *program, owners []string) error {
	bar := p.progressOf("owners", t.name, int64(len(owners)), false)
	defer bar.end()
	for some := range slices.Chunk(owners, moderateBatch) {
		if t.c.Context.Err() != nil {
			return t.stopped(t.c.Context.Err())
		}
		// A batch that has begun is carried through: what is said is what is there.
		done, err := t.do(t.place.moderator)(context.WithoutCancel(t.c.Context), some...)
		if err != nil {
			return err
		}
		for _, one := range done {
			if err := t.note(one); err != nil {
				return err
			}
		}
		bar.set(int64(len(t.changed) + len(t.same) + len(t.failed)))
		if last := len(t.failed) - 1; last >= 0 && beyondOwners(t.failed[last]) {
			return t.stopped(t.failed[last])
		}
	}
	return nil
}

// beyondOwners says that an error is the store's: those that follow would have it too.
func beyondOwners(err error) bool {
	for _, is := range []error{store.ErrUnavailable, store.ErrDenied, store.ErrNoTable, store.ErrClosed} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

func (t *moderationTally) stopped(err error) error {
	return advicef(err, "stopped after %s of %s: %v; run the same command again to finish", humanize.Comma(int64(len(t.changed)+len(t.same)+len(t.failed))), counting(t.of, "owner"), err)
}

// A moderatedRow is what became of one owner, in JSON.
type moderatedRow struct {
	Owner   string `json:"owner"`
	Board   string `json:"board"`
	Action  string `json:"action"`
	Changed bool   `json:"changed"`
	Rows    int    `json:"rows"` // on so many boards
	failure
}

func (t *moderationTally) note(m rankcurve.Moderated) error {
	row := moderatedRow{Owner: m.Owner, Board: t.place.name, Action: t.name, Changed: m.Changed, Rows: m.Rows}
	t.rows += m.Rows
	if m.Err == nil && m.Rows == 0 {
		t.rowless = append(t.rowless, m.Owner)
	}
	switch {
	case m.Err != nil:
		t.failed = append(t.failed, m.Err)
		row.failure = failureOf(m.Err)
	case m.Changed:
		t.changed = append(t.changed, m.Owner)
	default:
		t.same = append(t.same, m.Owner)
	}
	if t.c.Bool("json") {
		return printJSON(t.c.App.Writer, row)
	}
	return nil
}

// report says what was done, and fails if any owner was not there.
func (t *moderationTally) report() error {
	w := t.c.App.Writer
	if !t.c.Bool("json") {
		if len(t.changed) > 0 {
			fmt.Fprintf(w, "%s on %s: %s (%s)\n", t.done, t.place, counting(len(t.changed), "owner"), someOf(t.changed))
		}
		if len(t.same) > 0 {
			fmt.Fprintf(w, "%s: %s (%s)\n", t.already, counting(len(t.same), "owner"), someOf(t.same))
		}
		if len(t.rowless) > 0 {
			fmt.Fprintf(w, "without a row on any board yet, so see that the names are right: %s (%s)\n", counting(len(t.rowless), "owner"), someOf(t.rowless))
		}
		if len(t.changed) > 0 && t.rows > 0 {
			for _, board := range t.place.current {
				fmt.Fprintf(w, "next: %s, for estimated ranks to tell of it before the next refresh\n", next(t.c, "rebuild", board))
			}
		}
	}
	if len(t.failed) == 0 {
		return nil
	}
	worst := max(0, slices.IndexFunc(t.failed, func(err error) bool { return !errors.Is(err, store.ErrNotFound) }))
	if more := len(t.failed) - 1; more > 0 {
		return hintf(t.failed[worst], "and so it was for %s more of %s", humanize.Comma(int64(more)), counting(t.of, "owner"))
	}
	return t.failed[worst]
}
