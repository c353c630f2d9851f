package bolt

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// Move is one entry that an index gains or loses; on DynamoDB each is a write.
type move struct {
	column int // of the board
	shard  int
	place  []byte
	remove bool
}

// MovesOf appends what changes in the indexes when a row becomes another.
func movesOf(moves []move, b store.Board, old, row store.Entry) []move {
	shard := store.ShardOf(row.Owner, b.Shards)
	for i, c := range b.Columns {
		was, wasIn := indexed(old, c)
		is, isIn := indexed(row, c)
		if wasIn == isIn && was == is {
			continue
		}
		if wasIn {
			moves = append(moves, move{i, shard, placeKey(was, row.Owner), true})
		}
		if isIn {
			moves = append(moves, move{i, shard, placeKey(is, row.Owner), false})
		}
	}
	return moves
}

// Indexed is the row's key in a column, and whether it is in its index at all.
func indexed(e store.Entry, c store.Column) (key int64, in bool) {
	score, in := e.Scores[c.Name]
	if !in || e.Hidden {
		return 0, false
	}
	return c.Key(score), true
}

// ApplyMoves changes the indexes; the moves of a partition are neighbours.
func applyMoves(tx *bbolt.Tx, b store.Board, moves []move) error {
	index := tx.Bucket(bucketIndex)
	for len(moves) > 0 {
		m := moves[0]
		n := 1
		for n < len(moves) && moves[n].column == m.column && moves[n].shard == m.shard {
			n++
		}
		p := b.Partition(b.Columns[m.column].Name, m.shard)
		if err := movePartition(index, p, moves[:n]); err != nil {
			return fmt.Errorf("move rows of partition %s: %w", p, err)
		}
		moves = moves[n:]
	}
	return nil
}

func movePartition(index *bbolt.Bucket, p store.Partition, moves []move) error {
	rows, err := index.CreateBucketIfNotExists(partitionKey(p))
	if err != nil {
		return err
	}
	setFill(rows, len(moves))
	for _, m := range moves {
		if m.remove {
			err = rows.Delete(m.place)
		} else {
			err = rows.Put(m.place, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Many rows in one transaction.
const bulkRows = 1024

// SetFill packs pages tightly when many rows come in order: completely into an
// empty bucket, else with a little room for the next ones between them.
func setFill(rows *bbolt.Bucket, incoming int) {
	if incoming < bulkRows {
		return
	}
	rows.FillPercent = 0.9
	if first, _ := rows.Cursor().First(); first == nil {
		rows.FillPercent = 1.0
	}
}

// SortMoves orders moves by partition, then as the index does.
func sortMoves(moves []move) {
	slices.SortFunc(moves, func(a, b move) int {
		switch {
		case a.column != b.column:
			return a.column - b.column
		case a.shard != b.shard:
			return a.shard - b.shard
		}
		if x, y := depthOf(a.place), depthOf(b.place); x != y { // faster than comparing bytes
			return cmp.Compare(x, y)
		}
		return bytes.Compare(a.place, b.place)
	})
}
