package rankcurve

import (
	"fmt"
	"slices"

	"github.com/rankcurve/rankcurve/store"
)

// A doubt is about a write of a row of which the store does not know whether it was
// carried out. Other writes are in the row since, and its post ids may settle it.
type doubt struct {
	before []string // post ids of the row that was read
	mark   string   // the last id that the write added
	made   int64    // the version that it would have made
}

// newDoubt is nil when the write added no id, and so can never be found again.
func newDoubt(d *draft) *doubt {
	ids := d.row.Posts
	if len(ids) == 0 || slices.Equal(ids, d.base.Posts) {
		return nil
	}
	return &doubt{before: d.base.Posts, mark: ids[len(ids)-1], made: d.base.Version + 1}
}

// An answer to a doubt.
type settled int

const (
	applied    settled = iota // the write is in the row
	notApplied                // it is not
	forgotten                 // so many ids came since that its own may have been dropped
)

// settle judges by the row as it is now, read strongly consistent.
func (q *doubt) settle(row store.Entry) settled {
	switch {
	case slices.Contains(row.Posts, q.mark):
		return applied
	case row.Version < q.made: // deleted meanwhile, with all that was in it
		return notApplied
	case len(row.Posts) < store.MaxPosts: // nothing was ever dropped
		return notApplied
	}
	// Ids are dropped from the front. As long as the front is one that was there
	// before the write, what the write added is behind it.
	for i := range q.before {
		if rest := q.before[i:]; slices.Equal(row.Posts[:len(rest)], rest) {
			return notApplied
		}
	}
	return forgotten
}

// doubtful is the error of a write that nothing more is known about.
func doubtful(cause error) error {
	return fmt.Errorf("%w; the post may have been stored: %w", cause, store.ErrUnknown)
}
