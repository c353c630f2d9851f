package memcache_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

// A year of daily boards, each asked for on its day, leaves floors of days and not of a
// year; a board that is asked for all year long keeps its own.
func TestFloorsAreOfWhatIsAskedForLately(t *testing.T) {
	for _, expiration := range []time.Duration{memcache.DefaultExpiration, 0} {
		srv, in := startServer(t), newInner(t)
		st, faults := wrap(t, in, srv.addr, memcache.Expiration(expiration))
		now := time.Unix(0, 0)
		st.FloorsBy(func() time.Time { return now })
		old := publish(t, st, xp, 1)
		newest := publish(t, st, xp, 2)
		for day := range 365 {
			now = now.Add(24 * time.Hour)
			key := store.CurveKey{Board: fmt.Sprint("daily-", day), Column: "xp"}
			if _, err := st.Publish(bg, key, curveOf(t, key, 1, 10)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := st.Curve(bg, xp); err != nil {
				t.Fatal(err)
			}
			if n := st.Floors(); n > 4 { // of this day and the one before
				t.Fatalf("%d floors on day %d", n, day)
			}
		}
		srv.set(t, memcache.Key(table, xp), old.Data)
		wantCurve(t, st, in, newest, 1)
		faults.none(t)
	}
}

// A board without an ID that is dropped and made anew has the key of the old one, and
// begins at generation 1 again.
func TestADroppedBoardLeavesNoFloor(t *testing.T) {
	srv, in := startServer(t), newInner(t)
	st, faults := wrap(t, in, srv.addr)
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	daily := store.Board{Name: "daily", Shards: 1, Columns: def.Columns, Expires: day}
	if err := st.CreateBoard(bg, daily); err != nil {
		t.Fatal(err)
	}
	key := daily.CurveKey("xp")
	publish(t, st, key, 7)
	if err := st.DropBoard(bg, "daily", day); err != nil {
		t.Fatal(err)
	}
	if n := st.Floors(); n != 0 {
		t.Errorf("%d floors after the drop", n)
	}
	anew := publish(t, st, key, 1)
	if got, usage, err := st.Curve(bg, key); err != nil || got.Generation != anew.Generation || usage.Requests != 0 {
		t.Errorf("generation %d for %s, %v, want 1 from memcached", got.Generation, usage, err)
	}
	faults.none(t)
}
