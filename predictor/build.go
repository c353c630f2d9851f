package predictor

import (
	"errors"
	"fmt"
	"time"
)

// Meta is what a curve says of itself.
type Meta struct {
	Board      string
	Column     string
	Decimals   int
	Ascending  bool // smaller scores are better: keys are negated scores
	Generation int64
	AsOf       time.Time // to the millisecond
}

// Options of a build. The zero value takes every default.
type Options struct {
	Bytes int   // the encoded curve's size at most; default 16384, at least MinBytes
	Head  int   // so many of the best entries are kept exactly, if they were seen; default 100
	Shape Shape // how the tolerance grows; default Sqrt
}

// Bounds of Options.Bytes. The upper one keeps a curve below a cache's value
// limit and its knots countable in 15 bits.
const (
	DefaultBytes = 16384
	MinBytes     = 1024
	MaxBytes     = 65536
	DefaultHead  = 100
)

// ErrTooSmall is wrapped by Build when what has to be kept exactly does not fit
// in the byte budget.
var ErrTooSmall = errors.New("byte budget too small")

func (o Options) withDefaults() (Options, error) {
	if o.Bytes == 0 {
		o.Bytes = DefaultBytes
	}
	if o.Head == 0 {
		o.Head = DefaultHead
	}
	if o.Shape == "" {
		o.Shape = Sqrt
	}
	if o.Bytes < MinBytes || o.Bytes > MaxBytes {
		return o, fmt.Errorf("curve of %d bytes: not in %d..%d", o.Bytes, MinBytes, MaxBytes)
	}
	return o, nil
}

// Build makes the curve of a board from its points, which are in rank order, the
// first with nobody better and the last below every entry. It keeps the best
// entries exactly, gives the rest the smallest tolerance that fits the byte
// budget, and then measures that tolerance again on the curve decoded from its
// own encoding: what the curve states of its error is what a reader of its bytes
// gets. It returns the curve and its encoding. Errors wrap [ErrPoints] or
// [ErrTooSmall].
func Build(meta Meta, points []Point, o Options) (*Curve, []byte, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	if err := checkPoints(points); err != nil {
		return nil, nil, err
	}
	d := draft{meta: meta, shape: o.Shape, total: points[len(points)-1].Better}
	rest := d.takeHead(points, o.Head)
	if err := d.fitBody(rest, o.Bytes); err != nil {
		return nil, nil, err
	}
	d.spreads = spreadsOf(rest, d.knots)
	curve, _, err := d.publish()
	if err != nil {
		return nil, nil, err
	}
	d.tolerance, d.gapTolerance = curve.measure(rest)
	return d.publish()
}

// Empty is the curve of a board without entries, and its encoding.
func Empty(meta Meta) (*Curve, []byte, error) {
	d := draft{meta: meta, shape: Sqrt, knots: []knot{{key: 0}}}
	return d.publish()
}

// A draft is a curve that is being made.
type draft struct {
	meta                    Meta
	shape                   Shape
	total                   int64
	head                    []step
	knots                   []knot // of the body, best first
	fractionBits            int
	spreads                 []uint32
	tolerance, gapTolerance float64
}

// A step is a key of the head and the number of entries that have it.
type step struct{ key, count int64 }

// publish encodes the draft and reads it back.
func (d *draft) publish() (*Curve, []byte, error) {
	data, err := d.encode()
	if err != nil {
		return nil, nil, err
	}
	curve, err := Decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("decode what was encoded: %w", err)
	}
	return curve, data, nil
}

// takeHead moves the best entries into exact steps and returns the points that
// are left; their first is where the body starts.
func (d *draft) takeHead(points []Point, entries int) []Point {
	i := 0
	for ; i < len(points)-1 && points[i].Better < int64(entries) && !points[i+1].Open; i++ {
		d.head = append(d.head, step{points[i].Key, points[i+1].Better - points[i].Better})
	}
	return points[i:]
}
