package store

import "time"

// Clocked is a store that has a clock of its own, which all who share it can go by.
type Clocked interface {
	// Skew is how far this machine's clock is ahead of the store's, negative if it is behind,
	// to within some seconds; false while that is not known. It asks nothing.
	Skew() (ahead time.Duration, known bool)
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
