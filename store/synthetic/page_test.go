package synthetic

import (
	"math"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

func TestSameSize(t *testing.T) {
	keys := []int64{0, 1, -1, 5, -5, 15, 16, 99, 100, -100, 65536, -65537, store.MaxScore, -store.MaxScore}
	for key := int64(-3000); key < 3000; key += 7 {
		keys = append(keys, key, key*key*key, key*1e12)
	}
	for _, key := range keys {
		best, worst := sameSize(key)
		size := store.NumberSize(key)
		alike := func(k int64) bool { return store.NumberSize(k) == size && (k < 0) == (key < 0) }
		if best < key || worst > key || !alike(best) || !alike(worst) ||
			best < store.MaxScore && alike(best+1) || worst > -store.MaxScore && alike(worst-1) {
			t.Errorf("key %d of size %d: %d to %d", key, size, worst, best)
		}
	}
	if best, worst := sameSize(0); worst != 0 || best >= math.MaxInt32 {
		t.Errorf("0 is alike with %d to %d", worst, best)
	}
}
