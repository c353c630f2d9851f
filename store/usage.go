package store

import (
	"fmt"
	"math"
	"math/bits"
)

// Usage is what a call consumed: DynamoDB read and write units, of the table and
// of its indexes apart, and the number of requests. A backend without a price
// list counts what the same call would cost there.
type Usage struct {
	TableReads  float64
	IndexReads  float64
	TableWrites float64
	IndexWrites float64
	Requests    int

	// Skipped counts the index rows that were read and left out, because what
	// another program wrote there can be no score of the column; SkippedRow tells
	// of one of them what is wrong and what to do.
	Skipped    int
	SkippedRow string
}

// Add adds another call's usage.
func (u *Usage) Add(other Usage) {
	u.TableReads += other.TableReads
	u.IndexReads += other.IndexReads
	u.TableWrites += other.TableWrites
	u.IndexWrites += other.IndexWrites
	u.Requests += other.Requests
	u.Skipped += other.Skipped
	if u.SkippedRow == "" {
		u.SkippedRow = other.SkippedRow
	}
}

// ReadUnits is the sum of the table's and the indexes' read units.
func (u Usage) ReadUnits() float64 { return u.TableReads + u.IndexReads }

// WriteUnits is the sum of the table's and the indexes' write units.
func (u Usage) WriteUnits() float64 { return u.TableWrites + u.IndexWrites }

// String prints the usage for a log line.
func (u Usage) String() string {
	return fmt.Sprintf("%.1f read units, %.1f write units, %d requests", u.ReadUnits(), u.WriteUnits(), u.Requests)
}

// DynamoDB's units, from its developer guide: an eventually consistent read takes
// half a unit per 4 KB begun (and at least one half), a write takes a unit per
// 1 KB begun, and a page of a Query ends at 1 MB.
const (
	readBlock  = 4096
	writeBlock = 1024
	PageBytes  = 1 << 20
)

// IndexReadUnits prices one Query page that read so many bytes of an index.
func IndexReadUnits(bytes int) float64 {
	return 0.5 * math.Max(1, math.Ceil(float64(bytes)/readBlock))
}

// ItemReadUnits prices one read of an item of so many bytes.
func ItemReadUnits(bytes int, consistent bool) float64 {
	units := math.Max(1, math.Ceil(float64(bytes)/readBlock))
	if consistent {
		return units
	}
	return units / 2
}

// ItemWriteUnits prices one write of an item of so many bytes.
func ItemWriteUnits(bytes int) float64 {
	return math.Max(1, math.Ceil(float64(bytes)/writeBlock))
}

// IndexEntrySize is the size in bytes of one entry of a KEYS_ONLY index: the
// names and values of g, the column, o and b.
func IndexEntrySize(p Partition, key int64, owner string) int {
	return IndexEntryBase(p) + NumberSize(key) + len(owner)
}

// IndexEntryBase is the part of [IndexEntrySize] that all entries of a partition
// share.
func IndexEntryBase(p Partition) int {
	const oneLetterNames, shardSuffix = 3, 3 // g, o, b; "#0a"
	return oneLetterNames + len(p.Board) + shardSuffix + len(p.Column) + len(p.Board)
}

// NumberSize estimates DynamoDB's size of a number: a byte for every two digits
// and one more, and one for the sign.
func NumberSize(v int64) int {
	sign, magnitude := 0, uint64(v)
	if v < 0 {
		sign, magnitude = 1, uint64(-v)
	}
	digits := bits.Len64(magnitude)*1233>>12 + 1
	return (digits+1)/2 + 1 + sign
}

// EntrySize is the size in bytes of an entry's item in the table.
func EntrySize(b Board, e Entry) int {
	size := 1 + len(e.Owner) + 1 + len(b.Name) + 1 + 6 + 1 + 7 // o, b, v, u
	if !e.Hidden {
		size += 1 + len(b.Name) + 3
	}
	if !b.Expires.IsZero() {
		size += 1 + NumberSize(b.Expires.Unix())
	}
	for name, score := range e.Scores {
		size += len(name) + NumberSize(score)
	}
	for name, value := range e.Attributes {
		size += len(name) + len(value) + 1
	}
	for _, id := range e.Posts {
		size += len(id) + 1
	}
	return size
}
