package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MaxItem is the largest item that DynamoDB stores, its names and values together, in
// bytes. The embedded store keeps to it too, so that a board can move.
const MaxItem = 400 << 10

// A row needs room beside its owner, scores and attributes: for MaxPosts post ids of
// MaxPostID bytes (no row is refused a post for the ids that it has), for the numbers by
// which writes know themselves, and for what DynamoDB adds to maps and lists.
const roomBytes = MaxPosts*(MaxPostID+1) + 256

// MaxEntry is how large the owner, the scores and the attributes of an entry may be
// together, by [EntrySize] without post ids.
const MaxEntry = MaxItem - roomBytes

// attributesNamed is how many attributes an error names, and nameBytes how much of a name.
const (
	attributesNamed = 3
	nameBytes       = 40
)

// validateSize reports that an entry is too large, and which of its attributes are.
func (b Board) validateSize(e Entry) error {
	size := EntrySize(b, e)
	if size <= MaxEntry {
		return nil
	}
	for _, id := range e.Posts { // there is room for them, unless another program's are longer
		size -= min(len(id), MaxPostID) + 1
	}
	if size <= MaxEntry {
		return nil
	}
	bytes := func(name string) int { return len(name) + len(e.Attributes[name]) + 1 }
	names := slices.SortedFunc(maps.Keys(e.Attributes), func(x, y string) int {
		return cmp.Or(cmp.Compare(bytes(y), bytes(x)), cmp.Compare(x, y))
	})
	var largest []string
	for _, name := range names[:min(attributesNamed, len(names))] {
		largest = append(largest, fmt.Sprintf("%.*q of %d bytes", nameBytes, name, bytes(name)))
	}
	return fmt.Errorf("board %q, owner %q: the row is too large, with %d bytes of the %d that there is room for in a DynamoDB item; its %d attributes are the largest part, %s: shorten them, or keep long texts elsewhere and their key here: %w",
		b.Name, e.Owner, size, MaxEntry, len(names), strings.Join(largest, ", "), ErrInvalid)
}
