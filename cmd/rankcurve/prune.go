package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const pruneDescription = `Drops the boards that have expired, with their curves: of one family and those of its
types, or all. Nobody can read them any more; this gives their room back. On DynamoDB the
rows are deleted by DynamoDB itself, if the table's expiry is on ("rankcurve table
describe" says so). The exit code is 3 if there is no such family.

A worker does the same once a day (worker.prune), with boards that expired an hour ago or
longer.

Examples:

   rankcurve prune --dry-run
   rankcurve prune missions`

func (p *program) pruneCommand() *cli.Command {
	return &cli.Command{
		Name:        "prune",
		Usage:       "drop the boards that have expired",
		ArgsUsage:   "[FAMILY]",
		Description: pruneDescription,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "say which there are, and drop none"},
			jsonFlag(),
		},
		Action: p.prune,
	}
}

// A prunedRow is a board that was, or would be, dropped, in JSON.
type prunedRow struct {
	Board   string `json:"board"`
	Expires string `json:"expires"`
	Dropped bool   `json:"dropped"`
}

func (p *program) prune(c *cli.Context) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	patiently := func(config.Config) access { return access{patient: true} }
	return p.withStoreFor(c, patiently, func(cfg config.Config, st store.Store) error {
		work, verb := rankcurve.Prune, "dropped"
		if c.Bool("dry-run") {
			work, verb = rankcurve.Expired, "would drop"
		}
		families, err := prunedFamilies(c, cfg, st)
		if err != nil {
			return err
		}
		var boards []store.Board
		for _, family := range families {
			some, failed := work(c.Context, st, family, clockOf(c)())
			boards, err = append(boards, some...), errors.Join(err, failed)
			if c.Context.Err() != nil {
				break
			}
		}
		for _, b := range boards {
			if !c.Bool("json") {
				fmt.Fprintf(c.App.Writer, "%s %s, which expired at %s\n", verb, b.Name, b.Expires.UTC().Format(time.RFC3339))
				continue
			}
			row := prunedRow{b.Name, timestamp(b.Expires), !c.Bool("dry-run")}
			if printed := printJSON(c.App.Writer, row); printed != nil {
				return errors.Join(err, printed)
			}
		}
		if err == nil && len(boards) == 0 && !c.Bool("json") {
			fmt.Fprintln(c.App.Writer, "no board has expired")
		}
		if c.Context.Err() != nil {
			return advicef(err, "stopped; %s were dropped: run the same command again for the others", counting(len(boards), "board"))
		}
		return err
	})
}

// prunedFamilies are those that a command line means: that of a name, and those of its
// types; the empty name is of all. A board whose definition cannot be read is one of its
// family, whose turn tells of it.
func prunedFamilies(c *cli.Context, cfg config.Config, st store.Store) ([]string, error) {
	name := c.Args().First()
	if name == "" {
		return []string{""}, nil
	}
	boards, err := st.Boards(c.Context)
	unreadable, err := unreadableOf(err, name)
	if err != nil {
		return nil, err
	}
	families := []string{}
	for _, b := range boards {
		if b.Family == name || strings.HasPrefix(b.Family, name+".") {
			families = append(families, b.Family)
		}
	}
	for damaged := range unreadable {
		families = append(families, store.FamilyOf(damaged))
	}
	slices.Sort(families)
	families = slices.Compact(families)
	_, configured := cfg.Family(name)
	alone := slices.ContainsFunc(boards, func(b store.Board) bool { return b.Name == name }) // it does not expire
	if len(families) == 0 && !configured && !alone {
		return nil, noBoards(cfg, name)
	}
	return families, nil
}
