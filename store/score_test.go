package store_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func TestParseScore(t *testing.T) {
	for _, c := range []struct {
		text     string
		decimals int
		want     int64
	}{
		{"0", 0, 0},
		{"-0", 0, 0},
		{"0.00", 0, 0},
		{"7", 0, 7},
		{"007", 0, 7},
		{"-7", 0, -7},
		{"82.3", 1, 823},
		{"82.3", 2, 8230},
		{"82.300", 1, 823},
		{"82.", 1, 820},
		{".5", 1, 5},
		{"-.5", 2, -50},
		{"4611686018427387903", 0, store.MaxScore},
		{"-4611686018427387903", 0, -store.MaxScore},
		{"4.611686018427387903", 18, store.MaxScore},
		{"1.0000", 0, 1},
	} {
		got, err := store.ParseScore(c.text, c.decimals)
		if err != nil || got != c.want {
			t.Errorf("ParseScore(%q, %d) = %d, %v; want %d", c.text, c.decimals, got, err, c.want)
		}
	}
}

func TestParseScoreRefuses(t *testing.T) {
	for _, c := range []struct {
		text     string
		decimals int
	}{
		{"", 0},
		{".", 2},
		{"-", 0},
		{"-.", 1},
		{"+1", 0},
		{"1e3", 0},
		{"--1", 0},
		{"1.2.3", 4},
		{" 1", 0},
		{"1 ", 0},
		{"0x1", 0},
		{"NaN", 0},
		{"Inf", 0},
		{"1_000", 0},
		{"1,5", 1},
		{"٣", 0},
		{"1.-5", 2},
		{"1.5", 0},
		{"1.001", 2},
		{"0.000000000000000001", 17},
		{"4611686018427387904", 0},
		{"-4611686018427387904", 0},
		{"9223372036854775808", 0},
		{"5", 18},
		{"99999999999999999999999999", 0},
	} {
		if got, err := store.ParseScore(c.text, c.decimals); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("ParseScore(%q, %d) = %d, %v; want ErrInvalid", c.text, c.decimals, got, err)
		}
	}
}

func TestDecimals(t *testing.T) {
	for text, want := range map[string]int{"1": 0, "1.": 0, "1.0": 0, "1.50": 1, "-.125": 3} {
		if got, err := store.Decimals(text); err != nil || got != want {
			t.Errorf("Decimals(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	if _, err := store.Decimals("1e3"); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("Decimals of no number: %v, want ErrInvalid", err)
	}
}

func TestFormatScore(t *testing.T) {
	for _, c := range []struct {
		units    int64
		decimals int
		want     string
	}{
		{0, 0, "0"},
		{0, 2, "0"},
		{5, 1, "0.5"},
		{-5, 2, "-0.05"},
		{8230, 2, "82.3"},
		{8200, 2, "82"},
		{-820, 1, "-82"},
		{100, 0, "100"},
		{store.MaxScore, 18, "4.611686018427387903"},
		{-store.MaxScore, 0, "-4611686018427387903"},
		{1, 18, "0.000000000000000001"},
	} {
		if got := store.FormatScore(c.units, c.decimals); got != c.want {
			t.Errorf("FormatScore(%d, %d) = %q, want %q", c.units, c.decimals, got, c.want)
		}
	}
}

func TestFormatThenParse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		decimals := random.IntN(store.MaxDecimals + 1)
		units := (random.Int64() >> random.IntN(63)) % (store.MaxScore + 1)
		if random.IntN(2) == 0 {
			units = -units
		}
		text := store.FormatScore(units, decimals)
		if got, err := store.ParseScore(text, decimals); err != nil || got != units {
			t.Fatalf("%d units of %d decimals print as %q and parse as %d, %v", units, decimals, text, got, err)
		}
	}
}

func FuzzParseScore(f *testing.F) {
	for _, text := range []string{"82.3", "-.5", "1e3", "", "0.00"} {
		f.Add(text, 2)
	}
	f.Fuzz(func(t *testing.T, text string, decimals int) {
		if decimals < 0 || decimals > store.MaxDecimals {
			return
		}
		units, err := store.ParseScore(text, decimals)
		if err != nil {
			return
		}
		if again, err := store.ParseScore(store.FormatScore(units, decimals), decimals); err != nil || again != units {
			t.Errorf("%q: %d, then %d, %v", text, units, again, err)
		}
	})
}

func TestAddScores(t *testing.T) {
	a, _ := store.ParseScore("82.3", 1)
	b, _ := store.ParseScore("11.2", 1)
	if sum, err := store.AddScores(a, b); err != nil || store.FormatScore(sum, 1) != "93.5" {
		t.Errorf("82.3 + 11.2 = %s, %v", store.FormatScore(sum, 1), err)
	}
	const top = store.MaxScore
	for _, c := range []struct {
		a, b, want int64
		fails      bool
	}{
		{1, -1, 0, false},
		{top, 0, top, false},
		{top, -top, 0, false},
		{top - 1, 1, top, false},
		{-top, 0, -top, false},
		{top, 1, 0, true},
		{top, top, 0, true},
		{-top, -1, 0, true},
		{-top, -top, 0, true},
	} {
		got, err := store.AddScores(c.a, c.b)
		if c.fails != errors.Is(err, store.ErrInvalid) || got != c.want {
			t.Errorf("AddScores(%d, %d) = %d, %v; want %d, refused %t", c.a, c.b, got, err, c.want, c.fails)
		}
	}
	if top > math.MaxInt64-top {
		t.Error("the difference of two scores can leave an int64")
	}
}
