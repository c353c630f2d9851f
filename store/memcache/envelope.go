package memcache

import (
	"fmt"
	"hash/crc32"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/rankcurve/rankcurve/store"
)

// The fields of docs/curve-format.md that say which curve the bytes are.
const (
	envelopeChecksum = 1
	envelopeCurve    = 2
	curveBoard       = 2
	curveColumn      = 3
	curveGeneration  = 6
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// generationOf reads a curve's generation from its bytes, once their checksum and
// their names are right; they are else [store.ErrCorrupt]. Package predictor knows
// the whole format, but stores stand below it and need only this much.
func generationOf(k store.CurveKey, data []byte) (int64, error) {
	envelope, err := fieldsOf(data)
	if err != nil {
		return 0, fmt.Errorf("envelope: %w", err)
	}
	curve := envelope[envelopeCurve].bytes
	if sum := crc32.Checksum(curve, castagnoli); uint64(sum) != envelope[envelopeChecksum].number {
		return 0, fmt.Errorf("checksum is %08x, the envelope says %08x: %w", sum, envelope[envelopeChecksum].number, store.ErrCorrupt)
	}
	fields, err := fieldsOf(curve)
	if err != nil {
		return 0, fmt.Errorf("curve: %w", err)
	}
	held := store.CurveKey{Board: string(fields[curveBoard].bytes), Column: string(fields[curveColumn].bytes)}
	if held.Board != k.Board || held.Column != k.Column {
		return 0, fmt.Errorf("the bytes are the curve %s: %w", held, store.ErrCorrupt)
	}
	return int64(fields[curveGeneration].number), nil
}

// A field is one of a protobuf message: a number, or bytes.
type field struct {
	number uint64
	bytes  []byte
}

// fieldsOf reads a message's fields; of a repeated one it keeps the last.
func fieldsOf(message []byte) (map[protowire.Number]field, error) {
	fields := map[protowire.Number]field{}
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, fmt.Errorf("%w: %w", protowire.ParseError(n), store.ErrCorrupt)
		}
		message = message[n:]
		var f field
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message)
			f.number = uint64(v)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return nil, fmt.Errorf("field %d: %w: %w", number, protowire.ParseError(n), store.ErrCorrupt)
		}
		fields[number], message = f, message[n:]
	}
	return fields, nil
}
