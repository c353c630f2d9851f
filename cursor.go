package rankcurve

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// ErrBadCursor says that a page cannot be read on from a cursor. Its message tells why;
// what helps is to start from the first page. Callers branch on it with errors.Is.
var ErrBadCursor = errors.New("cursor cannot be used")

// MinCursorKey is the least length of a key that signs cursors, in bytes.
const MinCursorKey = 16

// cursorSecret names the store's secret that signs cursors where no key is given.
const cursorSecret = "cursor"

// A cursor is a place between two pages. Entries with better keys than the standing's
// are out, those with worse ones are not; of those with this very key, each shard has
// put out the ones up to an owner, or none.
type cursor struct {
	scope    [scopeBytes]byte // of the board and the column
	column   int              // its number
	size     int
	issued   time.Time // to the second
	standing standing
	ends     []shardEnd // by shard
}

// A shardEnd is the last owner that a shard put out of the standing's key.
type shardEnd struct {
	shard int
	owner string
}

func (c cursor) after() map[int]store.Position {
	places := make(map[int]store.Position, len(c.ends))
	for _, end := range c.ends {
		places[end.shard] = store.Position{Key: c.standing.key, Owner: end.owner}
	}
	return places
}

// behind is the place behind rows that follow on this one, in the order in which they
// came out.
func (c cursor) behind(taken []merged) cursor {
	owners := map[int]string{}
	for _, end := range c.ends {
		owners[end.shard] = end.owner
	}
	for _, row := range taken {
		if row.Key != c.standing.key {
			clear(owners)
		}
		owners[row.shard] = row.Owner
		c.standing = c.standing.then(row.Key)
	}
	c.ends = nil
	for shard, owner := range owners {
		c.ends = append(c.ends, shardEnd{shard, owner})
	}
	slices.SortFunc(c.ends, func(a, b shardEnd) int { return a.shard - b.shard })
	return c
}

// suits says why a cursor does not go with the board or the query, or nil.
func (b *Board) suits(q PageQuery, place cursor) error {
	if place.column >= len(b.def.Columns) {
		return badCursor("it is of another board, or of this one before it was made anew")
	}
	c := b.columns[b.def.Columns[place.column].Name]
	age := b.options.clock().Sub(place.issued)
	switch {
	case place.scope != b.scope(c):
		return badCursor("it is of another board, or of this one before it was made anew")
	case q.Column != "" && q.Column != c.Name:
		return unfitCursor(fmt.Sprintf("it is of column %q, not of %q", c.Name, q.Column), "ask for that column, or for none")
	case q.Size != 0 && q.Size != place.size:
		return unfitCursor(fmt.Sprintf("it goes with pages of %d rows, not of %d", place.size, q.Size), "ask for that size, or for none")
	case b.options.cursorMaxAge > 0 && age > b.options.cursorMaxAge:
		return badCursor("it is %s old, and %s is allowed", age.Round(time.Second), b.options.cursorMaxAge)
	}
	return nil
}

func badCursor(format string, args ...any) error {
	why := fmt.Sprintf(format, args...)
	return advise(ErrBadCursor, nil, "the cursor cannot be used: %s; start again from the first page, without one", why)
}

// unfitCursor is of a cursor that is good for something else.
func unfitCursor(why, instead string) error {
	return advise(ErrBadCursor, nil, "the cursor cannot be used: %s; %s, or start again from the first page, without a cursor", why, instead)
}

const scopeBytes = 8

// scope tells a column of a board from all others, in other tables too and of the same
// name before it was deleted and made anew.
func (b *Board) scope(c *column) (scope [scopeBytes]byte) {
	made := b.identity.known()
	if made == "" { // from before there were IDs
		made = strconv.FormatInt(b.def.Created.UnixMilli(), 10)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{b.def.Name, made, strconv.Itoa(b.def.Shards), c.String()}, "\x00")))
	copy(scope[:], sum[:])
	return scope
}

// columnNumber finds a column's number, which is shorter than its name.
func (b *Board) columnNumber(c *column) int {
	return slices.IndexFunc(b.def.Columns, func(other store.Column) bool { return other.Name == c.Name })
}

// A signingKey is what the process knows of the key that signs cursors.
type signingKey struct {
	mu  sync.Mutex
	key []byte
}

// cursorKey is the key that signs cursors: the one that was given, or the store's own
// secret, which is read once.
func (b *Board) cursorKey(ctx context.Context) ([]byte, store.Usage, error) {
	if given := b.options.cursorKey; given != nil {
		if len(given) < MinCursorKey {
			return nil, store.Usage{}, fmt.Errorf("the cursor key has %d bytes, and %d are the least: %w", len(given), MinCursorKey, store.ErrInvalid)
		}
		return given, store.Usage{}, nil
	}
	b.signing.mu.Lock()
	defer b.signing.mu.Unlock()
	if b.signing.key != nil {
		return b.signing.key, store.Usage{}, nil
	}
	key, usage, err := b.store.Secret(ctx, cursorSecret)
	if err != nil {
		return nil, usage, fmt.Errorf("find the key that signs cursors (cursor.key sets one): %w", err)
	}
	b.signing.key = key
	return key, usage, nil
}
