package main

import (
	"errors"
	"slices"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// An aheadRow is an owner without a row whom a family hides on the boards to come, in JSON.
type aheadRow struct {
	Owner  string `json:"owner"`
	Family string `json:"family"`
	Hidden bool   `json:"hidden"`
}

// showAhead shows which families hide an owner who has no row, and whether any does: all
// families are asked, or the one that is named. It is for moderators.
func (q *ownerQuestion) showAhead(owner, family string) (shown bool, err error) {
	if !q.c.Bool("hidden") {
		return false, nil
	}
	if q.families == nil {
		if err := q.findFamilies(); err != nil {
			return false, err
		}
	}
	for _, f := range q.families {
		name := f.Definition().Name
		if family != "" && name != family {
			continue
		}
		hidden, err := f.Hides(q.c.Context, owner)
		if err != nil {
			return shown, err
		}
		if !hidden[0] {
			continue
		}
		if shown = true; q.c.Bool("json") {
			if err := printJSON(q.c.App.Writer, aheadRow{owner, name, true}); err != nil {
				return shown, err
			}
			continue
		}
		cells := []string{owner, "boards of " + name + " to come (hidden)"}
		for range len(q.table.rows[0]) - len(cells) {
			cells = append(cells, "")
		}
		q.table.row(cells...)
	}
	return shown, nil
}

// findFamilies finds those that have boards or are configured. What cannot be read of the
// registry is no family's only board, or is told where its boards are asked for.
func (q *ownerQuestion) findFamilies() error {
	boards, err := q.store.Boards(q.c.Context)
	if _, err = unreadableOf(err, ""); err != nil {
		return err
	}
	names := make([]string, 0, len(boards)+len(q.config.Boards))
	for _, b := range q.config.Boards {
		names = append(names, b.Name)
	}
	for _, b := range boards {
		names = append(names, b.Family)
	}
	slices.Sort(names)
	q.families = []*rankcurve.Family{}
	for _, name := range slices.Compact(names) {
		def, configured := q.config.Family(name)
		if !configured {
			def = registeredFamily(boards, name)
		}
		if name == "" || !configured && len(def.Periods) == 0 {
			continue
		}
		f, err := rankcurve.NewFamily(q.store, def, rankcurve.WithClock(clockOf(q.c)))
		if errors.Is(err, store.ErrInvalid) && !configured {
			continue // its name was one once, and is none now: it can hide nobody
		}
		if err != nil {
			return err
		}
		q.families = append(q.families, f)
	}
	return nil
}
