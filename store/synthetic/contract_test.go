package synthetic_test

import (
	"testing"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/storetest"
	"github.com/rankcurve/rankcurve/store/synthetic"
)

func TestContract(t *testing.T) {
	for name, o := range map[string]synthetic.Options{
		"still": {Entries: 10_000, Seed: 1, Model: synthetic.Model{Atom: synthetic.Atom{Share: 0.3, Score: 1000}}},
		"churned, with newcomers and scores below 0": {
			Entries: 9_000, Seed: 2,
			Model: synthetic.Model{Shape: synthetic.Exponential, Scale: 100},
			Churn: synthetic.Churn{Rescored: 0.01, Replaced: 0.01, Newcomers: 0.002, Shift: -0.5},
			Clock: func() float64 { return 100 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.ReadOnly(t, func(t *testing.T, b store.Board) store.Store {
				t.Helper()
				return made(t, b, o)
			})
		})
	}
}
