package memcache_test

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

func TestDialSaysWhatIsWrong(t *testing.T) {
	good := []string{"127.0.0.1:11211"}
	for _, c := range []struct {
		servers []string
		option  memcache.Option
		want    string
	}{
		{servers: nil, want: "no servers are named"},
		{servers: []string{"127.0.0.1:11211", "cache 1:11211"}, want: `server "cache 1:11211": it is not HOST:PORT`},
		{servers: []string{"127.0.0.1"}, want: `"127.0.0.1": it is not HOST:PORT`},
		{servers: []string{":11211"}, want: `":11211": it is not HOST:PORT`},
		{servers: []string{"cache:0"}, want: `"cache:0": it is not HOST:PORT`},
		{servers: []string{"cache:70000"}, want: `"cache:70000": it is not HOST:PORT`},
		{servers: []string{"cache:memcached"}, want: `"cache:memcached": it is not HOST:PORT`},
		{servers: []string{""}, want: `"": it is not HOST:PORT`},
		{servers: good, option: memcache.Timeout(0), want: "timeout 0s"},
		{servers: good, option: memcache.IdleConns(0), want: "0 idle connections"},
		{servers: good, option: memcache.Expiration(31 * 24 * time.Hour), want: "expiration 744h0m0s"},
		{servers: good, option: memcache.Expiration(time.Millisecond), want: "expiration 1ms"},
	} {
		var opts []memcache.Option
		if c.option != nil {
			opts = append(opts, c.option)
		}
		_, err := memcache.Dial(c.servers, opts...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want one with %s", c.servers, err, c.want)
		}
		if !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%v, want ErrInvalid", err)
		}
	}
}

func TestPing(t *testing.T) {
	srv := startServer(t)
	c := dial(t, srv.addr)
	if err := c.Ping(); err != nil {
		t.Error(err)
	}
	srv.kill()
	if err := c.Ping(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), srv.addr) {
		t.Errorf("%v, want ErrUnavailable that names %s", err, srv.addr)
	}
}

// Whatever happens between us and memcached, readers get the right curve, and
// publishers succeed; the fault is reported.
func TestFaultsAreNoErrors(t *testing.T) {
	srv := startServer(t)
	for name, mode := range map[string]func(answer, server net.Conn){
		"silent": silent, "refused": refused, "half": half, "flipped": flipped,
	} {
		t.Run(name, func(t *testing.T) {
			srv.say(t, "flush_all")
			p, in := startProxy(t, srv.addr), newInner(t)
			st, faults := wrap(t, in, p.addr, memcache.Timeout(100*time.Millisecond))
			first := publish(t, st, xp, 1)
			faults.take() // a busy machine may be slow
			p.become(mode)
			wantCurve(t, st, in, first, 1)
			if err := faults.take(); !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("faults: %v, want ErrUnavailable or ErrCorrupt", err)
			}
			second := publish(t, st, xp, 2)
			wantCurve(t, st, in, second, 1)
			p.become(nil)
			eventually(t, "the newer curve is in memcached", func() bool {
				got, _, err := st.Curve(bg, xp)
				if err != nil || !bytes.Equal(got.Data, second.Data) {
					t.Fatalf("generation %d, %v, want 2", got.Generation, err)
				}
				return bytes.Equal(srv.value(t, memcache.Key(table, xp)), second.Data)
			})
		})
	}
}

// Connections that were cut while idle, by a server that was restarted say, cost
// neither a fault nor a read of the store.
func TestCutIdleConnectionsAreReplaced(t *testing.T) {
	srv := startServer(t)
	p, in := startProxy(t, srv.addr), newInner(t)
	st, faults := wrap(t, in, p.addr)
	first := publish(t, st, xp, 1)
	p.cut()
	wantCurve(t, st, in, first, 0)
	p.cut()
	wantCurve(t, st, in, publish(t, st, xp, 2), 0)
	faults.none(t)
}

// While a publisher could not reach memcached, an older curve stayed there. The
// next to read in that process, or to publish anywhere, puts it right.
func TestAnOlderCurveThatStayedIsReplaced(t *testing.T) {
	srv := startServer(t)
	p, in := startProxy(t, srv.addr), newInner(t)
	st, faults := wrap(t, in, p.addr)
	old := publish(t, st, xp, 1)
	p.leave(true)
	newer := publish(t, st, xp, 2)
	err := faults.take()
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), xp.String()) || !strings.HasSuffix(err.Error(), "an older one may stay there") {
		t.Errorf("faults: %v, want ErrUnavailable that names the curve and what may stay", err)
	}
	if said := strings.Count(err.Error(), store.ErrUnavailable.Error()); said != 1 || strings.Contains(err.Error(), "\n") {
		t.Errorf("faults: %v: want one, that says once what it is", err)
	}
	p.leave(false)
	if !bytes.Equal(srv.value(t, memcache.Key(table, xp)), old.Data) {
		t.Fatal("the older curve is not there")
	}

	other, _ := wrap(t, in, srv.addr) // another process cannot know better yet
	wantCurve(t, other, in, old, 0)
	if _, err := other.Publish(bg, xp, curveOf(t, xp, 2, 10)); !errors.Is(err, store.ErrStale) {
		t.Errorf("%v, want ErrStale", err)
	}
	wantCurve(t, other, in, newer, 0)

	srv.set(t, memcache.Key(table, xp), old.Data)
	wantCurve(t, st, in, newer, 1)
	wantCurve(t, st, in, newer, 0)
	faults.none(t)
}

func TestADamagedOrForeignValueIsReplaced(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	good := publish(t, st, xp, 1)
	other := curveOf(t, store.CurveKey{Board: "missions", Column: "time"}, 9, 10)
	flippedBit := bytes.Clone(good.Data)
	flippedBit[len(flippedBit)/2] ^= 4
	for name, value := range map[string][]byte{
		"empty": {}, "text": []byte("hello"), "cut": good.Data[:len(good.Data)-1],
		"bit": flippedBit, "foreign": other.Data, "zeroes": make([]byte, 100),
	} {
		srv.set(t, memcache.Key(table, xp), value)
		wantCurve(t, st, in, good, 1)
		if err := faults.take(); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: faults %v, want ErrCorrupt", name, err)
		}
		wantCurve(t, st, in, good, 0)
		faults.none(t)
	}
}

// What memcached cannot hold is served from the store, and no older one from
// memcached.
func TestACurveThatMemcachedCannotHold(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	publish(t, st, xp, 1)
	for i, c := range []struct {
		data []byte
		want error
	}{
		{make([]byte, memcache.MaxValue+1), store.ErrInvalid},
		{[]byte("no curve"), store.ErrCorrupt},
		{curveOf(t, xp, 77, 10).Data, store.ErrCorrupt}, // says another generation
	} {
		p := store.Published{Generation: int64(i) + 2, Data: c.data}
		if _, err := st.Publish(bg, xp, p); err != nil {
			t.Fatal(err)
		}
		if err := faults.take(); !errors.Is(err, c.want) {
			t.Errorf("faults %v, want %v", err, c.want)
		}
		if srv.value(t, memcache.Key(table, xp)) != nil {
			t.Error("an older curve is still in memcached")
		}
		other, _ := wrap(t, in, srv.addr)
		wantCurve(t, other, in, p, 1)
	}
}

// MaxValue is what a memcached takes that was started without options.
func TestMaxValueFits(t *testing.T) {
	srv := startServer(t)
	srv.set(t, memcache.Key(table, xp), make([]byte, memcache.MaxValue))
}
