package memcache

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/rankcurve/rankcurve/store"
)

// keyPrefix tells our keys from others' in a shared memcached.
const keyPrefix = "rankcurve:"

// Key is the memcached key of a curve: "rankcurve:" and the SHA-256, in lower-case
// hexadecimal, of the table's, board's and column's names and the board's ID with a
// zero byte between them; 74 bytes. None of them holds a zero byte, so no two curves
// share a key. A board without an ID has the key of its names alone. In a shell:
// printf '%s\0%s\0%s\0%s' TABLE BOARD COLUMN ID | sha256sum.
func Key(table string, k store.CurveKey) string {
	named := table + "\x00" + k.Board + "\x00" + k.Column
	if k.ID != "" {
		named += "\x00" + k.ID
	}
	sum := sha256.Sum256([]byte(named))
	return keyPrefix + hex.EncodeToString(sum[:])
}
