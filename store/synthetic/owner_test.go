package synthetic

import (
	"errors"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func TestOwnerNames(t *testing.T) {
	for want, o := range map[string]owner{
		"p0a-0000000042": {first, 10, 42},
		"nzz-4294967294": {newcomer, 1295, MaxEntries - 1},
	} {
		if got := o.String(); got != want || len(got) != ownerBytes || store.ValidateOwner(got) != nil {
			t.Errorf("%+v is named %q, want %q", o, got, want)
		}
		if got, err := parseOwner(want); err != nil || got != o {
			t.Errorf("%q is %+v, %v; want %+v", want, got, err, o)
		}
	}
	for _, name := range []string{"", "ann", "x0a-0000000042", "p0A-0000000042", "p0a_0000000042", "p0a-000000004x", "p0a-+000000042", "p+a-0000000042", "p0a-00000000042"} {
		if o, err := parseOwner(name); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q is %+v, %v; want ErrNotFound", name, o, err)
		}
	}
}

func TestPermutationIsOne(t *testing.T) {
	for _, count := range []int64{1, 2, 3, 7, 8, 9, 100, 4097} {
		for _, usual := range []int64{0, count, 2*count + leafEntries} {
			p := permutationOf(keyed(uint64(count)), count, usual)
			seen := make([]bool, count)
			fixed := 0
			for place := range count {
				n := p.number(place)
				if n < 0 || n >= count || seen[n] || p.place(n) != place {
					t.Fatalf("%d of %d: number %d, whose place is %d", place, count, n, p.place(n))
				}
				seen[n] = true
				if n == place {
					fixed++
				}
			}
			if count > 50 && fixed > 10 {
				t.Errorf("%d: %d keep their place", count, fixed)
			}
		}
	}
}

// Owners keep their places when others come or go.
func TestPermutationHardlyChangesWithTheCount(t *testing.T) {
	const count = 10_000
	a, b := permutationOf(3, count, 2*count), permutationOf(3, count+100, 2*count)
	moved := 0
	for n := range int64(count) {
		if a.place(n) != b.place(n) {
			moved++
		}
	}
	if moved > 300 {
		t.Errorf("100 more owners move %d of %d", moved, count)
	}
}
