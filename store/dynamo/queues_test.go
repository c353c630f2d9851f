package dynamo

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/rankcurve/rankcurve/store"
)

// Writes of a row go in the order of their coming, those of other rows beside them; who
// gives up lets the others pass, and nothing is kept of a row that nobody writes.
func TestQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queues
		games, runs := store.Board{Name: "games"}, store.Board{Name: "runs"}
		mustWait := func(b store.Board, owner string) *place {
			p, err := q.wait(t.Context(), b, owner)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		first := mustWait(games, "ann")
		mustWait(runs, "ann").leave(0)
		mustWait(games, "bob").leave(0)

		impatient, giveUp := context.WithCancel(t.Context())
		gaveUp := make(chan error, 1)
		go func() { _, err := q.wait(impatient, games, "ann"); gaveUp <- err }()
		synctest.Wait()
		order := make(chan *place, 2)
		for range 2 {
			go func() { order <- mustWait(games, "ann") }()
			synctest.Wait()
		}
		giveUp()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		synctest.Wait()
		if len(order) > 0 {
			t.Fatal("a write went beside the first one")
		}

		first.leave(7)
		second := <-order
		synctest.Wait()
		if len(order) > 0 {
			t.Fatal("a write went beside the second one")
		}
		if !second.missed(6) || second.missed(7) {
			t.Error("who waits is not told what was made meanwhile")
		}
		second.leave(0)
		third := <-order
		if !third.missed(6) || third.missed(7) {
			t.Error("who waits longer is not told what was made meanwhile")
		}
		late := make(chan *place)
		go func() { late <- mustWait(games, "ann") }()
		synctest.Wait()
		third.leave(0)
		if p := <-late; p.missed(0) {
			t.Error("who came later is told of what was made before")
		} else {
			p.leave(9)
		}
		if len(q.rows) > 0 {
			t.Errorf("%d rows are kept", len(q.rows))
		}
	})
}
