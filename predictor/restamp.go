package predictor

import (
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/rankcurve/rankcurve/predictor/internal/curvepb"
)

// Restamp is an encoded curve with another generation and as-of time, and all else as it
// is: for a board that was looked at again, and has not changed. Errors wrap [ErrCurve].
func Restamp(data []byte, generation int64, asOf time.Time) ([]byte, error) {
	if _, err := Decode(data); err != nil {
		return nil, fmt.Errorf("stamp curve: %w", err)
	}
	var envelope curvepb.Envelope
	var m curvepb.Curve
	if err := errors.Join(proto.Unmarshal(data, &envelope), proto.Unmarshal(envelope.Curve, &m)); err != nil {
		return nil, fmt.Errorf("stamp curve: %w: %w", err, ErrCurve)
	}
	m.Generation, m.AsOfMs = generation, asOf.UnixMilli()
	curve, err := proto.Marshal(&m)
	if err != nil {
		return nil, fmt.Errorf("stamp curve: %w", err)
	}
	stamped, err := proto.Marshal(&curvepb.Envelope{Crc32C: crc32.Checksum(curve, castagnoli), Curve: curve})
	if err != nil {
		return nil, fmt.Errorf("stamp curve: %w", err)
	}
	return stamped, nil
}
