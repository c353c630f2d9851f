package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/rankcurve/rankcurve/store"
)

// MaxPostID is the longest id of a post, in bytes.
const MaxPostID = 255

// Post is one submission of an owner's scores.
type Post struct {
	Owner      string
	Scores     map[string]int64  // column name -> score in units of 10^-decimals
	Attributes map[string]string // merged into those that are there
	Operator   store.Operator    // how the scores change what is there; empty: each column's own
	ID         string            // of the post: the same one twice changes nothing; empty: not remembered
}

// Posted is what a post left behind.
type Posted struct {
	Entry   store.Entry // the row after the post
	Changed bool        // a score or an attribute changed
}

// Post applies one post: it reads the row, computes the new one and writes it on
// the condition that the row did not change meanwhile, up to ten times. An owner's
// first post makes the row; a hidden row stays hidden.
//
// With an ID, a post can be sent again until it succeeds: the row remembers its
// last [store.MaxPosts] ids. A post that changes nothing and has no new ID writes
// nothing. The error is [store.ErrNoColumn] for an unknown column,
// [store.ErrInvalid] for a bad owner, operator, ID or attribute, for a score or sum
// out of range, and for a post of nothing, and [store.ErrConflict] when all tries
// met another writer; nothing is written then. It costs a read unit, and one write
// unit for the row plus two for every column that changes.
func (b *Board) Post(ctx context.Context, p Post) (Posted, error) {
	if err := b.checkPost(p); err != nil {
		return Posted{}, b.refused(p, err)
	}
	for try := 1; ; try++ {
		posted, err := b.tryPost(ctx, p)
		if !errors.Is(err, store.ErrConflict) {
			return posted, b.refused(p, err)
		}
		if try == postTries {
			return Posted{}, b.refused(p, triedInVain(err))
		}
		if err := pause(ctx, try); err != nil {
			return Posted{}, b.refused(p, err)
		}
	}
}

func (b *Board) refused(p Post, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("post to board %q for owner %q: %w", b.def.Name, p.Owner, err)
}

func (b *Board) tryPost(ctx context.Context, p Post) (Posted, error) {
	row, _, err := b.store.Entry(ctx, b.def, p.Owner)
	if errors.Is(err, store.ErrNotFound) {
		row = store.Entry{Owner: p.Owner}
	} else if err != nil {
		return Posted{}, err
	}
	d := draft{row: row.Clone()}
	changed, err := d.apply(b, p)
	if err != nil {
		return Posted{}, err
	}
	if d.dirty {
		if _, err := b.store.Put(ctx, b.def, d.row); err != nil {
			return Posted{}, err
		}
		d.row.Version++
	}
	return Posted{Entry: d.row, Changed: changed}, nil
}

// checkPost reports what is wrong with a post whatever the row holds.
func (b *Board) checkPost(p Post) error {
	if err := store.ValidateOwner(p.Owner); err != nil {
		return err
	}
	if len(p.Scores)+len(p.Attributes) == 0 {
		return fmt.Errorf("neither a score nor an attribute: %w", store.ErrInvalid)
	}
	if p.Operator != "" && !slices.Contains([]store.Operator{store.Set, store.Sum, store.Best}, p.Operator) {
		return fmt.Errorf("operator %q is none of set, sum, best: %w", p.Operator, store.ErrInvalid)
	}
	if len(p.ID) > MaxPostID || !utf8.ValidString(p.ID) {
		return fmt.Errorf("post id of %d bytes is not UTF-8 of at most %d: %w", len(p.ID), MaxPostID, store.ErrInvalid)
	}
	for name, value := range p.Attributes {
		if name == "" || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return fmt.Errorf("attribute %q = %q is not named UTF-8 text: %w", name, value, store.ErrInvalid)
		}
	}
	return b.checkScores(p.Scores)
}

func (b *Board) checkScores(scores map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		if score := scores[name]; score > store.MaxScore || score < -store.MaxScore {
			return fmt.Errorf("column %q: %d units are out of range, the limit is ±%d: %w", name, score, store.MaxScore, store.ErrInvalid)
		}
		if b.columns[name] == nil {
			_, err := b.def.Column(name)
			if name == "" {
				err = fmt.Errorf("a score without a column: %w", store.ErrNoColumn)
			}
			return err
		}
	}
	return nil
}

// A draft is a row that posts are applied to.
type draft struct {
	row   store.Entry
	dirty bool // has to be written
}

// apply changes the row as a checked post says, or not at all.
func (d *draft) apply(b *Board, p Post) (changed bool, err error) {
	if p.ID != "" && slices.Contains(d.row.Posts, p.ID) {
		return false, nil
	}
	scores := make(map[string]int64, len(p.Scores))
	for name, score := range p.Scores {
		there, has := d.row.Scores[name]
		if has {
			if score, err = combine(b.columns[name].Column, p.Operator, there, score); err != nil {
				return false, fmt.Errorf("column %q: %w", name, err)
			}
		}
		if !has || score != there {
			scores[name] = score
		}
	}
	changed = len(scores) > 0 || d.addsAttributes(p)
	if changed {
		d.merge(scores, p.Attributes)
		d.row.Updated = b.options.clock().UTC().Truncate(time.Millisecond)
	}
	if p.ID != "" {
		d.row.Posts = append(d.row.Posts, p.ID)
		d.row.Posts = slices.Clone(d.row.Posts[max(0, len(d.row.Posts)-store.MaxPosts):])
	}
	d.dirty = d.dirty || changed || p.ID != ""
	return changed, nil
}

func (d *draft) addsAttributes(p Post) bool {
	for name, value := range p.Attributes {
		if there, has := d.row.Attributes[name]; !has || there != value {
			return true
		}
	}
	return false
}

func (d *draft) merge(scores map[string]int64, attributes map[string]string) {
	if d.row.Scores == nil {
		d.row.Scores = make(map[string]int64, len(scores))
	}
	if d.row.Attributes == nil && len(attributes) > 0 {
		d.row.Attributes = make(map[string]string, len(attributes))
	}
	maps.Copy(d.row.Scores, scores)
	maps.Copy(d.row.Attributes, attributes)
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
	case store.Set:
	}
	return posted, nil
}
