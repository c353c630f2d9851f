package store

import (
	"maps"
	"slices"
	"time"
)

// MaxPosts is how many post ids an entry remembers for idempotence.
const MaxPosts = 16

// Entry is one owner's row on one board.
type Entry struct {
	Owner      string
	Scores     map[string]int64  // column name -> score in the column's units; a column may be absent
	Attributes map[string]string // unranked values
	Version    int64             // 0: not stored yet; every write adds one
	Posts      []string          // the last MaxPosts post ids, oldest first
	Hidden     bool              // off every index, the row kept
	Updated    time.Time         // to the millisecond
}

// Clone copies the entry, so that the copy can be changed without the original.
func (e Entry) Clone() Entry {
	e.Scores = maps.Clone(e.Scores)
	e.Attributes = maps.Clone(e.Attributes)
	e.Posts = slices.Clone(e.Posts)
	return e
}
