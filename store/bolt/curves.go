package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// A published curve is stored as eight bytes of its generation, four of the CRC-32C
// of these and the data, and the data. The data's own checksum does not cover the
// generation, and a wrong one would outlive every refresh.
const (
	generationBytes = 8
	checksumBytes   = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func curveChecksum(generation, data []byte) uint32 {
	return crc32.Update(crc32.Checksum(generation, castagnoli), castagnoli, data)
}

// Curve implements [store.Curves].
func (s *Store) Curve(ctx context.Context, k store.CurveKey) (p store.Published, u store.Usage, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		data := tx.Bucket(bucketCurves).Get(curveKey(k))
		u = readOf(len(data))
		if data == nil {
			return fmt.Errorf("curve %s: %w", k, store.ErrNotFound)
		}
		p, err = decodeCurve(k, data)
		return err
	})
	return p, u, err
}

// Publish implements [store.Curves].
func (s *Store) Publish(ctx context.Context, k store.CurveKey, p store.Published) (store.Usage, error) {
	data := encodeCurve(p)
	u := writeOf(len(data))
	return u, s.write(ctx, &write{
		check: func(tx *bbolt.Tx) error {
			old := tx.Bucket(bucketCurves).Get(curveKey(k))
			if old == nil {
				return nil
			}
			there, err := decodeCurve(k, old)
			if err == nil && there.Generation >= p.Generation {
				return fmt.Errorf("publish curve %s of generation %d over %d: %w", k, p.Generation, there.Generation, store.ErrStale)
			}
			return nil // a damaged curve is there to be replaced
		},
		apply: func(tx *bbolt.Tx) error { return tx.Bucket(bucketCurves).Put(curveKey(k), data) },
	})
}

func encodeCurve(p store.Published) []byte {
	data := binary.BigEndian.AppendUint64(nil, uint64(p.Generation))
	data = binary.BigEndian.AppendUint32(data, curveChecksum(data, p.Data))
	return append(data, p.Data...)
}

func decodeCurve(k store.CurveKey, data []byte) (store.Published, error) {
	if len(data) < generationBytes+checksumBytes {
		return store.Published{}, fmt.Errorf("decode curve %s: %d bytes: %w", k, len(data), store.ErrCorrupt)
	}
	generation, rest := data[:generationBytes], data[generationBytes:]
	checksum, curve := binary.BigEndian.Uint32(rest), rest[checksumBytes:]
	if checksum != curveChecksum(generation, curve) {
		return store.Published{}, fmt.Errorf("decode curve %s: its checksum does not fit: %w", k, store.ErrCorrupt)
	}
	return store.Published{
		Generation: int64(binary.BigEndian.Uint64(generation)),
		Data:       bytes.Clone(curve), // the page is gone after the read
	}, nil
}

// State implements [store.Curves].
func (s *Store) State(ctx context.Context, k store.CurveKey) (state []byte, u store.Usage, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		data := tx.Bucket(bucketStates).Get(curveKey(k))
		u = readOf(len(data))
		if data == nil {
			return fmt.Errorf("state of curve %s: %w", k, store.ErrNotFound)
		}
		state = bytes.Clone(data)
		return nil
	})
	return state, u, err
}

// SaveState implements [store.Curves].
func (s *Store) SaveState(ctx context.Context, k store.CurveKey, state []byte) (store.Usage, error) {
	data := bytes.Clone(state)
	return writeOf(len(data)), s.write(ctx, &write{
		check: func(*bbolt.Tx) error { return nil },
		apply: func(tx *bbolt.Tx) error { return tx.Bucket(bucketStates).Put(curveKey(k), data) },
	})
}

func readOf(size int) store.Usage {
	return store.Usage{TableReads: store.ItemReadUnits(size, true), Requests: 1}
}

func writeOf(size int) store.Usage {
	return store.Usage{TableWrites: store.ItemWriteUnits(size), Requests: 1}
}
