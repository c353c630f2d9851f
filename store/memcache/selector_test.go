package memcache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gomemcache "github.com/bradfitz/gomemcache/memcache"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

// Keys live where gomemcache's own list has them, so that programs in other languages and
// of other versions agree on it.
func TestKeysLiveWhereGomemcacheHasThem(t *testing.T) {
	for n := 1; n <= 7; n++ {
		servers := make([]string, n)
		for i := range servers {
			servers[i] = fmt.Sprintf("127.0.0.%d:11211", n-i)
		}
		servers[n/2] = "/run/memcached.sock"
		theirs := new(gomemcache.ServerList)
		if err := theirs.SetServers(servers...); err != nil {
			t.Fatal(err)
		}
		ours := map[string]int{}
		c, err := memcache.Dial(servers)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			key := memcache.Key(table, store.CurveKey{Board: fmt.Sprint("board-", i), Column: "xp"})
			want, err := theirs.PickServer(key)
			if err != nil {
				t.Fatal(err)
			}
			got := memcache.ServerOf(c, key)
			if ours[got]++; got != want.String() {
				t.Fatalf("%s of %d servers: %s, want %s", key, n, got, want)
			}
		}
		if len(ours) != n {
			t.Errorf("%d of %d servers have keys", len(ours), n)
		}
	}
}

// names are what a name server would say; a name with no address is unknown.
type names struct{ address atomic.Pointer[string] }

func (n *names) are(address string) { n.address.Store(&address) }

func (n *names) dial(ctx context.Context, network, name string) (net.Conn, error) {
	address := *n.address.Load()
	if name != "cache.test:11211" || network != "tcp" {
		return nil, fmt.Errorf("dialled %s %s", network, name)
	}
	if address == "" {
		host, _, _ := net.SplitHostPort(name)
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// A memcached that has moved under its name is found again by processes that run, whether
// its old address refuses or says nothing any more.
func TestAMemcachedThatHasMovedIsFoundAgain(t *testing.T) {
	for name, leave := range map[string]func(p *proxy){
		"closed": func(p *proxy) { p.leave(true) },
		"silent": func(p *proxy) { p.freeze() },
	} {
		t.Run(name, func(t *testing.T) {
			before, after, in := startServer(t), startServer(t), newInner(t)
			way := startProxy(t, before.addr)
			var cache names
			cache.are(way.addr)
			f := &faults{}
			c, err := memcache.Dial([]string{"cache.test:11211"}, memcache.DialedBy(cache.dial), memcache.OnFault(f.add), memcache.Timeout(500*time.Millisecond))
			if err != nil {
				t.Fatal(err)
			}
			st := memcache.Wrap(in, c, table)
			publish(t, st, xp, 1)
			f.take() // a busy machine may be slow
			cache.are(after.addr)
			leave(way)
			eventually(t, "the curve is at the new address", func() bool {
				if _, _, err := st.Curve(bg, xp); err != nil {
					t.Fatal(err)
				}
				return after.value(t, memcache.Key(table, xp)) != nil
			})
			newer := publish(t, st, xp, 2)
			eventually(t, "the newer one too", func() bool {
				if _, _, err := st.Curve(bg, xp); err != nil {
					t.Fatal(err)
				}
				return bytes.Equal(after.value(t, memcache.Key(table, xp)), newer.Data)
			})
		})
	}
}

// A name that nobody knows is a fault, and the store answers; known later, it is used.
func TestANameThatCannotBeLookedUpIsAFault(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	var cache names
	cache.are("")
	st, faults := wrapNamed(t, in, &cache)
	first := publish(t, st, xp, 1)
	wantCurve(t, st, in, first, 1)
	if err := faults.take(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "lookup cache.test: no such host") {
		t.Errorf("faults: %v, want ErrUnavailable that names the host", err)
	}
	cache.are(srv.addr)
	wantCurve(t, st, in, first, 1)
	wantCurve(t, st, in, first, 0)
	faults.none(t)
}

func wrapNamed(t *testing.T, in *inner, n *names) (*memcache.Store, *faults) {
	t.Helper()
	f := &faults{}
	c, err := memcache.Dial([]string{"cache.test:11211"}, memcache.DialedBy(n.dial), memcache.OnFault(f.add), memcache.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	return memcache.Wrap(in, c, table), f
}

// The machine's own resolver is asked where nothing else is said.
func TestNamesAreLookedUpByTheMachine(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	_, port, _ := net.SplitHostPort(srv.addr)
	st, faults := wrap(t, in, net.JoinHostPort("localhost", port))
	wantCurve(t, st, in, publish(t, st, xp, 1), 0)
	faults.none(t)

	lost, faults := wrap(t, in, "no-such-host.invalid:11211", memcache.Timeout(memcache.DefaultTimeout))
	if _, _, err := lost.Curve(bg, xp); err != nil {
		t.Error(err)
	}
	if err := faults.take(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "no-such-host.invalid") {
		t.Errorf("faults: %v, want ErrUnavailable that names the host", err)
	}
	if err := dial(t, "no-such-host.invalid:11211", memcache.Timeout(memcache.DefaultTimeout)).Ping(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "no-such-host.invalid") {
		t.Errorf("ping: %v, want ErrUnavailable that names the host", err)
	}
}
