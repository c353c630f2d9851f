package memcache

import (
	"context"
	"net"
	"time"
)

// DialedBy has connections made by a function, which looks names up.
func DialedBy(dial func(ctx context.Context, network, address string) (net.Conn, error)) Option {
	return func(o *options) { o.dial = dial }
}

// ServerOf is the server, as it was written, that a key lives on.
func ServerOf(c *Cache, key string) string {
	server, err := c.servers.PickServer(key)
	if err != nil {
		return err.Error()
	}
	return server.String()
}

// FloorsBy sets the clock by which floors are forgotten.
func (s *Store) FloorsBy(now func() time.Time) { s.floors.now = now }

// Floors is how many floors are kept.
func (s *Store) Floors() int {
	s.floors.mu.Lock()
	defer s.floors.mu.Unlock()
	return len(s.floors.young) + len(s.floors.old)
}
