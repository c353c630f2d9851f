package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// Whichever board a post does not reach, or may not have reached, the error names it and
// the others, and the same post again reaches it and changes the others no more.
func TestAFamilyPostThatFailedIsSentAgain(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		for _, lost := range []bool{false, true} {
			for i, failing := range boardsAtStart {
				st := &writes{Store: on.Store, fails: failing, lost: lost}
				cutShort(t, st, fmt.Sprintf("p%d-%t", i, lost))
			}
		}
	})
}

func cutShort(t *testing.T, st *writes, owner string) {
	t.Helper()
	ctx, failing := context.Background(), st.fails
	f := newFamily(t, st, missions(), newClock())
	p := rankcurve.Post{Owner: owner, Scores: scores{"xp": 5}, ID: "mission-7"}
	others := slices.DeleteFunc(slices.Clone(boardsAtStart), func(name string) bool { return name == failing })
	failed, unknown, reached, said := []string{failing}, []string(nil), int64(0), "not on "
	advice := "it has no id, so post to those boards by their own names"
	if st.lost {
		failed, unknown, reached, said = nil, failed, 5, "perhaps on "
		advice = "it has no id, so look first where it may be stored"
	}
	_, err := f.Post(ctx, time.Time{}, p)
	var fanOut *rankcurve.FanOutError
	if !errors.As(err, &fanOut) || !errors.Is(err, errCut) {
		t.Fatalf("error %v", err)
	}
	if !slices.Equal(fanOut.Failed, failed) || !slices.Equal(fanOut.Unknown, unknown) || !slices.Equal(fanOut.Stored, others) || len(fanOut.Errs) != 1 || !fanOut.At.Equal(newClock().Now()) || fanOut.Final() {
		t.Errorf("stored on %v, failed on %v, unknown on %v, at %s", fanOut.Stored, fanOut.Failed, fanOut.Unknown, fanOut.At)
	}
	if !strings.Contains(err.Error(), "stored on "+strings.Join(others, ", ")+", "+said+failing) || !strings.Contains(err.Error(), "send it again with the same id and the same time, 2026-11-20T12:00:00Z") {
		t.Errorf("the error says %v", err)
	}
	wantXP(t, st, owner, 5, others...)
	wantXP(t, st, owner, reached, failing)
	st.fails = ""
	tomorrow := newClock()
	tomorrow.Advance(24 * time.Hour)
	again := newFamily(t, st, missions(), tomorrow) // another process, on another day
	for range 2 {
		if _, err := again.Post(ctx, fanOut.At, p); err != nil {
			t.Fatal(err)
		}
		wantXP(t, st, owner, 5, boardsAtStart...)
		wantXP(t, st, owner, 0, "missions:2026-11-21")
	}
	st.fails = failing
	p.ID = ""
	if _, err := f.Post(ctx, time.Time{}, p); err == nil || !strings.Contains(err.Error(), advice) {
		t.Errorf("without an id: %v", err)
	}
}

// Where the rows of a board do not know the post's id any more, nobody is told to send it
// again: there it would be applied twice.
func TestAForgottenFamilyPostIsNotSentAgain(t *testing.T) {
	ctx, st := context.Background(), newStore(t)
	at, daily := newClock().Now(), "missions:2026-11-20"
	postXP(t, newFamily(t, st, missions(), newClock()), at, 1, "first")
	d := &doubtsOn{Store: st, board: daily, doubts: doubts{Store: st, carriedOut: true, others: func(st store.Store) {
		b, err := rankcurve.Open(ctx, st, daily, rankcurve.WithClock(newClock().Now))
		if err != nil {
			t.Error(err)
			return
		}
		for i := range store.MaxPosts {
			if _, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 0}, ID: fmt.Sprint("other-", i)}); err != nil {
				t.Error(err)
			}
		}
	}}}
	f, p := newFamily(t, d, missions(), newClock()), rankcurve.Post{Owner: "ann", Scores: scores{"xp": 5}, ID: "mine"}
	_, err := f.Post(ctx, at, p)
	var fanOut *rankcurve.FanOutError
	if !errors.As(err, &fanOut) || !errors.Is(err, rankcurve.ErrForgotten) || !errors.Is(err, store.ErrUnknown) {
		t.Fatalf("error %v", err)
	}
	if !slices.Equal(fanOut.Forgotten, []string{daily}) || !slices.Equal(fanOut.Unknown, []string{daily}) || len(fanOut.Failed) > 0 || len(fanOut.Errs) != 1 {
		t.Errorf("%+v", fanOut)
	}
	if !strings.Contains(err.Error(), "do not send it again, for its id would not be known on "+daily) || strings.Contains(err.Error(), "same time") {
		t.Errorf("the error says %v", err)
	}
	wantXP(t, st, "ann", 6, boardsAtStart...)
	if _, err := f.Post(ctx, at, p); err != nil { // against the advice
		t.Fatal(err)
	}
	wantXP(t, st, "ann", 11, daily)
	wantXP(t, st, "ann", 6, "missions", "missions:2026-W47")
}

