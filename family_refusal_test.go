package rankcurve_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// reads is a store that counts reads of rows, and fails those of one board.
type reads struct {
	store.Store
	fails string // the name of the board whose rows cannot be read
	mu    sync.Mutex
	rows  int // calls of Entry
	lists int // of them, those that ask whom the family hides
	many  int // calls of EntriesOf
}

func (r *reads) Entry(ctx context.Context, b store.Board, owner string) (store.Entry, store.Usage, error) {
	r.mu.Lock()
	r.rows++
	if strings.Contains(b.Name, "/") {
		r.lists++
	}
	r.mu.Unlock()
	if b.Name == r.fails {
		return store.Entry{}, store.Usage{}, errCut
	}
	return r.Store.Entry(ctx, b, owner)
}

func (r *reads) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	r.mu.Lock()
	r.many++
	r.mu.Unlock()
	return r.Store.EntriesOf(ctx, b, owners)
}

// limited is a family of which no row may have more than 1000.
func limited(t *testing.T, st store.Store, c *clock) *rankcurve.Family {
	t.Helper()
	f, err := rankcurve.NewFamily(st, missions(), rankcurve.WithClock(c.Now), rankcurve.WithLimits(map[string]store.Limit{"xp": {Max: new(int64(1000))}}))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func postXP(t *testing.T, f *rankcurve.Family, at time.Time, xp int64, id string) {
	t.Helper()
	if _, err := f.Post(context.Background(), at, rankcurve.Post{Owner: "ann", Scores: scores{"xp": xp}, ID: id}); err != nil {
		t.Fatal(err)
	}
}

// A post that one board refuses is on none of them, and the reason is told once.
func TestAFamilyPostIsRefusedAsAWhole(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		st, c := &writes{Store: on.Store}, newClock()
		f := limited(t, st, c)
		postXP(t, f, c.Now().Add(-24*time.Hour), 950, "yesterday")
		st.puts = 0
		for range 2 {
			posted, err := f.Post(context.Background(), time.Time{}, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 100}, ID: "today"})
			want := `post to family "missions" for owner "ann": board "missions": column "xp": score 1050 is above the limit of 1000`
			var fanOut *rankcurve.FanOutError
			if !errors.Is(err, store.ErrInvalid) || errors.As(err, &fanOut) || !strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), "1050") != 1 || posted != nil {
				t.Errorf("%+v, %v, want %q", posted, err, want)
			}
		}
		if st.puts > 0 {
			t.Errorf("%d puts", st.puts)
		}
		wantXP(t, st, "ann", 950, "missions", "missions:2026-W47")
		wantXP(t, st, "ann", 0, "missions:2026-11-20")
		postXP(t, f, time.Time{}, 50, "less")
		wantXP(t, st, "ann", 1000, "missions", "missions:2026-W47")
		wantXP(t, st, "ann", 50, "missions:2026-11-20")
	})
}

// To look before it is written costs a post no read: each row is read once, and only when
// it is made is it looked up before and after whether the family hides its owner.
func TestAFamilyPostReadsEachRowOnce(t *testing.T) {
	st, c := &reads{Store: newStore(t)}, newClock()
	f := limited(t, st, c)
	postXP(t, f, time.Time{}, 5, "one")
	postXP(t, f, time.Time{}, 5, "two")
	if st.rows-st.lists != 6 || st.lists != 6 || st.many != 0 {
		t.Errorf("two posts read %d rows alone, %d times who is hidden, and %d times several, want 6, 6 and none", st.rows-st.lists, st.lists, st.many)
	}
}

func TestAFamilyPostIsOnNoBoardIfOneCannotBeAsked(t *testing.T) {
	ctx, c := context.Background(), newClock()
	post := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 5}}
	for name, spoil := range map[string]func(st *reads) error{
		"a row that cannot be read": func(st *reads) error { st.fails = "missions:2026-W47"; return errCut },
		"another board in the way": func(st *reads) error {
			newBoard(t, st, boardOf("missions:2026-W47", 7))
			return store.ErrBoardMismatch
		},
	} {
		st := &writes{Store: newStore(t)}
		spoilt := &reads{Store: st}
		want := spoil(spoilt)
		posted, err := newFamily(t, spoilt, missions(), c).Post(ctx, time.Time{}, post)
		var fanOut *rankcurve.FanOutError
		if !errors.Is(err, want) || errors.As(err, &fanOut) || posted != nil || st.puts > 0 || !strings.Contains(err.Error(), "missions:2026-W47") {
			t.Errorf("%s: %+v, %v, %d puts", name, posted, err, st.puts)
		}
	}
}

// What one period's boards take says nothing about another's.
func TestLimitsOfAPeriod(t *testing.T) {
	ctx, st, c, def := context.Background(), newStore(t), newClock(), missions()
	def.Limits = map[store.Period]map[string]store.Limit{store.Daily: {"xp": {Max: new(int64(100))}}}
	f, err := rankcurve.NewFamily(st, def, rankcurve.WithClock(c.Now), rankcurve.WithLimits(map[string]store.Limit{"xp": {Max: new(int64(250))}}))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(xp int64, want string) {
		t.Helper()
		_, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "ann", Scores: scores{"xp": xp}})
		if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v, want %q", xp, err, want)
		}
	}
	postXP(t, f, time.Time{}, 90, "")
	refused(11, `board "missions:2026-11-20": column "xp": score 101 is above the limit of 100`)
	c.Advance(24 * time.Hour)
	postXP(t, f, time.Time{}, 100, "")
	c.Advance(24 * time.Hour)
	refused(61, `board "missions": column "xp": score 251 is above the limit of 250`)
	daily, err := f.Open(ctx, store.Daily, c.Now().Add(-24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := daily.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("to the board itself: %v", err)
	}
	wantXP(t, st, "ann", 190, "missions")
	for want, def := range map[string]rankcurve.FamilyDefinition{
		`limits: there are some of the period "monthly"`: {Limits: map[store.Period]map[string]store.Limit{store.Monthly: {}}},
		`there is a limit of column "gold"`:              {Limits: map[store.Period]map[string]store.Limit{store.Daily: {"gold": {}}}},
	} {
		family := missions()
		family.Limits = def.Limits
		if _, err := rankcurve.NewFamily(st, family); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A post that was cut short was taken once: it is carried on to the boards that still take
// it, and where a limit was reached meanwhile, nobody is told to send it again.
func TestAPostCutShortIsCarriedOnPastALimit(t *testing.T) {
	st, c := &writes{Store: newStore(t), fails: "missions:2026-11-20"}, newClock()
	f := limited(t, st, c)
	post := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 600}, ID: "cut"}
	if _, err := f.Post(context.Background(), time.Time{}, post); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	st.fails = ""
	def, err := st.Board(context.Background(), "missions:2026-11-20")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Load(context.Background(), def, []store.Entry{{Owner: "ann", Scores: scores{"xp": 500}}}); err != nil {
		t.Fatal(err)
	}
	_, err = f.Post(context.Background(), time.Time{}, post)
	var fanOut *rankcurve.FanOutError
	if !errors.As(err, &fanOut) || !slices.Equal(fanOut.Failed, []string{"missions:2026-11-20"}) || !fanOut.Final() || strings.Contains(err.Error(), "send") {
		t.Errorf("%v", err)
	}
	wantXP(t, st, "ann", 600, "missions", "missions:2026-W47")
	wantXP(t, st, "ann", 500, "missions:2026-11-20")
}
