package memcache

import (
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"strconv"
	"strings"

	gomemcache "github.com/bradfitz/gomemcache/memcache"

	"github.com/rankcurve/rankcurve/store"
)

// A selector is a list of servers, of which each key lives on one: the same that
// gomemcache's ServerList says. That one looks names up once and keeps what it found;
// this one keeps the names, for whoever connects to look up.
type selector []net.Addr

var _ gomemcache.ServerSelector = selector(nil)

// PickServer implements [gomemcache.ServerSelector].
func (s selector) PickServer(key string) (net.Addr, error) {
	if len(s) == 0 {
		return nil, gomemcache.ErrNoServers
	}
	return s[crc32.ChecksumIEEE([]byte(key))%uint32(len(s))], nil
}

// Each implements [gomemcache.ServerSelector].
func (s selector) Each(f func(net.Addr) error) error {
	for _, server := range s {
		if err := f(server); err != nil {
			return err
		}
	}
	return nil
}

// selectorOf reads the addresses of servers, and reports every fault at once, as
// [store.ErrInvalid].
func selectorOf(servers []string) (selector, error) {
	if len(servers) == 0 {
		return nil, fmt.Errorf("no servers are named: %w", store.ErrInvalid)
	}
	list := make(selector, len(servers))
	var faults []error
	for i, server := range servers {
		var err error
		if list[i], err = addressOf(server); err != nil {
			faults = append(faults, fmt.Errorf("server %q: %w: %w", server, err, store.ErrInvalid))
		}
	}
	return list, errors.Join(faults...)
}

// An address is what was written of a server: a name stays a name.
type address struct{ network, text string }

// Network implements [net.Addr].
func (a address) Network() string { return a.network }

// String implements [net.Addr].
func (a address) String() string { return a.text }

var errNotAddress = errors.New("it is not HOST:PORT, nor the path of a socket")

func addressOf(server string) (net.Addr, error) {
	if strings.Contains(server, "/") {
		return address{"unix", server}, nil
	}
	host, port, err := net.SplitHostPort(server)
	if err != nil || host == "" || strings.ContainsAny(host, " ,") {
		return nil, errNotAddress
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, errNotAddress
	}
	return address{"tcp", server}, nil
}
