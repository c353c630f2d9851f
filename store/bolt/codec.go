package bolt

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt/internal/boltpb"
)

func encodeEntry(board string, e store.Entry) ([]byte, error) {
	row := &boltpb.Entry{Version: e.Version, Posts: e.Posts, Hidden: e.Hidden, UpdatedMs: millis(e.Updated)}
	if len(e.Scores) > 0 {
		row.Scores = make([]*boltpb.Score, 0, len(e.Scores))
	}
	for _, name := range sortedNames(e.Scores) {
		row.Scores = append(row.Scores, &boltpb.Score{Column: name, Units: e.Scores[name]})
	}
	for _, name := range sortedNames(e.Attributes) {
		row.Attributes = append(row.Attributes, &boltpb.Attribute{Name: name, Value: e.Attributes[name]})
	}
	data, err := proto.Marshal(row)
	if err != nil { // a text that is not UTF-8
		return nil, fmt.Errorf("encode entry of owner %q on board %q: %w: %w", e.Owner, board, store.ErrInvalid, err)
	}
	return data, nil
}

func decodeEntry(board, owner string, data []byte) (store.Entry, error) {
	var row boltpb.Entry
	if err := proto.Unmarshal(data, &row); err != nil {
		return store.Entry{}, fmt.Errorf("decode entry of owner %q on board %q: %w: %w", owner, board, store.ErrCorrupt, err)
	}
	if row.Version < 1 { // no write makes one, and an empty value would pass otherwise
		return store.Entry{}, fmt.Errorf("decode entry of owner %q on board %q: version %d: %w", owner, board, row.Version, store.ErrCorrupt)
	}
	e := store.Entry{Owner: owner, Version: row.Version, Posts: row.Posts, Hidden: row.Hidden, Updated: fromMillis(row.UpdatedMs)}
	if len(row.Scores) > 0 {
		e.Scores = make(map[string]int64, len(row.Scores))
	}
	for _, s := range row.Scores {
		e.Scores[s.Column] = s.Units
	}
	if len(row.Attributes) > 0 {
		e.Attributes = make(map[string]string, len(row.Attributes))
	}
	for _, a := range row.Attributes {
		e.Attributes[a.Name] = a.Value
	}
	return e, nil
}

// SortedNames makes the encoding of equal rows equal.
func sortedNames[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// Millis keeps the zero time as 0, so that it comes back as the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
