package predictor

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/rankcurve/rankcurve/predictor/internal/curvepb"
)

// format is the version of the wire format that this package writes and reads.
const format = 1

// ErrCurve is wrapped by errors about bytes that are no whole curve.
var ErrCurve = errors.New("not a whole curve")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (d *draft) message() *curvepb.Curve {
	m := &curvepb.Curve{
		Format:       format,
		Board:        d.meta.Board,
		Column:       d.meta.Column,
		Decimals:     uint32(d.meta.Decimals),
		Ascending:    d.meta.Ascending,
		Generation:   d.meta.Generation,
		AsOfMs:       d.meta.AsOf.UnixMilli(),
		Total:        uint64(d.total),
		FractionBits: uint32(d.fractionBits),
		Tolerance:    d.tolerance,
		GapTolerance: d.gapTolerance,
		Spreads:      d.spreads,
	}
	if d.shape == Abs {
		m.Shape = curvepb.Curve_ABS
	}
	previous := d.knots[0].key
	if len(d.head) > 0 {
		previous = d.head[0].key
	}
	m.BestKey = previous
	for i, s := range d.head {
		if i > 0 {
			m.HeadGaps = append(m.HeadGaps, uint64(previous-s.key))
		}
		m.HeadCounts = append(m.HeadCounts, uint64(s.count))
		previous = s.key
	}
	m.BodyGaps = make([]uint64, len(d.knots))
	m.BodyRises = make([]uint64, len(d.knots)-1)
	grains := float64(int(1) << d.fractionBits)
	written := uint64(math.Round(d.knots[0].better * grains))
	for i, k := range d.knots {
		m.BodyGaps[i] = uint64(previous - k.key)
		previous = k.key
		if i > 0 {
			value := uint64(math.Round(k.better * grains))
			m.BodyRises[i-1] = value - written
			written = value
		}
	}
	return m
}

// encode writes the draft as an Envelope of curve.proto.
func (d *draft) encode() ([]byte, error) {
	curve, err := proto.Marshal(d.message())
	if err != nil {
		return nil, fmt.Errorf("marshal curve: %w", err)
	}
	data, err := proto.Marshal(&curvepb.Envelope{Crc32C: crc32.Checksum(curve, castagnoli), Curve: curve})
	if err != nil {
		return nil, fmt.Errorf("marshal envelope: %w", err)
	}
	return data, nil
}

// encodedSize is what encode will take once the measured tolerances, and the
// spreads if there will be any, are filled in.
func (d *draft) encodedSize(spreads bool) int {
	full := *d
	full.tolerance, full.gapTolerance = 1, 1
	curve := proto.Size(full.message())
	if spreads {
		const field = 2
		curve += field + varintSize(len(d.knots)-1) + 2*(len(d.knots)-1) // a spread over 2^16 entries takes two bytes
	}
	const checksum, field = 5, 1
	return checksum + field + varintSize(curve) + curve
}

func varintSize(n int) int { return (bits.Len(uint(n)|1) + 6) / 7 }

// Decode reads an encoded curve. Anything but the very bytes that were encoded is
// an error that wraps [ErrCurve]; no input makes it panic or allocate more than a
// small multiple of its length.
func Decode(data []byte) (*Curve, error) {
	var envelope curvepb.Envelope
	if err := proto.Unmarshal(data, &envelope); err != nil {
		return nil, fmt.Errorf("envelope: %w: %w", err, ErrCurve)
	}
	if sum := crc32.Checksum(envelope.Curve, castagnoli); sum != envelope.Crc32C {
		return nil, fmt.Errorf("checksum is %08x, the envelope says %08x: %w", sum, envelope.Crc32C, ErrCurve)
	}
	var m curvepb.Curve
	if err := proto.Unmarshal(envelope.Curve, &m); err != nil {
		return nil, fmt.Errorf("curve: %w: %w", err, ErrCurve)
	}
	c, err := fromMessage(&m)
	if err != nil {
		return nil, fmt.Errorf("curve of %s.%s: %w: %w", m.Board, m.Column, err, ErrCurve)
	}
	return c, nil
}

