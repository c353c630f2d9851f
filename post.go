package rankcurve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/rankcurve/rankcurve/store"
)

// MaxPostID is the longest id of a post, in bytes.
const MaxPostID = store.MaxPostID

// Post is one submission of an owner's scores.
type Post struct {
	Owner      string
	Scores     map[string]int64  // column name -> score in units of 10^-decimals
	Attributes map[string]string // merged into those that are there
	Operator   store.Operator    // how the scores change what is there; empty: each column's own
	ID         string            // of the post: the same one twice changes nothing; empty: not remembered
	Version    *int64            // the post is for the row at this version, 0 being none there yet; nil: at any
	Ranks      bool              // answer with estimated ranks before and after
}

// Posted is what a post left behind.
type Posted struct {
	Entry   store.Entry // the row after the post
	Changed bool        // a score or an attribute changed
	Changes []Change    // of each column that the post names or takes away, in the board's order
}

// Post applies one post: it reads the row, computes the new one and writes it on
// the condition that the row did not change meanwhile, up to ten times. An owner's
// first post makes the row; a hidden row stays hidden.
//
// With an ID, a post can be sent again until it succeeds: the row remembers its
// last [store.MaxPosts] ids, so it must be sent again before as many others with ids
// are posted to that row. A post that changes nothing and has no new ID writes
// nothing. With a Version it is not tried again: when the row is at another one, it is
// [store.ErrConflict] at once, unless the row has the post's ID already.
//
// The error is [store.ErrNoColumn] for an unknown column, [store.ErrInvalid] for a
// bad owner, operator, ID, version or attribute, for a score or sum out of range or
// beyond [WithLimits], for a row that would be larger than [store.MaxEntry], and for a post
// of nothing, and [store.ErrConflict] when all tries met another writer;
// nothing is written then. One that is [store.ErrUnknown] is the exception: the
// store's answers were lost, or the context ended while it wrote, and the post may be
// in the row. Sent again with the same ID it is applied once; without one, it may be
// twice. If it is [ErrForgotten] besides, the row has dropped so many ids since that this
// holds no more: look at the row, and do not send the post again unless it is missing
// there. It costs a read unit, and one write unit for the row plus two for every column
// that changes; Ranks cost no read of an index. The first row of an owner on a board of a
// family costs two read units more, see [Family.Hide].
func (b *Board) Post(ctx context.Context, p Post) (Posted, error) {
	return b.post(ctx, p, nil)
}

// post applies a post to the owner's row as it was just read, or reads it.
func (b *Board) post(ctx context.Context, p Post, row *store.Entry) (Posted, error) {
	a := newBatch(b, []Post{p})
	a.alone, a.ready = true, row
	_ = a.run(ctx) // is in errs too
	return a.posted[0], a.errs[0]
}

func (b *Board) refused(p Post, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("post to board %q for owner %q: %w", b.def.Name, p.Owner, err)
}

// checkPost reports what is wrong with a post whatever the row holds.
func (b *Board) checkPost(p Post) error {
	if err := b.gone(); err != nil {
		return err
	}
	if err := store.ValidateOwner(p.Owner); err != nil {
		return err
	}
	if len(p.Scores)+len(p.Attributes) == 0 {
		return fmt.Errorf("neither a score nor an attribute: %w", store.ErrInvalid)
	}
	if p.Operator != "" && !p.Operator.Known() {
		return fmt.Errorf("operator %q is none of %s: %w", p.Operator, store.OperatorNames(), store.ErrInvalid)
	}
	if p.Version != nil && *p.Version < 0 {
		return fmt.Errorf("version %d is below 0, which is of a row that is not there: %w", *p.Version, store.ErrInvalid)
	}
	if len(p.ID) > MaxPostID || !utf8.ValidString(p.ID) {
		return fmt.Errorf("post id of %d bytes is not UTF-8 of at most %d: %w", len(p.ID), MaxPostID, store.ErrInvalid)
	}
	if err := checkAttributes(p.Attributes); err != nil {
		return err
	}
	if err := b.checkScores(p.Scores); err != nil {
		return err
	}
	if err := b.checkPlausible(p, b.options.limits); err != nil {
		return err
	}
	first := b.def.Columns[0].Name
	if _, named := p.Scores[first]; !named && b.wholeRow(p) {
		return fmt.Errorf("column %q: best_row needs a score of the board's first column, by which rows are compared: %w", first, store.ErrInvalid)
	}
	return nil
}

func checkAttributes(attributes map[string]string) error {
	for name, value := range attributes {
		if name == "" || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return fmt.Errorf("attribute %q = %q is not named UTF-8 text: %w", name, value, store.ErrInvalid)
		}
	}
	return nil
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
