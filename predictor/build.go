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

// fitBody finds the smallest scale of the corridor whose knots fit the budget. It
// searches on a sample of the targets that is dense against the corridor's width,
// and settles on all of them.
func (d *draft) fitBody(points []Point, budget int) error {
	targets := targetsOf(points, d.shape, float64(d.total))
	open := hasOpen(points)
	path := newCorridor(targets)
	if d.try(path, 0, budget, open) {
		return nil
	}
	sample := newCorridor(thin(targets, d.shape.startScale(float64(d.total))/4))
	high := d.shape.startScale(float64(d.total))
	for !d.try(sample, high, budget, open) {
		if high *= 2; high > 2*float64(d.total) {
			return fmt.Errorf("%d bytes cannot hold the %d exact keys of the head and the %d points that were counted: allow more bytes: %w", budget, len(d.head), pinned(targets), ErrTooSmall)
		}
	}
	low := high / 2
	for d.try(sample, low, budget, open) {
		high, low = low, low/2
	}
	for range 6 { // to 1 % of the scale
		if middle := (low + high) / 2; d.try(sample, middle, budget, open) {
			high = middle
		} else {
			low = middle
		}
	}
	for !d.try(path, high, budget, open) {
		high *= 1.02
	}
	return nil
}

// try fits a corridor and keeps the knots if they fit the budget.
func (d *draft) try(path *corridor, scale float64, budget int, open bool) bool {
	candidate := *d
	candidate.fractionBits = fractionBits(scale)
	knots, ok := path.fit(scale, 1/float64(int(1)<<candidate.fractionBits), knotLimit(budget)-2*len(d.head))
	if !ok {
		return false
	}
	candidate.knots = knots
	if candidate.encodedSize(open) > budget {
		return false
	}
	*d = candidate
	return true
}

// knotLimit keeps a decoded curve small: at the default budget under 64 KB, where
// a knot takes 12 bytes and some of the lookup's table. Only boards with short
// keys meet it, whose knots take less than 5 encoded bytes.
func knotLimit(budget int) int { return max(3500, budget/5) }

// startScale is where the search starts: about what a 4 KB curve of a smooth
// board needs.
func (s Shape) startScale(total float64) float64 {
	if s == Abs {
		return max(0.5, 4e-5*total)
	}
	return 0.1
}

// fractionBits says how finely knots' values are written: in quarters of an
// entry, or in whole ones if the curve is exact.
func fractionBits(scale float64) int {
	if scale == 0 {
		return 0
	}
	return 2
}

func hasOpen(points []Point) bool {
	for _, p := range points {
		if p.Open {
			return true
		}
	}
	return false
}

func pinned(targets []target) (n int) {
	for _, t := range targets {
		if t.weight == 0 {
			n++
		}
	}
	return n
}

// atomShare is the part of the board from which a shared key is kept as a step:
// both its sides are pinned, so that no line cuts the corner.
const atomShare = 256

// targetsOf says what the body has to pass, and how closely. Exactly: its two
// ends, the ends of counted intervals (what lies between is unsure enough), and
// both sides of an atom.
func targetsOf(points []Point, shape Shape, total float64) []target {
	targets := make([]target, 0, len(points)+2*atomShare)
	last := len(points) - 1
	for i, p := range points {
		t := target{key: p.Key, better: float64(p.Better), weight: shape.weight(float64(p.Better), total)}
		if i == 0 || i == last || p.Open || points[i+1].Open {
			t.weight = 0
		}
		atom := i < last && !points[i+1].Open && isAtom(points[i+1].Better-p.Better, total)
		if atom {
			t.weight = 0
		}
		targets = append(targets, t)
		if atom && points[i+1].Key < p.Key-1 {
			targets = append(targets, target{key: p.Key - 1, better: float64(points[i+1].Better)})
		}
	}
	return targets
}

// thin leaves out targets that lie closer to their neighbour than stride weights.
func thin(targets []target, stride float64) []target {
	var kept []target
	last := -1.0
	for _, t := range targets {
		if t.weight == 0 || t.better-last >= stride*t.weight {
			kept = append(kept, t)
			last = t.better
		}
	}
	return kept
}

func isAtom(entries int64, total float64) bool {
	return entries > 1 && float64(entries)*atomShare >= total
}
