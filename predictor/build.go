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
	// Horizon is how far ahead of AsOf the points' Later lies, to the millisecond; 0:
	// nothing is known of the future, and the curve says the same at any age.
	Horizon time.Duration
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
// gets. Points with an Error, and with a forecast for Meta.Horizon later, widen the band
// accordingly, now and at any age. It returns the curve and its encoding. Errors wrap [ErrPoints] or
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
	d.body = d.takeHead(points, o.Head)
	if d.outlook, err = outlookOf(d.body, meta.Horizon); err != nil {
		return nil, nil, err
	}
	if err := d.fitBody(d.body, o.Bytes); err != nil {
		return nil, nil, err
	}
	d.spread()
	curve, _, err := d.publish()
	if err != nil {
		return nil, nil, err
	}
	d.tolerance, d.gapTolerance = curve.measure(d.body, d.eased)
	return d.publish()
}

// Empty is the curve of a board without entries, and its encoding. It forecasts
// nothing, whatever the horizon.
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
	spreads, laterSpreads   []uint32
	tolerance, gapTolerance float64

	body    []Point // where the head ends and below
	outlook *outlook
	targets []target
	eased   bool // estimates need not be passed exactly
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
// are left; their first is where the body starts. Estimates are not exact, and a key
// that nobody has is no step.
func (d *draft) takeHead(points []Point, entries int) []Point {
	i := 0
	for ; i < len(points)-1 && points[i].Better < int64(entries) && !points[i+1].Open && points[i].Error+points[i+1].Error == 0; i++ {
		if count := points[i+1].Better - points[i].Better; count > 0 {
			d.head = append(d.head, step{points[i].Key, count})
		}
	}
	return points[i:]
}

// spread fills in what is unsure on every line of the body, beside the fit.
func (d *draft) spread() {
	var missed []float64
	if d.eased {
		missed = missedBy(d.targets, d.knots)
	}
	if unsure(d.body) {
		d.spreads = doubt{points: d.body}.spreads(d.knots, missed)
	}
	if d.outlook != nil {
		d.laterSpreads = doubt{d.body, d.outlook.errors}.spreads(d.knots, missed)
	}
}

// spreadBytes is how many bytes a line takes at most in each list of spreads that
// will be written.
func (d *draft) spreadBytes() []int {
	var bytes []int
	add := func(of doubt) {
		most := of.largest() + easedPart*of.largestError() + 1 // and what rounding a knot adds
		bytes = append(bytes, varintSize(int(quantizeSpread(most))))
	}
	if unsure(d.body) {
		add(doubt{points: d.body})
	}
	if d.outlook != nil {
		add(doubt{d.body, d.outlook.errors})
	}
	return bytes
}
