package memcache_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

// The key is a promise to other languages: it is what the documented shell lines
// print, and what the document says that they print.
func TestKey(t *testing.T) {
	document, err := os.ReadFile("../../docs/curve-format.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^(printf .*\| sha256sum)\n# (rankcurve:[0-9a-f]{64})$`).FindAllStringSubmatch(string(document), -1)
	old := xp
	old.ID = ""
	keys := []store.CurveKey{xp, old}
	if len(lines) != len(keys) {
		t.Fatalf("the document has %d lines that print a key, want %d", len(lines), len(keys))
	}
	for i, k := range keys {
		printed, err := exec.Command("bash", "-c", lines[i][1]).Output()
		if err != nil {
			t.Fatal(err)
		}
		got := memcache.Key("rankcurve", k)
		if got != lines[i][2] || got != "rankcurve:"+strings.Fields(string(printed))[0] {
			t.Errorf("key %s, the document says %s, its command %s", got, lines[i][2], printed)
		}
	}
	long := store.CurveKey{Board: strings.Repeat("b", store.MaxBoard), Column: strings.Repeat("c", 31)}
	if got := memcache.Key(strings.Repeat("t", 255), long); len(got) != 74 {
		t.Errorf("a key of %d bytes", len(got))
	}
	long.ID = strings.Repeat("d", 64)
	if got := memcache.Key(strings.Repeat("t", 255), long); len(got) != 74 {
		t.Errorf("a key of %d bytes", len(got))
	}
	if memcache.Key("a", store.CurveKey{Board: "bc", Column: "dd"}) == memcache.Key("ab", store.CurveKey{Board: "c", Column: "dd"}) {
		t.Error("two curves share a key")
	}
}

func TestTheValueIsTheCurvesBytes(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	p := publish(t, st, xp, 3)
	if !bytes.Equal(srv.value(t, memcache.Key(table, xp)), p.Data) {
		t.Error("memcached does not hold the published bytes alone")
	}
	wantCurve(t, st, in, p, 0)
	faults.none(t)
}

func TestAMissIsFilledOnce(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	p := publish(t, st, xp, 1)
	if got := srv.say(t, "flush_all"); got != "OK" {
		t.Fatal(got)
	}
	in.reads.Store(0)
	var asking sync.WaitGroup
	for range 100 {
		asking.Go(func() {
			for range 100 {
				got, _, err := st.Curve(bg, xp)
				if err != nil || !bytes.Equal(got.Data, p.Data) {
					t.Errorf("generation %d, %v", got.Generation, err)
				}
				clear(got.Data) // the caller's own
			}
		})
	}
	asking.Wait()
	if got := in.reads.Load(); got != 1 {
		t.Errorf("10,000 reads after a flush read the store %d times, want once", got)
	}
	faults.none(t)
}

func TestSharedReadsReportTheirUsageOnce(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, _ := wrap(t, in, srv.addr)
	publish(t, st, xp, 1)
	srv.say(t, "flush_all")
	var total store.Usage
	var mu sync.Mutex
	var asking sync.WaitGroup
	for range 50 {
		asking.Go(func() {
			_, u, err := st.Curve(bg, xp)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			total.Add(u)
			mu.Unlock()
		})
	}
	asking.Wait()
	if total.Requests != 1 {
		t.Errorf("50 readers used %s, want one request", total)
	}
}

func TestACurveThatIsNowhereIsNotFound(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	if _, _, err := st.Curve(bg, xp); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
	faults.none(t)
}

// Publishers that do not know of each other share a key: whatever the order,
// what memcached holds never gets older.
func TestNeverOlderOverNewer(t *testing.T) {
	srv := startServer(t)
	const generations = 60
	stores := make([]*memcache.Store, 0, 3)
	for range cap(stores) {
		st, faults := wrap(t, newInner(t), srv.addr)
		stores = append(stores, st)
		t.Cleanup(func() { faults.none(t) })
	}
	curves := make([]store.Published, generations)
	for i := range curves {
		curves[i] = curveOf(t, xp, int64(i)+1, 200)
	}
	var publishing sync.WaitGroup
	stop := make(chan struct{})
	watched := make(chan struct{})
	go func() { // a reader of its own sees the generations grow
		defer close(watched)
		var last int64
		for reader, _ := wrap(t, newInner(t), srv.addr); ; {
			p, _, err := reader.Curve(bg, xp)
			if err == nil && p.Generation < last {
				t.Errorf("generation %d after %d", p.Generation, last)
			}
			last = max(last, p.Generation)
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for i, st := range stores {
		publishing.Go(func() {
			for n := range generations {
				if (n+i)%3 == 0 && n != generations-1 && rand.IntN(3) > 0 {
					continue // they meet in another order each time
				}
				if _, err := st.Publish(bg, xp, curves[n]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	publishing.Wait()
	close(stop)
	<-watched
	if !bytes.Equal(srv.value(t, memcache.Key(table, xp)), curves[generations-1].Data) {
		t.Error("memcached does not hold the newest")
	}
}

// A reader that was slow may try to fill with what has been replaced meanwhile.
func TestASlowFillDoesNotReplaceTheNewer(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	reader, _ := wrap(t, in, srv.addr) // another process
	publish(t, st, xp, 1)
	srv.say(t, "flush_all")
	read, goOn := make(chan struct{}), make(chan struct{})
	old, _, _ := in.Store.Curve(bg, xp)
	slow := &replaced{Store: in, curve: func() store.Published { close(read); <-goOn; return old }}
	reader.Store = slow
	done := make(chan struct{})
	go func() { defer close(done); _, _, _ = reader.Curve(bg, xp) }()
	<-read
	newer := publish(t, st, xp, 2)
	close(goOn)
	<-done
	if !bytes.Equal(srv.value(t, memcache.Key(table, xp)), newer.Data) {
		t.Error("the older curve replaced the newer")
	}
	faults.none(t)
}

// replaced answers with a curve of the test's.
type replaced struct {
	store.Store
	curve func() store.Published
}

func (r *replaced) Curve(context.Context, store.CurveKey) (store.Published, store.Usage, error) {
	return r.curve(), store.Usage{Requests: 1, TableReads: 1}, nil
}

// A caller that leaves does not take the others' read with it.
func TestACallerLeavesAlone(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, _ := wrap(t, in, srv.addr)
	p := publish(t, st, xp, 1)
	srv.say(t, "flush_all")
	reading, goOn := make(chan struct{}, 2), make(chan struct{})
	before := func(ctx context.Context) error {
		reading <- struct{}{}
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	in.curve.Store(&before)
	ctx, cancel := context.WithCancel(bg)
	left := make(chan error)
	go func() { _, _, err := st.Curve(ctx, xp); left <- err }()
	<-reading
	stayed := make(chan error)
	go func() { _, _, err := st.Curve(bg, xp); stayed <- err }()
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	close(goOn)
	if err := <-stayed; err != nil {
		t.Errorf("the one who stayed: %v", err)
	}
	wantCurve(t, st, in, p, 0)
}

// Close does not wait for a store that hangs.
func TestCloseEndsAReadThatHangs(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, _ := wrap(t, in, srv.addr)
	reading := make(chan struct{})
	before := func(ctx context.Context) error { close(reading); <-ctx.Done(); return ctx.Err() }
	in.curve.Store(&before)
	failed := make(chan error)
	go func() { _, _, err := st.Curve(bg, xp); failed <- err }()
	<-reading
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, store.ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
}
