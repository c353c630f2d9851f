package rankcurve

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A draft is a row that posts are applied to.
type draft struct {
	base  store.Entry // as it was read
	row   store.Entry
	added []string // ids of the posts that were applied, in their order
	dirty bool     // has to be written
}

func newDraft(row store.Entry) *draft { return &draft{base: row, row: row.Clone()} }

// apply changes the row as a checked post says, or not at all.
func (d *draft) apply(b *Board, p Post) (Posted, error) {
	if p.ID != "" && slices.Contains(d.row.Posts, p.ID) {
		return d.posted(b, p, d.row.Scores, false), nil
	}
	if p.Version != nil && *p.Version != d.base.Version {
		return Posted{}, fmt.Errorf("the row is at version %d, not %d: %w", d.base.Version, *p.Version, store.ErrConflict)
	}
	before, kept := maps.Clone(d.row.Scores), d.row
	if len(p.Attributes) > 0 {
		d.row = d.row.Clone()
	}
	changed, err := d.change(b, p)
	if err == nil && changed && len(p.Attributes) > 0 {
		err = b.def.ValidateEntry(d.row)
	}
	if err != nil {
		d.row = kept
		return Posted{}, err
	}
	if changed {
		d.row.Updated = b.options.clock().UTC().Truncate(time.Millisecond)
	}
	if p.ID != "" {
		d.added = append(d.added, p.ID)
		d.row.Posts = append(d.row.Posts, p.ID)
		d.row.Posts = slices.Clone(d.row.Posts[max(0, len(d.row.Posts)-store.MaxPosts):])
	}
	d.dirty = d.dirty || changed || p.ID != ""
	return d.posted(b, p, before, changed), nil
}

func (d *draft) change(b *Board, p Post) (changed bool, err error) {
	if b.wholeRow(p) {
		return d.replace(b.def.Columns[0], p), nil
	}
	return d.merge(b, p)
}

// wholeRow says whether a post replaces the row as a whole or not at all. Attributes
// alone are merged, also where the first column's operator is best_row: they name no
// score that it could be about.
func (b *Board) wholeRow(p Post) bool {
	own := p.Operator == "" && len(p.Scores) > 0 && b.def.Columns[0].Operator == store.BestRow
	return own || p.Operator == store.BestRow
}

// replace takes the post for the row if its first column is better.
func (d *draft) replace(first store.Column, p Post) (changed bool) {
	there, has := d.row.Scores[first.Name]
	if has && first.Key(p.Scores[first.Name]) <= first.Key(there) {
		return false
	}
	d.row.Scores, d.row.Attributes = maps.Clone(p.Scores), maps.Clone(p.Attributes)
	return true
}

func (d *draft) merge(b *Board, p Post) (changed bool, err error) {
	scores := make(map[string]int64, len(p.Scores))
	for _, c := range b.def.Columns { // in order, so that of two faults always the same is told
		score, named := p.Scores[c.Name]
		if !named {
			continue
		}
		there, has := d.row.Scores[c.Name]
		if has {
			if score, err = combine(c, p.Operator, there, score); err != nil {
				return false, fmt.Errorf("column %q: %w", c.Name, err)
			}
		}
		if err := b.checkPlausibleSum(c, p, has, there, score); err != nil {
			return false, err
		}
		if !has || score != there {
			scores[c.Name] = score
		}
	}
	if len(scores) == 0 && !d.addsAttributes(p) {
		return false, nil
	}
	d.row.Scores = overlaid(d.row.Scores, scores)
	d.row.Attributes = overlaid(d.row.Attributes, p.Attributes)
	return true, nil
}

func (d *draft) addsAttributes(p Post) bool {
	for name, value := range p.Attributes {
		if there, has := d.row.Attributes[name]; !has || there != value {
			return true
		}
	}
	return false
}

// overlaid is one map with another's entries set, and is made where it is needed.
func overlaid[V any](under, over map[string]V) map[string]V {
	if under == nil && len(over) > 0 {
		under = make(map[string]V, len(over))
	}
	maps.Copy(under, over)
	return under
}

// combine is what an operator makes of the score that is there and a posted one.
func combine(c store.Column, operator store.Operator, there, posted int64) (int64, error) {
	if operator == "" {
		operator = c.Operator
	}
	switch operator {
	case store.Sum:
		return store.AddScores(there, posted)
	case store.Best:
		if c.Key(posted) <= c.Key(there) {
			return there, nil
		}
	case store.Worst:
		if c.Key(posted) >= c.Key(there) {
			return there, nil
		}
	case store.Set, store.BestRow: // best_row is of the row, and decided before
	}
	return posted, nil
}
