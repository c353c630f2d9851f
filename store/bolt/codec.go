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

// Encoder encodes rows of one board. It keeps its messages and its memory from
// row to row, which a bulk load needs; the rows stay valid.
type encoder struct {
	board  store.Board
	row    boltpb.Entry
	scores []*boltpb.Score
	buffer []byte // encoded rows, one after the other
}

// BufferBytes is how much memory an encoder takes at a time once it needs more
// than a row.
const bufferBytes = 1 << 20

func (n *encoder) encode(e store.Entry) ([]byte, error) {
	n.setScores(e.Scores)
	n.setAttributes(e.Attributes)
	n.row.Version, n.row.Posts, n.row.Hidden, n.row.UpdatedMs = e.Version, e.Posts, e.Hidden, millis(e.Updated)
	size := proto.Size(&n.row)
	if n.buffer != nil && cap(n.buffer)-len(n.buffer) < size {
		n.buffer = make([]byte, 0, max(size, bufferBytes))
	}
	begin := len(n.buffer)
	data, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(n.buffer, &n.row)
	if err != nil { // a text that is not UTF-8
		return nil, fmt.Errorf("encode entry of owner %q on board %q: %w: %w", e.Owner, n.board.Name, store.ErrInvalid, err)
	}
	n.buffer = data
	return data[begin:len(data):len(data)], nil
}

// SetScores walks the columns and not the map: it is faster, and the encoding of
// equal rows is equal.
func (n *encoder) setScores(scores map[string]int64) {
	n.row.Scores = n.row.Scores[:0]
	for i, c := range n.board.Columns {
		units, there := scores[c.Name]
		if !there {
			continue
		}
		if len(n.scores) <= i {
			n.scores = append(n.scores, make([]*boltpb.Score, i+1-len(n.scores))...)
		}
		if n.scores[i] == nil {
			n.scores[i] = &boltpb.Score{Column: c.Name}
		}
		n.scores[i].Units = units
		n.row.Scores = append(n.row.Scores, n.scores[i])
	}
}

func (n *encoder) setAttributes(attributes map[string]string) {
	n.row.Attributes = n.row.Attributes[:0]
	if len(attributes) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		n.row.Attributes = append(n.row.Attributes, &boltpb.Attribute{Name: name, Value: attributes[name]})
	}
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