// doubtsOn is a store that has doubts about one board.
type doubtsOn struct {
	store.Store
	board  string
	mu     sync.Mutex
	doubts doubts
}

func (d *doubtsOn) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	if b.Name != d.board {
		return d.Store.Put(ctx, b, e)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.doubts.Put(ctx, b, e)
}

func TestLatePosts(t *testing.T) {
	ctx := context.Background()
	post := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}
	yesterday := newClock().Now().Add(-13 * time.Hour) // 23:00 of the day before
	t.Run("accepted", func(t *testing.T) {
		st := newStore(t)
		if _, err := newFamily(t, st, missions(), newClock()).Post(ctx, yesterday, post); err != nil {
			t.Fatal(err)
		}
		wantXP(t, st, "ann", 1, "missions", "missions:2026-W47", "missions:2026-11-19")
		wantXP(t, st, "ann", 0, "missions:2026-11-20")
	})
	t.Run("refused", func(t *testing.T) {
		st, def := &writes{Store: newStore(t)}, missions()
		def.Late, def.Grace = rankcurve.RefuseLate, 12*time.Hour-time.Second
		_, err := newFamily(t, st, def, newClock()).Post(ctx, yesterday, post)
		if !errors.Is(err, rankcurve.ErrLate) || !strings.Contains(err.Error(), "board missions:2026-11-19 ended at 2026-11-20T00:00:00Z, and late posts are refused (late_posts, late_grace)") || st.puts > 0 {
			t.Errorf("%v, %d puts", err, st.puts)
		}
		def.Grace += 2 * time.Second
		if _, err := newFamily(t, st, def, newClock()).Post(ctx, yesterday, post); err != nil {
			t.Errorf("within the grace: %v", err)
		}
	})
	t.Run("for a board that has expired", func(t *testing.T) {
		st, def := newStore(t), missions()
		old := newClock().Now().AddDate(0, 0, -32)
		posted, err := newFamily(t, st, def, newClock()).Post(ctx, old, post)
		if err != nil || len(posted) != 2 || posted[1].Board.Name != "missions:2026-W43" {
			t.Errorf("%+v, %v", posted, err)
		}
		def.Periods = []store.Period{store.Daily}
		if _, err := newFamily(t, st, def, newClock()).Post(ctx, old, post); !errors.Is(err, rankcurve.ErrLate) {
			t.Errorf("with daily boards alone: %v", err)
		}
	})
}

// What was cut short before its period's end is not late when it is sent again: or it
// would be on some of the boards for ever. Another post of that time is.
func TestAPostCutShortIsCarriedOnAfterItsPeriod(t *testing.T) {
	ctx, at := context.Background(), time.Date(2026, 11, 20, 23, 59, 59, 0, time.UTC)
	for _, failing := range boardsAtStart {
		c, def := newClock(), missions()
		def.Late = rankcurve.RefuseLate
		c.Advance(at.Sub(c.Now()))
		st := &writes{Store: newStore(t), fails: failing}
		f := newFamily(t, st, def, c)
		p := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 5}, ID: "cut"}
		if _, err := f.Post(ctx, at, p); !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		st.fails = ""
		c.Advance(2 * time.Second)
		st.puts = 0
		for _, late := range []rankcurve.Post{{Owner: "ann", ID: "other"}, {Owner: "bob", ID: "cut"}, {Owner: "ann"}} {
			late.Scores = scores{"xp": 5}
			if _, err := f.Post(ctx, at, late); !errors.Is(err, rankcurve.ErrLate) || st.puts > 0 {
				t.Errorf("%+v: %v, %d puts", late, err, st.puts)
			}
		}
		for range 2 {
			if _, err := newFamily(t, st, def, c).Post(ctx, at, p); err != nil {
				t.Fatal(err)
			}
			wantXP(t, st, "ann", 5, boardsAtStart...)
		}
	}
}

// How long a board stays is settled when it is made. One that has expired by that is left
// out of a late post, also where the definition says by now that boards stay longer.
func TestALatePostLeavesOutWhatHasExpiredByTheRegistry(t *testing.T) {
	ctx, st, c, def := context.Background(), newStore(t), newClock(), missions()
	def.ExpireAfter = map[store.Period]time.Duration{store.Daily: 24 * time.Hour}
	at := c.Now()
	postXP(t, newFamily(t, st, def, c), at, 1, "one")
	c.Advance(72 * time.Hour)
	def.ExpireAfter[store.Daily] = 30 * 24 * time.Hour
	for id, f := range map[string]*rankcurve.Family{"two": newFamily(t, st, def, c), "three": newFamily(t, st, def, c)} {
		posted, err := f.Post(ctx, at, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, ID: id})
		if err != nil || len(posted) != 2 || posted[1].Board.Name != "missions:2026-W47" {
			t.Errorf("%+v, %v", posted, err)
		}
	}
	wantXP(t, st, "ann", 3, "missions", "missions:2026-W47")
	def.Periods = []store.Period{store.Daily}
	if _, err := newFamily(t, st, def, c).Post(ctx, at, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}); !errors.Is(err, rankcurve.ErrLate) {
		t.Errorf("with daily boards alone: %v", err)
	}
}
