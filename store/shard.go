package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
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

// ShardShare is how many of a board's best n entries one of its shards holds at
// most, nearly always: a shard is a uniform sample, so their number is binomial with
// mean n/shards; three standard deviations more are rarely passed, and three rows
// more where the share is small.
func ShardShare(n, shards int) int {
	mean := float64(n) / float64(shards)
	return max(1, min(n, int(math.Ceil(mean+3*math.Sqrt(mean)+3))))
}
