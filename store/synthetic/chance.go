package synthetic

import "math"

// mix spreads every bit of x over all of the result (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return x
}

// keyed derives the key of something named by numbers from another key.
func keyed(key uint64, numbers ...uint64) uint64 {
	for _, n := range numbers {
		key = mix(mix(key+0x9e3779b97f4a7c15) ^ n)
	}
	return key
}

// uniformOf turns random bits into a number strictly between 0 and 1.
func uniformOf(bits uint64) float64 { return (float64(bits>>12) + 0.5) / (1 << 52) }

// normalOf turns random bits into a standard normal deviate.
func normalOf(bits uint64) float64 { return math.Sqrt2 * math.Erfinv(2*uniformOf(bits)-1) }

// below is the part of standard normal deviates under z.
func below(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
