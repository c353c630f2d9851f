package store_test

import (
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func TestOperatorsOfColumns(t *testing.T) {
	for _, operator := range store.Operators() {
		b := store.Board{Name: "games", Shards: 1, Columns: []store.Column{
			{Name: "xp", Order: store.Desc, Operator: operator}, {Name: "time", Order: store.Asc, Operator: store.Worst},
		}}
		if err := b.Validate(); err != nil || !operator.Known() || !strings.Contains(store.OperatorNames(), string(operator)) {
			t.Errorf("%s: %v, of %s", operator, err, store.OperatorNames())
		}
	}
	b := store.Board{Name: "games", Shards: 1, Columns: []store.Column{
		{Name: "xp", Order: store.Desc, Operator: "max"}, {Name: "time", Order: store.Asc, Operator: store.BestRow},
	}}
	err := b.Validate()
	for _, want := range []string{`columns[0].operator: "max" is none of set, sum, best, worst, best_row`, "columns[1].operator: best_row is of the first column alone", "move time to the front"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if store.Operator("").Known() {
		t.Error("no operator is one")
	}
}
