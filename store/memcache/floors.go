package memcache

import (
	"sync"
	"time"
)

// Floors are kept for so long at least after they were last of use. A curve that expires
// is kept longer than what may be in memcached; one that never does for a day.
const (
	floorsFor    = time.Hour
	floorsOfEver = 24 * time.Hour
)

// floors are the newest generations known to be durable, by key, of what was asked for
// lately: a curve of memcached that is older is not used. A floor that is forgotten does
// no harm where curves expire: whatever was older than it has gone before. They are in two
// maps, of which the older is thrown away from time to time, so nothing has to be searched.
type floors struct {
	keep time.Duration
	now  func() time.Time

	mu         sync.Mutex
	young, old map[string]int64
	turned     time.Time // when young became old
}

// newFloors keeps floors of curves that expire so many seconds after they were put there.
func newFloors(expiration int32) *floors {
	keep := floorsOfEver
	if expiration > 0 {
		keep = floorsFor + time.Duration(expiration)*time.Second
	}
	return &floors{keep: keep, now: time.Now, young: map[string]int64{}}
}

// raise notes a durable generation; false if a newer one is known.
func (f *floors) raise(key string, generation int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn()
	floor := max(f.young[key], f.old[key])
	f.young[key] = max(floor, generation)
	return generation >= floor
}

// turn throws away what was not asked for since the last turn.
func (f *floors) turn() {
	now := f.now()
	if now.Sub(f.turned) < f.keep {
		return
	}
	f.young, f.old, f.turned = map[string]int64{}, f.young, now
}

// forget is for a key that nobody asks for any more.
func (f *floors) forget(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.young, key)
	delete(f.old, key)
}
