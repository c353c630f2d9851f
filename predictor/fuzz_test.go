package predictor_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/predictor/internal/curvepb"
)

// FuzzDecode feeds curves with a right checksum around arbitrary bytes, which
// random damage would never get past.
func FuzzDecode(f *testing.F) {
	for i, b := range boards[:6] {
		points := predictor.PointsOf(b.keys(500))
		m := meta
		if i%2 == 1 {
			m, points = ahead(), forecast(counted(points, 50, 0.1), 0.5)
		}
		_, data, err := predictor.Build(m, points, predictor.Options{Bytes: 1024})
		if err != nil {
			f.Fatal(err)
		}
		var envelope curvepb.Envelope
		if err := proto.Unmarshal(data, &envelope); err != nil {
			f.Fatal(err)
		}
		f.Add(envelope.Curve)
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, inner []byte) {
		curve, err := predictor.Decode(seal(t, inner))
		if err != nil {
			return
		}
		var keys []int64
		for _, v := range curve.Vertices() {
			keys = append(keys, v.Key-1, v.Key, v.Key+1)
		}
		slices.Sort(keys)
		for _, age := range ages {
			total := curve.TotalAt(age)
			previous := math.Inf(1)
			for _, key := range keys {
				better := curve.BetterAt(key, age)
				if better > previous {
					t.Fatalf("better grows with the key, at %d after %s", key, age)
				}
				previous = better
				if e := curve.Estimate(key, age); e.Low < 0 || e.High > total || e.Low > e.Better || e.High < e.Better {
					t.Fatalf("at %d after %s: estimate %+v of %d", key, age, e, total)
				}
			}
			curve.KeyAt(1, age)
			curve.KeyAt(total, age)
		}
	})
}

// seal puts a checksum around the bytes of a curve.
func seal(t *testing.T, inner []byte) []byte {
	t.Helper()
	sealed, err := proto.Marshal(&curvepb.Envelope{Crc32C: crc32.Checksum(inner, crc32.MakeTable(crc32.Castagnoli)), Curve: inner})
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// FuzzFit builds curves of arbitrary boards: monotone, with fixed ends, and every
// owner in the band.
func FuzzFit(f *testing.F) {
	f.Add([]byte{1, 2, 3, 250, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 200, 100, 50}, uint8(0))
	f.Add(make([]byte, 400), uint8(3))
	f.Fuzz(func(t *testing.T, raw []byte, how uint8) {
		keys := keysFrom(raw, int(how>>1)%3)
		if len(keys) == 0 {
			return
		}
		o := predictor.Options{Bytes: 1024, Shape: predictor.Sqrt}
		if how&1 == 1 {
			o.Shape = predictor.Abs
		}
		points := predictor.PointsOf(keys)
		curve, _ := build(t, points, o)
		previous := -1.0
		for _, p := range points {
			better := curve.Better(p.Key)
			if better < previous {
				t.Fatalf("better falls at %d", p.Key)
			}
			previous = better
			if e := curve.Held(p.Key, 0); e.Low > p.Better || e.High < p.Better {
				t.Fatalf("at %d the truth is %d, the estimate %+v", p.Key, p.Better, e)
			}
		}
		if last := points[len(points)-1]; int64(curve.Better(last.Key)) != int64(len(keys)) || curve.Better(points[0].Key) != 0 {
			t.Fatal("the ends are not fixed")
		}
	})
}

// keysFrom turns bytes into keys: small ones, ones far apart, or gaps.
func keysFrom(raw []byte, style int) []int64 {
	var keys []int64
	var sum int64
	for i, b := range raw {
		switch {
		case style == 0:
			keys = append(keys, int64(b))
		case style == 1 && i+8 <= len(raw):
			keys = append(keys, int64(binary.LittleEndian.Uint64(raw[i:]))>>2)
		case style == 2:
			sum += int64(b) * int64(b) * int64(b)
			keys = append(keys, sum)
		}
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	return keys
}