func fromMessage(m *curvepb.Curve) (*Curve, error) {
	switch {
	case m.Format != format:
		return nil, fmt.Errorf("format %d, this program reads %d", m.Format, format)
	case len(m.BodyGaps) == 0 || len(m.BodyRises) != len(m.BodyGaps)-1:
		return nil, fmt.Errorf("%d gaps and %d rises in the body", len(m.BodyGaps), len(m.BodyRises))
	case len(m.HeadCounts) > 0 && len(m.HeadGaps) != len(m.HeadCounts)-1, len(m.HeadCounts) == 0 && len(m.HeadGaps) > 0:
		return nil, fmt.Errorf("%d gaps and %d counts in the head", len(m.HeadGaps), len(m.HeadCounts))
	case len(m.Spreads) > 0 && len(m.Spreads) != len(m.BodyRises):
		return nil, fmt.Errorf("%d spreads for %d rises", len(m.Spreads), len(m.BodyRises))
	case m.FractionBits > 8:
		return nil, fmt.Errorf("%d fraction bits", m.FractionBits)
	case 2*len(m.HeadCounts)+len(m.BodyGaps) > maxKnots:
		return nil, fmt.Errorf("%d knots, the limit is %d", 2*len(m.HeadCounts)+len(m.BodyGaps), maxKnots)
	case m.Total > maxTotal:
		return nil, fmt.Errorf("total %d, the limit is %d", m.Total, uint64(maxTotal))
	case !(m.Tolerance >= 0) || math.IsInf(m.Tolerance, 0) || !(m.GapTolerance >= m.Tolerance) || math.IsInf(m.GapTolerance, 0):
		return nil, fmt.Errorf("tolerances %g and %g", m.Tolerance, m.GapTolerance)
	case m.Decimals > 18:
		return nil, fmt.Errorf("%d decimals", m.Decimals)
	}
	knots, err := expand(m)
	if err != nil {
		return nil, err
	}
	c := &Curve{
		meta: Meta{
			Board: m.Board, Column: m.Column, Decimals: int(m.Decimals), Ascending: m.Ascending,
			Generation: m.Generation, AsOf: time.UnixMilli(m.AsOfMs).UTC(),
		},
		total: int64(m.Total), shape: Sqrt, tolerance: m.Tolerance, gapTolerance: m.GapTolerance,
	}
	if m.Shape == curvepb.Curve_ABS {
		c.shape = Abs
	}
	for _, q := range m.Spreads {
		if q > math.MaxUint16>>4 {
			return nil, fmt.Errorf("spread %d", q)
		}
	}
	c.load(knots, m)
	return c, nil
}

// expand walks the gaps, rises and counts into knots, best first: two for each
// step of the head (its key, and one below it), then the body's.
func expand(m *curvepb.Curve) ([]knot, error) {
	w := walker{key: m.BestKey}
	if m.BestKey >= maxKey || m.BestKey < -maxKey {
		return nil, fmt.Errorf("best key %d", m.BestKey)
	}
	knots := make([]knot, 0, 2*len(m.HeadCounts)+len(m.BodyGaps))
	for i, count := range m.HeadCounts {
		if i > 0 && !w.down(m.HeadGaps[i-1]) {
			return nil, fmt.Errorf("head key %d is out of range", i)
		}
		if n := len(knots); n == 0 || knots[n-1].key > w.key {
			knots = append(knots, knot{w.key, w.better()})
		}
		if count == 0 || !w.rise(count, 0) {
			return nil, fmt.Errorf("head count %d is %d", i, count)
		}
		knots = append(knots, knot{w.key - 1, w.better()})
	}
	for i, gap := range m.BodyGaps {
		if gap == 0 && (i > 0 || len(m.HeadCounts) > 0) || !w.down(gap) {
			return nil, fmt.Errorf("body key %d is out of range", i)
		}
		if i > 0 && !w.rise(m.BodyRises[i-1], m.FractionBits) {
			return nil, fmt.Errorf("body better %d is out of range", i)
		}
		if n := len(knots); n == 0 || knots[n-1].key > w.key {
			knots = append(knots, knot{w.key, w.better()})
		}
	}
	if w.fine != m.Total<<fineBits {
		return nil, fmt.Errorf("knots end at %g entries of %d", w.better(), m.Total)
	}
	return knots, nil
}

// fineBits is the resolution of a walker: every permitted fraction fits.
const fineBits = 8

// A walker is a place on the curve while it is decoded, with checked steps.
type walker struct {
	key  int64
	fine uint64 // better in units of 1/2^fineBits
}

func (w *walker) better() float64 { return float64(w.fine) / (1 << fineBits) }

func (w *walker) down(gap uint64) bool {
	if gap > uint64(w.key+maxKey) {
		return false
	}
	w.key -= int64(gap)
	return true
}

func (w *walker) rise(amount uint64, fractionBits uint32) bool {
	if amount > maxTotal<<fractionBits {
		return false
	}
	w.fine += amount << (fineBits - fractionBits)
	return w.fine <= maxTotal<<fineBits
}
