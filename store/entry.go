package store

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// MaxPosts is how many post ids an entry remembers for idempotence.
const MaxPosts = 16

// MaxPostID is the longest id of a post, in bytes.
const MaxPostID = 255

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

// ValidateEntry reports why the entry cannot be stored on the board, or nil: a
// bad owner, a score beyond ±[MaxScore], a row beyond [MaxEntry] or a board without
// shards is [ErrInvalid], a score of a column that the board has not is [ErrNoColumn].
// Every backend calls it before it writes.
func (b Board) ValidateEntry(e Entry) error {
	if b.Shards < 1 || b.Shards > MaxShards {
		return fmt.Errorf("board %q has %d shards, not 1..%d: %w", b.Name, b.Shards, MaxShards, ErrInvalid)
	}
	if err := ValidateOwner(e.Owner); err != nil {
		return fmt.Errorf("board %q: %w", b.Name, err)
	}
	if err := b.validateScores(e); err != nil {
		return err
	}
	return b.validateSize(e)
}

// ValidateScores walks the columns first, and the map only to find what is wrong:
// bulk loads come through here.
func (b Board) validateScores(e Entry) error {
	sound := 0
	for _, c := range b.Columns {
		if score, there := e.Scores[c.Name]; there && score <= MaxScore && score >= -MaxScore {
			sound++
		}
	}
	if sound == len(e.Scores) {
		return nil
	}
	for name, score := range e.Scores {
		if !slices.ContainsFunc(b.Columns, func(c Column) bool { return c.Name == name }) {
			return fmt.Errorf("board %q, owner %q has a score in column %q: %w", b.Name, e.Owner, name, ErrNoColumn)
		}
		if score > MaxScore || score < -MaxScore {
			return fmt.Errorf("board %q, owner %q, column %q: %d units are out of range, the limit is ±%d: %w", b.Name, e.Owner, name, score, MaxScore, ErrInvalid)
		}
	}
	return nil
}

// With is the entry (the zero one if there is none yet) with the scores and
// attributes that are given set, and what else it holds kept, as a Load leaves it;
// the version stays. It is changed when a score or an attribute is, or when the
// entry is new; the time alone does not change it.
func (e Entry) With(given Entry) (row Entry, changed bool) {
	if e.Version == 0 {
		return Entry{Owner: given.Owner, Scores: given.Scores, Attributes: given.Attributes, Updated: given.Updated}, true
	}
	if includes(e.Scores, given.Scores) && includes(e.Attributes, given.Attributes) {
		return e, false
	}
	row = e.Clone()
	row.Scores = overlay(row.Scores, given.Scores)
	row.Attributes = overlay(row.Attributes, given.Attributes)
	if !given.Updated.IsZero() {
		row.Updated = given.Updated
	}
	return row, true
}

func includes[V comparable](all, some map[string]V) bool {
	for name, value := range some {
		if there, ok := all[name]; !ok || there != value {
			return false
		}
	}
	return true
}

func overlay[V any](under, over map[string]V) map[string]V {
	if under == nil {
		return over
	}
	maps.Copy(under, over)
	return under
}
