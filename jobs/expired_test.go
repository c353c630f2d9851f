package jobs_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A board that expires between two looks at the registry is not refreshed any more: its
// curve would outlive it, and be taken for that of a board made anew under its name.
func TestABoardThatHasExpiredGetsNoCurve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newBoards(t, 50, "other")
		b := named("day")
		b.Expires = time.Now().Add(5 * time.Minute)
		if err := st.CreateBoard(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if _, err := st.Load(t.Context(), b, []store.Entry{{Owner: "ann", Scores: map[string]int64{"xp": 1}}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second) // so that boards are listed half a minute before it expires, and after
		h := newHand(t, st, settled(everyFive(t))).work()
		time.Sleep(4*time.Minute + 30*time.Second)
		if publishedOf(t, st, b.Name) == nil {
			t.Fatal("no curve while it was there")
		}
		if err := st.DropBoard(context.Background(), b.Name, time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		h.stop()
		if c := publishedOf(t, st, b.Name); c != nil {
			t.Errorf("it has a curve as of %s", c.Meta().AsOf)
		}
	})
}
