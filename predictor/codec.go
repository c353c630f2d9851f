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
	d.writeForecast(m, grains)
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

// encodedSize is what encode will take at most once the measured tolerances, and the
// spreads of so many bytes a line, are filled in.
func (d *draft) encodedSize(lineBytes []int) int {
	full := *d
	full.tolerance, full.gapTolerance = 1, 1
	curve := proto.Size(full.message())
	for _, bytes := range lineBytes {
		const field = 2
		bytes *= len(d.knots) - 1
		curve += field + varintSize(bytes) + bytes
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
	for _, check := range []func(*curvepb.Curve) error{checkLengths, checkNumbers, checkForecast} {
		if err := check(m); err != nil {
			return nil, err
		}
	}
	knots, err := expand(m)
	if err != nil {
		return nil, err
	}
	laters, err := expandLater(m)
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
	c.load(knots, laters, m)
	return c, nil
}

// checkLengths verifies that the repeated fields belong together.
func checkLengths(m *curvepb.Curve) error {
	steps, knots := len(m.HeadCounts), len(m.BodyGaps)
	switch {
	case knots == 0 || len(m.BodyRises) != knots-1:
		return fmt.Errorf("%d gaps and %d rises in the body", knots, len(m.BodyRises))
	case len(m.HeadGaps) != max(0, steps-1):
		return fmt.Errorf("%d gaps and %d counts in the head", len(m.HeadGaps), steps)
	case len(m.Spreads) > 0 && len(m.Spreads) != len(m.BodyRises):
		return fmt.Errorf("%d spreads for %d rises", len(m.Spreads), len(m.BodyRises))
	case 2*steps+knots > maxKnots:
		return fmt.Errorf("%d knots, the limit is %d", 2*steps+knots, maxKnots)
	}
	return nil
}

// checkNumbers verifies the ranges of the single fields.
func checkNumbers(m *curvepb.Curve) error {
	switch {
	case m.Format != format:
		return fmt.Errorf("format %d, this program reads %d", m.Format, format)
	case m.FractionBits > fineBits:
		return fmt.Errorf("%d fraction bits, the limit is %d", m.FractionBits, fineBits)
	case m.Total > maxTotal:
		return fmt.Errorf("total %d, the limit is %d", m.Total, uint64(maxTotal))
	case m.Decimals > 18:
		return fmt.Errorf("%d decimals, the limit is 18", m.Decimals)
	case m.BestKey >= maxKey || m.BestKey < -maxKey:
		return fmt.Errorf("best key %d, the limit is ±%d", m.BestKey, maxKey)
	case !isScale(m.Tolerance) || !isScale(m.GapTolerance) || m.GapTolerance < m.Tolerance:
		return fmt.Errorf("tolerances %g and %g", m.Tolerance, m.GapTolerance)
	}
	for i, q := range m.Spreads {
		if q > maxSpread {
			return fmt.Errorf("spread %d is %d, the limit is %d", i, q, maxSpread)
		}
	}
	return nil
}

func isScale(v float64) bool { return v >= 0 && v <= maxTotal }

// expand walks the gaps, counts and rises into knots, best first: two for each
// step of the head (its key, and one below it), then the body's.
func expand(m *curvepb.Curve) ([]knot, error) {
	w := walker{key: m.BestKey, knots: make([]knot, 0, 2*len(m.HeadCounts)+len(m.BodyGaps))}
	for i, count := range m.HeadCounts {
		if i > 0 && !w.down(m.HeadGaps[i-1]) || w.key == -maxKey { // a step needs a key below its own
			return nil, fmt.Errorf("head key %d is out of range", i)
		}
		w.add(w.key)
		if count == 0 || !w.rise(count, 0) {
			return nil, fmt.Errorf("head count %d is %d", i, count)
		}
		w.add(w.key - 1)
	}
	for i, gap := range m.BodyGaps {
		starts := i == 0 && len(m.HeadCounts) == 0 // a body without a head may start on the best key
		if gap == 0 && !starts || !w.down(gap) {
			return nil, fmt.Errorf("body key %d is out of range", i)
		}
		if i > 0 && !w.rise(m.BodyRises[i-1], m.FractionBits) {
			return nil, fmt.Errorf("body better %d is out of range", i)
		}
		w.add(w.key)
	}
	if w.fine != m.Total<<fineBits {
		return nil, fmt.Errorf("knots end at %g of %d entries", w.better(), m.Total)
	}
	return w.knots, nil
}

// fineBits is the resolution of a walker: every permitted fraction fits.
const fineBits = 8

// A walker is a place on the curve while it is decoded, with checked steps.
type walker struct {
	key   int64
	fine  uint64 // better in units of 1/2^fineBits
	knots []knot
}

// add sets a knot, unless the place has one: the step above ends where the next
// begins.
func (w *walker) add(key int64) {
	if n := len(w.knots); n == 0 || w.knots[n-1].key > key {
		w.knots = append(w.knots, knot{key, w.better()})
	}
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
