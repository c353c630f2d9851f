package synthetic

import (
	"math"
	"slices"
	"testing"
)

func someTree(key uint64, count int64, n noise) tree {
	return tree{key: keyed(7, key), count: count, noise: n, halves: newHalves()}
}

func TestTreeAgreesWithItself(t *testing.T) {
	for _, count := range []int64{0, 1, 7, 8, 9, 64, 65, 1000, 20_000} {
		for _, n := range []noise{still(), noiseAt(0.01, timeOf(5))} {
			tr := someTree(uint64(count), count, n)
			var all []uint64
			tr.each(0, count, func(x uint64) { all = append(all, x) })
			if int64(len(all)) != count || !slices.IsSorted(all) || tr.before(0) != 0 || tr.before(span) != count {
				t.Fatalf("%d entries: %d visited, sorted %t, %d before the end", count, len(all), slices.IsSorted(all), tr.before(span))
			}
			step := max(1, count/500)
			for place := int64(0); place < count; place += step {
				x := all[place]
				if tr.at(place) != x {
					t.Fatalf("%d entries: at(%d) = %d, each visits %d", count, place, tr.at(place), x)
				}
				start, _ := slices.BinarySearch(all, x)
				end, _ := slices.BinarySearch(all, x+1)
				if tr.before(x) != int64(start) || tr.before(x+1) != int64(end) {
					t.Fatalf("%d entries: %d before place %d, %d before the next; want %d and %d", count, tr.before(x), place, tr.before(x+1), start, end)
				}
				var some []uint64
				tr.each(place, min(place+37, count), func(x uint64) { some = append(some, x) })
				if !slices.Equal(some, all[place:min(place+37, count)]) {
					t.Fatalf("%d entries: the part from %d on is not the part of the whole", count, place)
				}
			}
		}
	}
}

// Trees of all sizes, cut at several quantiles: the numbers in front are binomial, so
// their squared deviations, in units of the binomial variance, add up to a chi square.
func TestTreeCountsAreBinomial(t *testing.T) {
	trees := 2000.0
	if testing.Short() {
		trees = 400
	}
	for _, n := range []noise{still(), noiseAt(0.02, timeOf(33))} {
		for _, count := range []int64{5, 40, 1000, 1_000_000, MaxEntries} {
			for _, part := range []float64{0.5, 0.37, 0.1, 0.013, 0.0011} {
				if float64(count)*part < 2 {
					continue // too few for a chi square
				}
				var sum, squares float64
				for key := range uint64(trees) {
					off := float64(someTree(key, count, n).before(uint64(part*span))) - float64(count)*part
					sum += off
					squares += off * off
				}
				variance := float64(count) * part * (1 - part)
				mean, chi := sum/math.Sqrt(trees*variance), (squares/variance-trees)/math.Sqrt(2*trees)
				// The chi square of small counts varies more than the normal one's.
				wide := math.Sqrt(1 + (1/variance-6/float64(count))/2)
				if math.Abs(mean) > 4 || math.Abs(chi)/wide > 4 {
					t.Errorf("%d entries cut at %v: mean off by %.1f, chi square by %.1f standard deviations", count, part, mean, chi/wide)
				}
			}
		}
	}
}

// Disjoint parts of one tree are uncorrelated but for the fixed whole: each two of 16
// parts have the correlation -1/15.
func TestTreePartsAreMultinomial(t *testing.T) {
	const trees, count, parts = 2000, 100_000, 16
	var products [parts][parts]float64
	for key := range uint64(trees) {
		tr := someTree(key, count, still())
		var off [parts]float64
		for i := range uint64(parts) {
			off[i] = float64(tr.before(span/parts*(i+1))-tr.before(span/parts*i)) - count/parts
		}
		for i := range off {
			for j := range off {
				products[i][j] += off[i] * off[j]
			}
		}
	}
	for i := range parts {
		for j := range i {
			got := products[i][j] / math.Sqrt(products[i][i]*products[j][j])
			if math.Abs(got+1./15) > 4.5/math.Sqrt(trees) {
				t.Errorf("parts %d and %d of a tree have the correlation %.3f, want -1/15", i, j, got)
			}
		}
	}
}
