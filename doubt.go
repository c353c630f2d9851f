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
	added  []string // those that the write put behind them, as far as the row keeps them
	made   int64    // the version that it would have made
}

// newDoubt is nil when the write added no id, and so can never be found again.
func newDoubt(d *draft) *doubt {
	if len(d.added) == 0 {
		return nil
	}
	added := d.added[max(0, len(d.added)-store.MaxPosts):]
	return &doubt{before: d.base.Posts, added: added, made: d.base.Version + 1}
}

// An answer to a doubt.
type settled int

const (
	applied    settled = iota // the write is in the row
	notApplied                // it is not
	forgotten                 // so many ids came since that its own may have been dropped
)

// settle judges by the row as it is now, read strongly consistent. The write is in it if
// all that it added stands there in one piece. A part is no proof: somebody else may have
// sent one of the posts alone.
func (q *doubt) settle(row store.Entry) settled {
	switch {
	case contains(row.Posts, q.added):
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

// contains says whether all of part stands in one piece among ids.
func contains(ids, part []string) bool {
	for i := range len(ids) - len(part) + 1 {
		if slices.Equal(ids[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// doubtful is the error of a write that nothing more is known about.
func doubtful(cause error) error {
	return fmt.Errorf("%w; the post may have been stored: %w", cause, store.ErrUnknown)
}
