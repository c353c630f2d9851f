package synthetic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func TestQuantilesAreTheShapes(t *testing.T) {
	for name, s := range shapes {
		m := Options{Model: Model{Shape: name}}.model("")
		table := tabulate(m)
		for _, u := range []float64{1e-9, 1e-6, 0.001, 0.03, 0.3, 0.5, 0.7, 0.99, 0.9999, 1 - 1e-9} {
			want := s.score(m, u, 1-u)
			got := table.score(uint64(u * span))
			// next to the worst end it is the distance from 1 that a float cannot tell
			if math.Abs(got-want) > 2e-5*math.Abs(want)+1e-6 {
				t.Errorf("%s at %v: %v, want %v", name, u, got, want)
			}
		}
	}
}

func TestUpperNormal(t *testing.T) {
	for u, want := range map[float64]float64{0.5: 0, 0.025: 1.959963984540054, 1e-9: 5.997807015007687, 1e-19: 9.013271153126675} {
		if got := upperNormal(u, 1-u); math.Abs(got-want) > 1e-9 {
			t.Errorf("a part %v is above %v, want %v", u, got, want)
		}
		if got := upperNormal(1-u, u); math.Abs(got+want) > 1e-9 {
			t.Errorf("a part %v is below %v, want %v", u, got, -want)
		}
	}
}

func someColumns() (columns []*column) {
	for name := range shapes {
		for _, order := range []store.Order{store.Desc, store.Asc} {
			for _, step := range []float64{0, 5, 0.3} {
				for _, share := range []float64{0, 0.3, 0.97} {
					for _, tick := range []float64{0, 1000} {
						o := Options{Model: Model{Shape: name, Step: step, Atom: Atom{Share: share, Score: 1000}}}
						m := o.model("")
						c := store.Column{Name: "xp", Order: order, Decimals: 2}
						columns = append(columns, columnAt(c, m, tabulate(m), Churn{Gain: 1e-3, Shift: -1}, tick))
					}
				}
			}
		}
	}
	return columns
}

func TestKeysAndQuantilesCorrespond(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range someColumns() {
		at := map[int64]bool{}
		for range 300 {
			x := uint64(r.Int64N(span)) >> r.IntN(62)
			if r.IntN(2) == 0 {
				x = span - 1 - x
			}
			key := c.key(x)
			if next := c.key(min(x+1+uint64(r.Int64N(1000)), span-1)); next > key {
				t.Fatalf("%+v: key %d at quantile %d, and %d behind it", c.Column, key, x, next)
			}
			at[key] = true
		}
		at[c.atom] = true
		for key := range at {
			for _, k := range []int64{key - 1, key, key + 1} {
				x := c.quantile(k)
				if x < span && c.key(x) > k || x > 0 && c.key(x-1) <= k {
					t.Fatalf("%+v: quantile of key %d is %d, where the key is %d", c.Column, k, x, c.key(min(x, span-1)))
				}
			}
		}
	}
}

func TestAtomHasItsShare(t *testing.T) {
	for _, c := range someColumns() {
		if c.atomWidth == 0 {
			continue
		}
		key := c.Key(store.Column.Score(c.Column, c.atom))
		share := float64(c.quantile(key-1)-c.quantile(key)) / span
		if want := float64(c.atomWidth) / span; share < want-1e-9 || share > want+0.01*(1-want)+0.02 {
			t.Errorf("%+v: the atom at %d has %.4f of the entries, want %.4f and few more", c.Column, key, share, want)
		}
	}
}

func TestExtremeScoresStayInRange(t *testing.T) {
	for _, churn := range []Churn{{Gain: 1}, {Gain: -1}, {Shift: 1e12}, {Shift: -1e12}} {
		for name := range shapes {
			o := Options{Entries: 1, Model: Model{Shape: name}, Churn: churn}
			m := o.model("")
			c := columnAt(store.Column{Name: "xp", Order: store.Desc, Decimals: 2}, m, tabulate(m), churn, MaxTick)
			best, worst := c.key(0), c.worst()
			if best < worst || best > store.MaxScore || worst < -store.MaxScore {
				t.Errorf("%s with %+v: keys from %d to %d", name, churn, best, worst)
			}
		}
	}
}
