package memcache

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/rankcurve/rankcurve/store"
)

// keyPrefix tells our keys from others' in a shared memcached.
const keyPrefix = "rankcurve:"

// Key is the memcached key of a curve: "rankcurve:" and the SHA-256, in lower-case
// hexadecimal, of the table's, board's and column's names with a zero byte between
// them; 74 bytes. No name holds a zero byte, so no two curves share a key. In a
// shell: printf 'TABLE\0BOARD\0COLUMN' | sha256sum.
func Key(table string, k store.CurveKey) string {
	sum := sha256.Sum256([]byte(table + "\x00" + k.Board + "\x00" + k.Column))
	return keyPrefix + hex.EncodeToString(sum[:])
}
