package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// ShardOf places an owner: the first eight bytes of SHA-256(owner), read as a
// big-endian number, mod shards. A strong hash because every estimate rests on a
// shard being a uniform sample of its board, and because any language can
// compute it in one line.
func ShardOf(owner string, shards int) int {
	sum := sha256.Sum256([]byte(owner))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(shards))
}

// Partition names one (board, column, shard) of the index.
type Partition struct {
	Board  string
	Column string
	Shard  int
}

const base36 = "0123456789abcdefghijklmnopqrstuvwxyz"

// HashKey is the partition's key in the column's index: board#shard, the shard as
// two base-36 characters.
func (p Partition) HashKey() string {
	return p.Board + "#" + string([]byte{base36[p.Shard/36], base36[p.Shard%36]})
}

// String names the partition in messages.
func (p Partition) String() string {
	return fmt.Sprintf("%s.%s shard %d", p.Board, p.Column, p.Shard)
}
