package bolt

import (
	"encoding/binary"
	"math"

	"github.com/rankcurve/rankcurve/store"
)

// The buckets of the file.
var (
	bucketMeta    = []byte("meta")    // what the file is
	bucketBoards  = []byte("boards")  // name -> JSON of the definition
	bucketEntries = []byte("entries") // owner \0 board -> row
	bucketIndex   = []byte("index")   // a bucket per partition: place -> nothing
	bucketCurves  = []byte("curves")  // board \0 column -> generation, data
	bucketStates  = []byte("states")  // board \0 column -> state
	bucketLeases  = []byte("leases")  // name -> JSON of the lease
	bucketHistory = []byte("history") // board \0 column \0 as-of time -> generation, data; made when it is needed
)

var allBuckets = [][]byte{bucketMeta, bucketBoards, bucketEntries, bucketIndex, bucketCurves, bucketStates, bucketLeases}

// The marker in bucketMeta by which our files are told from other bolt files.
var (
	metaFormat    = []byte("format")
	metaVersion   = []byte("version")
	formatName    = []byte("rankcurve")
	formatVersion = []byte("1")
)

const separator = 0 // in no owner and in no board's name

// EntryKey leads with the owner, so that all boards of an owner are neighbours.
func entryKey(owner, board string) []byte {
	k := make([]byte, 0, len(owner)+1+len(board))
	k = append(k, owner...)
	k = append(k, separator)
	return append(k, board...)
}

func curveKey(k store.CurveKey) []byte {
	return append(append([]byte(k.Board), separator), k.Column...)
}

// HistoryKey is where a curve is kept; the times of one column are neighbours, and
// sorted.
func historyKey(k store.CurveKey, ms int64) []byte {
	return binary.BigEndian.AppendUint64(historyPrefix(k), uint64(ms))
}

func historyPrefix(k store.CurveKey) []byte { return append(curveKey(k), separator) }

// PartitionKey names a partition's bucket. The shard is a number of two bytes and
// may be any: one that no board has is just not there.
func partitionKey(p store.Partition) []byte {
	k := append(append([]byte(p.Board), separator), p.Column...)
	k = append(k, separator)
	return binary.BigEndian.AppendUint16(k, uint16(p.Shard))
}

const depthBytes = 8

// Depth turns a key of a score into a number that grows from the best to the
// worst, which is the order of the bytes in an index.
func depth(key int64) uint64 { return ^(uint64(key) ^ 1<<63) }

func keyAt(depth uint64) int64 { return int64(^depth ^ 1<<63) }

// PlaceKey is a row's key in its partition's bucket: depth, then owner.
func placeKey(key int64, owner string) []byte {
	k := make([]byte, 0, depthBytes+len(owner))
	k = binary.BigEndian.AppendUint64(k, depth(key))
	return append(k, owner...)
}

// DepthKey is the place before all rows of a depth.
func depthKey(d uint64) []byte {
	return binary.BigEndian.AppendUint64(nil, d)
}

func depthOf(place []byte) uint64 { return binary.BigEndian.Uint64(place) }

func position(place []byte) store.Position {
	return store.Position{Key: keyAt(depthOf(place)), Owner: string(place[depthBytes:])}
}

const deepest = math.MaxUint64
