package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

const listFlag = "list"

// A hiddenRow is one whom a family hides, in JSON.
type hiddenRow struct {
	Owner  string `json:"owner"`
	Family string `json:"family"`
	Since  string `json:"since"`
}

// listHidden lists whom a family hides, or the families of its types.
func (p *program) listHidden(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	if c.IsSet("owners-file") || c.IsSet("period") {
		return usagef("--list lists whom all boards of a family hide; leave --owners-file and --period out")
	}
	return p.withStore(c, func(cfg config.Config, st store.Store) error {
		places, err := moderatedPlaces(c, cfg, st)
		if err != nil {
			return err
		}
		for _, place := range places {
			family, ok := place.moderator.(*rankcurve.Family)
			if !ok {
				return usagef("%s is one board, and no list is kept of whom it hides: ask for owners, by `%s`", place.name, next(c, "owner", "OWNER", "--hidden", "--board", place.name))
			}
			if err := listHiddenBy(c, place.name, family); err != nil {
				return err
			}
		}
		return nil
	})
}

func listHiddenBy(c *cli.Context, name string, family *rankcurve.Family) error {
	hidden, _, err := family.Hidden(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		for _, one := range hidden {
			if err := printJSON(c.App.Writer, hiddenRow{one.Owner, name, timestamp(one.Since)}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(hidden) == 0 {
		fmt.Fprintf(c.App.ErrWriter, "%s hides nobody on all of its boards\n", name)
		return nil
	}
	t := newTable(c.App.Writer, "OWNER", "HIDDEN BY", "SINCE").texts(0, 1, 2)
	for _, one := range hidden {
		t.row(one.Owner, name, age(c, one.Since))
	}
	return t.print()
}
