package rankcurve

import (
	"context"
	"sync"
	"time"
)

// How often the registry is looked at while curves are polled, and how long a look
// may take: a registry that does not answer must not keep a cache's curve away.
const (
	identityAge    = time.Minute
	identityWithin = 2 * time.Second
)

// An identity is the board's ID as the registry last had it. The process may outlive
// the table that it opened the board in: the board that stands there under the name
// now has other curves, which count their generations anew.
type identity struct {
	mu     sync.Mutex
	id     string
	looked time.Time
}

func newIdentity(id string, now time.Time) *identity { return &identity{id: id, looked: now} }

func (i *identity) known() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.id
}

// due says, to one caller each time, that it should look.
func (i *identity) due(now time.Time) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	age := now.Sub(i.looked)
	if age >= 0 && age < identityAge {
		return false
	}
	i.looked = now
	return true
}

func (i *identity) learn(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.id = id
}

// identify looks at the registry if that is due. A registry that cannot be read
// leaves what is known.
func (b *Board) identify(ctx context.Context) {
	if !b.identity.due(b.options.clock()) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, identityWithin)
	defer cancel()
	if registered, err := b.store.Board(ctx, b.def.Name); err == nil {
		b.identity.learn(registered.ID)
	}
}
