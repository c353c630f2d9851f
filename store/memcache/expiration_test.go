package memcache_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

// ttl is how long a real memcached keeps a curve from now on, in seconds; -1 is for ever.
func (s *server) ttl(t *testing.T) int {
	t.Helper()
	answer := s.say(t, "mg "+memcache.Key(table, xp)+" t")
	seconds, err := strconv.Atoi(strings.TrimPrefix(answer, "HD t"))
	if err != nil {
		t.Fatalf("mg: %s", answer)
	}
	return seconds
}

func TestExpiration(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr, memcache.Expiration(time.Second))
	publish(t, st, xp, 1)
	eventually(t, "the curve has expired", func() bool { return srv.value(t, memcache.Key(table, xp)) == nil })
	faults.none(t)
}

// Parts of seconds are rounded up, and the longest is not taken for a date.
func TestExpirationAsMemcachedHasIt(t *testing.T) {
	srv := startServer(t)
	for _, c := range []struct {
		options []memcache.Option
		above   time.Duration // a busy machine may have let some time pass
		most    time.Duration
	}{
		{nil, 0, memcache.DefaultExpiration},
		{[]memcache.Option{memcache.Expiration(0)}, -2 * time.Second, -time.Second},
		{[]memcache.Option{memcache.Expiration(time.Hour + time.Millisecond)}, 59 * time.Minute, time.Hour + time.Second},
		{[]memcache.Option{memcache.Expiration(memcache.MaxExpiration - time.Millisecond)}, memcache.MaxExpiration - time.Minute, memcache.MaxExpiration},
		{[]memcache.Option{memcache.Expiration(memcache.MaxExpiration)}, memcache.MaxExpiration - time.Minute, memcache.MaxExpiration},
	} {
		for _, verb := range []string{"published", "replaced", "filled"} {
			in := newInner(t)
			st, faults := wrap(t, in, srv.addr, c.options...)
			srv.say(t, "flush_all")
			publish(t, st, xp, 1)
			switch verb {
			case "replaced":
				publish(t, st, xp, 2)
			case "filled":
				srv.say(t, "flush_all")
				if _, _, err := st.Curve(bg, xp); err != nil {
					t.Fatal(err)
				}
			}
			if left := time.Duration(srv.ttl(t)) * time.Second; left <= c.above || left > c.most {
				t.Errorf("%s, at most %s: memcached keeps it for %s", verb, c.most, left)
			}
			faults.none(t)
		}
	}
}

// The publisher's way to memcached is cut, and the readers' is not. Nobody replaces the
// older curve, and nobody asks the store; it expires, and the first reader puts the
// newer one there. A process that polls has it then too.
func TestReadersAreBehindNoLongerThanTheExpiration(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	way := startProxy(t, srv.addr)
	seconds := memcache.Expiration(2 * time.Second)
	worker, faults := wrap(t, in, way.addr, seconds)
	reading := newInner(t)
	reading.Store = in.Store // the same store, whose reads are counted apart
	reader, none := wrap(t, reading, srv.addr, seconds)
	long := openBoard(t, reader, 100, rankcurve.WithCurvePoll(time.Millisecond))

	old := publish(t, worker, xp, 1)
	if curve, err := long.Curve(bg, "xp"); err != nil || curve.Meta().Generation != 1 {
		t.Fatalf("%+v, %v", curve, err)
	}
	way.leave(true)
	newer := publish(t, worker, xp, 2)
	if faults.take() == nil {
		t.Fatal("the worker did reach memcached")
	}
	eventually(t, "a process that has just begun reads the newer curve", func() bool {
		c, err := memcache.Dial([]string{srv.addr}, seconds, memcache.Timeout(patience))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		p, _, err := memcache.Wrap(in, c, table).Curve(bg, xp)
		if err != nil || p.Generation == 1 && !bytes.Equal(p.Data, old.Data) {
			t.Fatalf("generation %d, %v", p.Generation, err)
		}
		return p.Generation == 2 && bytes.Equal(p.Data, newer.Data)
	})
	eventually(t, "a process that has run all along reads it", func() bool {
		curve, err := long.Curve(bg, "xp")
		if err != nil {
			t.Fatal(err)
		}
		return curve.Meta().Generation == 2
	})
	none.none(t)
}

// While readers wait for the store, after the curve has expired, the publisher comes
// first: what they put there is not what they read.
func TestAFillAfterTheExpirationDoesNotReplaceTheNewer(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	second := memcache.Expiration(time.Second)
	st, faults := wrap(t, in, srv.addr) // whose curve stays until the end
	short, _ := wrap(t, in, srv.addr, second)
	publish(t, short, xp, 1)
	old, _, _ := in.Store.Curve(bg, xp)
	eventually(t, "the curve has expired", func() bool { return srv.value(t, memcache.Key(table, xp)) == nil })

	reader, _ := wrap(t, in, srv.addr, second)
	read, goOn := make(chan struct{}), make(chan struct{})
	reader.Store = &replaced{Store: in, curve: func() store.Published { close(read); <-goOn; return old }}
	done := make(chan struct{})
	go func() { defer close(done); _, _, _ = reader.Curve(bg, xp) }()
	<-read
	newer := publish(t, st, xp, 2)
	close(goOn)
	<-done
	if !bytes.Equal(srv.value(t, memcache.Key(table, xp)), newer.Data) {
		t.Error("the older curve replaced the newer")
	}
	if left := srv.ttl(t); left <= 60 {
		t.Errorf("memcached keeps the newer curve for %d s: the reader has put its own time on it", left)
	}
	faults.none(t)
}

// A curve that has expired costs the first reader one read of the store.
func TestAnExpirationCostsOneRead(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr, memcache.Expiration(2*time.Second))
	curve := publish(t, st, xp, 1)
	eventually(t, "the curve has expired", func() bool { return srv.value(t, memcache.Key(table, xp)) == nil })
	wantCurve(t, st, in, curve, 1)
	faults.none(t)
}
