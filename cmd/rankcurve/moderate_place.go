package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

// A moderatedPlace is what owners are moderated on: a board, or all boards of a family.
type moderatedPlace struct {
	moderator
	name    string
	family  bool
	current []string // boards whose estimates do not tell of it yet
}

func (m moderatedPlace) String() string {
	if m.family {
		return "all boards of " + m.name
	}
	return "board " + m.name
}

// moderatedPlaces are those that a command line means: a board, a family, or where the
// name has no boards itself the families of its types.
func moderatedPlaces(c *cli.Context, cfg config.Config, st store.Store) ([]moderatedPlace, error) {
	name := c.Args().First()
	boards, err := st.Boards(c.Context)
	unreadable, err := unreadableOf(err, name)
	if err != nil {
		return nil, err
	}
	_, configured := cfg.Family(name)
	families := familiesOf(boards, name)
	if err := lostFamily(cfg, unreadable, families); err != nil && !c.IsSet("period") {
		return nil, err
	}
	if configured && len(families) == 0 { // to hide somebody ahead
		families = []string{name}
	}
	if c.IsSet("period") || len(families) == 0 {
		b, err := openBoard(c, cfg, st)
		if err != nil {
			return nil, err
		}
		name = b.Definition().Name
		return []moderatedPlace{{moderator: b, name: name, current: []string{name}}}, nil
	}
	places := make([]moderatedPlace, len(families))
	for i, family := range families {
		def, ok := cfg.Family(family)
		if !ok {
			def = registeredFamily(boards, family)
		}
		f, err := rankcurve.NewFamily(st, def, rankcurve.WithClock(clockOf(c)))
		if err != nil {
			return nil, err
		}
		places[i] = moderatedPlace{moderator: f, name: family, family: true, current: currentBoards(c, boards, family)}
	}
	return places, nil
}

// lostFamily is an error if a board that cannot be read is of a family that nothing else
// tells of, and that would be passed by. Of the others the family itself says so.
func lostFamily(cfg config.Config, unreadable map[string]error, known []string) error {
	for name := range unreadable {
		family := store.FamilyOf(name)
		if _, configured := cfg.Family(family); !configured && family != name && !slices.Contains(known, family) {
			return store.Unreadable(unreadable)
		}
	}
	return nil
}

// familiesOf are the family of a name, if it has boards, or else those of its types.
func familiesOf(boards []store.Board, name string) (families []string) {
	for _, b := range boards {
		if b.Family == name {
			return []string{name}
		}
		if b.Family != "" && strings.HasPrefix(b.Family, name+".") {
			families = append(families, b.Family)
		}
	}
	slices.Sort(families)
	return slices.Compact(families)
}

// registeredFamily is the definition of a family that is not configured, as far as its
// boards tell.
func registeredFamily(boards []store.Board, family string) rankcurve.FamilyDefinition {
	def := rankcurve.FamilyDefinition{Name: family}
	for _, b := range boards {
		if b.Family != family {
			continue
		}
		def.Shards, def.Columns = b.Shards, b.Columns
		if !slices.Contains(def.Periods, b.Period) {
			def.Periods = append(def.Periods, b.Period)
		}
	}
	return def
}

// currentBoards are those of a family for the periods of now.
func currentBoards(c *cli.Context, boards []store.Board, family string) (names []string) {
	for _, b := range boards {
		if span, ok := b.Span(); ok && b.Family == family && span.Contains(clockOf(c)()) {
			names = append(names, b.Name)
		}
	}
	return names
}
