package memcache_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

var update = flag.Bool("update", false, "write the test vectors anew")

// vector is what testdata/NAME.json says of testdata/NAME.bin. Readers in other
// languages are tested against it.
type vector struct {
	facts
	Questions []question `json:"questions"`
}

type facts struct {
	Board      string `json:"board"`
	Column     string `json:"column"`
	Decimals   int    `json:"decimals"`
	Ascending  bool   `json:"ascending"`
	Generation int64  `json:"generation"`
	AsOf       int64  `json:"as_of_ms"`
	Horizon    int64  `json:"horizon_ms,omitempty"`
	Total      int64  `json:"total"`
}

type question struct {
	Score string `json:"score"`
	Key   int64  `json:"key"`
	Age   int64  `json:"age_ms,omitempty"`
	Of    int64  `json:"of,omitempty"` // entries at that age
	Held  place  `json:"held"`         // for a score that an entry has
	Any   place  `json:"any"`          // for a score that may lie between entries
}

type place struct {
	Better int64 `json:"better"`
	Low    int64 `json:"low"`
	High   int64 `json:"high"`
}

// TestVectors holds the committed bytes to the committed answers: a change of the
// format, or of what an old curve means, fails here.
func TestVectors(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	for _, name := range vectorNames(t) {
		data, want := readVector(t, name)
		if got := vectorOf(t, data, want.Questions); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func vectorNames(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.bin")
	if err != nil || len(names) < 6 {
		t.Fatalf("%d vectors, %v; want 6 or more", len(names), err)
	}
	for i, name := range names {
		names[i] = name[:len(name)-len(".bin")]
	}
	return names
}

func readVector(t *testing.T, name string) (data []byte, v vector) {
	t.Helper()
	data, err := os.ReadFile(name + ".bin")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name + ".json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data, v
}

// vectorOf asks a curve for the scores of questions, at their ages.
func vectorOf(t *testing.T, data []byte, questions []question) vector {
	t.Helper()
	curve, err := predictor.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	m := curve.Meta()
	v := vector{facts: facts{m.Board, m.Column, m.Decimals, m.Ascending, m.Generation, m.AsOf.UnixMilli(), m.Horizon.Milliseconds(), curve.Total()}}
	column := columnOf(m)
	for _, q := range questions {
		score, err := store.ParseScore(q.Score, m.Decimals)
		if err != nil {
			t.Fatal(err)
		}
		age := time.Duration(q.Age) * time.Millisecond
		q.Key = column.Key(score)
		q.Held, q.Any = place(curve.Held(q.Key, age)), place(curve.Estimate(q.Key, age))
		if q.Of = 0; q.Age != 0 {
			q.Of = curve.TotalAt(age)
		}
		v.Questions = append(v.Questions, q)
	}
	return v
}

func columnOf(m predictor.Meta) store.Column {
	c := store.Column{Name: m.Column, Decimals: m.Decimals, Order: store.Desc}
	if m.Ascending {
		c.Order = store.Asc
	}
	return c
}

// writeVectors makes the committed curves: one of every kind of field.
func writeVectors(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 14))
	draw := func(n int, key func() int64) []int64 {
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = key()
		}
		slices.SortFunc(keys, func(a, b int64) int { return int(b - a) })
		return keys
	}
	skewed := draw(30_000, func() int64 { return int64(1000 * r.ExpFloat64()) })
	times := draw(5000, func() int64 { // seconds with two decimals; 30 % at exactly 90
		if r.IntN(10) < 3 {
			return -9000
		}
		return -int64(6000 + 1500*math.Abs(r.NormFloat64()))
	})
	var counted []predictor.Point // only numbers are known below the best 50
	for i, p := range predictor.PointsOf(skewed) {
		if i < 50 || i%40 == 0 || p.Better == int64(len(skewed)) {
			p.Open = i > 50
			counted = append(counted, p)
		}
	}
	writeVector(t, "skewed", predictor.Meta{Board: "missions", Column: "xp", Generation: 7}, predictor.PointsOf(skewed), predictor.Options{Bytes: 2048})
	writeVector(t, "ascending", predictor.Meta{Board: "race:2026-W47", Column: "time", Decimals: 2, Ascending: true, Generation: 1 << 40}, predictor.PointsOf(times), predictor.Options{Bytes: 1024, Shape: predictor.Abs, Head: 20})
	writeVector(t, "counted", predictor.Meta{Board: "missions", Column: "xp", Generation: 8}, counted, predictor.Options{Bytes: 2048})
	writeVector(t, "forecast", predictor.Meta{Board: "missions", Column: "xp", Generation: 9, Horizon: 40 * time.Minute}, estimated(counted, 1.07), predictor.Options{Bytes: 2048})
	decaying := estimated(predictor.PointsOf(times), 0.4)
	decaying[0].Later, decaying[0].LaterError = 3, 2
	writeVector(t, "headless", predictor.Meta{Board: "race", Column: "time", Decimals: 2, Ascending: true, Generation: 10, Horizon: 1234567 * time.Millisecond}, decaying, predictor.Options{Bytes: 2048, Shape: predictor.Abs, Head: -1})
	writeVector(t, "empty", predictor.Meta{Board: "new", Column: "xp", Decimals: 1, Generation: 1}, nil, predictor.Options{})
}

// estimated makes estimates of what was counted, of a board that grows or shrinks.
func estimated(points []predictor.Point, growth float64) []predictor.Point {
	points = slices.Clone(points)
	for i, p := range points {
		root := math.Sqrt(float64(p.Better))
		if p.Open {
			points[i].Error = root / 3
		}
		if i%3 == 0 || i == len(points)-1 { // the others have none of their own
			points[i].Later, points[i].LaterError = float64(p.Better)*growth+root, root
		}
	}
	return points
}

func writeVector(t *testing.T, name string, m predictor.Meta, points []predictor.Point, o predictor.Options) {
	t.Helper()
	m.AsOf = time.UnixMilli(1795219200123)
	curve, data, err := predictor.Empty(m)
	if points != nil {
		curve, data, err = predictor.Build(m, points, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	keys := []int64{-1000, -1, 0, 1, 1000}
	for i, v := range curve.Vertices() {
		if i < 8 || i%17 == 0 || i > curve.Knots()-4 {
			keys = append(keys, v.Key+1, v.Key, v.Key-1, v.Key-3)
		}
	}
	slices.SortFunc(keys, func(a, b int64) int { return int(b - a) })
	column := columnOf(m)
	keys = slices.Compact(keys)
	var questions []question
	for i, key := range keys {
		q := question{Score: store.FormatScore(column.Score(key), m.Decimals)}
		questions = append(questions, q)
		if horizon := curve.Meta().Horizon.Milliseconds(); horizon > 0 {
			ages := []int64{-5000, 1, 1000, horizon / 3, horizon - 1, horizon, 3*horizon + 7, 1000 * horizon}
			q.Age = ages[i%len(ages)]
			questions = append(questions, q)
		}
	}
	text, err := json.MarshalIndent(vectorOf(t, data, questions), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{name + ".bin": data, name + ".json": append(compactLines(text), '\n')} {
		if err := os.WriteFile(filepath.Join("testdata", file), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compactLines puts each question on a line of its own.
func compactLines(text []byte) []byte {
	for _, space := range []string{"\n    ", "\n   "} {
		text = bytes.ReplaceAll(text, []byte(space), []byte(" "))
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("  "), []byte(" ")), []byte("\n }"), []byte(" }"))
}
