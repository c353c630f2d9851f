package predictor_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
)

func TestRestampChangesTheGenerationAndTheTimeAlone(t *testing.T) {
	keys := make([]int64, 5000)
	for i := range keys {
		keys[i] = int64(1_000_000 - 7*i*i%900_000)
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	asOf := time.UnixMilli(1_700_000_000_000).UTC()
	before, data, err := predictor.Build(predictor.Meta{Board: "games", Column: "xp", Generation: 3, AsOf: asOf}, predictor.PointsOf(keys), predictor.Options{Bytes: 2048})
	if err != nil {
		t.Fatal(err)
	}
	later := asOf.Add(5 * time.Minute)
	stamped, err := predictor.Restamp(data, 4, later)
	if err != nil {
		t.Fatal(err)
	}
	after, err := predictor.Decode(stamped)
	if err != nil {
		t.Fatal(err)
	}
	want := before.Meta()
	want.Generation, want.AsOf = 4, later
	if after.Meta() != want || !reflect.DeepEqual(after.Vertices(), before.Vertices()) {
		t.Errorf("stamped %+v, want %+v, and the same vertices", after.Meta(), want)
	}
	for key := int64(0); key < 1_000_000; key += 9973 {
		if after.Estimate(key, 0) != before.Estimate(key, 0) {
			t.Fatalf("at %d: %+v, was %+v", key, after.Estimate(key, 0), before.Estimate(key, 0))
		}
	}
	if _, err := predictor.Restamp(data[:len(data)-1], 4, later); !errors.Is(err, predictor.ErrCurve) {
		t.Errorf("a cut curve was stamped: %v", err)
	}
}
