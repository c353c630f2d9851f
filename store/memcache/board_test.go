package memcache_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

// openBoard loads a board with the scores 1..n.
func openBoard(t *testing.T, st store.Store, n int, opts ...rankcurve.Option) *rankcurve.Board {
	t.Helper()
	b, err := rankcurve.New(bg, st, def, opts...)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]store.Entry, n)
	for i := range entries {
		entries[i] = store.Entry{Owner: ownerOf(i + 1), Scores: map[string]int64{"xp": int64(i) + 1}}
	}
	if _, err := st.Load(bg, def, entries); err != nil {
		t.Fatal(err)
	}
	return b
}

func ownerOf(score int) string { return fmt.Sprintf("player-%04d", score) }

// memcached is killed, restarted and flushed while 10,000 ranks are asked for and a
// worker publishes: no error, no wrong answer.
func TestRanksOutliveMemcached(t *testing.T) {
	const players, reads = 1000, 10_000
	srv, in := startServer(t), newInner(t)
	st, _ := wrap(t, in, srv.addr)
	b := openBoard(t, st, players, rankcurve.WithCurvePoll(time.Millisecond))
	publish(t, st, xp, 1)
	var done atomic.Int64
	var asking sync.WaitGroup
	for worker := range 4 {
		asking.Go(func() {
			for i := worker; i < reads; i += 4 {
				score := 1 + i%players
				answers, _, err := b.Rank(bg, "xp", rankcurve.Estimate, ownerOf(score))
				if err != nil || answers[0].Err != nil {
					t.Errorf("rank %d: %v, %+v", i, err, answers)
					return
				}
				if want := int64(players - score + 1); answers[0].Rank.Rank != want || answers[0].Of != players {
					t.Errorf("rank %d: %+v, want %d of %d", i, answers[0], want, players)
				}
				done.Add(1)
			}
		})
	}
	after := func(n int64) {
		eventually(t, "the readers get on", func() bool { return t.Failed() || done.Load() >= n })
	}
	after(reads / 5)
	srv.kill()
	publish(t, st, xp, 2) // the durable copy alone
	after(2 * reads / 5)
	srv.start(t)
	after(3 * reads / 5)
	publish(t, st, xp, 3)
	srv.say(t, "flush_all")
	after(4 * reads / 5)
	srv.kill()
	asking.Wait()
	eventually(t, "the last generation is answered from", func() bool {
		curve, err := b.Curve(bg, "xp")
		return err == nil && curve.Meta().Generation == 3
	})
}

// A memcached that comes back empty has the curve after one poll of one reader.
func TestTheCurveIsBackWithinOnePoll(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, _ := wrap(t, in, srv.addr)
	var minutes atomic.Int64
	clock := func() time.Time { return time.Unix(0, 0).Add(time.Duration(minutes.Load()) * time.Minute) }
	b := openBoard(t, st, 100, rankcurve.WithCurvePoll(time.Minute), rankcurve.WithClock(clock))
	p := publish(t, st, xp, 1)
	for name, hurt := range map[string]func(){
		"restarted": func() { srv.kill(); srv.start(t) },
		"flushed":   func() { srv.say(t, "flush_all") },
	} {
		if _, err := b.Curve(bg, "xp"); err != nil {
			t.Fatal(err)
		}
		hurt()
		in.reads.Store(0)
		minutes.Add(1)
		for range 10_000 { // one of them polls
			if _, err := b.Curve(bg, "xp"); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, name+" memcached has the curve", func() bool {
			return bytes.Equal(srv.value(t, memcache.Key(table, xp)), p.Data)
		})
		if got := in.reads.Load(); got != 1 {
			t.Errorf("%s: the store was read %d times, want once", name, got)
		}
	}
}

// Many processes that find memcached flushed read the table once each.
func TestAFlushCostsEachProcessOneRead(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	publish(t, st, xp, 1)
	srv.say(t, "flush_all")
	in.reads.Store(0)
	const processes = 8
	var asking sync.WaitGroup
	for range processes {
		other, _ := wrap(t, in, srv.addr)
		asking.Go(func() {
			for range 1250 {
				if _, _, err := other.Curve(bg, xp); err != nil {
					t.Error(err)
				}
			}
		})
	}
	asking.Wait()
	if got := in.reads.Load(); got > processes {
		t.Errorf("the store was read %d times by %d processes", got, processes)
	}
	faults.none(t)
}

// A board that was made anew, in another file here, is answered for by its own curve:
// at once where it is opened, within a minute where the old one was.
func TestABoardMadeAnewIsNotAnsweredForByTheOld(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	var seconds atomic.Int64
	clock := func() time.Time { return time.Unix(seconds.Load(), 0) }
	long := openBoard(t, st, 5, rankcurve.WithCurvePoll(0), rankcurve.WithClock(clock))
	publish(t, st, xp, 7)
	if curve, err := long.Curve(bg, "xp"); err != nil || curve.Total() != 1000 {
		t.Fatalf("%+v, %v", curve, err)
	}

	anew := def
	anew.ID = "ANEW"
	next := newInner(t)
	if err := next.CreateBoard(bg, anew); err != nil {
		t.Fatal(err)
	}
	in.Store = next.Store
	opened, err := rankcurve.Open(bg, st, "missions")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Curve(bg, "xp"); !errors.Is(err, rankcurve.ErrNoCurve) {
		t.Errorf("%v, want ErrNoCurve", err)
	}
	other, _ := wrap(t, in, srv.addr) // the process that rebuilds
	if _, err := other.Publish(bg, anew.CurveKey("xp"), curveOf(t, anew.CurveKey("xp"), 1, 20)); err != nil {
		t.Fatal(err)
	}
	fresh, err := rankcurve.Open(bg, st, "missions")
	if err != nil {
		t.Fatal(err)
	}
	seconds.Add(60)
	for name, b := range map[string]*rankcurve.Board{"opened after": fresh, "opened before": long} {
		if curve, err := b.Curve(bg, "xp"); err != nil || curve.Total() != 20 || curve.Meta().Generation != 1 {
			t.Errorf("%s: %+v, %v, want the new board's 20 entries", name, curve, err)
		}
	}
	faults.none(t)
}
