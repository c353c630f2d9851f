package store

import "time"

// Clocked is a store that has a clock of its own, which all who share it can go by.
type Clocked interface {
	// Skew is how far this machine's clock is ahead of the store's, negative if it is behind,
	// to within some seconds; false while that is not known. It asks nothing.
	Skew() (ahead time.Duration, known bool)
}

// clockTolerance is how far the machine's clock may be from a store's before it is taken to be
// wrong. The store's is known to within some seconds.
const clockTolerance = 10 * time.Second

// WrongBy is how far the machine's clock is ahead of the store's, negative if it is behind; 0
// if that is within 10 s, or the store has no clock or has not told of it yet.
func WrongBy(s Store) time.Duration {
	if wrong, known := SkewOf(s); known && wrong.Abs() > clockTolerance {
		return wrong
	}
	return 0
}

// SkewOf is the skew of a store, or of what is durable behind it; false if it has no clock.
func SkewOf(s Store) (ahead time.Duration, known bool) {
	if clocked, ok := s.(Clocked); ok {
		return clocked.Skew()
	}
	if cached, ok := s.(Cached); ok {
		return SkewOf(cached.Durable())
	}
	return 0, false
}
